"""Reading the problems of a dataset from the alerts of its judged partitions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, and_, select

from airflow_dq.judge.verdict import Status
from airflow_dq.store import snooze
from airflow_dq.store.problem_history import JudgedDay, ProblemSummary, over_time, state_of
from airflow_dq.store.review_model import Snooze
from airflow_dq.store.table import AlertRow, DatasetRow, ProfileRow, VerdictRow


def problems(connection: Connection, dataset: str, limit: int) -> list[ProblemSummary]:
    """The problems of the newest judged partitions, those of the newest partition first, the worst first.

    :param limit: partitions that are looked at; one that is older began before
    """
    newest = (
        select(VerdictRow.id, ProfileRow.sort_key)
        .join(DatasetRow, DatasetRow.id == VerdictRow.dataset_id)
        .join(
            ProfileRow,
            and_(ProfileRow.dataset_id == VerdictRow.dataset_id, ProfileRow.partition_key == VerdictRow.partition_key),
        )
        .where(DatasetRow.name == dataset, VerdictRow.status.in_([Status.PASS.value, Status.FAIL.value]))
        .order_by(ProfileRow.sort_key.desc())
        .limit(limit)
        .subquery()
    )
    query = (
        select(
            VerdictRow.partition_key,
            VerdictRow.decision,
            VerdictRow.decided_by,
            VerdictRow.judged_at,
            AlertRow.id,
            AlertRow.problem,
            AlertRow.headline,
            AlertRow.column_name,
            AlertRow.metric,
            AlertRow.severity,
            AlertRow.closed_at,
        )
        .select_from(newest)
        .join(VerdictRow, VerdictRow.id == newest.c.id)
        .outerjoin(AlertRow, AlertRow.verdict_id == VerdictRow.id)
        .order_by(newest.c.sort_key, AlertRow.closed_at.is_not(None), AlertRow.rank, AlertRow.id)
    )
    snoozes = snooze.active(connection, dataset)
    rows = connection.execute(query).all()
    days = groupby(rows, key=lambda row: row.partition_key)
    return over_time(_day(dataset, partition, list(own), snoozes) for partition, own in days)


def _day(dataset: str, partition: str, rows: Sequence[Any], snoozes: Sequence[Snooze]) -> JudgedDay:
    """One partition; a row without an alert is that of a partition that has none."""
    own: dict[str, list[Any]] = {}
    for row in rows:
        if row.id is not None:
            own.setdefault(row.problem, []).append(row)
    return JudgedDay(partition, tuple(_problem(dataset, key, found, snoozes) for key, found in own.items()))


def _problem(dataset: str, key: str, rows: Sequence[Any], snoozes: Sequence[Snooze]) -> ProblemSummary:
    first, still = rows[0], [row for row in rows if row.closed_at is None]
    quiet = all(snooze.find_snooze(snoozes, row.column_name, row.metric) is not None for row in still)
    return ProblemSummary(
        dataset=dataset,
        key=key,
        headline=first.headline,
        columns=tuple(dict.fromkeys(row.column_name for row in rows if row.column_name is not None)),
        since=first.partition_key,
        newest=first.partition_key,
        partitions=1,
        state=state_of(first.decision, is_open=bool(still), snoozed=quiet),
        # 'fail' sorts before 'warn'.
        severity=min(row.severity for row in still or rows),
        alert_id=first.id,
        judged_at=first.judged_at,
        decided_by=first.decided_by,
    )

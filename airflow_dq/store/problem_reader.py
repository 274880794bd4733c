"""Reading the problems of a dataset from the alerts of its judged partitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Select, Subquery, and_, select

from airflow_dq.explain.problem import same_problem
from airflow_dq.judge.verdict import Status
from airflow_dq.options.key import order_key
from airflow_dq.store import review, snooze
from airflow_dq.store.problem_history import JudgedDay, ProblemSummary, over_time, state_of
from airflow_dq.store.review_model import ReviewEvent, Snooze
from airflow_dq.store.table import AlertRow, DatasetRow, OriginRow, ProfileRow, VerdictRow
from airflow_dq.store.table_review import ReviewEventRow


def problems(connection: Connection, dataset: str, limit: int, until: str | None = None) -> list[ProblemSummary]:
    """The problems of the newest judged partitions, those of the newest partition first, the worst first.

    :param limit: partitions that are looked at; one that is older began before
    :param until: the last partition that is looked at; None: the newest one
    """
    snoozes = snooze.active(connection, dataset)
    said = _said(connection, dataset)
    rows = connection.execute(_alerts_of(_newest(dataset, limit, until))).all()
    days = groupby(rows, key=lambda row: row.partition_key)
    return over_time(_day(dataset, partition, list(own), snoozes, said) for partition, own in days)


def _newest(dataset: str, limit: int, until: str | None) -> Subquery:
    """The newest judged partitions."""
    query = (
        select(VerdictRow.id, ProfileRow.sort_key)
        .join(DatasetRow, DatasetRow.id == VerdictRow.dataset_id)
        .join(
            ProfileRow,
            and_(ProfileRow.dataset_id == VerdictRow.dataset_id, ProfileRow.partition_key == VerdictRow.partition_key),
        )
        .where(DatasetRow.name == dataset, VerdictRow.status.in_([Status.PASS.value, Status.FAIL.value]))
        .order_by(ProfileRow.sort_key.desc())
        .limit(limit)
    )
    return (query if until is None else query.where(ProfileRow.sort_key <= order_key(until))).subquery()


def _alerts_of(newest: Subquery) -> Select[Any]:
    """The alerts of some verdicts, oldest partition first; a row without an alert is that of one that has none."""
    owner = (
        select(OriginRow.owner)
        .where(OriginRow.verdict_id == VerdictRow.id, OriginRow.owner.is_not(None))
        .order_by(OriginRow.judged_at.desc())
        .limit(1)
        .scalar_subquery()
    )
    columns: tuple[Any, ...] = (
        VerdictRow.partition_key,
        VerdictRow.decision,
        VerdictRow.decided_by,
        VerdictRow.judged_at,
        AlertRow.id,
        AlertRow.problem,
        AlertRow.headline,
        AlertRow.rule,
        AlertRow.column_name,
        AlertRow.metric,
        AlertRow.severity,
        AlertRow.closed_at,
        AlertRow.owner,
        owner.label("task_owner"),
    )
    return (
        select(*columns)
        .select_from(newest)
        .join(VerdictRow, VerdictRow.id == newest.c.id)
        .outerjoin(AlertRow, AlertRow.verdict_id == VerdictRow.id)
        .order_by(newest.c.sort_key, AlertRow.closed_at.is_not(None), AlertRow.rank, AlertRow.id)
    )


def _said(connection: Connection, dataset: str) -> Mapping[str, Sequence[ReviewEvent]]:
    """What people have said of problems, oldest first, by partition."""
    query = (
        select(ReviewEventRow)
        .join(DatasetRow, DatasetRow.id == ReviewEventRow.dataset_id)
        .where(DatasetRow.name == dataset, ReviewEventRow.problem.is_not(None))
        .order_by(ReviewEventRow.id)
    )
    found: dict[str, list[ReviewEvent]] = {}
    for row in connection.execute(query):
        found.setdefault(row.partition_key, []).append(review.event_of(row, dataset))
    return found


def _day(
    dataset: str,
    partition: str,
    rows: Sequence[Any],
    snoozes: Sequence[Snooze],
    said: Mapping[str, Sequence[ReviewEvent]],
) -> JudgedDay:
    """One partition; a row without an alert is that of a partition that has none."""
    events = said.get(partition, ())
    own: dict[str, list[Any]] = {}
    for row in rows:
        if row.id is not None:
            own.setdefault(row.problem, []).append(row)
    return JudgedDay(partition, tuple(_problem(dataset, key, found, snoozes, events) for key, found in own.items()))


def _problem(
    dataset: str, key: str, rows: Sequence[Any], snoozes: Sequence[Snooze], events: Sequence[ReviewEvent]
) -> ProblemSummary:
    first, still = rows[0], [row for row in rows if row.closed_at is None]
    quiet = all(snooze.find_snooze(snoozes, row.rule, row.column_name, row.metric) is not None for row in still)
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
        default_owner=next((row.owner for row in rows if row.owner is not None), first.task_owner),
        # Judged again, its cause may be known by now, or no longer be.
        said=tuple(event for event in events if same_problem(key, event.problem or "")),
    )

"""Every dataset in one line: how its newest partitions were judged, what is open, how fresh it is; in two queries."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, and_, case, func, select, true
from sqlalchemy.dialects.postgresql import aggregate_order_by

from airflow_dq.judge.verdict import Status
from airflow_dq.options.job import NULL_KEY
from airflow_dq.store.eligibility import SPEAKS_OF_PROFILE
from airflow_dq.store.review_model import through
from airflow_dq.store.summary import DatasetOverview, OpenProblem, PartitionMark
from airflow_dq.store.table import AttemptRow, DatasetRow, OriginRow, ProfileRow, VerdictRow
from airflow_dq.store.table_review import ReplayRow
from airflow_dq.store.verdict_reader import (
    FIRST_ALERT,
    HEADLINE,
    ORIGINS_OF_VERDICT,
    in_dags,
    of_dags,
    origins_of,
    with_first_alert,
)


def datasets(
    connection: Connection, dag_ids: frozenset[str], limit: int, most: int, name: str | None
) -> list[DatasetOverview]:
    """The datasets of which a task of these DAGs has judged a partition, by name.

    :param limit: partitions of each, the newest
    :param most: datasets
    :param name: only those that have this in their names, in letters of either case
    """
    mine = select(OriginRow.dataset_id).where(OriginRow.dataset_id == DatasetRow.id, in_dags(dag_ids)).exists()
    query = select(DatasetRow.id, DatasetRow.name).where(mine).order_by(DatasetRow.name).limit(most)
    if name:
        query = query.where(DatasetRow.name.icontains(name, autoescape=True))
    chosen = query.subquery()
    rows = connection.execute(_lines(chosen, limit)).all()
    problems = _open_problems(connection, dag_ids)
    return [_overview(row, problems) for row in rows]


def _lines(chosen: Any, limit: int) -> Select[Any]:
    """Each dataset with its newest partitions as one JSON array: 30,000 rows are found faster than fetched."""
    newest = (
        select(ProfileRow)
        .where(ProfileRow.dataset_id == chosen.c.id, ProfileRow.partition_key != NULL_KEY)
        .order_by(ProfileRow.sort_key.desc())
        .limit(limit)
        .lateral("newest")
    )
    same = and_(
        VerdictRow.dataset_id == newest.c.dataset_id,
        VerdictRow.partition_key == newest.c.partition_key,
        VerdictRow.profile_fingerprint == newest.c.fingerprint,
    )
    said = (VerdictRow.status, VerdictRow.decision, VerdictRow.severity, VerdictRow.alert_count)
    # Only of what was not judged: one lookup in a backtest's outcomes costs as much as the rest of a mark.
    replayed = case((VerdictRow.status.is_(None), ReplayRow.outcomes[newest.c.partition_key].astext))
    mark = func.json_build_array(newest.c.partition_key, newest.c.row_count, *said, replayed)
    # Of what was profiled since, the backtest says nothing.
    told = and_(ReplayRow.dataset_id == newest.c.dataset_id, ReplayRow.made_at > newest.c.updated_at)
    attempt = _newest_attempt(chosen)
    named = (chosen.c.id, chosen.c.name, attempt.c.tried, attempt.c.tried_state)
    return (
        select(
            *named,
            func.json_agg(aggregate_order_by(mark, newest.c.sort_key)).label("marks"),
            func.max(newest.c.updated_at).label("profiled_at"),
        )
        .select_from(chosen)
        .join(newest, true())
        .outerjoin(VerdictRow, same)
        .outerjoin(ReplayRow, told)
        .outerjoin(attempt, true())
        .group_by(*named)
        .order_by(chosen.c.name)
    )


def _newest_attempt(chosen: Any) -> Any:
    """The newest attempt at a dataset's newest partition: it may have failed, and left no profile."""
    return (
        select(AttemptRow.partition_key.label("tried"), AttemptRow.state.label("tried_state"))
        .where(AttemptRow.dataset_id == chosen.c.id, AttemptRow.partition_key != NULL_KEY)
        .order_by(AttemptRow.sort_key.desc(), AttemptRow.id.desc())
        .limit(1)
        .lateral("attempt")
    )


def _open_problems(connection: Connection, dag_ids: frozenset[str]) -> Mapping[int, OpenProblem]:
    """What is open of each dataset, by its id: told by the newest partition that waits."""
    of_dataset, newest = VerdictRow.dataset_id, ProfileRow.sort_key.desc()
    open_ones = (
        select(
            VerdictRow.id,
            func.row_number().over(partition_by=of_dataset, order_by=newest).label("place"),
            func.count().over(partition_by=of_dataset).label("partitions"),
        )
        .join(ProfileRow, SPEAKS_OF_PROFILE)
        # The condition on all alerts is for the index.
        .where(VerdictRow.open_count > 0, VerdictRow.alert_count > 0, of_dags(dag_ids))
        .subquery()
    )
    query = with_first_alert(
        select(
            VerdictRow.dataset_id,
            VerdictRow.partition_key,
            FIRST_ALERT.label("alert_id"),
            HEADLINE,
            VerdictRow.severity,
            ORIGINS_OF_VERDICT,
            open_ones.c.partitions,
        ).join(open_ones, open_ones.c.id == VerdictRow.id)
    ).where(open_ones.c.place == 1)
    return {row.dataset_id: problem for row in connection.execute(query) if (problem := _problem(row, dag_ids))}


def _problem(row: Any, dag_ids: frozenset[str]) -> OpenProblem | None:
    origin = through(origins_of(row), dag_ids)
    if origin is None or row.alert_id is None:
        return None
    return OpenProblem(row.partition_key, row.headline or "", row.alert_id, origin.dag_id, row.partitions, row.severity)


def _overview(row: Any, problems: Mapping[int, OpenProblem]) -> DatasetOverview:
    marks = tuple(
        PartitionMark(key, rows, _status(status), decision, severity, alerts or 0, _status(replayed))
        for key, rows, status, decision, severity, alerts, replayed in row.marks or ()
    )
    profiled_at: datetime | None = row.profiled_at
    known = {mark.partition for mark in marks}
    failed = row.tried if row.tried_state == "failed" and row.tried not in known else None
    return DatasetOverview(row.name, marks, profiled_at, problems.get(row.id), failed)


def _status(name: str | None) -> Status | None:
    return Status(name) if name else None


def waiting(connection: Connection, dag_ids: frozenset[str]) -> int:
    """How many partitions that tasks of these DAGs have judged wait for a person."""
    query = select(func.count()).select_from(VerdictRow).join(ProfileRow, SPEAKS_OF_PROFILE)
    # The condition on all alerts is for the index.
    open_ones = query.where(VerdictRow.open_count > 0, VerdictRow.alert_count > 0, of_dags(dag_ids))
    return int(connection.execute(open_ones).scalar_one())

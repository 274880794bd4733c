"""What ``airflow dq status`` shows."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, ScalarSelect, Subquery, and_, cast, func, select

from airflow_dq.judge.verdict import Status
from airflow_dq.store.eligibility import SPEAKS_OF_PROFILE
from airflow_dq.store.summary import DatasetSummary, PartitionSummary
from airflow_dq.store.table import AlertRow, AttemptRow, DatasetRow, OriginRow, ProfileRow, VerdictRow
from airflow_dq.store.table_review import ReplayRow
from airflow_dq.store.verdict_reader import FIRST_ALERT, ORIGINS_OF_VERDICT, in_dags, origins_of, with_first_alert


def datasets(connection: Connection, dag_ids: frozenset[str] | None = None) -> list[DatasetSummary]:
    """The datasets, by name: all, or those of which a task of these DAGs has judged a partition."""
    mine = VerdictRow.dataset_id == DatasetRow.id
    is_open = and_(VerdictRow.alert_count > 0, VerdictRow.open_count > 0)  # the first for its index
    profiled = ProfileRow.dataset_id == DatasetRow.id
    # Each by itself has an index; one aggregate of all three reads every profile of every dataset.
    query = select(
        DatasetRow.name,
        select(func.count()).where(profiled).scalar_subquery(),
        select(ProfileRow.partition_key)
        .where(profiled)
        .order_by(ProfileRow.sort_key.desc())
        .limit(1)
        .scalar_subquery(),
        select(func.max(ProfileRow.updated_at)).where(profiled).scalar_subquery(),
        select(func.coalesce(func.sum(VerdictRow.open_count), 0)).where(mine, is_open).scalar_subquery(),
        select(func.count()).where(mine, is_open).scalar_subquery(),
        select(cast(func.coalesce(func.sum(_problems(AlertRow.closed_at.is_(None))), 0), BigInteger))
        .where(mine, is_open)
        .scalar_subquery(),
    ).order_by(DatasetRow.name)
    if dag_ids is not None:
        theirs = select(OriginRow.dataset_id).where(OriginRow.dataset_id == DatasetRow.id, in_dags(dag_ids))
        query = query.where(theirs.exists())
    return [DatasetSummary(*row) for row in connection.execute(query)]


def partitions(connection: Connection, dataset: str, limit: int) -> list[PartitionSummary]:
    """The newest partitions of a dataset that were at least attempted, newest first."""
    newest = _newest_attempts(dataset, limit)
    same_partition = and_(
        ProfileRow.dataset_id == AttemptRow.dataset_id, ProfileRow.partition_key == AttemptRow.partition_key
    )
    query = (
        select(
            AttemptRow.partition_key,
            ProfileRow.row_count,
            ProfileRow.updated_at,
            AttemptRow.state,
            AttemptRow.error,
            VerdictRow.status,
            VerdictRow.decision,
            VerdictRow.open_count,
            VerdictRow.alert_count,
            _problems().label("problem_count"),
            _problems(AlertRow.closed_at.is_(None)).label("problems"),
            VerdictRow.severity,
            VerdictRow.id,
            FIRST_ALERT.label("first_alert_id"),
            ORIGINS_OF_VERDICT,
            ReplayRow.outcomes[AttemptRow.partition_key].astext.label("replayed"),
        )
        .select_from(newest)
        .join(AttemptRow, AttemptRow.id == newest.c.id)
        .outerjoin(ProfileRow, same_partition)
        .outerjoin(VerdictRow, SPEAKS_OF_PROFILE)
        # Of what was profiled since, the backtest says nothing.
        .outerjoin(
            ReplayRow, and_(ReplayRow.dataset_id == ProfileRow.dataset_id, ReplayRow.made_at > ProfileRow.updated_at)
        )
        .order_by(AttemptRow.sort_key.desc())
    )
    return [_summary(row) for row in connection.execute(with_first_alert(query))]


def _problems(*chosen: ColumnElement[bool]) -> ScalarSelect[int]:
    """How many problems the alerts of a verdict are evidence of."""
    mine = AlertRow.verdict_id == VerdictRow.id
    return select(func.count(AlertRow.problem.distinct())).where(mine, *chosen).correlate(VerdictRow).scalar_subquery()


def _newest_attempts(dataset: str, limit: int) -> Subquery:
    """The ids of the newest attempts at the newest partitions."""
    return (
        select(func.max(AttemptRow.id).label("id"))
        .join(DatasetRow, DatasetRow.id == AttemptRow.dataset_id)
        .where(DatasetRow.name == dataset)
        .group_by(AttemptRow.sort_key)
        .order_by(AttemptRow.sort_key.desc())
        .limit(limit)
        .subquery()
    )


def _summary(row: Any) -> PartitionSummary:
    return PartitionSummary(
        partition=row.partition_key,
        rows=row.row_count,
        profiled_at=row.updated_at,
        attempt=row.state,
        error=row.error,
        verdict=Status(row.status) if row.status else None,
        decision=row.decision,
        alerts=row.open_count or 0,
        alert_count=row.alert_count or 0,
        problems=row.problems or 0,
        problem_count=row.problem_count or 0,
        severity=row.severity,
        verdict_id=row.id,
        first_alert_id=row.first_alert_id,
        origins=origins_of(row),
        replayed=Status(row.replayed) if row.replayed else None,
    )

"""What ``airflow dq status`` shows."""

from __future__ import annotations

from sqlalchemy import Connection, func, select

from airflow_dq.program.model import Status
from airflow_dq.store.eligibility import SPEAKS_OF_PROFILE
from airflow_dq.store.model import AlertRow, AttemptRow, DatasetRow, ProfileRow, VerdictRow
from airflow_dq.store.summary import DatasetSummary, PartitionSummary


def datasets(connection: Connection) -> list[DatasetSummary]:
    """Every dataset, by name."""
    query = (
        select(
            DatasetRow.name,
            func.count(ProfileRow.id),
            func.max(ProfileRow.partition_key),
            func.max(ProfileRow.updated_at),
        )
        .outerjoin(ProfileRow, ProfileRow.dataset_id == DatasetRow.id)
        .group_by(DatasetRow.id)
        .order_by(DatasetRow.name)
    )
    return [DatasetSummary(*row) for row in connection.execute(query)]


def partitions(connection: Connection, dataset: str, limit: int) -> list[PartitionSummary]:
    """The newest partitions of a dataset that were at least attempted, newest first."""
    newest = (
        select(func.max(AttemptRow.id).label("id"))
        .join(DatasetRow, DatasetRow.id == AttemptRow.dataset_id)
        .where(DatasetRow.name == dataset)
        .group_by(AttemptRow.partition_key)
        .order_by(AttemptRow.partition_key.desc())
        .limit(limit)
        .subquery()
    )
    alerts = (
        select(func.count()).where(AlertRow.verdict_id == VerdictRow.id, AlertRow.closed_at.is_(None)).scalar_subquery()
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
            alerts,
        )
        .select_from(newest)
        .join(AttemptRow, AttemptRow.id == newest.c.id)
        .outerjoin(
            ProfileRow,
            (ProfileRow.dataset_id == AttemptRow.dataset_id) & (ProfileRow.partition_key == AttemptRow.partition_key),
        )
        .outerjoin(VerdictRow, SPEAKS_OF_PROFILE)
        .order_by(AttemptRow.partition_key.desc())
    )
    return [
        PartitionSummary(partition, rows, at, state, error, Status(status) if status else None, decision, count)
        for partition, rows, at, state, error, status, decision, count in connection.execute(query)
    ]

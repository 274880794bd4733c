"""Which slices carry a partition's change, kept with its profile: another content has not been looked into."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from airflow_dq.codec import from_builtins, to_builtins
from airflow_dq.drill.report import DrillReport
from airflow_dq.exceptions import StoreError
from airflow_dq.store.damage import raw, skipping
from airflow_dq.store.document import decode
from airflow_dq.store.table import DatasetRow, ProfileRow


def save(connection: Connection, dataset: str, report: DrillReport) -> None:
    """Keep a report in place of the one before.

    :raises StoreError: when there is no profile of the partition
    """
    owner = select(DatasetRow.id).where(DatasetRow.name == dataset).scalar_subquery()
    changed = connection.execute(
        update(ProfileRow)
        .where(ProfileRow.dataset_id == owner, ProfileRow.partition_key == report.partition)
        .values(drilled=to_builtins(report))
    )
    if not changed.rowcount:
        raise StoreError(
            f"Dataset {dataset!r}, partition {report.partition!r}: there is no profile any more to keep slices with."
        )


def load(connection: Connection, dataset: str, partition: str) -> DrillReport | None:
    """The report on the partition's current profile; None where there is none, or it is damaged."""
    query = (
        select(raw(ProfileRow.drilled, "drilled"))
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .where(DatasetRow.name == dataset, ProfileRow.partition_key == partition)
    )
    found = connection.execute(query).scalar_one_or_none()
    if found is None:
        return None
    where = f"Dataset {dataset!r}, partition {partition!r}, its slices"
    return skipping(where, lambda: from_builtins(DrillReport, decode(bytes(found))))

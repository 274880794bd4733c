"""Dropping old partitions altogether: a few at a time, so that nobody who judges a new one waits."""

from __future__ import annotations

from sqlalchemy import ARRAY, Connection, Text, any_, delete, func, literal, select

from airflow_dq.exceptions import StoreError
from airflow_dq.options.job import NULL_KEY
from airflow_dq.store.attempt import dataset_id
from airflow_dq.store.statement import among
from airflow_dq.store.table import AttemptRow, ColumnRow, DatasetRow, ProfileRow, ProgramRow, VerdictRow

COLUMNS_AT_ONCE = 1000
"""Column profiles that one transaction drops, about: a fraction of a second, however wide the table is."""
PARTITIONS_AT_ONCE = 100
"""Partitions that one transaction drops at most, of a table with few columns."""


def targets(connection: Connection, dataset: str | None) -> list[str]:
    """The datasets to go through, by name.

    :raises StoreError: when the named one is unknown
    """
    if dataset is None:
        return list(connection.execute(select(DatasetRow.name).order_by(DatasetRow.name)).scalars())
    if dataset_id(connection, dataset) is None:
        raise StoreError(f"Dataset {dataset!r} is not known: nothing of it was ever profiled. Check its name.")
    return [dataset]


def cut(connection: Connection, dataset: str, keep: int) -> str | None:
    """Key of the oldest of the newest ``keep`` partitions; None when there are not more than these."""
    newest = (
        select(AttemptRow.partition_key)
        .join(DatasetRow, DatasetRow.id == AttemptRow.dataset_id)
        # Rows without a key are of no time: they are neither new nor old.
        .where(DatasetRow.name == dataset, AttemptRow.partition_key != NULL_KEY)
        .group_by(AttemptRow.partition_key)
        .order_by(AttemptRow.partition_key.desc())
    )
    return connection.execute(newest.offset(keep - 1).limit(1)).scalar()


def drop_some(connection: Connection, dataset: str, before: str) -> tuple[int, int]:
    """Drop the oldest few partitions with lesser keys: attempts, profiles, programs, verdicts and alerts of them.

    What people decided stays in the audit trail.

    :return: how many partitions and column profiles are gone; (0, 0) when none is left
    """
    owner = dataset_id(connection, dataset)
    old = (
        select(AttemptRow.partition_key, func.max(ProfileRow.id).label("profile_id"))
        .outerjoin(
            ProfileRow,
            (ProfileRow.dataset_id == AttemptRow.dataset_id) & (ProfileRow.partition_key == AttemptRow.partition_key),
        )
        .where(AttemptRow.dataset_id == owner, AttemptRow.partition_key < before, AttemptRow.partition_key != NULL_KEY)
        .group_by(AttemptRow.partition_key)
        .order_by(AttemptRow.partition_key)
        .limit(PARTITIONS_AT_ONCE)
    )
    found = connection.execute(old).all()
    widths = _widths(connection, [row.profile_id for row in found if row.profile_id is not None])
    keys: list[str] = []
    columns = 0
    for row in found:
        width = widths.get(row.profile_id, 0)
        if keys and columns + width > COLUMNS_AT_ONCE:
            break
        keys.append(row.partition_key)
        columns += width
    for table in (VerdictRow, ProgramRow, ProfileRow, AttemptRow):
        wanted = table.partition_key == any_(literal(keys, ARRAY(Text(collation="C"))))
        connection.execute(delete(table).where(table.dataset_id == owner, wanted))
    return len(keys), columns


def _widths(connection: Connection, profile_ids: list[int]) -> dict[int, int]:
    """Number of columns by profile."""
    query = (
        select(ColumnRow.profile_id, func.count())
        .where(among(ColumnRow.profile_id, profile_ids))
        .group_by(ColumnRow.profile_id)
    )
    return {row[0]: row[1] for row in connection.execute(query)}

"""The cache of two-distribution metrics: computed once for a pair of partitions, read by every later program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.store.statement import among
from airflow_dq.store.table import ColumnRow, DatasetRow, ProfileRow
from airflow_dq.store.value import encode_metrics


def save_pairs(connection: Connection, dataset: str, profiles: Sequence[Profile]) -> int:
    """Add what the profiles' caches have beyond the stored ones; the number of columns that changed.

    A column whose content was replaced meanwhile is left alone.
    """
    columns = {
        (profile.partition, column.name): column
        for profile in profiles
        for column in profile.columns.values()
        if column.pairs
    }
    if not columns:
        return 0
    stored = connection.execute(
        select(ColumnRow.id, ProfileRow.partition_key, ColumnRow.name, ColumnRow.fingerprint, ColumnRow.distances)
        .join(ProfileRow, ProfileRow.id == ColumnRow.profile_id)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .where(DatasetRow.name == dataset, ProfileRow.partition_key.in_({partition for partition, _ in columns}))
    )
    changed = {}
    for row in stored:
        column = columns.get((row.partition_key, row.name))
        if column is not None and column.fingerprint == row.fingerprint and _news(column, row.distances):
            changed[row.id] = column
    if not changed:
        return 0
    # Read again under a lock, which every writer takes in this order: another one may have added to it meanwhile.
    locked = select(ColumnRow.id, ColumnRow.distances).where(among(ColumnRow.id, changed)).order_by(ColumnRow.id)
    changes = [
        {"column_id": row.id, "merged": {**row.distances, **_news(changed[row.id], row.distances)}}
        for row in connection.execute(locked.with_for_update())
    ]
    if changes:
        merge = update(ColumnRow).where(ColumnRow.id == bindparam("column_id"))
        connection.execute(merge.values(distances=bindparam("merged")), changes)
    return len(changes)


def _news(column: ColumnProfile, stored: Mapping[str, Any]) -> dict[str, Any]:
    """By baseline: the distances that are not stored, or as others."""
    encoded = {baseline: encode_metrics(metrics) for baseline, metrics in column.pairs.items()}
    return {baseline: metrics for baseline, metrics in encoded.items() if stored.get(baseline) != metrics}

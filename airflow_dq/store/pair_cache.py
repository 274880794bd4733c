"""The cache of two-distribution metrics: computed once for a pair of partitions, read by every later program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, select, text
from sqlalchemy.dialects.postgresql import JSONB

from airflow_dq.profile.model import Profile
from airflow_dq.settings import SCHEMA
from airflow_dq.store.model import ColumnRow, DatasetRow, ProfileRow
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
        select(ColumnRow.id, ProfileRow.partition_key, ColumnRow.name, ColumnRow.fingerprint, ColumnRow.pairs)
        .join(ProfileRow, ProfileRow.id == ColumnRow.profile_id)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .where(DatasetRow.name == dataset, ProfileRow.partition_key.in_({partition for partition, _ in columns}))
        .order_by(ColumnRow.id)  # every writer locks the rows in this order
    )
    changes: list[dict[str, Any]] = []
    for row in stored:
        column = columns.get((row.partition_key, row.name))
        if column is None or column.fingerprint != row.fingerprint:
            continue
        encoded = {baseline: encode_metrics(metrics) for baseline, metrics in column.pairs.items()}
        news = {baseline: metrics for baseline, metrics in encoded.items() if row.pairs.get(baseline) != metrics}
        if news:
            changes.append({"column_id": row.id, "news": news})
    if changes:
        merge = text(f"UPDATE {SCHEMA}.column_profile SET pairs = pairs || :news WHERE id = :column_id")
        connection.execute(merge.bindparams(bindparam("news", type_=JSONB)), changes)
    return len(changes)

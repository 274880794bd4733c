"""Two-distribution metrics: computed once for a pair of partitions, read by every later program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from airflow_dq.learn.history.distance import Compared
from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.profile.model import Profile
from airflow_dq.store.statement import among
from airflow_dq.store.table import ColumnRow, DatasetRow, ProfileRow
from airflow_dq.store.value import encode_metrics

Measured = Mapping[str, MetricValue]


def save_distances(
    connection: Connection, dataset: str, profiles: Sequence[Profile], measured: Mapping[Compared, Measured]
) -> int:
    """Add what has been measured between these profiles to what is stored; the number of columns that changed.

    A column whose content was replaced meanwhile is left alone.

    :param measured: distances by the fingerprints of a column and its baseline
    """
    news: dict[str, dict[str, Measured]] = {}
    for (now, before), metrics in measured.items():
        news.setdefault(now, {})[before] = metrics
    fingerprints = {
        (profile.partition, column.name): column.fingerprint
        for profile in profiles
        for column in profile.columns.values()
        if column.fingerprint in news
    }
    if not fingerprints:
        return 0
    stored = connection.execute(
        select(ColumnRow.id, ProfileRow.partition_key, ColumnRow.name, ColumnRow.fingerprint)
        .join(ProfileRow, ProfileRow.id == ColumnRow.profile_id)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .where(DatasetRow.name == dataset, ProfileRow.partition_key.in_({partition for partition, _ in fingerprints}))
    )
    found = {
        row.id: news[row.fingerprint]
        for row in stored
        if fingerprints.get((row.partition_key, row.name)) == row.fingerprint
    }
    if not found:
        return 0
    # Read under a lock, which every writer takes in this order: another one may have added to it meanwhile.
    locked = select(ColumnRow.id, ColumnRow.distances).where(among(ColumnRow.id, found)).order_by(ColumnRow.id)
    changes = [
        {"column_id": row.id, "merged": {**row.distances, **added}}
        for row in connection.execute(locked.with_for_update())
        if (added := _news(found[row.id], row.distances))
    ]
    if changes:
        merge = update(ColumnRow).where(ColumnRow.id == bindparam("column_id"))
        connection.execute(merge.values(distances=bindparam("merged")), changes)
    return len(changes)


def _news(measured: Mapping[str, Measured], stored: Mapping[str, Any]) -> dict[str, Any]:
    """By baseline: the distances that are not stored, or as others."""
    encoded = {baseline: encode_metrics(metrics) for baseline, metrics in measured.items()}
    return {baseline: metrics for baseline, metrics in encoded.items() if stored.get(baseline) != metrics}

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
    columns = {key: news[fingerprint] for key, fingerprint in fingerprints.items()}
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
        key = (row.partition_key, row.name)
        if key in columns and fingerprints[key] == row.fingerprint and _news(columns[key], row.distances):
            changed[row.id] = columns[key]
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


def _news(measured: Mapping[str, Measured], stored: Mapping[str, Any]) -> dict[str, Any]:
    """By baseline: the distances that are not stored, or as others."""
    encoded = {baseline: encode_metrics(metrics) for baseline, metrics in measured.items()}
    return {baseline: metrics for baseline, metrics in encoded.items() if stored.get(baseline) != metrics}

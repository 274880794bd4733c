"""A few metrics of a dataset over its newest partitions: what small charts show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial

from sqlalchemy import Connection, select

from airflow_dq.codec import from_builtins
from airflow_dq.learn.program import Program
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.store.damage import raw, skipping
from airflow_dq.store.document import METRIC_WORDS, decode
from airflow_dq.store.review_model import MetricHistory
from airflow_dq.store.statement import among
from airflow_dq.store.table import ColumnRow, DatasetRow, ProfileRow, ProgramRow

TABLE_METRIC = "row_count"
METRICS = ("complete_ratio", "dist_val_count", "mean", "str_len")
"""What tells at a glance how a column moves: how full it is, how varied, and how large or long its values are."""


def load(connection: Connection, dataset: str, limit: int, metrics: Sequence[str] | None) -> list[MetricHistory]:
    """The table's rows, then each column's metrics that have a value, in the order of the newest schema."""
    chosen = METRICS if metrics is None else tuple(metrics)
    profiles = connection.execute(
        select(ProfileRow.id, ProfileRow.partition_key, ProfileRow.row_count)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .where(DatasetRow.name == dataset)
        .order_by(ProfileRow.sort_key.desc())
        .limit(limit)
    ).all()[::-1]
    if not profiles:
        return []
    query = select(ColumnRow.profile_id, ColumnRow.ordinal, ColumnRow.name, raw(ColumnRow.metrics, "metrics"))
    rows = connection.execute(query.where(among(ColumnRow.profile_id, [row.id for row in profiles]))).all()
    keys = {row.id: row.partition_key for row in profiles}
    places = {row.id: place for place, row in enumerate(profiles)}
    found: dict[tuple[str, str], dict[str, float | None]] = {}
    damaged: dict[str, set[str]] = defaultdict(set)
    # Newest partition first: its columns lead, in their order; those that are gone follow.
    for row in sorted(sorted(rows, key=lambda r: r.ordinal), key=lambda r: places[r.profile_id], reverse=True):
        where = f"Dataset {dataset!r}, partition {keys[row.profile_id]!r}, column {row.name!r}"
        known = skipping(where, partial(decode, bytes(row.metrics), METRIC_WORDS))
        if known is None:
            damaged[row.name].add(keys[row.profile_id])
        for metric in chosen:
            value = None if known is None else known.get(metric)
            number = float(value) if isinstance(value, int | float) else None
            found.setdefault((row.name, metric), {})[keys[row.profile_id]] = number
    table = MetricHistory(None, TABLE_METRIC, tuple((row.partition_key, float(row.row_count)) for row in profiles))
    columns = [
        MetricHistory(
            column,
            metric,
            tuple((key, points.get(key)) for key in keys.values()),
            tuple(key for key in keys.values() if key in damaged[column]),
        )
        for (column, metric), points in found.items()
        if any(value is not None for value in points.values())
    ]
    return [table, *columns]


def newest_program(connection: Connection, dataset: str) -> tuple[str, Program | None] | None:
    """The newest partition that a program was made for, and that program; None in its place when it is damaged."""
    query = (
        select(ProgramRow.partition_key, raw(ProgramRow.document, "document"))
        .join(DatasetRow, DatasetRow.id == ProgramRow.dataset_id)
        .where(DatasetRow.name == dataset)
        .order_by(ProgramRow.sort_key.desc())
        .limit(1)
    )
    found = connection.execute(query).one_or_none()
    if found is None:
        return None
    where = f"Dataset {dataset!r}, partition {found.partition_key!r}, its program"
    return found.partition_key, skipping(where, lambda: from_builtins(Program, decode(bytes(found.document))))


def newest_options(connection: Connection, dataset: str) -> SynthesisOptions | None:
    """What the newest program was made with; the defaults when it cannot be read, None when no gate has judged."""
    found = newest_program(connection, dataset)
    if found is None:
        return None
    _, program = found
    return SynthesisOptions() if program is None else program.options

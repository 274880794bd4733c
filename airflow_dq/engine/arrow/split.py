"""Splitting local files into good and bad rows in this process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.arrow.listing import local_path
from airflow_dq.engine.order import where_of
from airflow_dq.engine.publish import LocalFolders, beside, publish
from airflow_dq.exceptions import ConfigurationError, ProfileError, SourceUnreadableError
from airflow_dq.options.split import FAILED, SplitSpec
from airflow_dq.profile.check.split import FAILED_TYPE, failed_checks, require_columns

Counts = tuple[int, int, dict[str, int]]
"""Good rows, bad rows, and by check how many fail it."""


def split_files(spec: SplitSpec) -> Counts:
    """Write the good and the bad rows of one partition's files, as Parquet.

    Both are written beside their places first, and moved there when every row is in one of them.

    :raises ConfigurationError: when it needs Spark, or a check cannot be computed
    :raises DQError: when the files cannot be read or written; then both places are as they were
    """
    where = where_of(spec.order)
    if spec.target_format != "parquet":
        raise ConfigurationError(
            f"{where}: engine='arrow' writes Parquet; for {spec.target_format} use engine='spark'."
        )
    engine = ArrowEngine(spec.order)
    key = engine.partitions()[0]
    schema = _schema(engine.batches(key), where)
    require_columns(spec.order.checks, schema.names, where)
    if FAILED in schema.names:
        raise ConfigurationError(f"{where}: the rows have a column {FAILED!r} already, which names the failed checks.")
    targets = [str(local_path(place)).rstrip("/") for place in (spec.good, spec.bad)]
    staged = [beside(target, "new") for target in targets]
    folders = LocalFolders()
    try:
        counts = _written(spec, lambda: engine.batches(key), schema, staged, where)
        publish(folders, list(zip(staged, targets, strict=True)))
    except (OSError, pa.ArrowException) as error:
        raise ProfileError(f"{where}: the rows cannot be written ({error}); nothing was changed.") from error
    finally:
        for folder in staged:
            folders.remove(folder)
    return counts


def _schema(batches: Iterator[pa.RecordBatch], where: str) -> pa.Schema:
    """The columns of all files, each in one type."""
    try:
        return pa.unify_schemas(list(dict.fromkeys(batch.schema for batch in batches)), promote_options="permissive")
    except pa.ArrowException as error:
        raise SourceUnreadableError(f"{where}: the files have columns of different types: {error}") from None


def _written(
    spec: SplitSpec, batches: Callable[[], Iterator[pa.RecordBatch]], schema: pa.Schema, staged: list[str], where: str
) -> Counts:
    failed = dict.fromkeys((check.id for check in spec.order.checks), 0)
    number = [0, 0]
    with ExitStack() as stack:
        writers = []
        for folder, columns in zip(staged, (schema, schema.append(pa.field(FAILED, FAILED_TYPE))), strict=True):
            os.makedirs(folder)
            writers.append(stack.enter_context(pq.ParquetWriter(f"{folder}/part-0.parquet", columns)))
        for batch in batches():
            rows = pa.Table.from_batches([batch])
            rows = pa.table(
                [
                    rows[one.name].cast(one.type) if one.name in rows.column_names else pa.nulls(len(rows), one.type)
                    for one in schema
                ],
                schema=schema,
            )
            ids = failed_checks(rows, spec.order.checks, where)
            bad = pc.greater(pc.list_value_length(ids), 0)
            parts = (rows.filter(pc.invert(bad)), rows.append_column(FAILED, ids).filter(bad))
            for place, (writer, part) in enumerate(zip(writers, parts, strict=True)):
                writer.write_table(part)
                number[place] += part.num_rows
            for name, count in zip(*_counted(ids), strict=True):
                failed[name] += count
            if sum(part.num_rows for part in parts) != batch.num_rows:
                raise ProfileError(f"{where}: some rows are neither good nor bad; nothing was changed.")
    return number[0], number[1], failed


def _counted(ids: pa.ListArray) -> tuple[list[str], list[int]]:
    found = pc.value_counts(ids.flatten())
    return found.field("values").to_pylist(), found.field("counts").to_pylist()

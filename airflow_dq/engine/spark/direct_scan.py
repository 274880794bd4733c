"""The Spark job of partitions that its tasks read by themselves: lists of row groups in, partial results out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import pyarrow as pa
from pyspark.sql import SparkSession

from airflow_dq.engine.spark.direct import DirectPartition
from airflow_dq.engine.spark.reader import is_tiny
from airflow_dq.engine.spark.scan import lanes_of
from airflow_dq.engine.worker.files import Place
from airflow_dq.engine.worker.parquet import Found, RowGroups, merge_found, profile_lane, profile_row_groups
from airflow_dq.engine.worker.partial import Partial, partial_of, whole
from airflow_dq.options.profile import ProfileOptions

_TASK_BYTES = 128 * 2**20
"""Bytes of row groups, before compression, of a task when all tasks together have much to do."""
_FILE_BYTES = 2**20
"""Bytes that take as long to read as a row group takes to find."""
_COLLECTED = 1_000
"""Columns of partial results up to which the driver puts these together itself."""
_COLLECTED_BYTES = 2**27
"""Bytes of row groups, before compression, up to which it does so however many columns there are: what is found out of
them takes half of that, and in pieces of a few rows as much."""
_PIECE_BYTES = 2**14
"""As how many bytes each piece counts beside its rows: there are never more than some thousands to be put together."""


def scan_directly(
    spark: SparkSession,
    parts: Sequence[DirectPartition],
    options: ProfileOptions,
    lanes: int = 0,
    place: Place | None = None,
) -> Iterator[tuple[str, Partial]]:
    """Profile the parts; yields each key once, but for those with a file that could not be read.

    :param lanes: when there is one part only, and it is tiny: how many tasks each read all of it and make some of its
        injected variants
    :param place: the file system that the parts are in; None: each machine's own
    :raises airflow_dq.engine.spark.failure.SPARK_ERRORS: when the job fails; keys already yielded are complete
    """
    # Which columns are profiled is settled: the others are not read.
    options = replace(options, columns=None, exclude=())
    missing = {part.key: part for part in parts}
    for key, rows in _found(spark, parts, options, lanes, place):
        del missing[key]
        read = [row for row in rows if row is not None]
        if len(read) == len(rows):
            yield key, whole(map(partial_of, read))
    for key, part in missing.items():
        yield key, Partial(part.columns.empty)


def lanes_if_tiny(spark: SparkSession, parts: Sequence[DirectPartition]) -> int:
    """How many tasks are to read a single tiny partition, each all of it; 0 when there is no such one."""
    (part, *others) = parts
    if others or not is_tiny(part.size, len(part.files)):
        return 0
    return lanes_of(spark, len(part.columns.schema))


def _found(
    spark: SparkSession, parts: Sequence[DirectPartition], options: ProfileOptions, lanes: int, place: Place | None
) -> Iterator[tuple[str, list[pa.RecordBatch | None]]]:
    """What the tasks have found out, by key; nothing of a key without rows."""
    context = spark.sparkContext
    slices = [one for part in parts for one in part.row_groups()]
    if not slices:
        return
    if lanes:
        task = partial(profile_lane, [one for one, _ in slices], options, lanes, place=place)
        yield from _by_key(context.parallelize(range(lanes), lanes).flatMap(task).collect())
        return
    # The file system goes with the function and not with the data, which Spark's Python writes to a file: its
    # credentials are kept nowhere.
    task = partial(profile_row_groups, options=options, place=place)
    shares = share_out(slices, context.defaultParallelism)
    found = context.parallelize(shares, len(shares)).flatMap(task)
    pieces = sum(len({one.key for one in share}) for share in shares)
    few = pieces * max(len(part.columns.schema) for part in parts) <= _COLLECTED
    if few or sum(size for _, size in slices) + pieces * _PIECE_BYTES <= _COLLECTED_BYTES:
        yield from _by_key(found.collect())
        return
    # Neighbours together here too: whoever stores partitions in their order finds the ones before at hand.
    tasks = min(len(parts), 2 * context.defaultParallelism)
    place_of = {part.key: number * tasks // len(parts) for number, part in enumerate(parts)}
    merged = found.partitionBy(tasks, place_of.__getitem__)
    for key, row in merged.mapPartitions(merge_found).toLocalIterator(True):
        yield key, [row]


def _by_key(found: Iterable[Found]) -> Iterator[tuple[str, list[pa.RecordBatch | None]]]:
    rows: dict[str, list[pa.RecordBatch | None]] = {}
    for key, row in found:
        rows.setdefault(key, []).append(row)
    yield from rows.items()


def share_out(slices: Sequence[tuple[RowGroups, int]], cores: int) -> list[list[RowGroups]]:
    """Neighbours together, in shares of about the same number of bytes: most keys are then in one task only.

    :param slices: each row group, and its bytes
    :param cores: tasks that run at once
    """
    weights = [size + _FILE_BYTES for _, size in slices]
    total = sum(weights)
    count = min(len(slices), max(2 * cores, total // _TASK_BYTES))
    shares: list[list[RowGroups]] = [[] for _ in range(count)]
    before = 0
    for (one, _), weight in zip(slices, weights, strict=True):
        # By where its middle lies.
        share = shares[(2 * before + weight) * count // (2 * total)]
        before += weight
        if share and (share[-1].key, share[-1].path) == (one.key, one.path):
            share[-1] = replace(share[-1], groups=share[-1].groups + one.groups)
        else:
            share.append(one)
    return [share for share in shares if share]

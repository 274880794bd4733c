"""The Spark job proper: every partition's rows through the task's code, in one job, merged by key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, lit

from airflow_dq.corruption.blob import PackedVariants
from airflow_dq.corruption.variant import errors_a_column, narrowed, with_variants
from airflow_dq.engine.spark.files import is_connect
from airflow_dq.engine.spark.source import PartitionRows
from airflow_dq.engine.worker.partial import PARTIAL_DDL, Partial, decoded, merge_batches, whole
from airflow_dq.engine.worker.task import profile_batches, profile_whole, variants_of_column
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.model import Profile

_SMALL = 128 * 2**20
"""Bytes of files up to which one partition's pieces go straight to the driver."""
_UNTOLD = 8
"""Tasks at once that a Spark Connect server is taken to run: it does not say."""
_KEYS_A_TASK = 64
"""Keys that take a task longer than its start."""
_COLUMNS_A_JOB = 256
"""Columns whose injected variants are made in one Spark job: each worker holds the states and the sampled rows of all
of them, which are some 50 MB, and has enough of them to do for the next job's start not to matter."""
_LANES = 8
"""Most tasks that read a tiny partition, each all of it."""


def scan(
    spark: SparkSession, parts: Sequence[PartitionRows], options: ProfileOptions, with_errors: int
) -> Iterator[tuple[str, Partial]]:
    """Profile all partitions of the parts; yields each key once, in no particular order.

    Parts of equal schema share one Spark job; a file whose types differ from the others' has its own.

    :param with_errors: number of newest partitions whose injected errors are wanted
    :raises airflow_dq.engine.spark.failure.SPARK_ERRORS: when Spark cannot read a part; keys already yielded are
        complete
    """
    groups = _by_schema(parts)
    awaited = Counter(key for _, group in groups for key in {key for part in group for key in part.keys})
    held: dict[str, Partial] = {}
    for names, group in groups:
        for key, found in _scan_group(spark, names, group, options, _is_tiny(group, awaited, with_errors)):
            awaited[key] -= 1
            if key in held:
                found = held.pop(key).join(found)
            if awaited[key]:
                held[key] = found
            else:
                yield key, found


def _scan_group(
    spark: SparkSession, names: Sequence[str], group: Sequence[PartitionRows], options: ProfileOptions, tiny: bool
) -> Iterator[tuple[str, Partial]]:
    """Profile the rows of parts that have one schema, in one Spark job."""
    missing = {key: part for part in group for key in part.keys}
    profiled = _profiled_tiny(spark, names, group[0], options) if tiny else _profiled(spark, names, group, options)
    for key, found in profiled:
        # A key that appeared after the job listed its partitions has no attempt, and is left to the next job.
        part = missing.pop(key, None)
        if part is not None:
            found.state = None if found.state is None else part.whole(found.state)
            yield key, found
    for key, part in missing.items():
        yield key, Partial(part.empty)


def _is_tiny(group: Sequence[PartitionRows], awaited: Mapping[str, int], with_errors: int) -> bool:
    """Whether a group is all of one partition whose variants are wanted, and quicker read again than handed on."""
    key = group[0].key if len(group) == 1 else None
    if key is None or awaited[key] > 1 or len(awaited) > with_errors:
        return False
    return group[0].tiny and 0 < len(group[0].names) == len(group[0].empty.columns)


def lanes_of(spark: SparkSession, columns: int) -> int:
    """How many tasks read a tiny partition, each all of it."""
    return min(columns, _LANES, cores(spark))


def cores(spark: SparkSession) -> int:
    """How many tasks run at once, as far as a session tells."""
    return _UNTOLD if is_connect(spark) else spark.sparkContext.defaultParallelism


def _profiled_tiny(
    spark: SparkSession, names: Sequence[str], part: PartitionRows, options: ProfileOptions
) -> Iterator[tuple[str, Partial]]:
    """The same of a single tiny partition, injected variants included: in one job, each task reading all of it."""
    lanes = lanes_of(spark, len(names))
    rows = part.frame.drop("key")
    task = partial(
        profile_whole, names=names, options=replace(options, columns=None, exclude=()), key=part.keys[0], lanes=lanes
    )
    frames = [rows.withColumn("lane", lit(str(lane))).coalesce(1) for lane in range(lanes)]
    found = [decoded(row.asDict()) for row in _union(frames).mapInArrow(task, PARTIAL_DDL).collect()]
    if found:
        yield part.keys[0], whole(found)


def _profiled(
    spark: SparkSession, names: Sequence[str], group: Sequence[PartitionRows], options: ProfileOptions
) -> Iterator[tuple[str, Partial]]:
    """What the tasks found out about each key that they met."""
    only = group[0] if len(group) == 1 else None
    key = only.key if only is not None and names else None
    # What every row has does not travel with each.
    frames = [part.frame if key is None else part.frame.drop("key") for part in group]
    # Which columns are profiled is settled by the frame: those left out never leave the JVM.
    options = replace(options, columns=None, exclude=())
    labels = None if only is None or not only.labels else only.labels
    task = partial(profile_batches, names=names, options=options, key=key, labels=labels)
    rows = _union(frames)
    if any(part.scattered for part in group):
        # Sorted once: each task meets a key once, and holds few at a time, where it would make a state of a few rows
        # of every key again and again.
        keys = sum(len(part.keys) for part in group)
        tasks = min(int(spark.conf.get("spark.sql.shuffle.partitions") or 1), 2 * cores(spark) + keys // _KEYS_A_TASK)
        rows = rows.repartition(tasks, col("key")).sortWithinPartitions("key")
    pieces = rows.mapInArrow(task, PARTIAL_DDL)
    if only is not None and key is not None and (only.size or 0) <= _SMALL:
        # So few pieces are merged sooner than they are shuffled.
        found = [decoded(row.asDict()) for row in pieces.collect()]
        if found:
            yield key, whole(found)
        return
    spread = min(sum(len(part.keys) for part in group), 2 * cores(spark))
    merged = pieces.repartition(spread, "key").mapInArrow(merge_batches, PARTIAL_DDL)
    for each, slices in groupby(merged.toLocalIterator(True), itemgetter("key")):
        yield each, whole(decoded(row.asDict()) for row in slices)


def _union(frames: Sequence[DataFrame]) -> DataFrame:
    """All rows; in pairs, for Spark analyses every union anew."""
    while len(frames) > 1:
        pairs = [frames[start : start + 2] for start in range(0, len(frames), 2)]
        frames = [pair[0].unionAll(pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]
    return frames[0]


def compute_variants(spark: SparkSession, profiles: Sequence[Profile]) -> list[Profile]:
    """The profiles with the injected variants of every column, the missing ones made in parallel on the executors."""
    columns = [
        (index, name)
        for index, profile in enumerate(profiles)
        for name in profile.columns
        if name not in profile.variants
    ]
    if not columns:
        return list(profiles)
    if is_connect(spark):
        # No value can be shared with its tasks but by sending it with each of them.
        return [with_variants(profile) for profile in profiles]
    variants = [dict(profile.variants) for profile in profiles]
    for start in range(0, len(columns), _COLUMNS_A_JOB):
        for index, name, blob in _variants(spark, profiles, columns[start : start + _COLUMNS_A_JOB]):
            variants[index][name] = PackedVariants(blob)
    return [replace(profile, variants=more) for profile, more in zip(profiles, variants, strict=True)]


def _variants(
    spark: SparkSession, profiles: Sequence[Profile], columns: Sequence[tuple[int, str]]
) -> list[tuple[int, str, bytes]]:
    """The injected variants of some columns, each told by the place of its profile and its name, in one Spark job."""
    context = spark.sparkContext
    wanted: list[list[str]] = [[] for _ in profiles]
    for index, name in columns:
        wanted[index].append(name)
    most = [errors_a_column(profile) for profile in profiles]
    shared = context.broadcast(tuple(map(narrowed, profiles, wanted)))
    slices = min(len(columns), 4 * context.defaultParallelism)
    found = context.parallelize(columns, slices).map(partial(variants_of_column, shared, most)).collect()
    shared.unpersist()
    return found


def _by_schema(parts: Sequence[PartitionRows]) -> list[tuple[tuple[str, ...], list[PartitionRows]]]:
    """The parts grouped by their columns' names and types; whether a column may be null changes nothing."""
    groups: dict[tuple[tuple[str, ...], ...], list[PartitionRows]] = {}
    for part in parts:
        types = tuple(field.dataType.json() for field in part.frame.schema.fields)
        # Rows whose key is their file's are no one else's.
        apart = tuple(part.keys) if part.labels else ()
        groups.setdefault((part.names, types, tuple(part.empty.columns), apart), []).append(part)
    return [(names, group) for (names, *_), group in groups.items()]

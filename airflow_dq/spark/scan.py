"""The Spark job proper: every partition's rows through the task's code, in one job, merged by key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial, reduce

from pyspark.sql import DataFrame, SparkSession

from airflow_dq.profile.model import Profile, ProfileOptions
from airflow_dq.profile.table import TableState
from airflow_dq.profile.task import PARTIAL_DDL, Partial, merge_batches, profile_batches, variants_of_column
from airflow_dq.spark.source import Part


def scan(spark: SparkSession, parts: Sequence[Part], options: ProfileOptions) -> Iterator[tuple[str, Partial]]:
    """Profile all partitions of the parts; yields each key once, in no particular order.

    Parts of equal schema share one Spark job; a file whose types differ from the others' has its own.

    :raises airflow_dq.spark.failure.SPARK_ERRORS: when Spark cannot read a part; keys already yielded are complete
    """
    groups = _by_schema(parts)
    awaited = Counter(key for _, group in groups for key in {key for part in group for key in part.keys})
    held: dict[str, Partial] = {}
    for names, group in groups:
        for key, found in _scan_group(spark, names, group, options):
            awaited[key] -= 1
            if key in held:
                found = held.pop(key).join(found)
            if awaited[key]:
                held[key] = found
            else:
                yield key, found


def _scan_group(
    spark: SparkSession, names: Sequence[str], group: Sequence[Part], options: ProfileOptions
) -> Iterator[tuple[str, Partial]]:
    """Profile the rows of parts that have one schema, in one Spark job."""
    missing = {key: part for part in group for key in part.keys}
    rows = reduce(DataFrame.unionAll, (part.frame for part in group))
    # Which columns are profiled is settled by the frame: those left out never leave the JVM.
    task = partial(profile_batches, names=names, options=replace(options, columns=None, exclude=()))
    pieces = rows.mapInArrow(task, PARTIAL_DDL)
    spread = min(len(missing), 2 * spark.sparkContext.defaultParallelism)
    merged = pieces.repartition(spread, "key").mapInArrow(merge_batches, PARTIAL_DDL)
    for row in merged.toLocalIterator(prefetchPartitions=True):
        # A key that appeared after the job listed its partitions has no attempt, and is left to the next job.
        part = missing.pop(row["key"], None)
        if part is not None:
            state = None if row["state"] is None else part.whole(TableState.decode(bytes(row["state"])))
            yield row["key"], Partial(state, row["problem"], row["trace"], row["seconds"])
    for key, part in missing.items():
        yield key, Partial(part.empty)


def compute_variants(spark: SparkSession, profiles: Sequence[Profile]) -> None:
    """Fill in every column's injected variants, the columns in parallel on the executors."""
    columns = [(index, name) for index, profile in enumerate(profiles) for name in profile.columns]
    if not columns:
        return
    context = spark.sparkContext
    shared = context.broadcast(tuple(profiles))
    slices = min(len(columns), 4 * context.defaultParallelism)
    found = context.parallelize(columns, slices).map(partial(variants_of_column, shared)).collect()
    for index, name, variants in found:
        profiles[index].variants[name] = variants
    shared.unpersist()


def _by_schema(parts: Sequence[Part]) -> list[tuple[tuple[str, ...], list[Part]]]:
    """The parts grouped by their columns' names and types; whether a column may be null changes nothing."""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]], list[Part]] = {}
    for part in parts:
        types = tuple(field.dataType.json() for field in part.frame.schema.fields)
        groups.setdefault((part.names, types, tuple(part.empty.columns)), []).append(part)
    return [(names, group) for (names, _, _), group in groups.items()]

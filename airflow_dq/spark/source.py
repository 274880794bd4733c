"""What a job profiles: the partitions of its order, and the rows of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import col, lit, when
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from airflow_dq.exceptions import ProfileError, SourceEmptyError, SourceMissingError
from airflow_dq.profile.model import ProfileOptions
from airflow_dq.profile.spec import JobSpec
from airflow_dq.profile.table import TableState
from airflow_dq.spark.failure import SPARK_ERRORS, explain
from airflow_dq.spark.listing import base_path, match_pattern
from airflow_dq.spark.reader import describe, read_path, read_query
from airflow_dq.spark.session import column

NULL_KEY = "__HIVE_DEFAULT_PARTITION__"
"""The key of rows whose key column is null or empty, as Hive and Spark name such a folder."""


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of one or more partitions."""

    keys: tuple[str, ...]
    frame: DataFrame
    """The columns to profile as ``c0``, ``c1``, ..., then ``key``: ``mapInArrow`` trips over a dot in a name."""
    location: str
    empty: TableState
    """The state of no rows: what a partition without rows has, and the columns' order."""
    skipped: Mapping[str, str]
    """Columns that cannot be profiled at all, and why."""

    def only(self, keys: Sequence[str]) -> Part:
        """The same for some of its partitions."""
        if len(keys) == len(self.keys):
            return self
        return replace(self, keys=tuple(keys), frame=self.frame.where(col("key").isin(list(keys))))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns to profile, in the frame's order."""
        return tuple(self.empty.columns)


def locate(spark: SparkSession, spec: JobSpec) -> dict[str, str]:
    """Partition key -> where it lies, for a job whose partitions are paths, or one table or query.

    :raises SourceMissingError: when nothing matches the pattern
    :raises SourceEmptyError: when ``since`` and ``until`` leave none
    """
    if spec.pattern is None:
        return dict(spec.paths) or {spec.partition or "": describe(spec)}
    where = f"Dataset {spec.dataset!r}"
    try:
        found = match_pattern(spark, spec.pattern)
    except SPARK_ERRORS as error:
        raise explain(error, where, spec.pattern) from error
    if not found:
        raise SourceMissingError(f"{where}: nothing matches {spec.pattern}. Check the path and that it was written.")
    return {key: found[key] for key in _chosen(spec, found)}


def open_part(spark: SparkSession, spec: JobSpec, options: ProfileOptions, key: str, location: str) -> Part:
    """The rows of one partition.

    :raises ProfileError: when its source is missing, empty or unreadable
    """
    where = f"Dataset {spec.dataset!r}, partition {key!r}"
    frame = read_query(spark, spec, where) if spec.whole else read_path(spark, spec, location, where)
    return _part(frame, lit(key), (key,), location, options)


def open_by_column(spark: SparkSession, spec: JobSpec, options: ProfileOptions) -> Part:
    """The rows of all partitions of a job that is partitioned by a column; the column itself is not profiled.

    :raises ProfileError: when the source is missing, empty or unreadable, or has no such column
    """
    where, name = f"Dataset {spec.dataset!r}", spec.partition_by or ""
    if spec.whole:
        frame = read_query(spark, spec, where)
    else:
        path = spec.pattern or next(iter(spec.paths.values()))
        frame = read_path(spark, spec, path, where, base_path(path))
    if name not in frame.columns:
        raise ProfileError(
            f"{where}: {describe(spec)} has no column {name!r} to partition by; it has {', '.join(frame.columns)}."
        )
    raw = column(name).cast("string")
    key = when(raw.isNull() | (raw == ""), lit(NULL_KEY)).otherwise(raw)
    try:
        found = [row[0] for row in frame.select(key).distinct().collect()]
    except SPARK_ERRORS as error:
        raise explain(error, where, describe(spec)) from error
    keys = _chosen(spec, found)
    if len(keys) < len(found):
        # On the column itself, so that Spark can leave out folders it need not read.
        inside = raw.between(keys[0], keys[-1])
        frame = frame.where(inside | raw.isNull() | (raw == "") if NULL_KEY in keys else inside)
    return _part(frame, key, tuple(keys), describe(spec), replace(options, exclude=(*options.exclude, name)))


def _chosen(spec: JobSpec, keys: Iterable[str]) -> list[str]:
    """The keys that the order asks for, in order: as text, like the store orders them."""
    chosen = sorted(
        key for key in keys if (spec.since is None or key >= spec.since) and (spec.until is None or key <= spec.until)
    )
    chosen = chosen if spec.limit is None else chosen[-spec.limit :]
    if not chosen:
        span = f" from {spec.since or 'the first'} to {spec.until or 'the last'}" if spec.since or spec.until else ""
        raise SourceEmptyError(f"Dataset {spec.dataset!r}: {describe(spec)} holds no partition{span}.")
    return chosen


def _part(frame: DataFrame, key: Column, keys: tuple[str, ...], location: str, options: ProfileOptions) -> Part:
    known, skipped = [], {}
    for field in frame.schema.fields:
        try:
            to_arrow_schema(StructType([field]), timezone="UTC")
            known.append(field)
        except PySparkException:
            skipped[field.name] = f"type {field.dataType.simpleString()} cannot leave Spark"
    empty = TableState.of(to_arrow_schema(StructType(known), timezone="UTC").empty_table(), options)
    renamed = (column(name).alias(f"c{index}") for index, name in enumerate(empty.columns))
    return Part(keys, frame.select(*renamed, key.alias("key")), location, empty, skipped)

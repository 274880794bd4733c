"""What a job profiles: the partitions of its order, and the rows of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import col, lit, when
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import ArrayType, BinaryType, MapType, StructField, StructType

from airflow_dq.engine.naming import key_of
from airflow_dq.engine.order import chosen_keys, describe, where_of
from airflow_dq.engine.spark.failure import SPARK_ERRORS, explain
from airflow_dq.engine.spark.files import base_path
from airflow_dq.engine.spark.files_read import lost_files
from airflow_dq.engine.spark.listing import Listing, match_pattern
from airflow_dq.engine.spark.reader import Rows, list_source, read_listing, read_path, read_query
from airflow_dq.engine.spark.session import column
from airflow_dq.engine.spark.table_partition import chosen_rows, own_columns, within_bounds
from airflow_dq.engine.worker.task import KEYS_HELD
from airflow_dq.exceptions import (
    ConfigurationError,
    ProfileError,
    SourceMissingError,
    UnknownColumnError,
)
from airflow_dq.options.job import NULL_KEY, PATH_FORMATS, JobSpec
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.column_state import ColumnState
from airflow_dq.profile.table import TableState
from airflow_dq.states.base import Kind

# Before Spark 4.2 there is no such argument, and UTC is what they mean.
_ZONE: dict[str, Any] = {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}

Place = str | Listing
"""Where a partition lies: a path, or the files in its folders."""


@dataclass(frozen=True, slots=True)
class PartitionRows:
    """The rows of one or more partitions, or some of the rows of one."""

    keys: tuple[str, ...]
    frame: DataFrame
    """The columns to profile as ``c0``, ``c1``, ..., then ``key``: ``mapInArrow`` trips over a dot in a name."""
    location: str
    empty: TableState
    """The state of no rows: what a partition without rows has, and the columns' order.

    A column that cannot be handed to Python has a problem here, and is not in the frame.
    """
    skipped: Mapping[str, str]
    """Columns of which nothing can be stored, and why."""
    size: int | None = None
    """Bytes of its files, where that is known."""
    tiny: bool = False
    """Whether that is so little that several tasks may each read all of it."""
    places: Mapping[str, str] = field(default_factory=dict)
    """Partition key -> where it lies, for partitions that are read together."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """The end of a row's folder or file -> partition key, when the frame's ``key`` is that of a file's path."""
    scattered: bool = False
    """Whether the rows of its many keys may lie anywhere."""
    reread: Callable[[Sequence[str]], DataFrame] | None = None
    """The frame of some of the partitions that are read together."""

    def only(self, keys: Sequence[str]) -> PartitionRows:
        """The same for some of its partitions."""
        if len(keys) == len(self.keys):
            return self
        frame = self.frame.where(col("key").isin(list(keys))) if self.reread is None else self.reread(keys)
        return replace(self, keys=tuple(keys), frame=frame)

    def place(self, key: str) -> str:
        """Where one of its partitions lies."""
        return self.places.get(key, self.location)

    @property
    def key(self) -> str | None:
        """The key of every row, when that is certain without a look at the row."""
        return self.keys[0] if self.size is not None and len(self.keys) == 1 and not self.labels else None

    def whole(self, state: TableState) -> TableState:
        """A state of the frame's rows with the columns that the frame lacks, in the source's order."""
        return state if len(self.names) == len(self.empty.columns) else self.empty.merge(state)

    @property
    def schema(self) -> pa.Schema:
        """Its columns, in the types in which Spark hands them over; those that it cannot hand over have none."""
        types = {name: arrow_field(self.frame.schema[f"c{place}"]) for place, name in enumerate(self.names)}
        found = ((name, types.get(name)) for name in self.empty.columns)
        return pa.schema([(name, pa.null() if field is None else field.type) for name, field in found])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns to profile, in the frame's order."""
        return tuple(name for name, state in self.empty.columns.items() if state.problem is None)


def parts_of(sources: Sequence[PartitionRows], keys: Collection[str]) -> list[PartitionRows]:
    """The sources, as far as they are of these partitions."""
    chosen = ((source, tuple(key for key in source.keys if key in keys)) for source in sources)
    return [source.only(some) for source, some in chosen if some]


def locate(spark: SparkSession, spec: JobSpec) -> dict[str, Place] | None:
    """Partition key -> where it lies; None when only the rows themselves tell to which partition they belong.

    :raises SourceMissingError: when nothing matches the pattern
    :raises SourceEmptyError: when ``since`` and ``until`` leave none
    """
    if spec.partition_by is not None and spec.travels_by_key:
        # Each is read by itself, as of its own moment; which there are the newest state tells.
        now = spec if spec.key is None else spec.at(spec.key)
        keys = open_by_column(spark, now, spec.profile_options).keys
        return dict.fromkeys(keys, describe(spec))
    if spec.partition_by is not None:
        folders = _folders(spark, spec)
        return None if folders is None else {key: folders[key] for key in chosen_keys(spec, folders)}
    if spec.pattern is None:
        return dict(spec.paths) or {spec.partition or "": describe(spec)}
    where = where_of(spec)
    try:
        found = match_pattern(spark, spec.pattern)
    except SPARK_ERRORS as error:
        raise explain(error, where, spec.pattern) from error
    if not found:
        raise SourceMissingError(f"{where}: nothing matches {spec.pattern}. Check the path and that it was written.")
    return {key: found[key] for key in chosen_keys(spec, found)}


def open_partition(
    spark: SparkSession, spec: JobSpec, options: ProfileOptions, key: str, place: Place
) -> list[PartitionRows]:
    """The rows of one partition: one part for each schema that its files have.

    :raises ProfileError: when its source is missing, empty or unreadable
    """
    where, spec = where_of(spec, key), spec.at(key)
    if isinstance(place, str) and spec.partition_by is not None:
        return [open_by_column(spark, replace(spec, partition=key, since=None, until=None, limit=None), options)]
    if isinstance(place, Listing):
        location = place.roots[0] if len(place.roots) == 1 else describe(spec)
        found = read_listing(spark, spec, place, location, where, base_path(_path(spec)))
        options = replace(options, exclude=(*options.exclude, spec.partition_by or ""))
    else:
        location = place
        found = [Rows(read_query(spark, spec, where))] if spec.whole else read_path(spark, spec, location, where)
        if spec.where is not None:
            found = [replace(rows, frame=chosen_rows(rows.frame, spec, where)) for rows in found]
    return [partition_rows(rows, lit(key), (key,), location, options) for rows in found]


def open_by_column(spark: SparkSession, spec: JobSpec, options: ProfileOptions) -> PartitionRows:
    """The rows of all partitions of a job that is partitioned by a column; the column itself is not profiled.

    :raises UnknownColumnError: when the source has no such column
    :raises ProfileError: when it is missing, empty or unreadable
    """
    where, name = where_of(spec), spec.partition_by or ""
    frame = read_query(spark, spec, where) if spec.whole else _read_one_schema(spark, spec, where)
    _require_key_column(frame, spec, where)
    frame = within_bounds(spark, chosen_rows(frame, spec, where), spec)
    raw = column(name).cast("string")
    key = when(raw.isNull() | (raw == ""), lit(NULL_KEY)).otherwise(raw)
    try:
        found = [row[0] for row in frame.select(key).distinct().collect()]
    except SPARK_ERRORS as error:
        raise explain(error, where, describe(spec)) from error
    keys = chosen_keys(spec, found)
    if len(keys) < len(found):
        # On the column itself, so that Spark can leave out folders it need not read.
        inside = raw.isin(keys)
        frame = frame.where(inside | raw.isNull() | (raw == "") if NULL_KEY in keys else inside)
    part = partition_rows(
        Rows(frame), key, tuple(keys), describe(spec), replace(options, exclude=(*options.exclude, name))
    )
    lies_apart = spec.table is not None and name in own_columns(spark, spec.table, where)
    return replace(part, scattered=len(keys) > KEYS_HELD and not lies_apart)


def _read_one_schema(spark: SparkSession, spec: JobSpec, where: str) -> DataFrame:
    """The rows of all files of a job.

    :raises ProfileError: when they cannot be read, or have no schema in common
    """
    apart = read_path(spark, spec, _path(spec), where, base_path(_path(spec)))
    if len(apart) > 1:
        raise ProfileError(
            f"{where}: the files at {describe(spec)} have columns of different types, and rows of one partition "
            "may be in any of them. Write one type, or write each partition into a folder of its own."
        )
    return apart[0].frame


def _require_key_column(frame: DataFrame, spec: JobSpec, where: str) -> None:
    """Refuse rows that the job cannot partition by its column.

    :raises UnknownColumnError: when they do not have it
    :raises ConfigurationError: when its type is none of a key
    """
    name = spec.partition_by or ""
    if name not in frame.columns:
        missing = f"{where}: {describe(spec)} has no column {name!r} to partition by; it has"
        raise UnknownColumnError(
            f"{missing} {', '.join(frame.columns)}.", discreet=f"{missing} {len(frame.columns)} of other names."
        )
    key_type = frame.schema[name].dataType
    if isinstance(key_type, (BinaryType, ArrayType, MapType, StructType)):
        raise ConfigurationError(
            f"{where}: column {name!r} of {describe(spec)} is of type {key_type.simpleString()}, which is no partition "
            "key: choose a column of texts, numbers or dates, or give sql= that makes one."
        )


def _path(spec: JobSpec) -> str:
    return spec.pattern or next(iter(spec.paths.values()), "")


def _folders(spark: SparkSession, spec: JobSpec) -> dict[str, Listing] | None:
    """The partitions that are folders ``column=value``; None when the key column is inside the files.

    :raises SourceUnreadableError: when some files lie in such folders and others do not
    """
    if spec.whole or spec.format.lower() not in PATH_FORMATS:
        return None
    listing = list_source(spark, spec, _path(spec), where_of(spec))
    found, outside = listing.by_column(spec.partition_by or "")
    if found and outside:
        raise lost_files(where_of(spec), len(listing.files), outside)
    return {key_of(value): files for value, files in found.items()} or None


def partition_rows(
    rows: Rows, key: Column, keys: tuple[str, ...], location: str, options: ProfileOptions
) -> PartitionRows:
    """The part of these rows.

    :param key: a row's partition key
    """
    skipped: dict[str, str] = {}
    broken: dict[str, ColumnState] = {}
    known: list[pa.Field] = []
    for name, column_type in _ordered(rows):
        if "\0" in name:
            skipped[repr(name)] = "its name holds a character that PostgreSQL cannot store"
            continue
        arrow = None if column_type is None else arrow_field(column_type)
        if column_type is None:
            broken[name] = _broken(rows.unread[name], "cannot read")
        elif arrow is None:
            broken[name] = _broken(column_type.dataType.simpleString(), "cannot hand over")
        known.append(arrow or pa.field(name, pa.null()))
    empty = TableState.of(pa.schema(known).empty_table(), options)
    empty = replace(empty, columns={name: broken.get(name, state) for name, state in empty.columns.items()})
    part = PartitionRows(keys, rows.frame, location, empty, skipped, rows.size, rows.tiny)
    renamed = (column(name).alias(f"c{index}") for index, name in enumerate(part.names))
    return replace(part, frame=rows.frame.select(*renamed, key.alias("key")))


def arrow_field(field: StructField) -> pa.Field | None:
    """As what Spark hands a column to Python; None when it cannot."""
    try:
        return to_arrow_schema(StructType([field]), **_ZONE).field(0)
    except PySparkException:
        return None


def _broken(data_type: str, failing: str) -> ColumnState:
    return ColumnState(Kind.NESTED, frozenset({data_type}), {}, f"Spark {failing} its type {data_type}")


def _ordered(rows: Rows) -> Iterator[tuple[str, StructField | None]]:
    """All columns in the source's order; None for those that are not in the frame."""
    fields = rows.frame.schema.fields
    if not rows.order:
        yield from ((field.name, field) for field in fields)
        return
    by_name = {field.name: field for field in fields}
    for name in dict.fromkeys((*rows.order, *by_name)):
        yield name, by_name.get(name)

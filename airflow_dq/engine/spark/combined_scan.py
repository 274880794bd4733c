"""Partitions whose Parquet files all have one schema, in one scan: Spark's time for a plan grows with its scans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import col, substring_index
from pyspark.sql.types import StructType

from airflow_dq.engine.order import describe, where_of
from airflow_dq.engine.spark.failure import SPARK_ERRORS
from airflow_dq.engine.spark.files import is_connect
from airflow_dq.engine.spark.footer import Signature, as_timestamps, read_footer
from airflow_dq.engine.spark.listing import Listing
from airflow_dq.engine.spark.reader import Rows, list_source, load, require_files, same_signature
from airflow_dq.engine.spark.source import PartitionRows, Place, partition_rows
from airflow_dq.exceptions import DQError
from airflow_dq.options.job import JobSpec
from airflow_dq.options.profile import ProfileOptions

_READERS = 4
"""Partitions that are opened at once: each waits for the file system more than it computes."""
_NOT_COMBINED = {"schema", "basepath", "mergeschema", "recursivefilelookup"}


@dataclass(frozen=True, slots=True)
class _Combinable:
    """A partition that is one folder or file, without folders below it."""

    key: str
    listing: Listing
    signature: Signature

    @property
    def root(self) -> str:
        return self.listing.roots[0]

    @property
    def is_file(self) -> bool:
        return self.listing.files[0].path == self.root


def open_combined(
    spark: SparkSession, spec: JobSpec, options: ProfileOptions, places: Mapping[str, Place]
) -> list[PartitionRows]:
    """One part for each schema that several partitions have.

    A partition of which anything is out of the ordinary is in none of them, and to be opened by itself.
    """
    given = {name.lower() for name in spec.options}
    if is_connect(spark) or spec.format.lower() != "parquet" or spec.whole or len(places) < 2 or given & _NOT_COMBINED:
        return []
    options = replace(options, exclude=(*options.exclude, *([spec.partition_by] if spec.partition_by else ())))
    with ThreadPoolExecutor(_READERS) as pool:
        looked = pool.map(lambda place: _combinable(spark, spec, *place), places.items())
        plain = [found for found in looked if found is not None]
    groups: dict[tuple[Signature, bool], list[_Combinable]] = {}
    seen = Counter(one.root for one in plain)
    for one in (one for one in plain if seen[one.root] == 1):
        groups.setdefault((one.signature, one.is_file), []).append(one)
    parts = [_open(spark, spec, options, group) for group in groups.values() if len(group) > 1]
    return [part for part in parts if part is not None]


def _combinable(spark: SparkSession, spec: JobSpec, key: str, place: Place) -> _Combinable | None:
    where = where_of(spec, key)
    try:
        listing = place if isinstance(place, Listing) else list_source(spark, spec, place, where)
        require_files(listing, spec, str(place), where)
        if listing.one_by_one or len(listing.roots) != 1:
            return None
        signature = same_signature(spark, listing)
    except (DQError, *SPARK_ERRORS):
        # Whatever it is, it comes up again when the partition is opened by itself, and is explained there.
        return None
    return None if signature is None else _Combinable(key, listing, signature)


def _open(
    spark: SparkSession, spec: JobSpec, options: ProfileOptions, group: Sequence[_Combinable]
) -> PartitionRows | None:
    first = group[0]
    depth, labels = _labels(spark, group)
    try:
        schema = first.signature.schema(spark)
        nanoseconds: Mapping[str, bool] = {}
        if first.signature.may_have_nanoseconds:
            nanoseconds = read_footer(spark, first.listing.files[0].path).nanoseconds
        read = partial(_read, spark, spec, schema, nanoseconds, {one.key: one.listing for one in group})
        rows = Rows(read([one.key for one in group]))
    except (DQError, *SPARK_ERRORS):
        return None
    label = _label(depth)
    part = partition_rows(rows, label, tuple(one.key for one in group), describe(spec), options)
    places = {one.key: one.root for one in group}
    return replace(
        part,
        places=places,
        labels=labels,
        reread=lambda keys: partition_rows(replace(rows, frame=read(keys)), label, tuple(keys), "", options).frame,
    )


def _read(
    spark: SparkSession,
    spec: JobSpec,
    schema: StructType,
    nanoseconds: Mapping[str, bool],
    listings: Mapping[str, Listing],
    keys: Sequence[str],
) -> DataFrame:
    paths = tuple(path for key in keys for path in listings[key].load_paths)
    frame = load(spark, spec, paths, {}, where_of(spec), describe(spec), schema)
    return as_timestamps(frame, nanoseconds)


def _label(depth: int) -> Column:
    """The last components of the path of a row's file."""
    return substring_index(col("_metadata.file_path"), "/", -depth)


def _labels(spark: SparkSession, group: Sequence[_Combinable]) -> tuple[int, dict[str, str]]:
    """How many components of a file's path tell its partition, and those of each partition's folder or file.

    Spelled like Spark's ``_metadata.file_path``, with the escapes of a URI.
    """
    jvm: Any = spark.sparkContext._jvm
    path = jvm.org.apache.hadoop.fs.Path
    roots = {one.key: path(one.root).toUri().toString().rstrip("/").split("/") for one in group}
    depth = 1
    while len({tuple(parts[-depth:]) for parts in roots.values()}) < len(roots):
        depth += 1
    labels = {"/".join(parts[-depth:]): key for key, parts in roots.items()}
    return depth + (0 if group[0].is_file else 1), labels

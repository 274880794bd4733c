"""Reading one path, table or query into a data frame, and the defaults that keep data as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import xxhash64
from pyspark.sql.types import LongType, StructType

from airflow_dq.engine.csv_text import spark_defaults
from airflow_dq.engine.order import describe
from airflow_dq.engine.spark.csv_quote import require_closed_quotes
from airflow_dq.engine.spark.failure import SPARK_ERRORS, explain, unreadable
from airflow_dq.engine.spark.files import base_path, is_connect
from airflow_dq.engine.spark.files_read import require_all_read
from airflow_dq.engine.spark.footer import Footer, Signature, as_timestamps, read_footer, read_signature
from airflow_dq.engine.spark.listing import Listing, list_path, load_paths
from airflow_dq.engine.spark.session import column
from airflow_dq.engine.spark.text_head import csv_escape, read_heads, require_json_lines, require_packed
from airflow_dq.engine.spark.time_travel import travel_options, travelling_table
from airflow_dq.engine.table_log import LOGGED, STREAM_LOG
from airflow_dq.exceptions import (
    ConfigurationError,
    DQError,
    ProfileError,
    SourceEmptyError,
    SourceMissingError,
    SourceUnreadableError,
)
from airflow_dq.options.job import PATH_FORMATS, JobSpec

# Formats that have a footer or header: a file of no bytes is a write that was cut off, and Spark would skip it.
_NEVER_EMPTY = ("parquet", "orc", "avro")
_PROBED_FILES = 200
"""Files that are opened one by one to name the unreadable one: each is a job of Spark's."""
_FEW_FILES = 8
"""Files whose headers the driver reads by itself; of more, Spark finds the schema."""
_TINY = 2**20
"""Bytes that are read in so little time that each of several tasks may read all of them."""
_END = re.compile(r";(?>\s+|--[^\n]*|/\*.*?\*/|;)*+\Z", re.S)
"""The semicolon that ends a query, with the comments behind it, none of which is tried to end twice."""
_LEAST_HASH = -(2**63)
"""No 64-bit hash is less: a comparison with it keeps every row."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one schema."""

    frame: DataFrame
    unread: Mapping[str, str] = field(default_factory=dict)
    """Columns that are in the source and not in the frame, and their types."""
    order: tuple[str, ...] = ()
    """All columns, in the source's order, when there are such."""
    size: int | None = None
    """Bytes of the files, when the rows are all that these hold."""
    tiny: bool = False
    """Whether that is so little that several tasks may each read all of it."""


def read_query(spark: SparkSession, spec: JobSpec, where: str) -> DataFrame:
    """The data frame of the job's table, query or pathless source.

    :raises SourceMissingError: when the table does not exist
    :raises DQError: when Spark refuses the table or query
    """
    if not (spec.table or spec.sql):
        return load(spark, spec, (), {}, where, describe(spec))
    try:
        travels = spec.table is not None and spec.travel(None)
        query = travelling_table(spec) if travels else _only_query(spec.sql or "")
        frame = spark.table(spec.table) if spec.table and not travels else spark.sql(query)
        frame.schema  # noqa: B018 - analysed now, while the error can name the source
    except SPARK_ERRORS as error:
        raise explain(error, where, describe(spec)) from error
    return frame


def _only_query(sql: str) -> str:
    """The query between brackets, where Spark's grammar has no statement that does something.

    ``WITH ... INSERT`` and ``FROM ... INSERT`` begin as queries do, and Spark carries them out when it is given them.
    """
    return f"SELECT * FROM ({_END.sub('', sql)}\n)"


def read_path(spark: SparkSession, spec: JobSpec, path: str, where: str, base: str | None = None) -> list[Rows]:
    """Everything at a path.

    :param base: folder from which on the names ``column=value`` of folders are columns (default: the path itself, so
        a partition's own folder is no column)
    :return: one or more sets of rows: the files of a Parquet folder whose types differ come apart
    :raises SourceMissingError: when nothing is at the path
    :raises SourceEmptyError: when it holds no data file
    :raises SourceUnreadableError: when a file cannot be read, as far as the schema tells
    """
    if spec.format.lower() not in PATH_FORMATS:
        # Table formats (Delta, Iceberg, ...) know their own files.
        return [Rows(load(spark, spec, (path,), travel_options(spec), where, path))]
    return read_listing(spark, spec, list_source(spark, spec, path, where), path, where, base)


def list_source(spark: SparkSession, spec: JobSpec, path: str, where: str) -> Listing:
    """The data files at a path.

    :raises ProfileError: as :func:`read_path` does
    :raises ConfigurationError: when a table's log says which of the files count
    """
    names = next((value for name, value in spec.options.items() if name.lower() == "pathglobfilter"), None)
    try:
        listing = list_path(spark, path, names)
    except SPARK_ERRORS as error:
        raise explain(error, where, path) from error
    if listing is None:
        raise SourceMissingError(f"{where}: the source {path} does not exist. Check the path and that it was written.")
    if listing.log is not None and spec.format.lower() in LOGGED and not _spark_knows(spec, listing):
        raise listing.log.refusal(where, path)
    return listing


def _spark_knows(spec: JobSpec, listing: Listing) -> bool:
    """Whether the log is one that Spark reads the files by when it is given the folder itself."""
    stream = listing.log is not None and listing.log.sign == STREAM_LOG
    return stream and spec.partition_by is None and listing.roots == (listing.log and listing.log.root,)


def read_listing(
    spark: SparkSession, spec: JobSpec, listing: Listing, path: str, where: str, base: str | None = None
) -> list[Rows]:
    """The rows of the files of a listing; as :func:`read_path`."""
    require_files(listing, spec, path, where)
    defaults = _defaults(spec, listing)
    if spec.format.lower() not in _NEVER_EMPTY:
        require_packed(spark, listing, where)
    if spec.format.lower() == "csv":
        heads = read_heads(spark, spec, listing, where)
        defaults |= csv_escape(spec, heads)
        require_closed_quotes(spark, listing, heads, {**defaults, **spec.options}, where)
    elif spec.format.lower() == "json":
        require_json_lines(spark, spec, listing, where)
    if base is not None or listing.one_by_one:
        defaults["basePath"] = base or (listing.roots[0] if len(listing.roots) == 1 else base_path(path))
    parquet = spec.format.lower() == "parquet" and not any(name.lower() == "schema" for name in spec.options)
    # Behind a Connect server nobody asks for a footer: Spark refuses there what it would read as something else.
    parquet = parquet and not is_connect(spark)
    try:
        signature, schema = _known(spark, listing) if parquet and "basePath" not in defaults else (None, None)
        frame = load(spark, spec, listing.load_paths, defaults, where, path, schema)
        if listing.log is None:
            # Files of no bytes have no rows, and Spark takes none of them.
            require_all_read(spark, spec, frame, [file.path for file in listing.files if file.size], where)
        integers = any(isinstance(field.dataType, LongType) for field in frame.schema.fields)
        if parquet and integers and (signature is None or signature.may_have_nanoseconds):
            footer = _footer(spark, listing.files[0].path, where)
            frame = as_timestamps(frame, footer.nanoseconds)
        elif spec.format.lower() == "csv" and (spec.columns or spec.exclude):
            frame = _unpruned(frame)
        size = sum(file.size for file in listing.files)
        return [Rows(frame, size=size, tiny=is_tiny(size, len(listing.files)))]
    except (ProfileError, ConfigurationError) as error:
        apart = _read_apart(spark, spec, listing, defaults, where) if parquet else []
        if apart:
            return apart
        if isinstance(error, SourceUnreadableError):
            raise _named(spark, spec, listing, defaults, where) or error from error.__cause__
        raise


def is_tiny(size: int, files: int) -> bool:
    """Whether files are so few and small that several tasks may each read all of them.

    :param size: their bytes
    """
    return size <= _TINY and files <= _FEW_FILES


def same_signature(spark: SparkSession, listing: Listing) -> Signature | None:
    """The signature that all files of a listing have; None when they differ, lie in sub-folders, or are many.

    To look at a few footers takes less time than a job in which Spark does so.
    """
    roots = set(listing.roots)
    flat = all(file.path in roots or file.path.rpartition("/")[0] in roots for file in listing.files)
    if len(listing.files) > _FEW_FILES or not flat:
        return None
    first, *others = (read_signature(spark, file.path) for file in listing.files)
    return first if all(other == first for other in others) else None


def _known(spark: SparkSession, listing: Listing) -> tuple[Signature | None, StructType | None]:
    """The signature and the schema of the files, when these can be told without a Spark job."""
    try:
        signature = same_signature(spark, listing)
        return signature, None if signature is None else signature.schema(spark)
    except SPARK_ERRORS:
        # Spark's own inference comes to the same error, and says more.
        return None, None


def _read_apart(
    spark: SparkSession, spec: JobSpec, listing: Listing, defaults: Mapping[str, str], where: str
) -> list[Rows]:
    """Parquet files that Spark cannot read together: those of one schema at a time, without what it cannot read.

    :return: nothing when the schemas are not to blame
    :raises SourceUnreadableError: naming the first file that is no Parquet file
    """
    groups: dict[str, tuple[Footer, list[str]]] = {}
    for file in listing.files:
        footer = _footer(spark, file.path, where)
        groups.setdefault(footer.text, (footer, []))[1].append(file.path)
    if len(groups) == 1 and not any(footer.unread for footer, _ in groups.values()):
        return []
    known = {"basePath": listing.roots[0]} if len(listing.roots) == 1 and len(listing.files) > 1 else {}
    found = []
    for footer, files in groups.values():
        frame = load(spark, spec, load_paths(files), known | dict(defaults), where, files[0], footer.schema)
        require_all_read(spark, spec, frame, files, where)
        found.append(Rows(as_timestamps(frame, footer.nanoseconds), footer.unread, footer.order))
    return found


def _unpruned(frame: DataFrame) -> DataFrame:
    """The same rows, for which every column has to be read: a record is malformed whichever columns are profiled."""
    return frame.where(xxhash64(*(column(name) for name in frame.columns)) >= _LEAST_HASH)


def _footer(spark: SparkSession, file: str, where: str) -> Footer:
    try:
        return read_footer(spark, file)
    except SPARK_ERRORS as error:
        raise unreadable(error, where, file) from error


def require_files(listing: Listing, spec: JobSpec, path: str, where: str) -> None:
    """Refuse a source without files, or with one whose write was cut off.

    :raises ProfileError: naming the path or the file
    """
    if not listing.files:
        raise SourceEmptyError(
            f"{where}: {path} exists and holds no data file (hidden and side files left aside). Check that the "
            "upstream task wrote it; a table without rows is written as a file with none."
        )
    if spec.format.lower() in _NEVER_EMPTY:
        for file in listing.files:
            if file.size == 0:
                raise SourceUnreadableError(
                    f"{where}: the file {file.path} has 0 bytes, which is no {spec.format} file: its write was cut "
                    "off. Write it again or remove it."
                )


def _defaults(spec: JobSpec, listing: Listing) -> dict[str, str]:
    several = len(listing.files) > 1
    match spec.format.lower():
        case "csv":
            return spark_defaults(len(listing.files), spec.options)
        case "json":
            return {"mode": "FAILFAST"}
        case "parquet" | "orc":
            # A column that only some files have must not depend on which file is looked at first.
            return {"mergeSchema": str(several).lower()}
    return {}


def load(
    spark: SparkSession,
    spec: JobSpec,
    paths: tuple[str, ...],
    defaults: Mapping[str, str],
    where: str,
    path: str,
    schema: StructType | str | None = None,
) -> DataFrame:
    """The frame of these paths, analysed.

    :raises DQError: when Spark refuses
    """
    given = {name.lower(): value for name, value in spec.options.items()}
    schema = given.pop("schema", schema)
    options = {name: value for name, value in defaults.items() if name.lower() not in given} | given
    try:
        reader = spark.read.format(spec.format).options(**options)
        frame = (reader if schema is None else reader.schema(schema)).load(list(paths) or None)
        frame.schema  # noqa: B018 - analysed now, while the error can name the source
    except SPARK_ERRORS as error:
        raise explain(error, where, path) from error
    return frame


def _named(
    spark: SparkSession, spec: JobSpec, listing: Listing, defaults: Mapping[str, str], where: str
) -> DQError | None:
    """The error of the first file that cannot be read by itself: schema inference does not say which one it was."""
    for file in listing.files[:_PROBED_FILES]:
        try:
            load(spark, spec, load_paths([file.path]), defaults, where, file.path)
        except DQError as error:
            return error
    return None

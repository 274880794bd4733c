"""Reading one path, table or query into a data frame, and the defaults that keep data as it is."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from airflow_dq.exceptions import DQError, SourceEmptyError, SourceMissingError, SourceUnreadableError
from airflow_dq.profile.spec import PATH_FORMATS, JobSpec
from airflow_dq.spark.failure import SPARK_ERRORS, explain
from airflow_dq.spark.listing import Listing, list_path

# Formats that have a footer or header: a file of no bytes is a write that was cut off, and Spark would skip it.
_NEVER_EMPTY = ("parquet", "orc", "avro")
_PROBED_FILES = 200


def read_query(spark: SparkSession, spec: JobSpec, where: str) -> DataFrame:
    """The data frame of the job's table, query or pathless source.

    :raises SourceMissingError: when the table does not exist
    :raises DQError: when Spark refuses the table or query
    """
    if not (spec.table or spec.sql):
        return _load(spark, spec, (), {}, where, describe(spec))
    try:
        frame = spark.table(spec.table) if spec.table else spark.sql(spec.sql or "")
        frame.schema  # noqa: B018 - analysed now, while the error can name the source
    except SPARK_ERRORS as error:
        raise explain(error, where, describe(spec)) from error
    return frame


def read_path(spark: SparkSession, spec: JobSpec, path: str, where: str, base: str | None = None) -> DataFrame:
    """The data frame of everything at a path.

    :param base: folder from which on the names ``column=value`` of folders are columns (default: the path itself, so
        a partition's own folder is no column)
    :raises SourceMissingError: when nothing is at the path
    :raises SourceEmptyError: when it holds no data file
    :raises SourceUnreadableError: when a file cannot be read, as far as the schema tells
    """
    if spec.format.lower() not in PATH_FORMATS:
        # Table formats (Delta, Iceberg, ...) know their own files.
        return _load(spark, spec, (path,), {}, where, path)
    try:
        listing = list_path(spark, path)
    except SPARK_ERRORS as error:
        raise explain(error, where, path) from error
    if listing is None:
        raise SourceMissingError(f"{where}: the source {path} does not exist. Check the path and that it was written.")
    _require_files(listing, spec, path, where)
    defaults = _defaults(spec, listing)
    if base is not None or listing.side_files:
        defaults["basePath"] = base or listing.roots[0]
    try:
        return _load(spark, spec, listing.load_paths, defaults, where, path)
    except SourceUnreadableError as error:
        raise _named(spark, spec, listing, defaults, where) or error from error.__cause__


def describe(spec: JobSpec) -> str:
    """The source of a job in words."""
    if spec.table:
        return f"table {spec.table}"
    if spec.sql:
        return f"query {spec.sql!r}"
    if spec.pathless:
        return f"{spec.format} source {spec.options.get('dbtable') or spec.options.get('query') or ''}".rstrip()
    return spec.pattern or ", ".join(dict.fromkeys(spec.paths.values()))


def _require_files(listing: Listing, spec: JobSpec, path: str, where: str) -> None:
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
            # With one file the header is the schema; with several, or a given schema, columns must not change places.
            free = not several and not any(name.lower() == "schema" for name in spec.options)
            return {"header": "true", "mode": "FAILFAST", "multiLine": "true", "enforceSchema": str(free).lower()}
        case "json":
            return {"mode": "FAILFAST"}
        case "parquet" | "orc":
            # A column that only some files have must not depend on which file is looked at first.
            return {"mergeSchema": str(several).lower()}
    return {}


def _load(
    spark: SparkSession, spec: JobSpec, paths: tuple[str, ...], defaults: Mapping[str, str], where: str, path: str
) -> DataFrame:
    given = {name.lower(): value for name, value in spec.options.items()}
    schema = given.pop("schema", None)
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
            _load(spark, spec, (file.path,), defaults, where, file.path)
        except DQError as error:
            return error
    return None

"""Splitting the rows of a partition on a cluster: judged once, kept, written to two places, and counted again there."""

from __future__ import annotations

from functools import partial

from pyspark import StorageLevel
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import array_contains, col, count, lit, size, when
from pyspark.sql.functions import sum as total
from pyspark.sql.types import ArrayType, StringType, StructField, StructType

from airflow_dq.engine.order import describe, where_of
from airflow_dq.engine.publish import beside, publish
from airflow_dq.engine.spark.failure import SPARK_ERRORS, explain
from airflow_dq.engine.spark.files import is_connect
from airflow_dq.engine.spark.folders import HadoopFolders
from airflow_dq.engine.spark.reader import read_path, read_query
from airflow_dq.engine.spark.session import column
from airflow_dq.engine.spark.source import arrow_field
from airflow_dq.engine.worker.split import judged_batches
from airflow_dq.exceptions import ConfigurationError, ProfileError
from airflow_dq.options.split import FAILED, SplitSpec
from airflow_dq.profile.check.split import require_columns

Counts = tuple[int, int, dict[str, int]]
"""Good rows, bad rows, and by check how many fail it."""


def split_rows(spark: SparkSession, spec: SplitSpec) -> Counts:
    """Write the good and the bad rows of one partition, or table, to their places.

    Both are written beside their places first, read back and counted, and moved there when every row is in one of them.

    :raises ConfigurationError: when a check cannot be computed, or a column cannot be handed to it
    :raises DQError: when the rows cannot be read or written; then both places are as they were
    """
    where, order = where_of(spec.order), spec.order
    if is_connect(spark):
        raise ConfigurationError(
            f"{where}: the places are moved by a driver that reaches their file system, which a Connect client "
            "does not: give a master of its own (spark://..., yarn, local[*]), or engine='arrow'."
        )
    source = _frame(spark, spec, where)
    require_columns(order.checks, source.columns, where)
    folders = HadoopFolders(spark)
    targets = [place.rstrip("/") for place in (spec.good, spec.bad)]
    staged = [beside(target, "new") for target in targets]
    judged = _judged(source, spec, where).persist(StorageLevel.MEMORY_AND_DISK)
    try:
        found = _counts(judged, spec)
        _write(judged, source.columns, spec, staged)
        written = [spark.read.format(spec.target_format).load(folder).count() for folder in staged]
        if written != list(found[:2]):
            raise ProfileError(
                f"{where}: {found[0]:,} good and {found[1]:,} bad rows were written, and {written[0]:,} and "
                f"{written[1]:,} are read again; nothing was changed. Does the source give other rows each time?"
            )
        publish(folders, list(zip(staged, targets, strict=True)))
    except PythonException as error:
        raise _uncomputed(error, where) from error
    except SPARK_ERRORS as error:
        raise explain(error, where, describe(order)) from error
    except OSError as error:
        raise ProfileError(
            f"{where}: the rows cannot be put in their places ({error}); nothing was changed."
        ) from error
    finally:
        judged.unpersist()
        for folder in staged:
            folders.remove(folder)
    return found


def _frame(spark: SparkSession, spec: SplitSpec, where: str) -> DataFrame:
    """All rows and columns of the source.

    :raises ConfigurationError: when its files have no types in common, or a column cannot be handed over
    """
    order = spec.order
    if order.whole:
        frame = read_query(spark, order, where)
    else:
        parts = read_path(spark, order, next(iter(order.paths.values())), where)
        if len(parts) > 1 or parts[0].unread:
            raise ConfigurationError(
                f"{where}: the files at {describe(order)} have columns of different types, or of such as Spark cannot "
                "read. Write one type, or split a query over them: sql=."
            )
        frame = parts[0].frame
    lost = [field.name for field in frame.schema.fields if arrow_field(field) is None]
    if lost:
        raise ConfigurationError(
            f"{where}: Spark cannot hand over the type of {', '.join(map(repr, lost))}: split a query without it: sql=."
        )
    if FAILED in frame.columns:
        raise ConfigurationError(f"{where}: the rows have a column {FAILED!r} already, which names the failed checks.")
    return frame


def _judged(frame: DataFrame, spec: SplitSpec, where: str) -> DataFrame:
    """The rows under the names ``c0``, ``c1``, ... (a dot in a name trips mapInArrow), and which checks each fails."""
    names = list(frame.columns)
    renamed = frame.select(*(column(name).alias(f"c{place}") for place, name in enumerate(names)))
    failed = StructField("failed", ArrayType(StringType()), False)
    task = partial(judged_batches, names=names, checks=spec.order.checks, where=where)
    return renamed.mapInArrow(task, StructType([*renamed.schema.fields, failed]))


def _counts(judged: DataFrame, spec: SplitSpec) -> Counts:
    names = [check.id for check in spec.order.checks]
    each = [
        total(when(array_contains("failed", name), 1).otherwise(0)).alias(f"n{place}")
        for place, name in enumerate(names)
    ]
    (row,) = (
        judged.select("failed")
        .agg(count(lit(1)).alias("rows"), count(when(size("failed") == 0, 1)).alias("good"), *each)
        .collect()
    )
    failed = {name: int(row[f"n{place}"] or 0) for place, name in enumerate(names)}
    return int(row["good"]), int(row["rows"] - row["good"]), failed


def _write(judged: DataFrame, names: list[str], spec: SplitSpec, staged: list[str]) -> None:
    columns = [col(f"c{place}").alias(name) for place, name in enumerate(names)]
    good = judged.where(size("failed") == 0).select(*columns)
    bad = judged.where(size("failed") > 0).select(*columns, col("failed").alias(FAILED))
    for frame, folder in zip((good, bad), staged, strict=True):
        frame.write.format(spec.target_format).mode("errorifexists").save(folder)


def _uncomputed(error: PythonException, where: str) -> Exception:
    """A check that cannot be computed is the user's to correct; what else goes wrong in a task is no such thing."""
    name = "airflow_dq.exceptions.ConfigurationError: "
    said = [line.partition(name)[2] for line in str(error).splitlines() if name in line]
    if said:
        return ConfigurationError(f"{said[-1]} Nothing was changed.")
    return ProfileError(f"{where}: a task failed, and nothing was changed: {str(error).strip().splitlines()[-1]}")

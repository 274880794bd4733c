"""Which rows of a table are those of one partition: by a condition, a key column, or the table's own partitions."""

from __future__ import annotations

import re

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.functions import expr, lit

from airflow_dq.engine.order import describe
from airflow_dq.engine.spark.failure import SPARK_ERRORS, explain
from airflow_dq.engine.spark.session import column
from airflow_dq.exceptions import SourceMissingError
from airflow_dq.options.job import NULL_KEY, JobSpec

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_ORDERED = re.compile(r"date|timestamp|timestamp_ntz|tinyint|smallint|int|bigint")
"""Types whose values are ordered as the texts of them are as partition keys."""


def own_columns(spark: SparkSession, table: str, where: str) -> list[str]:
    """The columns by which the catalog says that a table is partitioned; none of a view, or when it does not say.

    :raises SourceMissingError: when there is no such table
    """
    try:
        return [one.name for one in spark.catalog.listColumns(table) if one.isPartition]
    except SPARK_ERRORS as error:
        found = explain(error, where, f"table {table}")
        if isinstance(found, SourceMissingError):
            raise found from error
        return []


def chosen_rows(frame: DataFrame, order: JobSpec, where: str) -> DataFrame:
    """The rows that the order's condition chooses, if it has one.

    :raises ConfigurationError: when Spark does not understand it
    """
    if order.where is None:
        return frame
    try:
        chosen = frame.where(expr(order.where))
        chosen.schema  # noqa: B018 - analysed now, while the error can name the condition
    except SPARK_ERRORS as error:
        raise explain(error, where, f"where={order.where!r} of {describe(order)}") from error
    return chosen


def within_bounds(spark: SparkSession, frame: DataFrame, order: JobSpec) -> DataFrame:
    """The frame without rows of which the source itself can tell that their key is not asked for.

    What is left may have more keys than those: which are chosen is decided by their texts.
    """
    name = order.partition_by or ""
    key_type = frame.schema[name].dataType.simpleString()
    if order.key == NULL_KEY:
        return frame
    if order.key is not None:
        value = _as(spark, order.key, key_type)
        return frame if value is None else frame.where(column(name) == value)
    bounds = {"since": order.since, "until": order.until}
    given = {bound: key for bound, key in bounds.items() if key is not None}
    if key_type == "string" and given and all(_DAY.fullmatch(key) for key in given.values()):
        # A text that is no day may stand anywhere in the order.
        return frame.where(_between(name, {bound: lit(key) for bound, key in given.items()}) | ~_is_day(name))
    if not _ORDERED.fullmatch(key_type):
        return frame
    values = {bound: _as(spark, key, key_type) for bound, key in given.items()}
    known = {bound: value for bound, value in values.items() if value is not None}
    return frame.where(_between(name, known) | column(name).isNull()) if known else frame


def _between(name: str, bounds: dict[str, Column]) -> Column:
    found = lit(True)
    if "since" in bounds:
        found = found & (column(name) >= bounds["since"])
    if "until" in bounds:
        found = found & (column(name) <= bounds["until"])
    return found


def _is_day(name: str) -> Column:
    """Whether a text is written as a day; never null."""
    return column(name).isNotNull() & column(name).rlike(f"^{_DAY.pattern}$")


def _as(spark: SparkSession, key: str, key_type: str) -> Column | None:
    """A key as a value of the column's type, which a source can compare; None when it is no such value's own text."""
    if key_type == "string":
        return lit(key)
    value = f"try_cast(:key AS {key_type})"
    ((text,),) = spark.sql(f"SELECT CAST({value} AS STRING)", args={"key": key}).collect()
    return lit(key).cast(key_type) if text == key else None

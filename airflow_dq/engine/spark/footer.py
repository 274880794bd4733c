"""Parquet footers, for what Spark's own reader does not tell: types that it refuses, and nanoseconds.

Read on the driver by the Parquet library that Spark brings along, so wherever Spark can read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr
from pyspark.sql.types import StructField, StructType

from airflow_dq.engine.spark.failure import SPARK_ERRORS
from airflow_dq.engine.spark.session import column, quoted

_NANOSECONDS = "TIMESTAMP(NANOS"
_NOTED = "org.apache.spark.sql.parquet.row.metadata"


@dataclass(frozen=True, slots=True)
class Footer:
    """The columns of one file."""

    text: str
    """The file's own schema: equal texts, equal schemas."""
    schema: StructType
    """The columns that Spark can read."""
    unread: Mapping[str, str]
    """Columns of a type that Spark cannot read, and that type."""
    nanoseconds: Mapping[str, bool]
    """Timestamps in nanoseconds, which Spark reads as plain integers, and whether they are in UTC."""
    order: tuple[str, ...]
    """All columns, in the file's order."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What a file's schema is made of, as cheaply as it can be had: equal signatures, equal schemas."""

    text: str
    """The file's own schema."""
    noted: str | None
    """The schema as the Spark that wrote the file noted it: Spark prefers it to the file's own."""
    java: Any = field(compare=False, repr=False)
    """Spark's handle on the footer."""

    @property
    def may_have_nanoseconds(self) -> bool:
        """Whether to look for timestamps in nanoseconds: to read every column's type takes as long as a small scan."""
        return _NANOSECONDS in self.text

    def schema(self, spark: SparkSession) -> StructType:
        """The columns, as Spark infers them.

        :raises airflow_dq.engine.spark.failure.SPARK_ERRORS: when Spark cannot read one of them
        """
        java = _classes(spark.sparkContext._jvm)
        converter = java.converter(spark._jsparkSession.sessionState().conf())
        found = java.format.readSchemaFromFooter(self.java, converter)
        return StructType.fromJson(json.loads(found.json()))


def read_signature(spark: SparkSession, file: str) -> Signature:
    """The signature of a Parquet file.

    :raises airflow_dq.engine.spark.failure.SPARK_ERRORS: when it is none
    """
    java = _classes(spark.sparkContext._jvm)
    path = java.path(file)
    metadata = _metadata(java, spark._jsparkSession.sessionState(), path)
    content = metadata.getFileMetaData()
    noted = content.getKeyValueMetaData().get(_NOTED)
    return Signature(content.getSchema().toString(), noted, java.footer(path, metadata))


def read_footer(spark: SparkSession, file: str) -> Footer:
    """The columns of a Parquet file.

    :raises airflow_dq.engine.spark.failure.SPARK_ERRORS: when it is none
    """
    jvm: Any = spark.sparkContext._jvm
    java = _classes(jvm)
    state: Any = spark._jsparkSession.sessionState()
    message = _metadata(java, state, java.path(file)).getFileMetaData().getSchema()
    converter = java.converter(state.conf())
    fields: list[StructField] = []
    unread, nanoseconds, order = {}, {}, []
    for column_type in message.getFields():
        name, kind = column_type.getName(), str(column_type.getLogicalTypeAnnotation() or column_type)
        order.append(name)
        try:
            alone = jvm.java.util.ArrayList()
            alone.add(column_type)
            converted = converter.convert(jvm.org.apache.parquet.schema.MessageType("alone", alone)).json()
        except SPARK_ERRORS:
            unread[name] = kind.lower()
            continue
        fields += StructType.fromJson(json.loads(converted)).fields
        if kind.startswith(_NANOSECONDS):
            nanoseconds[name] = kind.endswith("true)")
    return Footer(message.toString(), StructType(fields), unread, nanoseconds, tuple(order))


def as_timestamps(frame: DataFrame, nanoseconds: Mapping[str, bool]) -> DataFrame:
    """The frame with counts of nanoseconds as timestamps; what is below a microsecond is cut off, towards the past."""
    if not nanoseconds:
        return frame
    return frame.select(
        *(
            _timestamp(name, nanoseconds[name]).alias(name) if name in nanoseconds else column(name)
            for name in frame.columns
        )
    )


def _timestamp(name: str, utc: bool) -> Any:
    count = quoted(name)
    # `div` rounds towards 1970, so one less before it.
    micros = f"({count} div 1000 - if({count} % 1000 < 0, 1, 0))"
    return expr(f"timestamp_micros({micros})" if utc else f"cast(timestamp_micros({micros}) as timestamp_ntz)")


@dataclass(frozen=True, slots=True)
class _Classes:
    """Java's classes that footers are read by."""

    path: Any
    input_file: Any
    reader: Any
    footer: Any
    converter: Any
    format: Any


@lru_cache(maxsize=1)
def _classes(jvm: Any) -> _Classes:
    # Each name of a package is a call to Java, and a footer needs thirty of them.
    hadoop, spark = jvm.org.apache.parquet.hadoop, jvm.org.apache.spark.sql.execution.datasources.parquet
    return _Classes(
        jvm.org.apache.hadoop.fs.Path,
        hadoop.util.HadoopInputFile,
        hadoop.ParquetFileReader,
        hadoop.Footer,
        spark.ParquetToSparkSchemaConverter,
        spark.ParquetFileFormat,
    )


def _metadata(java: _Classes, state: Any, path: Any) -> Any:
    reader = java.reader.open(java.input_file.fromPath(path, state.newHadoopConf()))
    try:
        return reader.getFooter()
    finally:
        reader.close()

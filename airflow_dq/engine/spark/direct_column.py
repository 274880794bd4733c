"""Which columns of a Parquet file are the same to Arrow's reader as to Spark's, and the types that both give them."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.types as pt
from pyspark.sql.types import StructType

from airflow_dq.engine.spark.refused import RefusedError
from airflow_dq.engine.spark.source import arrow_field
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.column import logical_type
from airflow_dq.profile.table import TableState

_SAME = {
    *(pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64()),
    *(pa.string(), pa.binary(), pa.date32()),
}
"""Types whose values are the same to both readers."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that are profiled, as Spark reads them."""

    schema: pa.Schema
    empty: TableState = field(repr=False)
    """The state of no rows."""


def columns_of(schema: pa.Schema, inferred: StructType, options: ProfileOptions) -> Columns:
    """The columns to profile.

    :param schema: as which Arrow reads a file
    :param inferred: as which Spark reads it
    :raises RefusedError: naming a column whose values may not be the same to both, or whose name is ambiguous
    :raises UnknownColumnError: when ``options`` name an unknown column
    """
    names = inferred.names
    if names != schema.names or len(set(names)) < len(names) or any("\0" in name for name in names):
        raise RefusedError(f"Spark and Arrow may not agree on the names of its columns: {', '.join(map(repr, names))}")
    inferred_types = {one.name: None if one.metadata else arrow_field(one) for one in inferred.fields}
    types = {
        name: None if found is None else type_read(schema.field(name).type, found.type)
        for name, found in inferred_types.items()
    }
    whole = pa.schema([(name, found or pa.null()) for name, found in types.items()])
    empty = TableState.of(whole.empty_table(), options)
    for name in empty.columns:
        if types[name] is None:
            raise RefusedError(f"its column {name!r} is read as {schema.field(name).type}")
    if not empty.columns:
        raise RefusedError("none of its columns is profiled")
    return Columns(pa.schema([whole.field(name) for name in empty.columns]), empty)


def type_read(arrow: pa.DataType, spark: pa.DataType) -> pa.DataType | None:
    """As what the job profiles a column that the one reads as ``arrow`` and the other as ``spark``.

    None when its values may not be the same to both.
    """
    plain = arrow if isinstance(arrow, pa.BaseExtensionType) else logical_type(arrow)
    if pt.is_dictionary(arrow) and plain != pa.string():
        return None
    if pt.is_timestamp(plain):
        timestamp = pa.timestamp("us", "UTC" if plain.tz else None)
        # Nanoseconds are integers to Spark, of which the job makes timestamps; INT96, too, are nanoseconds to Arrow.
        same = spark == {"ns": pa.int64(), "us": timestamp, "ms": timestamp}.get(plain.unit)
        return timestamp if same else None
    same = spark == (pa.int32() if pt.is_null(plain) else plain)
    return spark if same and (plain in _SAME or pt.is_decimal128(plain) or pt.is_null(plain)) else None

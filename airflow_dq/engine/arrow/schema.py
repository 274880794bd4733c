"""The types that Spark reads a file's columns as: a profile must not depend on what read the data."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.types as pt

from airflow_dq.exceptions import SourceUnreadableError
from airflow_dq.profile.column import logical_type, whole_micros

_UNSIGNED = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64(), pa.uint64(): pa.decimal128(20)}


def spark_type(data_type: pa.DataType) -> pa.DataType:
    """The Arrow type in which Spark hands over a Parquet column of this type."""
    plain = logical_type(data_type)
    if pt.is_null(plain):
        # What Parquet stores such a column as.
        return pa.int32()
    if plain in _UNSIGNED:
        return _UNSIGNED[plain]
    if pt.is_duration(plain):
        return pa.int64()
    if pt.is_timestamp(plain):
        return pa.timestamp("us", "UTC" if plain.tz else None)
    if pt.is_date(plain):
        return pa.date32()
    if pt.is_fixed_size_binary(plain):
        return pa.binary()
    if pt.is_time(plain):
        return pa.time64("ns")
    return plain


def as_spark_reads(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch with its columns in these types.

    :raises pyarrow.ArrowException: when a value does not fit
    """
    columns = [_cast(column, spark_type(column.type)) for column in batch.columns]
    fields = [pa.field(field.name, column.type) for field, column in zip(batch.schema, columns, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))


def no_rows(schema: pa.Schema) -> pa.RecordBatch:
    """A batch that says which columns there are."""
    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)


def require_flat_names(schema: pa.Schema, path: str) -> None:
    """Refuse a file with two columns of one name, of which Spark would make two names.

    :raises SourceUnreadableError: naming the column
    """
    for name in schema.names:
        if schema.names.count(name) > 1:
            raise SourceUnreadableError(f"The file {path} has two columns named {name!r}: rename one.")


def _cast(column: pa.Array, wanted: pa.DataType) -> pa.Array:
    if column.type == wanted or pt.is_nested(wanted):
        return column
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    if pt.is_timestamp(column.type) and column.type.unit == "ns":
        return whole_micros(column).cast(wanted)
    return column.cast(wanted)

"""Arrow type -> kind of column, and the cast of its values to the canonical type that the states expect."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from airflow_dq.states.base import Kind

CANONICAL: dict[Kind, pa.DataType] = {
    Kind.NUMERIC: pa.float64(),
    Kind.STRING: pa.large_string(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.TIMESTAMP: pa.float64(),
    Kind.BINARY: pa.large_binary(),
    # Only presence is profiled: True where there is a value, null where there is none.
    Kind.NESTED: pa.bool_(),
    Kind.NULL: pa.null(),
}
"""The Arrow type in which the states get the values of each kind."""

NOTES: dict[Kind, str] = {
    Kind.BINARY: "binary: only nulls and empty values are counted",
    Kind.NESTED: "nested: only nulls are counted",
    Kind.NULL: "no type: every value is null",
}
"""What a reader should know about a column that is not profiled further."""

_UNITS_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_SECONDS_PER_DAY = 86_400


def logical_type(data_type: pa.DataType) -> pa.DataType:
    """The type without its physical layout: dictionaries, run ends, views and 64-bit offsets do not matter."""
    if isinstance(data_type, pa.BaseExtensionType):
        return logical_type(data_type.storage_type)
    if pt.is_dictionary(data_type) or pt.is_run_end_encoded(data_type):
        return logical_type(data_type.value_type)
    if pt.is_string(data_type) or pt.is_large_string(data_type) or pt.is_string_view(data_type):
        return pa.string()
    if pt.is_binary(data_type) or pt.is_large_binary(data_type) or pt.is_binary_view(data_type):
        return pa.binary()
    return data_type


def type_name(data_type: pa.DataType) -> str:
    """The column's type as text, the same for every physical layout of the same values."""
    return str(logical_type(data_type))


def kind_of(data_type: pa.DataType) -> Kind:
    """How a column of this type is profiled; decided by the type alone, never by single values.

    Times of day and durations are numbers of seconds.  Calendar intervals, lists, maps, structs and unions are
    nested: only their nulls are counted.
    """
    logical = logical_type(data_type)
    if pt.is_null(logical):
        return Kind.NULL
    if pt.is_boolean(logical):
        return Kind.BOOLEAN
    if pt.is_integer(logical) or pt.is_floating(logical) or pt.is_decimal(logical):
        return Kind.NUMERIC
    if pt.is_time(logical) or pt.is_duration(logical):
        return Kind.NUMERIC
    if pt.is_timestamp(logical) or pt.is_date(logical):
        return Kind.TIMESTAMP
    if pt.is_string(logical):
        return Kind.STRING
    if pt.is_binary(logical) or pt.is_fixed_size_binary(logical):
        return Kind.BINARY
    return Kind.NESTED


def canonical(array: pa.Array) -> pa.Array:
    """The values in the canonical type of their kind (:data:`CANONICAL`).

    Numbers become 64-bit floats: integers beyond 2**53 and decimals of more than 15 digits are rounded to the
    nearest one.  Timestamps and dates become seconds since 1970-01-01 UTC; a timestamp without a zone is read
    as UTC.

    :raises pyarrow.ArrowException: when Arrow cannot convert the values
    """
    while True:
        if isinstance(array, pa.ExtensionArray):
            array = array.storage
        elif pt.is_dictionary(array.type):
            array = array.dictionary_decode()
        elif pt.is_run_end_encoded(array.type):
            array = pc.run_end_decode(array)
        else:
            break
    kind = kind_of(array.type)
    if kind is Kind.NESTED:
        return pc.if_else(array.is_valid(), True, pa.scalar(None, pa.bool_()))
    if _counts_time(array.type):
        return _seconds(array)
    # Not safe=True: that refuses integers which a float rounds, and one odd value must not stop a profile.
    return array.cast(CANONICAL[kind], safe=False)


def _counts_time(data_type: pa.DataType) -> bool:
    return pt.is_temporal(data_type) and not pt.is_interval(data_type)


def _seconds(array: pa.Array) -> pa.Array:
    data_type = array.type
    counts = array.view(pa.int32() if data_type.bit_width == 32 else pa.int64()).cast(pa.float64(), safe=False)
    if pt.is_date32(data_type):
        return pc.multiply(counts, float(_SECONDS_PER_DAY))
    unit = "ms" if pt.is_date64(data_type) else data_type.unit
    return pc.divide(counts, float(_UNITS_PER_SECOND[unit]))

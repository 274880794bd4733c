"""Arrow type -> kind of column, and the cast of its values to the canonical type that the states expect."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from airflow_dq.states.base import Kind
from airflow_dq.states.long_integer import is_long

CANONICAL: dict[Kind, pa.DataType] = {
    Kind.NUMERIC: pa.float64(),
    Kind.STRING: pa.large_string(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.TIMESTAMP: pa.float64(),
    Kind.BINARY: pa.large_binary(),
    # The size of each value, null where there is none.
    Kind.NESTED: pa.float64(),
    Kind.NULL: pa.null(),
}
"""The Arrow type in which the states get the values of each kind."""

_UNITS_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_SECONDS_PER_DAY = 86_400
"""A date counts as the second that it begins with."""


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
    """The column's type as text, the same for every physical layout of the same values.

    What is inside a nested type is named by its types alone: readers call a list's elements ``item`` or ``element``.
    """
    logical = logical_type(data_type)
    if pt.is_map(logical):
        return f"map<{type_name(logical.key_type)}, {type_name(logical.item_type)}>"
    if _is_list(logical):
        return f"list<{type_name(logical.value_type)}>"
    if pt.is_struct(logical):
        return f"struct<{', '.join(f'{field.name}: {type_name(field.type)}' for field in logical)}>"
    return str(logical)


def _is_list(data_type: pa.DataType) -> bool:
    tests = (pt.is_list, pt.is_large_list, pt.is_fixed_size_list, pt.is_list_view, pt.is_large_list_view)
    return any(test(data_type) for test in tests)


def kind_of(data_type: pa.DataType) -> Kind:
    """How a column of this type is profiled; decided by the type alone, never by single values.

    Times of day and durations are numbers of seconds.  Calendar intervals, lists, maps, structs and unions are
    nested: only their nulls and sizes are known.
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

    Numbers become 64-bit floats; decimals stay decimals, which are summed exactly; integers of which some lie beyond
    2**53 stay integers, and the states keep them apart.  Nested values become their sizes: elements of a list or map,
    fields of a struct that are not null.  Timestamps and dates become seconds since 1970-01-01 UTC; a timestamp without
    a zone is read as UTC.

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
        return _sizes(array)
    if _counts_time(array.type):
        return _seconds(array)
    if is_long(array) or pt.is_decimal(array.type):
        return array
    # Not safe=True: that refuses integers which a float rounds, and one odd value must not stop a profile.
    return array.cast(CANONICAL[kind], safe=False)


def _sizes(array: pa.Array) -> pa.Array:
    if pt.is_map(array.type) or _is_list(array.type):
        sizes = _list_sizes(array)
    elif pt.is_struct(array.type):
        sizes = np.sum(
            [field.is_valid().to_numpy(zero_copy_only=False) for field in array.flatten()], axis=0, dtype=float
        )
        sizes = pa.array(np.broadcast_to(sizes, len(array)))
    else:
        sizes = pa.array(np.ones(len(array)))
    return pc.if_else(array.is_valid(), sizes, pa.scalar(None, pa.float64()))


def _list_sizes(array: pa.Array) -> pa.Array:
    if pt.is_map(array.type):
        return pa.array(np.diff(array.offsets.to_numpy()).astype(float))
    return pc.list_value_length(array).cast(pa.float64())


def _counts_time(data_type: pa.DataType) -> bool:
    return pt.is_temporal(data_type) and not pt.is_interval(data_type)


def _seconds(array: pa.Array) -> pa.Array:
    data_type = array.type
    counts = array.view(pa.int32() if data_type.bit_width == 32 else pa.int64()).cast(pa.float64(), safe=False)
    if pt.is_date32(data_type):
        return pc.multiply(counts, float(_SECONDS_PER_DAY))
    unit = "ms" if pt.is_date64(data_type) else data_type.unit
    return pc.divide(counts, float(_UNITS_PER_SECOND[unit]))

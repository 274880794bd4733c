"""Integers that a float64 cannot tell from their neighbours: each as a float and an exact rest."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.states.array import counted_numbers, flat

_DIGITS = 19
"""Decimals of fewer digits fit 64 bits."""
EXACT_INTEGER = 2**53
"""Up to here every integer is a float64 of its own."""


def is_long(values: pa.Array | pa.ChunkedArray) -> bool:
    """Whether these are integers of which a float64 would round some."""
    if not pa.types.is_integer(values.type) or values.type.bit_width < 64 or values.null_count == len(values):
        return False
    bounds = pc.min_max(values).as_py()
    return bool(bounds["min"] < -EXACT_INTEGER or bounds["max"] > EXACT_INTEGER)


def whole(decimals: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Decimals without a fraction that 64 bits hold, as the integers that they are; and the others."""
    decimals = flat(decimals)
    if decimals.type.scale != 0:
        return pa.array([], pa.int64()), decimals
    if decimals.type.precision < _DIGITS:
        return decimals.cast(pa.int64()), decimals.slice(0, 0)
    least, most = (pa.scalar(Decimal(bound), decimals.type) for bound in (-(2**63), 2**63 - 1))
    fits = pc.and_(pc.greater_equal(decimals, least), pc.less_equal(decimals, most))
    return decimals.filter(fits).cast(pa.int64()), decimals.filter(pc.invert(fits))


def split(values: pa.Array) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Distinct integers of up to 64 bits as floats, their counts, and what each is above its float."""
    values = flat(values)
    integers, counts = counted_numbers(values.drop_null().to_numpy(zero_copy_only=False))
    floats, rests = apart(integers)
    return floats, counts, rests


def apart(integers: NDArray[np.integer[Any]]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The float next to each integer of up to 64 bits, and what the integer is above it."""
    floats = integers.astype(np.float64)
    # In halves of 32 bits: the float next to the largest integer is itself no 64-bit integer.
    high = np.floor(np.ldexp(floats, -32))
    low = floats - np.ldexp(high, 32)
    halves = (integers >> 32).astype(np.float64) - high, (integers & 0xFFFFFFFF).astype(np.float64) - low
    return floats, (np.ldexp(halves[0], 32) + halves[1]).astype(np.int64)

"""Decimals as the integers that they are at their scale, for sums in which no digit is lost."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Integers = NDArray[np.int64] | list[int]


def unscaled(values: pa.Array) -> Integers:
    """The non-null decimals times ``10**scale``: an array when all fit in 64 bits, else Python integers.

    :param values: a decimal array of any width
    """
    values = values.drop_null()
    if not len(values):
        return []
    if values.type.bit_width < 128:
        values = values.cast(pa.decimal128(values.type.precision, values.type.scale))
    if values.type.bit_width > 128:
        return [_integer(value, values.type.scale) for value in values.to_pylist()]
    halves = np.frombuffer(values.buffers()[1], "<i8").reshape(-1, 2)[values.offset : values.offset + len(values)]
    low, high = halves[:, 0], halves[:, 1]
    if np.array_equal(high, low >> 63):
        return np.ascontiguousarray(low)
    return [(upper << 64) + lower for upper, lower in zip(high.tolist(), low.view(np.uint64).tolist(), strict=True)]


def _integer(value: Decimal, scale: int) -> int:
    """``value * 10**scale``, whatever the precision of the thread's decimal context."""
    sign, digits, exponent = value.as_tuple()
    number: int = int("".join(map(str, digits))) * 10 ** (int(exponent) + scale)
    return -number if sign else number

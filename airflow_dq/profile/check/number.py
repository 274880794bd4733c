"""Numbers of two columns in a type that both have, and what is computed of them: whole numbers keep their last digit.

Beside a fraction a whole number becomes one, as Spark does it: beyond 2**53 it is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

_BEYOND = pa.decimal128(20)
"""Takes each whole number of 64 bits without a sign."""


def is_number(data_type: pa.DataType) -> bool:
    """Whether values of the type are computed with."""
    return bool(pt.is_integer(data_type) or pt.is_floating(data_type) or pt.is_decimal(data_type))


def fractions(values: pa.Array) -> pa.Array:
    """Numbers as floats of 64 bits, the nearest where there is none."""
    return values.cast(pa.float64(), safe=False)


def alike(columns: Sequence[pa.Array]) -> list[pa.Array]:
    """Numbers in one type: whole ones of 64 bits, or fractions where one of them has some."""
    if any(pt.is_floating(one.type) for one in columns):
        return [fractions(one) for one in columns]
    return [_whole(one) if pt.is_integer(one.type) else one for one in columns]


def _whole(values: pa.Array) -> pa.Array:
    if pt.is_uint64(values.type) and (pc.max(values).as_py() or 0) >= 2**63:
        return values.cast(_BEYOND)
    return values.cast(pa.int64())


def computed_number(sign: str, left: pa.Array, right: pa.Array) -> pa.Array:
    """``+ - * / %`` of numbers; null where it divides by zero.

    :raises pyarrow.ArrowInvalid: when a whole number is beyond 64 bits
    """
    if sign == "/":
        return _quotient(fractions(left), fractions(right))
    left, right = alike((left, right))
    if pt.is_decimal(left.type) or pt.is_decimal(right.type):
        # Arrow's decimals run out of digits where Spark's are rounded.
        left, right = fractions(left), fractions(right)
    return _remainder(left, right) if sign == "%" else _JOINED[sign](left, right)


def _quotient(left: pa.Array, right: pa.Array) -> pa.Array:
    return pc.divide(left, _not_zero(right))


def _remainder(left: pa.Array, right: pa.Array) -> pa.Array:
    right = _not_zero(right)
    numbers = (pc.fill_null(side, 1).to_numpy(zero_copy_only=False) for side in (left, right))
    # The remainder has the sign of what is divided, as in SQL.
    found = pa.array(np.fmod(*numbers), left.type)
    return pc.if_else(pc.and_(left.is_valid(), right.is_valid()), found, pa.scalar(None, left.type))


def _not_zero(values: pa.Array) -> pa.Array:
    return pc.if_else(pc.equal(values, 0), pa.scalar(None, values.type), values)


_JOINED: dict[str, Callable[..., pa.Array]] = {
    "+": pc.add_checked,
    "-": pc.subtract_checked,
    "*": pc.multiply_checked,
}

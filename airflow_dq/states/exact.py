"""Exact sums of float64 arrays as Python integers, so that merging never rounds and no split changes a digit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

UNIT = 1074
"""Every finite float64 is an integer multiple of 2**-UNIT."""
_SHIFT = 600
"""Binary places by which the few values are scaled that the power of two beside them would overflow."""
_LARGE = 2.0**400
"""From here on a value is scaled so."""
_ROWS = 2**13
"""Values that are sliced at once: 64 KB each time, which stay near the processor."""
_SLICE_BITS = (53 - 13) // 2
"""Bits of a slice: the sum of so many products of two of them is a whole number up to 2**53, which a float holds."""
SAFE = 1000
"""Powers of two up to this exponent, and down to its opposite, are ordinary floats."""


def exact_sum(values: Floats) -> int:
    """Sum of finite floats, in units of 2**-1074.

    Each pass splits off the leading bits of all values at a common power of two, whose float sum is exact
    (Rump, Ogita, Oishi, "Accurate floating-point summation I", 2008, ExtractVector), until nothing is left.
    """
    total = 0
    rest = values
    guard = math.ceil(math.log2(len(values) + 2)) if len(values) else 0
    while len(rest):
        top = float(np.abs(rest).max())
        if top == 0.0:
            break
        exponent = math.frexp(top)[1] + guard
        if exponent > 1023:
            # The power of two itself would overflow: take the few huge values out, scaled down.
            huge = np.abs(rest) >= _LARGE
            total += exact_sum(np.ldexp(rest[huge], -_SHIFT)) << _SHIFT
            rest = rest[~huge]
            continue
        power = math.ldexp(1.0, exponent)
        leading = (power + rest) - power
        total += units(float(leading.sum()))
        rest = rest - leading
    return total


def exact_sums(values: Floats, places: NDArray[np.integer[Any]], groups: int) -> list[int]:
    """The same for each group of the values, all groups in one pass.

    :param places: the group of each value
    :param groups: number of groups
    """
    if not len(values) or float(np.abs(values).max()) >= _LARGE:
        return [exact_sum(values[places == group]) for group in range(groups)]
    totals = [0] * groups
    rest = values
    guard = math.ceil(math.log2(len(values) + 2))
    while (top := float(np.abs(rest).max())) > 0.0:
        power = math.ldexp(1.0, math.frexp(top)[1] + guard)
        leading = (power + rest) - power
        # As exact as their sum over all groups is.
        sums = np.bincount(places, weights=leading, minlength=groups)
        totals = [total + units(one) for total, one in zip(totals, sums.tolist(), strict=True)]
        rest = rest - leading
    return totals


def exact_dot(left: Floats, right: Floats) -> int:
    """Sum of products of finite floats, in units of 2**-2148 (the square of :func:`exact_sum`'s unit)."""
    blocks = range(0, len(left), _ROWS)
    return sum(_product(_sliced(left[at : at + _ROWS]), _sliced(right[at : at + _ROWS])) for at in blocks)


def exact_sums_of_powers(values: Floats) -> tuple[int, int]:
    """The sum of finite floats and that of their squares, in the units of :func:`exact_sum` and :func:`exact_dot`."""
    total = squares = 0
    for start in range(0, len(values), _ROWS):
        slices, exponents = sliced = _sliced(values[start : start + _ROWS])
        total += sum(int(one) << place for one, place in zip(slices.sum(1).tolist(), exponents, strict=True))
        squares += _product(sliced, sliced)
    return total, squares


def units(value: float) -> int:
    """A finite float as an integer number of 2**-1074."""
    numerator, denominator = value.as_integer_ratio()
    return numerator * ((1 << UNIT) // denominator)


def _sliced(values: Floats) -> tuple[Floats, list[int]]:
    """Values as sums of short whole numbers, a row for each place, times 2**(place - UNIT).

    Each pass takes the leading bits of all values at a common power of two, so that products of what it takes add up
    without rounding (Ozaki, Ogita, Oishi, Rump, "Error-free transformations of matrix multiplication", 2012).
    """
    slices, places, rest = [], [], values
    while len(rest) and (top := max(float(rest.max()), -float(rest.min()))) > 0.0:
        exponent = max(-UNIT, math.frexp(top)[1] - _SLICE_BITS)
        # Towards zero: rounded up, the largest float would overflow.
        slice_ = np.trunc(_scaled(rest, -exponent))
        rest = rest - _scaled(slice_, exponent)
        slices.append(slice_)
        places.append(exponent + UNIT)
    return np.array(slices).reshape(len(slices), len(values)), places


def _product(left: tuple[Floats, list[int]], right: tuple[Floats, list[int]]) -> int:
    """The sum of the products of values of which both sides are sliced."""
    products = (left[0] @ right[0].T).tolist()
    return sum(
        int(one) << (ours + theirs)
        for row, ours in zip(products, left[1], strict=True)
        for one, theirs in zip(row, right[1], strict=True)
    )


def _scaled(values: Floats, exponent: int) -> Floats:
    """The values times a power of two, in two steps where that is no ordinary float."""
    if abs(exponent) <= SAFE:
        return values * math.ldexp(1.0, exponent)
    half = exponent // 2
    return values * math.ldexp(1.0, half) * math.ldexp(1.0, exponent - half)

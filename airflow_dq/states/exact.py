"""Exact sums of float64 arrays as Python integers, so that merging never rounds and no split changes a digit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

UNIT = 1074
"""Every finite float64 is an integer multiple of 2**-UNIT."""
_SPLITTER = float(2**27 + 1)
"""Dekker's constant: it splits the 53 bits of a float64 into two halves whose products are exact."""
_SHIFT = 600
"""Binary places by which very large and very small values are scaled, so that their squares neither over- nor
underflow."""
_LARGE, _SMALL = 2.0**400, 2.0**-400
"""Beyond these a value is scaled: the square of what lies between them, and its rounding error, is a normal number."""


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
    total = 0
    bands = _bands(left)
    for a, shift_a in bands:
        # Of a sum of squares, what is known of one factor is known of the other.
        for b, shift_b in bands if right is left else _bands(right):
            both = a != 0.0 if b is a else (a != 0.0) & (b != 0.0)
            if both.any():
                x = a if both.all() else a[both]
                y = x if b is a else b if both.all() else b[both]
                product, error = _two_product(x, y)
                total += (exact_sum(product) + exact_sum(error)) << (UNIT + shift_a + shift_b)
    # Bands were scaled up by as much as 2 * _SHIFT at worst; the offset that kept the shifts positive goes.
    return total >> (2 * _SHIFT)


def units(value: float) -> int:
    """A finite float as an integer number of 2**-1074."""
    numerator, denominator = value.as_integer_ratio()
    return numerator * ((1 << UNIT) // denominator)


def _bands(values: Floats) -> list[tuple[Floats, int]]:
    # Values of one band, zero elsewhere, scaled so that products and their errors neither overflow nor vanish.
    size = np.abs(values)
    bands = [(values, _SHIFT)] if not len(values) or (size.max() < _LARGE and _nonzero_min(size) > _SMALL) else []
    if not bands:
        large, small = size >= _LARGE, size <= _SMALL
        bands.append((np.where(large | small, 0.0, values), _SHIFT))
        bands.append((np.ldexp(np.where(large, values, 0.0), -_SHIFT), 2 * _SHIFT))
        bands.append((np.ldexp(np.where(small, values, 0.0), _SHIFT), 0))
    return bands


def _nonzero_min(size: Floats) -> float:
    return float(np.min(size, where=size > 0.0, initial=1.0))


def _two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    # Dekker's product with Veltkamp's splitting: product + error is exactly a * b.
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = (a_high, a_low) if b is a else _split(b)
    error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return product, error


def _split(values: Floats) -> tuple[Floats, Floats]:
    scaled = values * _SPLITTER
    high = scaled - (scaled - values)
    return high, values - high

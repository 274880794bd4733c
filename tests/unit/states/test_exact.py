from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_dq.states.exact import UNIT, exact_dot, exact_sum, exact_sums_of_powers, units

FLOATS = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=30).map(np.array)


@given(FLOATS)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_sum_equals_the_sum_of_fractions(values: np.ndarray) -> None:
    expected = sum(map(Fraction, values.tolist()), Fraction(0))
    assert Fraction(exact_sum(values.astype(float)), 1 << UNIT) == expected


@given(FLOATS, FLOATS)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_dot_equals_the_sum_of_products_of_fractions(left: np.ndarray, right: np.ndarray) -> None:
    size = min(len(left), len(right))
    left, right = left[:size].astype(float), right[:size].astype(float)
    expected = sum((Fraction(a) * Fraction(b) for a, b in zip(left.tolist(), right.tolist(), strict=True)), Fraction(0))
    assert Fraction(exact_dot(left, right), 1 << (2 * UNIT)) == expected


@pytest.mark.parametrize("scale", [1.0, 1e300, 1e-300])
def test_large_arrays_stay_exact(scale: float) -> None:
    values = np.random.default_rng(0).normal(size=20_000) * scale
    integers = [int(Fraction(value) * (1 << UNIT)) for value in values.tolist()]
    assert exact_sum(values) == sum(integers)
    assert exact_dot(values, values) == sum(integer * integer for integer in integers)
    assert exact_dot(values, values[::-1]) == sum(a * b for a, b in zip(integers, reversed(integers), strict=True))
    assert exact_sums_of_powers(values) == (exact_sum(values), exact_dot(values, values))


@pytest.mark.parametrize("value", [0.0, 5e-324, -1.5, 1.7976931348623157e308])
def test_units_are_multiples_of_the_smallest_float(value: float) -> None:
    assert Fraction(units(value), 1 << UNIT) == Fraction(value)

"""How many decimal places a number is written with."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.states.decimal_place import MOST, decimal_places, finer_share
from airflow_dq.states.number import NumberDistribution

DECIMALS = st.decimals(min_value=-(10**6), max_value=10**6, places=4, allow_nan=False, allow_infinity=False)


def written(value: Decimal) -> int:
    return max(0, -int(value.normalize().as_tuple().exponent))


@given(st.lists(DECIMALS, min_size=1))
def test_numbers_have_the_places_that_they_were_written_with(values: list[Decimal]) -> None:
    assert decimal_places(np.array(values, float)).tolist() == [written(value) for value in values]


@pytest.mark.parametrize(
    ("value", "places"),
    [
        (0.0, 0),
        (-0.0, 0),
        (-17.0, 0),
        (1e300, 0),
        (-1.7e308, 0),
        (0.1 + 0.2, 1),
        (1.1 * 3, 1),
        (1 / 3, MOST + 1),
        (5e-324, MOST + 1),
        (1234567890.12, 2),
        (2.0**53, 0),
        (1e-9, 9),
        (1e-10, MOST + 1),
    ],
)
def test_sums_have_the_places_of_what_was_added(value: float, places: int) -> None:
    assert decimal_places(np.array([value])).tolist() == [places]


def numbers(*values: float) -> NumberDistribution:
    return NumberDistribution.of(pa.array(values, pa.float64()))


def test_what_was_converted_is_finer_and_what_was_rounded_is_not() -> None:
    before = [numbers(12.5, 3.25), numbers(7.0)]
    assert finer_share(numbers(1.75, 2.0, 2.0, 2.54 * 1.75), before) == 0.25
    assert finer_share(numbers(1.0, 2.5), before) == 0.0

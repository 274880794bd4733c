from __future__ import annotations

import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.report.axis import Axis, AxisKind, fit

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def test_axis_is_linear_while_the_observed_value_is_near():
    axis = fit([10.0, 12.0, 11.0], 200.0)
    assert axis.kind is AxisKind.LINEAR


@pytest.mark.parametrize("observed", [241.0, 0.49])
def test_axis_is_logarithmic_when_the_observed_value_is_more_than_20_times_outside(observed: float):
    assert fit([10.0, 12.0, 11.0], observed).kind is AxisKind.LOG


@pytest.mark.parametrize("observed", [900.0, -900.0])
def test_series_around_zero_get_a_logarithmic_axis_with_a_linear_middle(observed: float):
    axis = fit([-3.0, 0.0, 2.0], observed)
    assert axis.kind is AxisKind.SYMLOG
    assert 0.0 in axis.ticks()


def test_a_factor_of_ten_is_the_same_distance_everywhere_on_a_logarithmic_axis():
    axis = Axis(AxisKind.LOG, 1.0, 1000.0)
    assert [axis.position(value) for value in (1, 10, 100, 1000)] == pytest.approx([0, 1 / 3, 2 / 3, 1])


def test_counts_have_no_axis_below_zero():
    assert fit([0.0, 3.0], 10.0).low == 0.0


def test_a_constant_series_has_an_axis():
    axis = fit([95.0] * 30, None)
    assert axis.low < 95.0 < axis.high


def test_linear_ticks_are_round():
    assert Axis(AxisKind.LINEAR, 3.0, 104.0).ticks() == [50.0, 100.0]
    assert Axis(AxisKind.LINEAR, -11.0, 31.0).ticks() == [0.0, 20.0]


@given(st.lists(FINITE, max_size=8), st.none() | FINITE)
def test_every_finite_value_has_a_place_on_the_axis(values: list[float], observed: float | None):
    axis = fit(values, observed)
    shown = values if observed is None else [*values, observed]
    for value in shown:
        assert 0.0 <= axis.position(value) <= 1.0
    assert all(math.isfinite(tick) for tick in axis.ticks())


def test_values_near_the_largest_float_do_not_overflow():
    axis = fit([-sys.float_info.max, sys.float_info.max], None)
    assert axis.position(0.0) == pytest.approx(0.5)


def test_an_axis_does_not_reach_beyond_what_the_values_can_be():
    assert fit([0.97, 1.0], None, (0.0, 1.0)).high == 1.0
    assert fit([5.0, 5.0], None, (0.0, float("inf"))).low >= 0.0
    # Of an impossible value that was seen all the same there is a picture.
    assert fit([0.5, 1.5], None, (0.0, 1.0)).high == 1.5

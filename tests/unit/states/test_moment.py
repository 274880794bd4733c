from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.states.moment import Moments


def test_a_small_spread_at_a_large_offset_is_exact() -> None:
    values = 1e15 + np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    moments = Moments.of(pa.array(values))
    assert moments.mean == 1e15 + 2
    assert moments.std == math.sqrt(2)


def test_a_constant_has_no_spread_at_all() -> None:
    moments = Moments.of(pa.array([0.1] * 1001))
    assert moments.std == 0.0
    assert moments.mean == 0.1


def test_std_agrees_with_numpy() -> None:
    values = np.random.default_rng(0).lognormal(size=10_000)
    moments = Moments.of(pa.array(values))
    assert moments.std == pytest.approx(values.std(), rel=1e-12)
    assert moments.sum == math.fsum(values)


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1.7e308])
def test_std_survives_squares_beyond_the_range_of_a_float(scale: float) -> None:
    moments = Moments.of(pa.array([scale, -scale]))
    assert moments.std == scale
    assert moments.mean == 0.0


@pytest.mark.parametrize("data_type", [pa.int64(), pa.uint64()])
def test_integers_beyond_2_to_53_are_exact(data_type: pa.DataType) -> None:
    values = [2**53 + 1, 2**53 + 3, 2**62 + 1, None]
    moments = Moments.of(pa.array(values, data_type))
    assert Fraction(moments.total, 1 << 1074) == sum(values[:3])
    assert Fraction(moments.squares, 1 << 2148) == sum(v * v for v in values[:3])
    assert moments.count == 3


def test_negative_long_integers_are_exact() -> None:
    values = [-(2**63), 2**63 - 1, -5]
    moments = Moments.of(pa.array(values, pa.int64()))
    assert Fraction(moments.total, 1 << 1074) == sum(values)
    assert Fraction(moments.squares, 1 << 2148) == sum(v * v for v in values)
    assert (moments.low, moments.high) == (-(2.0**63), 2.0**63)


def test_integers_and_floats_of_equal_value_are_one_state() -> None:
    assert Moments.of(pa.array([1, 2, None, 3], pa.int32())) == Moments.of(pa.array([1.0, 2.0, 3.0]))


def test_negative_zero_is_zero() -> None:
    moments = Moments.of(pa.array([-0.0]))
    assert math.copysign(1.0, moments.low) == math.copysign(1.0, moments.high) == 1.0


def test_a_sum_beyond_the_largest_float_is_kept_but_has_no_float() -> None:
    moments = Moments.of(pa.array([1.7e308, 1.7e308]))
    with pytest.raises(OverflowError):
        _ = moments.sum
    assert moments.mean == 1.7e308
    assert moments.merge(Moments.of(pa.array([-1.7e308]))).sum == 1.7e308


def test_nothing_has_no_mean() -> None:
    with pytest.raises(ZeroDivisionError):
        _ = Moments().mean

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.metrics.moment import cohen_d
from airflow_dq.states.layout import unpack
from airflow_dq.states.moment import Moments
from airflow_dq.states.prepared import PreparedColumn


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


@pytest.mark.parametrize(
    ("data_type", "largest"),
    [
        (pa.decimal32(9, 2), 10**9 - 1),
        (pa.decimal64(18, 4), 10**18 - 1),
        (pa.decimal128(15, 2), 10**15 - 1),
        (pa.decimal128(18, 0), 10**18 - 1),
        (pa.decimal128(38, 5), 10**38 - 1),
        (pa.decimal128(20, 20), 10**20 - 1),
        (pa.decimal128(5, -3), 10**5 - 1),
        (pa.decimal256(76, 10), 10**76 - 1),
    ],
    ids=str,
)
def test_decimals_are_exact_whatever_their_size_and_split(data_type: pa.DataType, largest: int) -> None:
    random = np.random.default_rng(5)
    context = Context(prec=100)
    numbers = [int(share * largest) for share in random.uniform(-1.0, 1.0, 300)] + [largest, -largest]
    values = [Decimal(number).scaleb(-data_type.scale, context) for number in numbers] + [None]
    array = pa.array(values, data_type)
    moments = Moments.of(array)
    exact = [Fraction(number) / Fraction(10) ** data_type.scale for number in numbers]
    unit = Fraction(1, 10**moments.scale << 1074)
    assert moments.count == len(exact)
    assert moments.total * unit == sum(exact)
    assert moments.squares * unit**2 == sum(value**2 for value in exact)
    assert (moments.low, moments.high) == (float(min(exact)), float(max(exact)))
    assert moments.sum == float(sum(exact))
    assert moments.mean == float(sum(exact) / len(exact))
    assert moments.std == pytest.approx(float(np.std([float(value) for value in exact])), rel=1e-12)
    assert Moments.of(array.slice(0, 100)).merge(Moments.of(array.slice(100))) == moments
    assert Moments.decode(moments.encode()) == moments


def test_decimals_that_add_up_to_nothing_have_the_sum_zero() -> None:
    entries = pa.array([Decimal("0.1"), Decimal("0.2"), Decimal("-0.3")], pa.decimal128(38, 2))
    assert sum([0.1, 0.2, -0.3]) != 0.0
    assert Moments.of(entries).sum == 0.0


def test_decimals_of_several_scales_and_floats_add_up_exactly() -> None:
    parts = [
        pa.array([Decimal("0.25"), None], pa.decimal128(10, 2)),
        pa.array([Decimal("1.12345")], pa.decimal128(10, 5)),
        pa.array([0.5, 2.0**-1074]),
        pa.array([None], pa.decimal128(38, 30)),
    ]
    for order in ([0, 1, 2, 3], [3, 2, 1, 0]):
        moments = Moments()
        for place in order:
            moments = moments.merge(Moments.of(parts[place]))
        assert moments.scale == 5
        exact = Fraction("1.87345") + Fraction(1, 2**1074)
        assert Fraction(moments.total, 10**5 << 1074) == exact


def test_hidden_decimals_keep_their_exact_sum() -> None:
    values = pa.array([Decimal("1.15"), Decimal("2.25")], pa.decimal128(10, 2))
    moments = Moments.of_hidden(PreparedColumn.of(values), b"key")
    assert moments.sum == 3.4
    assert moments.low < 1.15 < 2.25 < moments.high


def test_numbers_without_a_scale_are_stored_as_before_there_was_one() -> None:
    assert len(unpack(Moments.key, Moments.of(pa.array([1.5])).encode(), 4)[3]) == 16


@pytest.mark.parametrize("values", [pa.array, lambda numbers: pa.array(list(map(Decimal, numbers)), pa.decimal128(38))])
def test_the_span_of_whole_numbers_beyond_floats_is_exact(values: Callable[[list[int]], pa.Array]) -> None:
    numbers = [2**60 + 1, 2**60 + 300, -(2**61) - 7]
    whole, first = Moments.of(values(numbers)), Moments.of(values(numbers[:1]))
    assert whole.span == float(2**60 + 300 + 2**61 + 7)
    assert first.span == 0.0
    assert Moments.of(values(numbers[:2])).span == 299.0
    for parts in (numbers[:1], numbers[1:]), (numbers[2:], numbers[:2]):
        merged = Moments.of(values(parts[0])).merge(Moments.of(values(parts[1])))
        assert merged == whole
        assert Moments.decode(merged.encode()) == merged
    assert Moments.of_hidden(PreparedColumn.of(values(numbers)), b"key").long is False


def test_a_span_of_decimals_beyond_64_bits_is_exact() -> None:
    state = Moments.of(pa.array([Decimal(10**37 + 1), Decimal(10**37 + 4)], pa.decimal128(38)))
    assert state.span == 3.0
    assert Moments.decode(state.encode()) == state


@pytest.mark.parametrize("shift", [0, 1, 40, 4000])
def test_means_of_whole_numbers_beyond_floats_are_as_far_apart_as_they_are(shift: int) -> None:
    base = np.arange(2**60 + 1, 2**60 + 301)
    now, before = Moments.of(pa.array(base + shift)), Moments.of(pa.array(base))
    assert now.mean_above(before) == float(shift)
    small = Moments.of(pa.array(np.arange(300) + shift)), Moments.of(pa.array(np.arange(300)))
    assert cohen_d(now, before) == pytest.approx(cohen_d(*small))

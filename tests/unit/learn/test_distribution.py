from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.learn.distribution import FREQUENT, QUANTILES, QuantilePoints, ValueShares, shape
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.number import NumberDistribution


def _points(values: Sequence[float]) -> QuantilePoints:
    return QuantilePoints.of(NumberDistribution.of(pa.array(values, pa.float64())))


def _shares(values: Sequence[str]) -> ValueShares:
    return ValueShares.of(CategoryDistribution.of(pa.array(values, pa.string())))


def test_few_numbers_are_kept_as_they_are() -> None:
    points = _points([3.0, 1.0, 2.0, 2.0])
    assert points.values.tolist() == [1.0, 2.0, 2.0, 3.0]
    assert (points.count, points.exact, points.whole_numbers) == (4, True, True)
    assert points.share_up_to(2.0) == pytest.approx(0.75)
    assert points.decimal_texts == {"1": 0.25, "2": 0.5, "3": 0.25}


def test_many_numbers_are_as_many_quantiles() -> None:
    points = _points(np.linspace(0.0, 1.0, 10_000).tolist())
    assert len(points.values) == QUANTILES
    assert points.count == 10_000
    assert float(np.median(points.values)) == pytest.approx(0.5, abs=1 / QUANTILES)


def test_distance_is_that_of_the_cumulative_shares() -> None:
    one, other = _points([1.0, 2.0, 3.0, 4.0]), _points([3.0, 4.0, 5.0, 6.0])
    assert one.ks_distance(other) == other.ks_distance(one) == pytest.approx(0.5)
    assert one.ks_distance(one) == 0.0


def test_a_changed_unit_and_sign_keep_the_points_ascending() -> None:
    points = _points([1.0, 2.0, 4.0])
    assert points.scaled(-1.0, 0.0).values.tolist() == [-4.0, -2.0, -1.0]
    assert points.scaled(10.0, 5.0).values.tolist() == [15.0, 25.0, 45.0]


def test_numbers_without_the_zeros() -> None:
    state = NumberDistribution.of(pa.array([0.0, 0.0, 7.0], pa.float64()))
    found = QuantilePoints.nonzero(state)
    assert found is not None
    assert found.values.tolist() == [7.0]
    assert QuantilePoints.nonzero(NumberDistribution.of(pa.array([0.0], pa.float64()))) is None


def test_the_most_frequent_strings_first_and_the_others_where_they_are_asked_for() -> None:
    values = ["often"] * 100 + [f"rare{n}" for n in range(FREQUENT + 50)]
    found = _shares(values)
    assert next(iter(found.shares)) == "often"
    assert len(found.shares) == FREQUENT
    assert len(found.all_shares) == FREQUENT + 51
    assert found.share("often") == pytest.approx(100 / len(values))
    assert found.share("nowhere") == 0.0
    assert found.exact


def test_a_shape_has_a_symbol_per_digit_and_letter() -> None:
    assert shape("Ab-12") == "ul-dd"

"""Strategies: each compares a value with a history that does not hold it, and says where that is too short."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from airflow_dq.check import Anomaly
from airflow_dq.learn.expect.anomaly import expected_range
from airflow_dq.metrics.registry import get_metric
from airflow_dq.states.base import Kind

NAN = float("nan")
MEAN = get_metric("mean", Kind.NUMERIC)


def bounds(strategy: str, past: list[float], value: float = 0.0, **given: Any) -> Any:
    assert MEAN is not None
    anomaly = Anomaly(strategy, **{"min_history": 1, **given})  # type: ignore[arg-type]
    return expected_range(anomaly, np.array(past, dtype=float), value, MEAN, 7)


def test_a_change_is_that_from_the_values_before() -> None:
    assert bounds("absolute_change", [1, 5, 9], lower=-2, upper=3) == (7, 12)
    # x - 2 * 9 + 5, the second difference
    assert bounds("absolute_change", [1, 5, 9], upper=3, order=2) == (None, 16)
    assert bounds("relative_change", [1, 5, 10], lower=0.5, upper=2) == (5, 20)
    assert bounds("relative_change", [1, 5, 10], upper=2, order=2) == (None, 10)
    assert bounds("relative_change", [-10], lower=0.5, upper=2) == (-20, -5)
    # The example of Deequ's documentation: of 2 rows yesterday, 5 today are an anomaly.
    assert bounds("relative_change", [2], 5, upper=2) == (None, 4)
    # 5 / 0 has grown beyond any factor, 0 / 0 has not grown.
    assert bounds("relative_change", [0], upper=2) == (0, 0)


def test_a_missing_run_is_known_as_one() -> None:
    assert "missing" in bounds("absolute_change", [1, 5, NAN], upper=3)
    assert "missing" in bounds("relative_change", [1, 5, NAN], upper=3)
    assert bounds("relative_change", [1, 5, NAN], upper=3, order=2) == (None, 15)
    assert bounds("normal", [1, NAN, 3], sigma=1) == pytest.approx((2 - 2**0.5, 2 + 2**0.5))


def test_a_normal_range_is_mean_and_sample_deviation() -> None:
    assert bounds("normal", [1, 2, 3, 4]) == pytest.approx((2.5 - 3 * 1.2909944487, 2.5 + 3 * 1.2909944487))


@pytest.mark.parametrize("strategy", ["normal", "online_normal", "holt_winters"])
def test_a_metric_that_never_moved_may_move_by_a_rounding(strategy: str) -> None:
    low, high = bounds(strategy, [100.0] * 20)
    assert low < 100 - 1e-9 < 100 + 1e-9 < high
    assert 99 < low < high < 101


def test_the_judged_value_is_no_part_of_what_it_is_compared_with() -> None:
    past = [100.0 + day % 2 for day in range(9)]
    _, high = bounds("online_normal", past, 1e9)
    assert high < 1e9
    # Deequ's own: of fewer than ten values none can lie more than three deviations away.
    _, high = bounds("online_normal", past, 1e9, deequ_compatible=True)
    assert high >= 1e9


def test_what_was_odd_itself_makes_nothing_else_look_usual() -> None:
    past = [100.0 + day % 2 for day in range(20)]
    past[12] = 1e6
    low, high = bounds("online_normal", past)
    assert 95 < low < high < 106
    _, high = bounds("normal", past)
    assert high > 1e5


def test_a_season_is_followed_through_a_gap() -> None:
    week = [10, 20, 30, 40, 50, 5, 3]
    rng = np.random.default_rng(1)
    past = [float(week[day % 7] + rng.normal(0, 0.1)) for day in range(42)]
    past[20] = NAN
    low, high = bounds("holt_winters", past, season=7)
    assert low < 10 < high < 20
    assert "needs 14" in bounds("holt_winters", past[:10], min_history=None)
    compatible = bounds("holt_winters", past, season=7, deequ_compatible=True)
    assert compatible[1] - compatible[0] < high - low


def test_a_range_is_learned_as_that_of_a_built_in_metric() -> None:
    rng = np.random.default_rng(2)
    past = [float(value) for value in 100 + rng.normal(0, 1, 30)]
    low, high = bounds("learned", past)
    assert 90 < low < 97
    assert 103 < high < 110
    assert "3 values" in bounds("learned", past[:2])


@pytest.mark.parametrize("strategy", ["learned", "normal", "online_normal", "holt_winters"])
def test_a_history_that_is_too_short_is_not_judged_by(strategy: str) -> None:
    assert "past values are known" in bounds(strategy, [1.0] * 5, min_history=None)
    assert isinstance(bounds(strategy, [1.0]), str)

"""How large a surprise may be: rarer ones are larger, and none is told from what is usual below the least."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.learn.expect.pooled import CHANCE, HEAVINESS
from airflow_dq.learn.expect.surprise import FEW_VALUES, LEAST, MONTH, MOST, largest_surprise, tail, too_few

METRICS = st.sampled_from([*HEAVINESS, "js_div"])
RATES = st.floats(1e-9, 1.0)


def times(metric: str, samples: int, rate: float) -> float:
    return float(largest_surprise(metric, samples, np.array([rate]))[0])


@given(METRICS, st.integers(0, 400), RATES, RATES)
def test_a_rarer_surprise_is_no_smaller(metric: str, samples: int, one: float, other: float) -> None:
    assert times(metric, samples, min(one, other)) >= times(metric, samples, max(one, other))


@given(METRICS, RATES, st.integers(0, 400), st.integers(0, 400))
def test_a_longer_history_allows_no_larger_one(metric: str, rate: float, one: int, other: int) -> None:
    assert times(metric, max(one, other), rate) <= times(metric, min(one, other), rate)


@given(METRICS, st.integers(0, 400), RATES)
def test_none_is_allowed_less_than_the_least(metric: str, samples: int, rate: float) -> None:
    assert LEAST <= times(metric, samples, rate) < np.inf
    assert times(metric, samples, 1.0) == LEAST


@pytest.mark.parametrize(("samples", "chance"), [(MONTH, CHANCE), (MONTH // 4, CHANCE * np.sqrt(30 / 7))])
def test_beyond_the_least_it_is_exceeded_at_the_rate_by_the_law(samples: int, chance: float) -> None:
    found = times("js_div", samples, 1e-4)
    assert found > LEAST
    assert chance / (samples + 1) * found ** -tail(samples) == pytest.approx(1e-4)


def test_however_small_the_rate_a_month_limits_it() -> None:
    assert times("mean", MONTH, 1e-9) == times("mean", MONTH + 5, 1e-9) == MOST
    assert times("mean", MONTH // 2, 1e-9) == 4.0 * MOST


def test_a_metric_with_a_heavier_tail_may_go_further_and_an_unknown_one_is_typical() -> None:
    heaviest, lightest = max(HEAVINESS, key=HEAVINESS.__getitem__), min(HEAVINESS, key=HEAVINESS.__getitem__)
    assert times(heaviest, 7, 1e-5) > times("nobody measured this", 7, 1e-5) > times(lightest, 7, 1e-5)
    assert times("nobody measured this", 7, 1e-5) == times("js_div", 7, 1e-5)


def test_too_few_errors_are_taken_for_three() -> None:
    assert tail(0) == tail(3) < tail(4)
    assert times("mean", 0, 1e-5) == times("mean", 3, 1e-5) > times("mean", 4, 1e-5)


@given(st.floats(0.0, 1e6), st.floats(0.0, 1e6))
def test_fewer_values_widen_a_range_and_enough_do_not(one: float, other: float) -> None:
    assert too_few(min(one, other)) >= too_few(max(one, other)) >= 1.0
    assert too_few(FEW_VALUES) == too_few(1e9) == 1.0
    assert too_few(0.0) == too_few(1.0) == FEW_VALUES


def test_every_metric_that_was_measured_exists() -> None:
    from airflow_dq.metrics.registry import metrics_for
    from airflow_dq.states.base import Kind

    assert set(HEAVINESS) <= {metric.name for kind in Kind for metric in metrics_for(kind)}
    assert all(value > 0.0 for value in HEAVINESS.values())

"""The expectation of a metric's next value."""

from __future__ import annotations

import numpy as np
import pytest

from airflow_dq.learn.expect.forecast import forecast


def test_a_series_without_movement_is_expected_at_its_mean() -> None:
    values = np.random.default_rng(0).normal(10, 1, 30)
    found = forecast(values)
    assert (found.lag, found.samples) == (0, 30)
    assert found.center == pytest.approx(values.mean())
    assert found.spread == pytest.approx(values.std(ddof=1))
    assert found.worst == pytest.approx(np.abs(values - values.mean()).max())


def test_a_weekly_cycle_is_followed() -> None:
    week = np.array([10.0, 12, 11, 13, 15, 3, 2])
    values = np.tile(week, 5)[:30] + np.random.default_rng(1).normal(0, 0.1, 30)
    found = forecast(values)
    assert (found.lag, found.center, found.samples) == (7, 0.0, 23)
    assert found.spread < 0.5


def test_a_growing_series_is_expected_above_its_last_value() -> None:
    values = 100.0 + 5.0 * np.arange(30) + np.random.default_rng(2).normal(0, 0.2, 30)
    found = forecast(values)
    assert found.lag == 1
    assert found.center == pytest.approx(5.0, abs=0.1)


def test_a_walk_is_expected_at_its_last_value() -> None:
    values = np.cumsum(np.random.default_rng(5).normal(0, 1, 40))
    assert forecast(values).lag == 1


@pytest.mark.parametrize("count", [3, 7, 11])
def test_a_short_history_keeps_the_mean(count: int) -> None:
    assert forecast(100.0 + 5.0 * np.arange(count)).lag == 0


@pytest.mark.parametrize("constant", [0.0, 0.1, -3.0, 1.7e9])
def test_what_never_changed_has_no_spread(constant: float) -> None:
    found = forecast(np.full(30, constant))
    assert (found.lag, found.spread, found.worst) == (0, 0.0, 0.0)
    assert found.center == pytest.approx(constant)

from __future__ import annotations

import warnings

import numpy as np
import pytest
from statsmodels.tsa.stattools import adfuller

from airflow_dq.learn.avh.stationarity import stationary_expectation
from airflow_dq.learn.expect.expectation import Expectation, Forecast


def test_stationary_history_is_left_alone() -> None:
    values = np.random.default_rng(1).normal(0.91, 0.01, 30)
    assert stationary_expectation(values) == Expectation()
    assert stationary_expectation(np.full(30, 50.0)) == Expectation()


def test_short_history_is_left_alone() -> None:
    assert stationary_expectation(np.array([1.0, 2.0, 3.0, 4.0, 5.0])) == Expectation()


def test_growth_is_differenced_as_in_example_6() -> None:
    # The rows of a growing site: 1,000 to 3,000 more each day.
    values = 100_000 + 1000.0 * np.random.default_rng(0).integers(1, 4, 30).cumsum()
    assert stationary_expectation(values) == Expectation(Forecast.DIFFERENCE)


def test_perfect_trend_is_differenced() -> None:
    assert stationary_expectation(np.arange(30.0)) == Expectation(Forecast.DIFFERENCE)


def test_growth_over_orders_of_magnitude_needs_the_logarithm() -> None:
    values = np.exp(np.random.default_rng(3).normal(0.9, 1.0, 30).cumsum())
    assert values[-1] > 1e6 * values[0]
    assert stationary_expectation(values) == Expectation(Forecast.DIFFERENCE, logarithmic=True)


def test_a_step_that_nothing_makes_stationary_is_given_up() -> None:
    values = np.r_[np.zeros(29), 1.0]
    assert stationary_expectation(values) is None


@pytest.mark.parametrize("seed", range(12))
def test_first_passing_lag_by_an_independent_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = 1000 + (rng.normal(size=30) + 0.3).cumsum() + 40 * (np.arange(30) % 7 > 4)

    def passes(series: np.ndarray) -> bool:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(adfuller(series - series.mean())[1] < 0.05)

    log = np.log(values)
    transformed = [(Expectation(), values)]
    transformed += [(Expectation(Forecast.DIFFERENCE, cycle=lag), values[lag:] - values[:-lag]) for lag in range(1, 15)]
    transformed += [
        (Expectation(Forecast.DIFFERENCE, logarithmic=True, cycle=lag), log[lag:] - log[:-lag]) for lag in range(1, 15)
    ]
    expected = next((transform for transform, series in transformed if passes(series)), None)

    assert stationary_expectation(values) == expected

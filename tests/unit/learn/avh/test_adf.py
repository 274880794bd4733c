from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from statsmodels.tsa.adfvalues import mackinnonp
from statsmodels.tsa.stattools import adfuller

from airflow_dq.learn.avh.adf import MIN_POINTS, adf_pvalue, mackinnon_pvalue

_RNG = np.random.default_rng(20230806)
_PROCESSES = {
    "noise": lambda n: _RNG.normal(size=n),
    "random walk": lambda n: _RNG.normal(size=n).cumsum(),
    "autoregressive": lambda n: _autoregressive(n, 0.7),
    "trend": lambda n: 100 + 3 * np.arange(n) + _RNG.normal(size=n),
    "weekly": lambda n: 1e4 + 500 * np.sin(2 * np.pi * np.arange(n) / 7) + _RNG.normal(scale=20, size=n),
    "heavy tails": lambda n: _RNG.standard_t(2, size=n),
    "large offset": lambda n: 1.7e9 + _RNG.normal(size=n).cumsum() * 60,
    "counts": lambda n: _RNG.poisson(12, size=n).astype(float),
}


def _autoregressive(n: int, phi: float) -> np.ndarray:
    x = _RNG.normal(size=n)
    for i in range(1, n):
        x[i] += phi * x[i - 1]
    return x


@pytest.mark.parametrize("length", [8, 9, 14, 30, 60, 200])
@pytest.mark.parametrize("process", _PROCESSES)
def test_equals_statsmodels(process: str, length: int) -> None:
    for _ in range(8):
        series = _PROCESSES[process](length)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Centred, since statsmodels loses a series in its offset (the test itself is invariant).
            expected = adfuller(series - series.mean())[1]
        assert adf_pvalue(series) == pytest.approx(expected, rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("statistic", [-25.0, -18.9, -5.0, -2.86, -1.62, -1.61, -1.0, 0.0, 1.0, 2.7, 3.0, math.inf])
def test_pvalue_equals_statsmodels(statistic: float) -> None:
    assert mackinnon_pvalue(statistic) == pytest.approx(mackinnonp(statistic, regression="c"), rel=1e-9)


def test_constant_is_stationary_and_short_is_undecided() -> None:
    assert adf_pvalue(np.full(30, 50.0)) == 0.0
    assert adf_pvalue(np.full(30, 0.0)) == 0.0
    assert adf_pvalue(np.arange(MIN_POINTS - 1.0)) is None


@pytest.mark.parametrize("length", [6, 7])
def test_a_regression_that_its_terms_fill_says_nothing(length: int) -> None:
    assert {adf_pvalue(_RNG.normal(size=length).cumsum()) for _ in range(50)} == {None}


@pytest.mark.parametrize(
    ("series", "stationary"),
    [
        (np.arange(30.0), False),
        (-np.arange(30.0) * 1e6, False),
        (1.5 ** np.arange(30.0), False),
        (np.tile([1.0, 2.0], 15), True),
        (np.tile([1.0, 2.0, 3.0, 4.0, 5.0, 9.0, 8.0], 5), True),
        (np.r_[np.zeros(29), 1.0], False),
        (np.array([1e308, -1e308] * 10), True),
        (np.array([5e-324, 0.0] * 10), True),
    ],
)
def test_degenerate_series_have_a_defined_answer_without_warnings(series: np.ndarray, stationary: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pvalue = adf_pvalue(series)
    assert pvalue is not None
    assert (pvalue < 0.05) == stationary

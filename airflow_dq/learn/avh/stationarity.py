"""Making a metric's history stationary by (log) differencing (AVH, Algorithms 4 and 5, Appendix E)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.avh.adf import adf_pvalue
from airflow_dq.learn.expect.expectation import Expectation, Forecast

SIGNIFICANCE = 0.05
"""Level at which the ADF test rejects a unit root."""


def stationary_expectation(values: FloatArray) -> Expectation | None:
    """The first transform whose result passes the ADF test: none, then lags 1, 2, ..., then the lags of the logarithm.

    A lag stays below half of the history: beyond, fewer values are left than were given up.

    :param values: finite values, oldest first
    :return: the expectation that the transform amounts to, still without its mean (a level when the history is too
        short to decide); None when none helps
    """
    pvalue = adf_pvalue(values)
    if pvalue is None or pvalue < SIGNIFICANCE:
        return Expectation()
    for expectation in _transforms(values):
        series = differences(expectation, values)
        if np.isfinite(series).all():
            pvalue = adf_pvalue(series)
            if pvalue is not None and pvalue < SIGNIFICANCE:
                return expectation
    return None


def differences(expectation: Expectation, values: FloatArray) -> FloatArray:
    """The transformed history: each value (or its logarithm) less the one a lag before; of a level the values."""
    if expectation.is_fixed:
        return values
    scaled = expectation.to_scale(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(scaled[expectation.cycle :] - scaled[: -expectation.cycle], dtype=np.float64)


def _transforms(values: FloatArray) -> Iterator[Expectation]:
    lags = range(1, max(2, len(values) // 2))
    yield from (Expectation(Forecast.DIFFERENCE, cycle=lag) for lag in lags)
    if (values > 0).all():
        yield from (Expectation(Forecast.DIFFERENCE, logarithmic=True, cycle=lag) for lag in lags)

"""What a metric is expected to be next, and how far it has strayed from what was expected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from airflow_dq.program.array import FloatArray, median

WEEK = 7
CYCLES = 4
"""A week is compared with the median of this many before it."""
GAIN = 0.8
"""A forecast replaces the plain mean only if its one-step-ahead error is below this share of the mean's."""
_WARM_UP = 7
_TESTED = 5
"""Fewest one-step-ahead errors that a choice may rest on."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The expectation of the next value: the mean, or a value ``lag`` partitions before plus a drift."""

    lag: int
    """0 for the mean."""
    cycles: int
    """How many values, ``lag`` apart, the expectation is the median of."""
    center: float
    """The mean, or the drift."""
    spread: float
    """Standard deviation of the errors; 0.0 when there were none."""
    samples: int
    """Number of errors behind ``spread``."""
    worst: float
    """Largest error so far."""


_Predictor = Callable[[FloatArray, int], float]


def _last(values: FloatArray, i: int) -> float:
    return float(values[i - 1])


def _season(values: FloatArray, i: int) -> float:
    return median(values[i % WEEK : i : WEEK][-CYCLES:])


def _drift(values: FloatArray, i: int) -> float:
    return float(values[i - 1] + (values[i - 1] - values[0]) / (i - 1))


_PREDICTORS: tuple[tuple[int, int, int, _Predictor], ...] = (
    # lag, cycles, values needed, forecast of values[i] from those before it
    (1, 1, 1, _last),
    (WEEK, CYCLES, WEEK, _season),
    (1, 1, 4, _drift),
)


def forecast(values: FloatArray, *, moving: bool = True) -> Forecast:
    """Choose how the next value is expected, by one-step-ahead error inside the history.

    The mean stays unless the last value, the value a week of partitions before, or the last value plus the average
    drift would have been clearly better: a wrong cycle costs more than a missed one.

    :param values: the history on the scale it is judged on, oldest first, at least 3 finite values
    :param moving: False keeps the mean
    """
    level = _level(values)
    if level.spread == 0.0 or not moving:
        return level
    best, least = level, GAIN * _root_mean_square(_mean_errors(values))
    for lag, cycles, needed, predict in _PREDICTORS:
        tested = _errors(values, predict, max(needed, _start(values)))
        if len(tested) < _TESTED or _root_mean_square(tested) >= least:
            continue
        errors = _errors(values, predict, needed)
        spread = float(np.sqrt((errors**2).sum() / max(1, len(errors) - 1)))
        drift = predict(values, len(values)) - _base(values, lag, cycles)
        best = Forecast(lag, cycles, drift, spread, len(errors), float(np.abs(errors).max()))
        least = GAIN * _root_mean_square(tested)
    return best


def _level(values: FloatArray) -> Forecast:
    center = float(values.mean())
    worst = float(np.abs(values - center).max())
    spread = float(values.std(ddof=1))
    if spread <= 1e-9 * float(np.abs(values).max()):
        spread, worst = 0.0, 0.0
    return Forecast(0, 1, center, spread, len(values), worst)


def _base(values: FloatArray, lag: int, cycles: int) -> float:
    return _season(values, len(values)) if cycles > 1 else float(values[-lag])


def _start(values: FloatArray) -> int:
    return max(len(values) // 3, _WARM_UP)


def _mean_errors(values: FloatArray) -> FloatArray:
    start = min(_start(values), len(values) - 1)
    means = np.cumsum(values)[:-1] / np.arange(1, len(values))
    return values[start:] - means[start - 1 :]


def _errors(values: FloatArray, predict: _Predictor, start: int) -> FloatArray:
    return np.array([values[i] - predict(values, i) for i in range(start, len(values))])


def _root_mean_square(errors: FloatArray) -> float:
    return float(np.sqrt((errors**2).mean())) if len(errors) else 0.0

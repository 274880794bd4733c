"""What a metric is expected to be next, and how far it has strayed from what was expected."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from airflow_dq.learn.array import FloatArray, median
from airflow_dq.learn.history.timeline import WEEK

CYCLES = 4
"""A week is compared with the median of this many before it."""
GAIN = 0.8
"""A forecast replaces the plain mean only if its one-step-ahead error is below this share of the mean's."""
_WARM_UP = 7
_TESTED = 5
"""Fewest one-step-ahead errors that a choice may rest on."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The expectation of the next value: the mean, or a value ``lag`` slots before plus a drift."""

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


_Predictor = Callable[[FloatArray, int, int], float]


def _last(values: FloatArray, i: int, week: int) -> float:
    return float(values[_known_before(values, i)])


def _season(values: FloatArray, i: int, week: int) -> float:
    same = values[i % week : i : week][-CYCLES:]
    known = same[np.isfinite(same)]
    return median(known) if len(known) else _last(values, i, week)


def _drift(values: FloatArray, i: int, week: int) -> float:
    last = _known_before(values, i)
    return float(values[last] + (values[last] - values[0]) / max(1, last) * (i - last))


def _known_before(values: FloatArray, i: int) -> int:
    """Place of the newest value before a slot; the first slot has one."""
    place = i - 1
    while math.isnan(values[place]):
        place -= 1
    return place


_PREDICTORS: tuple[tuple[int | None, _Predictor], ...] = (
    # values needed (None: a week of them, for it looks a week back), forecast of values[i] from those before it
    (1, _last),
    (None, _season),
    (4, _drift),
)


def forecast(values: FloatArray, *, moving: bool = True, week: int = WEEK) -> Forecast:
    """Choose how the next value is expected, by one-step-ahead error inside the history.

    The mean stays unless the last value, the value a week of partitions before, or the last value plus the average
    drift would have been clearly better: a wrong cycle costs more than a missed one.

    :param values: the history on the scale it is judged on, oldest first, at least 3 finite values and NaN in slots
        without one (see :mod:`airflow_dq.learn.history.timeline`)
    :param moving: False keeps the mean
    :param week: slots in a week
    """
    missing = np.isnan(values)
    # Lags are counted from the end, so that what is missing at the beginning is nothing to look over.
    values, known = values[np.argmin(missing) :], values[~missing]
    level = _level(known)
    if level.spread == 0.0 or not moving:
        return level
    best, least = level, GAIN * _root_mean_square(_mean_errors(known))
    for least_values, predict in _PREDICTORS:
        weekly, needed = least_values is None, least_values or week
        tested = _errors(values, predict, max(needed, _start(values)), week)
        if len(tested) < _TESTED or _root_mean_square(tested) >= least:
            continue
        errors = _errors(values, predict, needed, week)
        spread = float(np.sqrt((errors**2).sum() / max(1, len(errors) - 1)))
        base = (_season if weekly else _last)(values, len(values), week)
        drift = predict(values, len(values), week) - base
        lag, cycles = (week, CYCLES) if weekly else (1, 1)
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


def _start(values: FloatArray) -> int:
    return max(len(values) // 3, _WARM_UP)


def _mean_errors(values: FloatArray) -> FloatArray:
    start = min(_start(values), len(values) - 1)
    means = np.cumsum(values)[:-1] / np.arange(1, len(values))
    return values[start:] - means[start - 1 :]


def _errors(values: FloatArray, predict: _Predictor, start: int, week: int) -> FloatArray:
    return np.array(
        [values[i] - predict(values, i, week) for i in range(start, len(values)) if not math.isnan(values[i])]
    )


def _root_mean_square(errors: FloatArray) -> float:
    return float(np.sqrt((errors**2).mean())) if len(errors) else 0.0

"""Constraints whose promised false-positive rate is met by real tables (mode ``calibrated``).

The paper's bounds hold for a known mean and variance.  With both estimated from some 30 partitions of a real table
they are exceeded far more often than promised: by what the estimates miss, by series that move, by counts that were
constant and changed by one, by tails heavier than any inequality's.  So a constraint here is centred on a forecast,
as wide as Student's t prediction interval, never narrower than what the history itself has seen by a margin, and
widened by the smallest change that is material.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from airflow_dq.metrics.registry import Bound, Metric, Scale
from airflow_dq.program.array import FloatArray
from airflow_dq.program.constraint import Candidates
from airflow_dq.program.forecast import Forecast, forecast
from airflow_dq.program.model import MIN_HISTORY, Transform, TransformKind

SPENDING = (1.0, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01)
"""Shares of the budget that one constraint may take: few and cheap ones together, or one alone."""
INFLATION = 2.0
"""A constraint reaches at least this many times as far as the history's largest error: tails are heavy."""

FAR = 1000.0
"""So many standard deviations from zero a column's level is no unit (moments in time): its spread is."""
OFFSET_EFFECT = 0.25
"""Least material change, in standard deviations, of a column that lies far from zero."""
SHORTEST = 0.25
"""Characters that an average length is taken for when it is less."""
VANISHING = math.log(50.0)
"""A quantity that may fall to this fraction of its usual size may fall to nothing."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much data stands behind a metric: typical of the history's partitions."""

    values: float
    """Values (complete_ratio and row_count: rows) of one partition, at least 1."""
    std: float = 0.0
    """The column's standard deviation, the unit of an earth mover's distance; 0.0 where there is none."""


def calibrated(
    metric: Metric, values: FloatArray, budget: float, size: Size, *, moving: bool = True
) -> Candidates | str:
    """Construct the calibrated constraints on one metric from its history.

    :param values: the metric's finite values, oldest first
    :param budget: the false-positive rate that may be spent
    :param size: how much data the metric is measured from
    :param moving: follow trends and weekly cycles where that has been better inside the history
    :return: the constraints, tightest first, or the reason why the metric cannot be bounded
    """
    if len(values) < MIN_HISTORY:
        return f"only {len(values)} values in the history, {MIN_HISTORY} are needed"
    logarithmic = metric.scale in (Scale.SIZE, Scale.COUNT) and bool((values > 0).all())
    scaled = np.log(values) if logarithmic else values
    with np.errstate(over="ignore", invalid="ignore"):
        expected = forecast(scaled, moving=moving)
        if not (math.isfinite(expected.center) and math.isfinite(expected.spread)):
            return "values too large to be averaged"
        rates = budget * np.array(SPENDING)
        widths = np.array([_width(metric, expected, values, float(rate), size, logarithmic) for rate in rates])
    return _candidates(metric, expected, len(values), rates, widths, logarithmic)


def _width(metric: Metric, expected: Forecast, values: FloatArray, rate: float, size: Size, logarithmic: bool) -> float:
    """Half width (distances: reach above the centre) on the scale that is judged."""
    sides = 1 if metric.pair else 2
    quantile = -float(stdtrit(max(1, expected.samples - 1), rate / sides))
    noise = quantile * expected.spread * math.sqrt(1.0 + 1.0 / expected.samples)
    return max(noise, INFLATION * expected.worst) + _material(metric, values, rate, size, logarithmic)


def _material(metric: Metric, values: FloatArray, rate: float, size: Size, logarithmic: bool) -> float:
    """The smallest change that may be an alarm."""
    level = abs(float(np.median(values)))
    one = 1.01 / size.values
    match metric.scale:
        case Scale.SHARE:
            # Never seen in n partitions of N values is compatible with a rate of -ln(chance) / (n N).
            return max(metric.min_effect, -math.log(rate) * one / len(values), one)
        case Scale.DISTANCE:
            return max(metric.min_effect, one)
        case Scale.TRANSPORT:
            return max(metric.min_effect, one) * size.std
        case Scale.COUNT:
            step = max(1.01, metric.min_effect * level)
            if not logarithmic:
                return step
            # One less is further on a logarithmic scale than one more; from 1 there is no one less.
            return math.log(level / (level - step)) if level > step else math.log1p(step / level)
        case Scale.SIZE:
            return metric.min_effect if logarithmic else metric.min_effect * level
        case Scale.LENGTH:
            return max(metric.min_effect, one) * max(level, SHORTEST)
        case Scale.AMOUNT:
            if size.std > 0.0 and level > FAR * size.std:
                return OFFSET_EFFECT * size.std
            return max(metric.min_effect, one) * max(level, 1e-9)


def _candidates(
    metric: Metric, expected: Forecast, count: int, rates: FloatArray, widths: FloatArray, logarithmic: bool
) -> Candidates:
    order = np.argsort(widths, kind="stable")
    rates, widths = rates[order], widths[order]
    lower = np.full(len(widths), -np.inf) if metric.pair else expected.center - widths
    upper = expected.center + widths
    center, spread = expected.center, expected.spread
    if expected.lag:
        kind = TransformKind.LOG_DIFF if logarithmic else TransformKind.DIFF
        transform = Transform(kind, expected.lag, expected.cycles)
    else:
        transform = Transform()
        if logarithmic:
            # What has varied by such factors may as well be nothing.
            lower = np.where(widths > VANISHING, -np.inf, np.exp(lower))
            upper, center = np.exp(upper), math.exp(center)
            spread *= center
    samples = count - expected.lag
    return Candidates(metric, Bound.STUDENT_T, transform, center, spread, samples, lower, upper, np.asarray(rates))

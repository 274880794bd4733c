"""The space of constraints on one metric, each with its false-positive bound (AVH, Algorithm 3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.avh.bound import false_positive_rate
from airflow_dq.learn.avh.stationarity import differences, stationary_expectation
from airflow_dq.learn.expect.candidate import Candidates, Learned
from airflow_dq.learn.expect.expectation import Expectation
from airflow_dq.metrics.descriptor import Bound, Metric
from airflow_dq.options.learning import MIN_HISTORY

STEP = 0.5
"""``beta`` grows by this many standard deviations ..."""
WIDEST = 40.0
"""... up to this many (Algorithm 3)."""
FPR_FLOOR = 1e-12
"""No bound below this is claimed: a variance estimated from some 30 values cannot carry it."""
CONSTANT = 1e-12
"""A standard deviation below this share of the mean is rounding: the metric is constant."""


@dataclass(frozen=True, slots=True)
class Stationary(Learned):
    """Mean and standard deviation of a metric's history, made stationary."""

    metric: Metric
    expectation: Expectation
    spread: float
    worst: float
    samples: int

    @classmethod
    def of(cls, metric: Metric, values: FloatArray, *, stationary: bool = True) -> Stationary | str:
        """Learn from a metric's history.

        Two-distribution metrics are distances between neighbouring partitions and are not differenced again.

        :param values: the metric's finite values, oldest first
        :param stationary: difference a history that is not stationary
        :return: what was learned, or the reason why the metric cannot be bounded
        """
        if len(values) < MIN_HISTORY:
            return f"only {len(values)} values in the history, {MIN_HISTORY} are needed"
        expectation = stationary_expectation(values) if stationary and not metric.pair else Expectation()
        if expectation is None:
            return "not stationary"
        series = differences(expectation, values)
        with np.errstate(over="ignore", invalid="ignore"):
            center, spread = float(series.mean()), float(series.std(ddof=1))
        if not (math.isfinite(center) and math.isfinite(spread)):
            return "values too large to be averaged"
        worst = float(np.abs(series - center).max())
        return cls(metric, expectation.around(center), spread, worst, len(series))

    def candidates(self, budget: float) -> Candidates:
        """Algorithm 3."""
        bound, center, spread, worst = self.metric.bound, self.expectation.center, self.spread, self.worst
        if spread < CONSTANT * max(1.0, abs(center)):
            spread = worst = 0.0
            width, fpr = np.array([1e-9 * max(1.0, abs(center))]), np.array([FPR_FLOOR])
        else:
            width, fpr = spread * _multiples(budget), _rates(bound, budget)
        below = np.full(len(width), np.inf) if bound is Bound.CANTELLI else width
        return Candidates(self.metric, bound, self.expectation, spread, worst, self.samples, below, width, fpr)


@lru_cache(maxsize=64)
def _multiples(budget: float) -> FloatArray:
    """``beta`` in standard deviations.

    The paper's range leaves Chebyshev's and Cantelli's inequality no constraint that a small budget could pay
    for, so it is continued, ever more coarsely, to where they cost 1/1.5 of the budget.
    """
    multiples: FloatArray = np.arange(1.0, WIDEST + STEP, STEP)
    needed = 1.25 / math.sqrt(budget)
    if needed <= WIDEST:
        return multiples
    return np.concatenate([multiples, np.geomspace(WIDEST, needed, 17)[1:]])


@lru_cache(maxsize=64)
def _rates(bound: Bound, budget: float) -> FloatArray:
    rates = np.array([false_positive_rate(bound, 1.0, float(k)) for k in _multiples(budget)])
    return np.asarray(np.maximum(rates, FPR_FLOOR), dtype=np.float64)

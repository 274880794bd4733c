"""The space of constraints on one metric, each with its false-positive bound (AVH, Algorithm 3)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

import numpy as np

from airflow_dq.learn.array import BoolArray, FloatArray
from airflow_dq.learn.avh.bound import false_positive_rate
from airflow_dq.learn.avh.stationarity import stationary_transform
from airflow_dq.learn.expect.transform import apply, differenced
from airflow_dq.learn.model import Clause, Transform
from airflow_dq.metrics.descriptor import Bound, Metric
from airflow_dq.options.learning import MIN_HISTORY

STEP = 0.5
"""``beta`` grows by this many standard deviations ..."""
WIDEST = 40.0
"""... up to this many."""
FPR_FLOOR = 1e-12
"""No bound below this is claimed: a variance estimated from some 30 values cannot carry it."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """All constraints on one metric, tightest first: the three arrays have one entry per constraint."""

    metric: Metric
    bound: Bound
    transform: Transform
    center: float
    spread: float
    samples: int
    lower: FloatArray
    """Minus infinity for a one-sided constraint."""
    upper: FloatArray
    fpr: FloatArray

    def violations(self, values: FloatArray, base: float) -> BoolArray:
        """Which constraints (rows) which values (columns) violate; a missing value (NaN) violates all."""
        moved = apply(self.transform, values, base)
        holds = (moved >= self.lower[:, None]) & (moved <= self.upper[:, None])
        return ~holds

    def widened(self, share: float) -> Candidates:
        """The same constraints, each bound further from the center by a share of its distance from it."""
        lower = self.lower - share * (self.center - self.lower)
        return replace(self, lower=lower, upper=self.upper + share * (self.upper - self.center))

    def clause(self, index: int, column: str | None, catches: tuple[str, ...]) -> Clause:
        """The constraint at ``index`` as a clause of a program."""
        lower = float(self.lower[index])
        return Clause(
            metric=self.metric.name,
            column=column,
            pair=self.metric.pair,
            transform=self.transform,
            lower=lower if math.isfinite(lower) else None,
            upper=float(self.upper[index]),
            fpr=float(self.fpr[index]),
            bound=self.bound,
            center=self.center,
            spread=self.spread,
            samples=self.samples,
            catches=catches,
        )


class Learned(Protocol):
    """What the history says about one metric, from which constraints are made for any budget."""

    def constraints(self, budget: float) -> Candidates:
        """The constraints when this false-positive rate may be spent on the column."""


@dataclass(frozen=True, slots=True)
class Stationary:
    """Mean and standard deviation of a metric's history, made stationary."""

    metric: Metric
    transform: Transform
    center: float
    spread: float
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
        transform = stationary_transform(values) if stationary and not metric.pair else Transform()
        if transform is None:
            return "not stationary"
        series = differenced(transform, values)
        with np.errstate(over="ignore", invalid="ignore"):
            center, spread = float(series.mean()), float(series.std(ddof=1))
        if not (math.isfinite(center) and math.isfinite(spread)):
            return "values too large to be averaged"
        return cls(metric, transform, center, spread, len(series))

    def constraints(self, budget: float) -> Candidates:
        """Algorithm 3."""
        bound, center, spread = self.metric.bound, self.center, self.spread
        if spread < 1e-12 * max(1.0, abs(center)):
            spread, width, fpr = 0.0, np.array([1e-9 * max(1.0, abs(center))]), np.array([FPR_FLOOR])
        else:
            width, fpr = spread * _multiples(budget), _rates(bound, budget)
        lower = np.full(len(width), -np.inf) if bound is Bound.CANTELLI else center - width
        return Candidates(self.metric, bound, self.transform, center, spread, self.samples, lower, center + width, fpr)


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

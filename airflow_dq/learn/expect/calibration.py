"""Constraints whose promised false-positive rate is met by real tables (mode ``calibrated``).

The paper's bounds hold for a known mean and variance.  With both estimated from some 30 partitions of a real table
they are exceeded far more often than promised: by what the estimates miss, by series that move, by counts that were
constant and changed by one, by tails heavier than any inequality's.  So a constraint here is centred on a forecast,
as wide as Student's t prediction interval, never narrower than what the history itself has seen by a margin, and
widened by the smallest change that is material.  What a statistic's own definition lets it do by chance is material
too: a quantile moves as far as other rows of the same distribution would move it, a minimum or maximum may fall short.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from airflow_dq.learn.array import FloatArray, median
from airflow_dq.learn.choose.candidate import Candidates
from airflow_dq.learn.expect.forecast import Forecast, forecast
from airflow_dq.learn.history.timeline import WEEK
from airflow_dq.learn.model import Transform, TransformKind
from airflow_dq.metrics.descriptor import Bound, Metric, Scale
from airflow_dq.options.learning import MIN_HISTORY

SPENDING = (0.99, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01)
"""Shares of the budget that one constraint may take: small ones, so that several fit, up to nearly all of it."""
REACH = 2.0
"""A constraint reaches at least this many times as far as the history's largest error: tails are heavy."""
REFERENCE = 0.001
"""The budget at which REACH holds."""
DECADE = 0.3
"""A budget ten times as small adds this much to REACH; the result stays between 1 and twice REACH."""
SHORT = 35.0
"""This divided by the number of partitions replaces REACH where it is more: a short history has seen no tails."""
FEW = 20
"""With fewer values the scale is not known either: a positive quantity may vary by amounts or by factors."""

FAR = 1000.0
"""At this many standard deviations from zero (moments in time, say) a change is measured by the spread alone."""
OFFSET_EFFECT = 0.25
"""Least material change, in standard deviations, of a column that lies far from zero."""
SHORTEST = 0.25
"""Average lengths below this many characters are treated as this long."""
VANISHING = math.log(50.0)
"""A logarithm: a quantity that may fall by this factor may fall to nothing, and none may grow by more."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much data stands behind a metric: typical of the history's partitions."""

    values: float
    """Values (complete_ratio and row_count: rows) of one partition, at least 1."""
    std: float = 0.0
    """The column's standard deviation, the unit of an earth mover's distance; 0.0 where there is none."""
    below: float = 0.0
    """How far the metric may fall short of what is expected because other rows of the same distribution came."""
    above: float = 0.0
    """How far the metric may exceed what is expected, for the same reason."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What is expected of one metric: everything that its constraints depend on except the budget."""

    metric: Metric
    size: Size
    """How much data the metric is measured from."""
    expected: Forecast
    factors: Forecast | None
    """Forecast of the logarithms, where the metric may vary by factors as well as by amounts; None elsewhere."""
    highest: float
    """The largest logarithm in the history; only used with :attr:`factors`."""
    count: int
    """Number of partitions learned from."""
    level: float
    """Typical size of the metric: the absolute value of its median."""
    logarithmic: bool

    @classmethod
    def of(
        cls, metric: Metric, values: FloatArray, size: Size, *, moving: bool = True, week: int = WEEK
    ) -> Calibration | str:
        """Learn from a metric's history.

        :param values: the metric's finite values, oldest first; NaN in slots that have none
        :param size: how much data the metric is measured from
        :param moving: follow trends and weekly cycles where that has been better inside the history
        :param week: slots in a week
        :return: what was learned, or the reason why the metric cannot be bounded
        """
        known = values[~np.isnan(values)]
        if len(known) < MIN_HISTORY:
            return f"only {len(known)} values in the history, {MIN_HISTORY} are needed"
        positive = bool((known > 0).all())
        logarithmic = metric.scale in (Scale.SIZE, Scale.COUNT) and positive
        with np.errstate(over="ignore", invalid="ignore"):
            expected = forecast(np.log(values) if logarithmic else values, moving=moving, week=week)
        if not (math.isfinite(expected.center) and math.isfinite(expected.spread)):
            return "values too large to be averaged"
        factors, highest = None, 0.0
        if positive and not logarithmic and len(known) < FEW and metric.scale in _AMOUNTS and not expected.lag:
            logarithms = np.log(values)
            factors, highest = forecast(logarithms, moving=moving, week=week), float(np.nanmax(logarithms))
        if factors is not None and factors.lag:
            factors = None
        return cls(metric, size, expected, factors, highest, len(known), abs(median(known)), logarithmic)

    def constraints(self, budget: float) -> Candidates:
        """The constraints when this false-positive rate may be spent on the column, tightest first."""
        size = self.size
        with np.errstate(over="ignore", invalid="ignore"):
            rates = budget * np.array(SPENDING)
            material = np.array([self._material(rate) for rate in rates.tolist()])
            least = _least_reach(budget, self.count)
            reach = _reach(self.metric, self.expected, rates, least)
            below, above = reach + np.maximum(material, size.below), reach + np.maximum(material, size.above)
            if self.factors is not None:
                above = np.maximum(above, self._reach_by_factors(self.factors, rates, least) + material)
            # Three values that vary by factors leave the upper bound open: it is infinite.
            return self._candidates(rates, below, above)

    def _reach_by_factors(self, factors: Forecast, rates: FloatArray, least: float) -> FloatArray:
        """The reach upwards of a quantity that varies by factors."""
        highest = factors.center + _reach(self.metric, factors, rates, least)
        # From three values any factor can be had.
        highest = np.minimum(highest, self.highest + VANISHING)
        return np.asarray(np.exp(highest) - self.expected.center, dtype=np.float64)

    def _material(self, rate: float) -> float:
        """The smallest change that may be an alarm at a false-positive rate."""
        metric, size, level = self.metric, self.size, self.level
        one = 1.01 / size.values
        match metric.scale:
            case Scale.SHARE:
                # Never seen in n partitions of N values is compatible with a rate of -ln(chance) / (n N).
                return max(metric.min_effect, -math.log(rate) * one / self.count, one)
            case Scale.DISTANCE:
                return max(metric.min_effect, one)
            case Scale.TRANSPORT:
                return max(metric.min_effect, one) * size.std
            case Scale.COUNT:
                step = max(1.01, metric.min_effect * level)
                if not self.logarithmic:
                    return step
                # One less is further on a logarithmic scale than one more; from 1 there is no one less.
                return math.log(level / (level - step)) if level > step else math.log1p(step / level)
            case Scale.SIZE:
                return metric.min_effect if self.logarithmic else metric.min_effect * level
            case Scale.LENGTH:
                return max(metric.min_effect, one) * max(level, SHORTEST)
            case Scale.AMOUNT:
                if size.std > 0.0 and level > FAR * size.std:
                    return OFFSET_EFFECT * size.std
                return max(metric.min_effect, one) * max(level, 1e-9)

    def _candidates(self, rates: FloatArray, below: FloatArray, above: FloatArray) -> Candidates:
        order = np.argsort(above, kind="stable")
        rates, below, above = rates[order], below[order], above[order]
        expected = self.expected
        lower = np.full(len(below), -np.inf) if self.metric.pair else expected.center - below
        upper = expected.center + above
        center, spread = expected.center, expected.spread
        if expected.lag:
            kind = TransformKind.LOG_DIFF if self.logarithmic else TransformKind.DIFF
            transform = Transform(kind, expected.lag, expected.cycles)
        else:
            transform = Transform()
            if self.logarithmic:
                # What has varied by such factors may as well be nothing.
                lower = np.where(below > VANISHING, -np.inf, np.exp(lower))
                upper, center = np.exp(upper), math.exp(center)
                spread *= center
        samples = self.count - expected.lag
        return Candidates(self.metric, Bound.STUDENT_T, transform, center, spread, samples, lower, upper, rates)


_AMOUNTS = (Scale.AMOUNT, Scale.DISTANCE, Scale.TRANSPORT)


def _least_reach(budget: float, count: int) -> float:
    """How many times the history's largest error a constraint reaches, whatever the spread of the errors."""
    wanted = REACH - DECADE * math.log10(budget / REFERENCE)
    return max(min(max(wanted, 1.0), 2.0 * REACH), SHORT / count)


def _reach(metric: Metric, expected: Forecast, rates: FloatArray, least: float) -> FloatArray:
    """How far from the expectation the next value may lie at each false-positive rate; never less than 0."""
    sides = 1 if metric.pair else 2
    quantiles = -stdtrit(max(1, expected.samples - 1), rates / sides)
    noise = quantiles * expected.spread * math.sqrt(1.0 + 1.0 / expected.samples)
    return np.asarray(np.maximum(noise, least * expected.worst), dtype=np.float64)

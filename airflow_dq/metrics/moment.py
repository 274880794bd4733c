"""Size and spread of numbers (AVH, Table 3), over the finite values."""

from __future__ import annotations

import math
from collections.abc import Mapping

from airflow_dq.metrics.descriptor import Bound, MetricValue, Reason, Scale, Unit, Use
from airflow_dq.metrics.extrapolation import LARGEST, LEVEL, SMALLEST, TOTAL, WIDTH, Extrapolation, stretched
from airflow_dq.metrics.outcome import when_any
from airflow_dq.metrics.registry import metric
from airflow_dq.states.base import Kind
from airflow_dq.states.count import Counts
from airflow_dq.states.moment import Moments
from airflow_dq.states.number import ALIKE

NO_SPREAD = 1e9
"""Largest Cohen's d: what a shift between two constant columns counts as."""


def _between_extremes(metrics: Mapping[str, MetricValue]) -> float | None:
    low, high = metrics.get("min"), metrics.get("max")
    return high - low if isinstance(low, float) and isinstance(high, float) else None


@metric(
    Counts,
    Moments,
    bound=Bound.CHEBYSHEV,
    name="min",
    paper=True,
    level=0.0,
    words="min",
    unit=Unit.COLUMN,
    extrapolation=SMALLEST,
)
def minimum(counts: Counts, moments: Moments) -> MetricValue:
    """Smallest value."""
    return when_any(counts, moments.count, lambda: moments.low)


@metric(
    Counts,
    Moments,
    bound=Bound.CHEBYSHEV,
    name="max",
    paper=True,
    level=1.0,
    words="max",
    unit=Unit.COLUMN,
    extrapolation=LARGEST,
)
def maximum(counts: Counts, moments: Moments) -> MetricValue:
    """Largest value."""
    return when_any(counts, moments.count, lambda: moments.high)


@metric(
    Counts,
    Moments,
    bound=Bound.CHEBYSHEV,
    name="range",
    paper=True,
    scale=Scale.RATIO,
    words="range",
    unit=Unit.SPAN,
    use=Use.NEVER,
    extrapolation=Extrapolation(linear=stretched, derived=_between_extremes),
)
def spread(counts: Counts, moments: Moments) -> MetricValue:
    """Difference between the largest and the smallest value."""
    return when_any(counts, moments.count, lambda: moments.span)


@metric(
    Counts,
    Moments,
    bound=Bound.CLT,
    paper=True,
    words="mean",
    unit=Unit.COLUMN,
    always=Moments.kinds,
    extrapolation=LEVEL,
)
def mean(counts: Counts, moments: Moments) -> MetricValue:
    """Arithmetic mean, correctly rounded."""
    return when_any(counts, moments.count, lambda: moments.mean)


@metric(
    Counts,
    Moments,
    bound=Bound.CHEBYSHEV,
    name="sum",
    kinds=frozenset({Kind.NUMERIC}),
    paper=True,
    words="sum",
    unit=Unit.COLUMN,
    # The mean and the number of rows tell the same of a column, and a day with more rows is no error of each of them.
    use=Use.NAMED,
    extrapolation=TOTAL,
)
def total(counts: Counts, moments: Moments) -> MetricValue:
    """Sum, correctly rounded."""
    return when_any(counts, moments.count, lambda: moments.sum)


@metric(
    Counts,
    Moments,
    bound=Bound.CHEBYSHEV,
    scale=Scale.RATIO,
    words="standard deviation",
    unit=Unit.SPAN,
    always=Moments.kinds,
    extrapolation=WIDTH,
)
def std(counts: Counts, moments: Moments) -> MetricValue:
    """Standard deviation (of the partition, divided by n)."""
    return when_any(counts, moments.count, lambda: moments.std)


@metric(
    Moments,
    bound=Bound.CANTELLI,
    pair=True,
    paper=True,
    words="shift of the mean (Cohen's d)",
    natural_range=(0.0, NO_SPREAD),
)
def cohen_d(now: Moments, before: Moments) -> MetricValue:
    """Absolute difference of the means in pooled standard deviations, at most 1e9.

    The pooled standard deviation is ``sqrt((s1**2 + s2**2) / 2)``.  When neither side has a spread, equal means
    are 0.0 apart and unequal ones 1e9: a finite number, so that a constant that changes is an alarm and not a gap.
    Means that differ by a few units in the last place are equal: 0.1 + 0.2 is another way of writing 0.3.  Those of
    whole numbers differ in earnest: their sums are exact, also where no float can hold them.
    """
    if not now.count or not before.count:
        return Reason.NO_VALUES
    # Quarters: the difference of two means and the root of two spreads stay within range.
    difference = abs(now.mean_above(before, 4))
    alike = not (now.whole and before.whole) and math.isclose(now.mean, before.mean, rel_tol=ALIKE)
    if alike or difference == 0.0:
        return 0.0
    pooled = math.hypot(now.std / 4, before.std / 4) / math.sqrt(2.0)
    return min(difference / pooled, NO_SPREAD) if pooled > difference / NO_SPREAD else NO_SPREAD

"""Metrics of the distribution of numbers (AVH, Table 3), over the finite values.

A distribution with at most 20,000 distinct values is exact, and so are these metrics.  Beyond, they are computed
from a sketch: EMD deviates by less than 0.5 %, KS and the rank of a quantile by less than 0.001, JS and KL not at all
(their bins are made of whole cells of the sketch), distinct counts by a standard error of 0.4 %.
"""

from __future__ import annotations

import numpy as np

from airflow_dq.metrics.descriptor import FROM_0_TO_1, Bound, MetricValue, Reason, Scale, Unit, Use
from airflow_dq.metrics.divergence import LARGEST_JS, jensen_shannon, kullback_leibler
from airflow_dq.metrics.extrapolation import DISTINCT_SHARE, LEVEL, SHARE
from airflow_dq.metrics.outcome import finite, when_any
from airflow_dq.metrics.registry import metric
from airflow_dq.states.base import Kind
from airflow_dq.states.count import Counts
from airflow_dq.states.decimal_place import finer_share
from airflow_dq.states.number import NumberDistribution
from airflow_dq.states.number_pair import NumberPair


@metric(
    Counts,
    NumberDistribution,
    bound=Bound.CHEBYSHEV,
    paper=True,
    level=0.5,
    words="median",
    unit=Unit.COLUMN,
    extrapolation=LEVEL,
)
def median(counts: Counts, numbers: NumberDistribution) -> MetricValue:
    """Middle value, or the average of the two middle ones."""
    return when_any(counts, numbers.total, lambda: numbers.quantile(0.5))


@metric(
    Counts,
    NumberDistribution,
    bound=Bound.CHEBYSHEV,
    paper=True,
    scale=Scale.SHARE,
    words="share of distinct values",
    extrapolation=DISTINCT_SHARE,
    always=NumberDistribution.kinds,
)
def unique_ratio(counts: Counts, numbers: NumberDistribution) -> MetricValue:
    """Number of distinct values per value."""
    return when_any(counts, numbers.total, lambda: numbers.distinct / numbers.total)


@metric(
    Counts,
    NumberDistribution,
    bound=Bound.CHEBYSHEV,
    level=0.05,
    words="5th percentile",
    unit=Unit.COLUMN,
    extrapolation=LEVEL,
)
def p05(counts: Counts, numbers: NumberDistribution) -> MetricValue:
    """5th percentile."""
    return when_any(counts, numbers.total, lambda: numbers.quantile(0.05))


@metric(
    Counts,
    NumberDistribution,
    bound=Bound.CHEBYSHEV,
    level=0.25,
    words="25th percentile",
    unit=Unit.COLUMN,
    extrapolation=LEVEL,
)
def p25(counts: Counts, numbers: NumberDistribution) -> MetricValue:
    """25th percentile."""
    return when_any(counts, numbers.total, lambda: numbers.quantile(0.25))


@metric(
    Counts,
    NumberDistribution,
    bound=Bound.CHEBYSHEV,
    level=0.75,
    words="75th percentile",
    unit=Unit.COLUMN,
    extrapolation=LEVEL,
)
def p75(counts: Counts, numbers: NumberDistribution) -> MetricValue:
    """75th percentile."""
    return when_any(counts, numbers.total, lambda: numbers.quantile(0.75))


@metric(
    Counts,
    NumberDistribution,
    bound=Bound.CHEBYSHEV,
    level=0.95,
    words="95th percentile",
    unit=Unit.COLUMN,
    extrapolation=LEVEL,
)
def p95(counts: Counts, numbers: NumberDistribution) -> MetricValue:
    """95th percentile."""
    return when_any(counts, numbers.total, lambda: numbers.quantile(0.95))


@metric(
    Counts,
    NumberDistribution,
    bound=Bound.CHEBYSHEV,
    scale=Scale.SHARE,
    words="share of the most frequent value",
    extrapolation=SHARE,
)
def mode_ratio(counts: Counts, numbers: NumberDistribution) -> MetricValue:
    """Share of the most frequent value."""
    return when_any(counts, numbers.total, lambda: numbers.mode_count / numbers.total)


@metric(NumberPair, bound=Bound.CANTELLI, pair=True, paper=True, scale=Scale.TRANSPORT, words="earth mover's distance")
def emd(pair: NumberPair) -> MetricValue:
    """Earth mover's (Wasserstein-1) distance, in the column's own unit."""
    if pair.empty:
        return Reason.NO_VALUES
    cells = pair.cells
    shares = cells.shares
    with np.errstate(over="ignore", invalid="ignore"):
        # What must cross the gap between two neighbouring points, times its width.
        moved = np.abs(np.cumsum(shares[0] - shares[1])[:-1])
        return finite(float(np.sum(moved * cells.gaps)))


@metric(
    NumberPair,
    bound=Bound.CANTELLI,
    pair=True,
    paper=True,
    words="Kolmogorov-Smirnov distance",
    natural_range=FROM_0_TO_1,
    always=NumberDistribution.kinds,
)
def ks_dist(pair: NumberPair) -> MetricValue:
    """Kolmogorov-Smirnov statistic: the largest difference of the cumulative shares, from 0 to 1.

    Not the test's p-value: with many rows that is 0 for any pair of real partitions and cannot be learned from.
    """
    if pair.empty:
        return Reason.NO_VALUES
    cells = pair.cells
    cumulative = np.cumsum(cells.now) / pair.now.total - np.cumsum(cells.before) / pair.before.total
    return float(np.abs(cumulative).max())


@metric(
    NumberPair,
    bound=Bound.CANTELLI,
    pair=True,
    paper=True,
    order=2,
    words="Jensen-Shannon divergence",
    natural_range=(0.0, LARGEST_JS),
)
def js_div(pair: NumberPair) -> MetricValue:
    """Jensen-Shannon divergence in nats over 20 bins of equal width from the joint minimum to the joint maximum.

    The bins' inner edges are raised to a dyadic grid of about 1,000 to 2,000 cells over the range.
    """
    if pair.empty:
        return Reason.NO_VALUES
    return jensen_shannon(*pair.binned)


@metric(
    NumberPair,
    bound=Bound.CANTELLI,
    pair=True,
    paper=True,
    order=2,
    words="Kullback-Leibler divergence",
    use=Use.NEVER,
)
def kl_div(pair: NumberPair) -> MetricValue:
    """Kullback-Leibler divergence in nats of the partition from its baseline, over the bins of ``js_div``.

    Shares are smoothed by 1e-6, which keeps it finite.
    """
    if pair.empty:
        return Reason.NO_VALUES
    return kullback_leibler(*pair.binned)


@metric(
    NumberPair,
    bound=Bound.CANTELLI,
    pair=True,
    represented=True,
    words="share of values new",
    link="against",
    unit=Unit.SHARE,
    natural_range=FROM_0_TO_1,
    counts_new=True,
    pooled="unseen_ratio",
)
def new_ratio(pair: NumberPair) -> MetricValue:
    """Share of the values that the baseline lacks (beyond 20,000 distinct values: whose cell is empty there)."""
    if pair.empty:
        return Reason.NO_VALUES
    cells = pair.comparable
    return float(cells.now[cells.before == 0].sum() / pair.now.total)


@metric(
    NumberPair,
    bound=Bound.CANTELLI,
    pair=True,
    pool=3,
    represented=True,
    words="share of values unseen",
    link="in",
    unit=Unit.SHARE,
    natural_range=FROM_0_TO_1,
    counts_new=True,
)
def unseen_ratio(pair: NumberPair) -> MetricValue:
    """Share of the values that none of the last three partitions has (see ``new_ratio``)."""
    return new_ratio(pair)


@metric(
    NumberPair,
    bound=Bound.CANTELLI,
    pair=True,
    pool=3,
    kinds=frozenset({Kind.NUMERIC}),
    words="share of values with more decimal places",
    link="than in",
    unit=Unit.SHARE,
    natural_range=FROM_0_TO_1,
    counts_new=True,
)
def finer_ratio(pair: NumberPair) -> MetricValue:
    """Share of the values with more decimal places than any of the last three partitions' values has."""
    if pair.empty:
        return Reason.NO_VALUES
    # Of a sketch no digit is known.
    return Reason.NOT_COUNTED if pair.now.sketch or pair.before.sketch else finer_share(pair.now, [pair.before])


@metric(
    NumberPair,
    bound=Bound.CANTELLI,
    pair=True,
    words="share of values outside the range",
    link="of",
    unit=Unit.SHARE,
    natural_range=FROM_0_TO_1,
)
def outside_ratio(pair: NumberPair) -> MetricValue:
    """Share of the values below the baseline's smallest or above its largest."""
    if pair.empty:
        return Reason.NO_VALUES
    cells = pair.cells
    occupied = np.flatnonzero(cells.before)
    inside = int(cells.now[occupied[0] : occupied[-1] + 1].sum())
    return (pair.now.total - inside) / pair.now.total


@metric(NumberPair, bound=Bound.CANTELLI, pair=True, represented=True, words="L1 distance", natural_range=(0.0, 2.0))
def l1(pair: NumberPair) -> MetricValue:
    """Sum of the absolute differences of the values' shares, from 0 to 2 (beyond 20,000 distinct values: of cells)."""
    if pair.empty:
        return Reason.NO_VALUES
    after, earlier = pair.comparable.shares
    return float(np.abs(after - earlier).sum())

"""Metrics of the distribution of values (AVH, Table 4), over the non-null, non-empty ones.

Up to 20,000 distinct values are counted one by one.  When either side has more, both are compared as 4,096 hashed
buckets, in which unequal values may share a bucket: such distances are comparable with each other only, and a distance
says in which representation it was measured.
"""

from __future__ import annotations

from airflow_dq.metrics import distance
from airflow_dq.metrics.descriptor import (
    FROM_0_TO_1,
    Bound,
    MetricValue,
    Reason,
    Scale,
    Unit,
    Use,
)
from airflow_dq.metrics.divergence import LARGEST_JS
from airflow_dq.metrics.extrapolation import DISTINCT_SHARE, ROWS, SHARE
from airflow_dq.metrics.outcome import when_any
from airflow_dq.metrics.registry import metric
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.category_pair import CategoryPair
from airflow_dq.states.count import Counts

_STRING, _BOOLEAN = frozenset({Kind.STRING}), frozenset({Kind.BOOLEAN})


@metric(
    Counts,
    CategoryDistribution,
    bound=Bound.CHEBYSHEV,
    kinds=_STRING,
    paper=True,
    scale=Scale.SHARE,
    words="share of distinct values",
    always=_STRING,
    extrapolation=DISTINCT_SHARE,
)
def unique_ratio(counts: Counts, categories: CategoryDistribution) -> MetricValue:
    """Number of distinct values per value."""
    return when_any(counts, categories.total, lambda: categories.distinct / categories.total)


@metric(
    Counts,
    CategoryDistribution,
    bound=Bound.CHEBYSHEV,
    kinds=_STRING,
    paper=True,
    scale=Scale.COUNT,
    words="number of distinct values",
    extrapolation=ROWS,
)
def dist_val_count(counts: Counts, categories: CategoryDistribution) -> MetricValue:
    """Number of distinct values; 0 when rows hold none."""
    return float(categories.distinct) if counts.rows else Reason.EMPTY_BATCH


@metric(
    Counts,
    CategoryDistribution,
    bound=Bound.CLT,
    kinds=_BOOLEAN,
    paper=True,
    scale=Scale.SHARE,
    words="share of true values",
    extrapolation=SHARE,
)
def true_ratio(counts: Counts, categories: CategoryDistribution) -> MetricValue:
    """Share of true among the true and false values."""
    return when_any(counts, categories.total, lambda: categories.count_of("true") / categories.total)


@metric(
    CategoryPair,
    bound=Bound.CANTELLI,
    pair=True,
    represented=True,
    paper=True,
    words="L1 distance",
    natural_range=(0.0, 2.0),
    always=_STRING | _BOOLEAN,
)
def l1(pair: CategoryPair) -> MetricValue:
    """Sum of the absolute differences of the values' shares, from 0 to 2."""
    return distance.between(distance.l1, pair)


@metric(
    CategoryPair,
    bound=Bound.CANTELLI,
    pair=True,
    represented=True,
    paper=True,
    words="L-infinity distance",
    natural_range=FROM_0_TO_1,
)
def l_inf(pair: CategoryPair) -> MetricValue:
    """Largest absolute difference of a value's share, from 0 to 1."""
    return distance.between(distance.l_inf, pair)


@metric(
    CategoryPair,
    bound=Bound.CANTELLI,
    pair=True,
    represented=True,
    paper=True,
    order=2,
    words="cosine distance",
    natural_range=FROM_0_TO_1,
)
def cosine(pair: CategoryPair) -> MetricValue:
    """Cosine distance of the vectors of the values' shares, from 0 to 1."""
    return distance.between(distance.cosine, pair)


@metric(
    CategoryPair,
    bound=Bound.CANTELLI,
    pair=True,
    represented=True,
    paper=True,
    order=2,
    words="chi-squared distance",
    natural_range=FROM_0_TO_1,
    use=Use.NEVER,
)
def chi_squared(pair: CategoryPair) -> MetricValue:
    """Chi-squared statistic of homogeneity per value (phi squared), from 0 to 1.

    Not the test's p-value, and not the statistic itself: both depend on the number of rows more than on the change.
    """
    return distance.between(distance.chi_squared, pair)


@metric(
    CategoryPair,
    bound=Bound.CANTELLI,
    pair=True,
    represented=True,
    paper=True,
    order=2,
    words="Jensen-Shannon divergence",
    natural_range=(0.0, LARGEST_JS),
    # No injected error leaves out one of a few values.
    always=_STRING | _BOOLEAN,
)
def js_div(pair: CategoryPair) -> MetricValue:
    """Jensen-Shannon divergence in nats, from 0 to ln 2."""
    return distance.between(distance.js_div, pair)


@metric(
    CategoryPair,
    bound=Bound.CANTELLI,
    pair=True,
    represented=True,
    paper=True,
    order=2,
    words="Kullback-Leibler divergence",
    use=Use.NEVER,
)
def kl_div(pair: CategoryPair) -> MetricValue:
    """Kullback-Leibler divergence in nats of the partition from its baseline, shares smoothed by 1e-6."""
    return distance.between(distance.kl_div, pair)


@metric(
    CategoryPair,
    bound=Bound.CANTELLI,
    pair=True,
    represented=True,
    kinds=_STRING,
    words="share of values new",
    link="against",
    unit=Unit.SHARE,
    natural_range=FROM_0_TO_1,
    counts_new=True,
    pooled="unseen_ratio",
)
def new_ratio(pair: CategoryPair) -> MetricValue:
    """Share of the values that the baseline does not have."""
    return distance.new_ratio(pair)


@metric(
    CategoryPair,
    bound=Bound.CANTELLI,
    pair=True,
    pool=3,
    represented=True,
    kinds=_STRING,
    words="share of values unseen",
    link="in",
    unit=Unit.SHARE,
    natural_range=FROM_0_TO_1,
    counts_new=True,
    # No injected error replaces every value by another spelling that looks alike.
    always=_STRING,
)
def unseen_ratio(pair: CategoryPair) -> MetricValue:
    """Share of the values that none of the last three partitions has."""
    return distance.new_ratio(pair)


@metric(
    Counts,
    CategoryDistribution,
    bound=Bound.CHEBYSHEV,
    kinds=_STRING,
    scale=Scale.INFORMATION,
    words="entropy",
)
def entropy(counts: Counts, categories: CategoryDistribution) -> MetricValue:
    """Shannon entropy in nats of the values' shares (estimated beyond 20,000 distinct values)."""
    return when_any(counts, categories.total, lambda: distance.entropy_of(categories))


@metric(
    Counts,
    CategoryDistribution,
    bound=Bound.CHEBYSHEV,
    kinds=_STRING,
    scale=Scale.SHARE,
    words="share of the most frequent value",
    extrapolation=SHARE,
)
def mode_ratio(counts: Counts, categories: CategoryDistribution) -> MetricValue:
    """Share of the most frequent value."""
    return when_any(counts, categories.total, lambda: categories.mode_count / categories.total)

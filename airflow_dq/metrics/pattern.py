"""The distances of value distributions, between the distributions of character patterns (AVH, Appendix C)."""

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
from airflow_dq.metrics.extrapolation import COUNT
from airflow_dq.metrics.outcome import when_any
from airflow_dq.metrics.registry import metric
from airflow_dq.states.count import Counts
from airflow_dq.states.pattern import PatternDistribution, PatternPair


@metric(
    PatternPair,
    bound=Bound.CANTELLI,
    pair=True,
    represented=True,
    paper=True,
    words="L1 distance of value patterns",
    natural_range=(0.0, 2.0),
)
def pat_l1(pair: PatternPair) -> MetricValue:
    """Sum of the absolute differences of the patterns' shares, from 0 to 2."""
    return distance.between(distance.l1, pair)


@metric(
    PatternPair,
    bound=Bound.CANTELLI,
    pair=True,
    represented=True,
    paper=True,
    words="L-infinity distance of value patterns",
    natural_range=FROM_0_TO_1,
)
def pat_l_inf(pair: PatternPair) -> MetricValue:
    """Largest absolute difference of a pattern's share, from 0 to 1."""
    return distance.between(distance.l_inf, pair)


@metric(
    PatternPair,
    bound=Bound.CANTELLI,
    pair=True,
    represented=True,
    paper=True,
    order=2,
    words="cosine distance of value patterns",
    natural_range=FROM_0_TO_1,
)
def pat_cosine(pair: PatternPair) -> MetricValue:
    """Cosine distance of the vectors of the patterns' shares, from 0 to 1."""
    return distance.between(distance.cosine, pair)


@metric(
    PatternPair,
    bound=Bound.CANTELLI,
    pair=True,
    represented=True,
    paper=True,
    order=2,
    words="chi-squared distance of value patterns",
    natural_range=FROM_0_TO_1,
    use=Use.NEVER,
)
def pat_chi_squared(pair: PatternPair) -> MetricValue:
    """Chi-squared statistic of homogeneity of the patterns per value (phi squared), from 0 to 1."""
    return distance.between(distance.chi_squared, pair)


@metric(
    PatternPair,
    bound=Bound.CANTELLI,
    pair=True,
    represented=True,
    paper=True,
    order=2,
    words="Jensen-Shannon divergence of value patterns",
    natural_range=(0.0, LARGEST_JS),
)
def pat_js_div(pair: PatternPair) -> MetricValue:
    """Jensen-Shannon divergence in nats of the pattern distributions, from 0 to ln 2."""
    return distance.between(distance.js_div, pair)


@metric(
    PatternPair,
    bound=Bound.CANTELLI,
    pair=True,
    represented=True,
    paper=True,
    order=2,
    words="Kullback-Leibler divergence of value patterns",
    use=Use.NEVER,
)
def pat_kl_div(pair: PatternPair) -> MetricValue:
    """Kullback-Leibler divergence in nats of the pattern distributions, shares smoothed by 1e-6."""
    return distance.between(distance.kl_div, pair)


@metric(
    PatternPair,
    bound=Bound.CANTELLI,
    pair=True,
    represented=True,
    words="share of values with a pattern new",
    link="against",
    unit=Unit.SHARE,
    natural_range=FROM_0_TO_1,
    counts_new=True,
    pooled="pat_unseen_ratio",
)
def pat_new_ratio(pair: PatternPair) -> MetricValue:
    """Share of the values whose pattern the baseline does not have."""
    return distance.new_ratio(pair)


@metric(
    PatternPair,
    bound=Bound.CANTELLI,
    pair=True,
    pool=3,
    represented=True,
    words="share of values with a pattern unseen",
    link="in",
    unit=Unit.SHARE,
    natural_range=FROM_0_TO_1,
    counts_new=True,
)
def pat_unseen_ratio(pair: PatternPair) -> MetricValue:
    """Share of the values whose pattern none of the last three partitions has."""
    return distance.new_ratio(pair)


@metric(
    Counts,
    PatternDistribution,
    bound=Bound.CHEBYSHEV,
    scale=Scale.INFORMATION,
    words="entropy of value patterns",
)
def pat_entropy(counts: Counts, patterns: PatternDistribution) -> MetricValue:
    """Shannon entropy in nats of the patterns' shares (estimated beyond 20,000 distinct ones)."""
    return when_any(counts, patterns.total, lambda: distance.entropy_of(patterns))


@metric(
    Counts,
    PatternDistribution,
    bound=Bound.CHEBYSHEV,
    scale=Scale.COUNT,
    words="number of distinct patterns",
    extrapolation=COUNT,
    # It grows with the number of rows; what it finds the entropy and the share of unseen patterns find.
    use=Use.NAMED,
)
def pat_count(counts: Counts, patterns: PatternDistribution) -> MetricValue:
    """Number of distinct patterns; 0 when rows hold no value."""
    return float(patterns.distinct) if counts.rows else Reason.EMPTY_BATCH

"""Shares of special numbers."""

from __future__ import annotations

from airflow_dq.metrics.outcome import when_any
from airflow_dq.metrics.registry import Bound, MetricValue, Scale, metric
from airflow_dq.states.count import Counts
from airflow_dq.states.sign import SignShape


@metric(Counts, SignShape, bound=Bound.CLT, scale=Scale.SHARE)
def zero_ratio(counts: Counts, signs: SignShape) -> MetricValue:
    """Share of zeros among the finite values."""
    return when_any(counts, signs.count, lambda: signs.zeros / signs.count)


@metric(Counts, SignShape, bound=Bound.CLT, scale=Scale.SHARE)
def negative_ratio(counts: Counts, signs: SignShape) -> MetricValue:
    """Share of negative values among the finite ones."""
    return when_any(counts, signs.count, lambda: signs.negatives / signs.count)


@metric(Counts, SignShape, bound=Bound.CLT, scale=Scale.SHARE)
def integer_ratio(counts: Counts, signs: SignShape) -> MetricValue:
    """Share of finite values without a fractional part."""
    return when_any(counts, signs.count, lambda: signs.whole / signs.count)


@metric(Counts, SignShape, bound=Bound.CLT, scale=Scale.SHARE, calibrated=False)
def infinite_ratio(counts: Counts, signs: SignShape) -> MetricValue:
    """Share of the values that are infinite; no other metric of numbers looks at these."""
    infinite = counts.pos_inf + counts.neg_inf
    return when_any(counts, signs.count + infinite, lambda: infinite / (signs.count + infinite))

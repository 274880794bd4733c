"""Shares of special numbers, over the finite values."""

from __future__ import annotations

from airflow_dq.metrics.outcome import when_any
from airflow_dq.metrics.registry import Bound, MetricValue, Scale, metric
from airflow_dq.states.count import Counts
from airflow_dq.states.sign import SignShape


@metric(Counts, SignShape, bound=Bound.CLT, scale=Scale.SHARE)
def zero_ratio(counts: Counts, signs: SignShape) -> MetricValue:
    """Share of zeros."""
    return when_any(counts, signs.count, lambda: signs.zeros / signs.count)


@metric(Counts, SignShape, bound=Bound.CLT, scale=Scale.SHARE)
def negative_ratio(counts: Counts, signs: SignShape) -> MetricValue:
    """Share of negative values."""
    return when_any(counts, signs.count, lambda: signs.negatives / signs.count)


@metric(Counts, SignShape, bound=Bound.CLT, scale=Scale.SHARE)
def integer_ratio(counts: Counts, signs: SignShape) -> MetricValue:
    """Share of values without a fractional part."""
    return when_any(counts, signs.count, lambda: signs.whole / signs.count)

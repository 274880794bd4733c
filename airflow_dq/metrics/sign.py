"""Shares of special numbers."""

from __future__ import annotations

from airflow_dq.metrics.descriptor import Bound, FirstOccurrence, MetricValue, PastMetrics, Scale, Use
from airflow_dq.metrics.extrapolation import SHARE, SHARE_OF_NUMBERS
from airflow_dq.metrics.outcome import when_any
from airflow_dq.metrics.registry import metric
from airflow_dq.states.count import Counts
from airflow_dq.states.sign import SignShape

NEAR = 0.25
"""A partition whose smallest number lies within so many of its standard deviations above zero came near it."""
OFTEN = 0.5
"""Share of the past partitions that came near zero: then there is a wall, and not a season that has yet to come."""


def keeps_off_zero(past: PastMetrics) -> bool:
    """Whether numbers that were never negative often came near zero: amounts do, temperatures before winter do not."""
    known = [
        (low, std)
        for one in past
        if isinstance(low := one.get("min"), float) and isinstance(std := one.get("std"), float)
    ]
    return bool(known) and sum(low <= NEAR * std for low, std in known) >= OFTEN * len(known)


@metric(Counts, SignShape, bound=Bound.CLT, scale=Scale.SHARE, words="share of zeros", extrapolation=SHARE)
def zero_ratio(counts: Counts, signs: SignShape) -> MetricValue:
    """Share of zeros among the finite values."""
    return when_any(counts, signs.count, lambda: signs.zeros / signs.count)


@metric(
    Counts,
    SignShape,
    bound=Bound.CLT,
    scale=Scale.SHARE,
    words="share of negative values",
    first_occurrence=FirstOccurrence(
        "are negative; in the past partitions none was, though many came near zero.", is_barred=keeps_off_zero
    ),
    extrapolation=SHARE,
)
def negative_ratio(counts: Counts, signs: SignShape) -> MetricValue:
    """Share of negative values among the finite ones."""
    return when_any(counts, signs.count, lambda: signs.negatives / signs.count)


@metric(
    Counts,
    SignShape,
    bound=Bound.CLT,
    scale=Scale.SHARE,
    words="share of whole numbers",
    extrapolation=SHARE_OF_NUMBERS,
)
def integer_ratio(counts: Counts, signs: SignShape) -> MetricValue:
    """Share of finite values without a fractional part."""
    return when_any(counts, signs.count, lambda: signs.whole / signs.count)


@metric(
    Counts,
    SignShape,
    bound=Bound.CLT,
    scale=Scale.SHARE,
    use=Use.NAMED,
    words="share of infinite values",
    first_occurrence=FirstOccurrence("are infinite; in the past partitions none was."),
    extrapolation=SHARE,
)
def infinite_ratio(counts: Counts, signs: SignShape) -> MetricValue:
    """Share of the values that are infinite; no other metric of numbers looks at these."""
    infinite = counts.pos_inf + counts.neg_inf
    return when_any(counts, signs.count + infinite, lambda: infinite / (signs.count + infinite))

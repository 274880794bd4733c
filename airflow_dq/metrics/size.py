"""How large values are that are not profiled further: bytes of binaries, elements of lists and maps."""

from __future__ import annotations

from airflow_dq.metrics.outcome import when_any
from airflow_dq.metrics.registry import Bound, MetricValue, Scale, metric
from airflow_dq.states.count import Counts
from airflow_dq.states.value_length import ValueLengths


@metric(Counts, ValueLengths, bound=Bound.CLT, scale=Scale.LENGTH)
def size_mean(counts: Counts, sizes: ValueLengths) -> MetricValue:
    """Average size: bytes of a binary, elements of a list or map, fields of a struct that are not null."""
    return when_any(counts, sizes.count, lambda: sizes.total / sizes.count)


@metric(Counts, ValueLengths, bound=Bound.CHEBYSHEV, calibrated=False)
def size_min(counts: Counts, sizes: ValueLengths) -> MetricValue:
    """Smallest size."""
    return when_any(counts, sizes.count, lambda: float(sizes.low))


@metric(Counts, ValueLengths, bound=Bound.CHEBYSHEV, calibrated=False)
def size_max(counts: Counts, sizes: ValueLengths) -> MetricValue:
    """Largest size."""
    return when_any(counts, sizes.count, lambda: float(sizes.high))

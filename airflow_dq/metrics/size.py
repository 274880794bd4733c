"""How large values are that are not profiled further: bytes of binaries, elements of lists and maps."""

from __future__ import annotations

from airflow_dq.metrics.descriptor import NOT_NEGATIVE, Bound, MetricValue, Scale, Unit, Use
from airflow_dq.metrics.outcome import when_any
from airflow_dq.metrics.registry import metric
from airflow_dq.states.base import Kind
from airflow_dq.states.count import Counts
from airflow_dq.states.value_length import ValueLengths

_ANY = frozenset(Kind)


@metric(
    Counts,
    ValueLengths,
    bound=Bound.CLT,
    scale=Scale.LENGTH,
    words="average size",
    unit=Unit.ELEMENTS,
    # No injected error changes how many elements a list has.
    always=_ANY,
)
def size_mean(counts: Counts, sizes: ValueLengths) -> MetricValue:
    """Average size: bytes of a binary, elements of a list or map, fields of a struct that are not null."""
    return when_any(counts, sizes.count, lambda: sizes.total / sizes.count)


@metric(
    Counts,
    ValueLengths,
    bound=Bound.CHEBYSHEV,
    use=Use.NAMED,
    words="smallest size",
    unit=Unit.ELEMENTS,
    natural_range=NOT_NEGATIVE,
)
def size_min(counts: Counts, sizes: ValueLengths) -> MetricValue:
    """Smallest size."""
    return when_any(counts, sizes.count, lambda: float(sizes.low))


@metric(
    Counts,
    ValueLengths,
    bound=Bound.CHEBYSHEV,
    use=Use.NAMED,
    words="largest size",
    unit=Unit.ELEMENTS,
    natural_range=NOT_NEGATIVE,
)
def size_max(counts: Counts, sizes: ValueLengths) -> MetricValue:
    """Largest size."""
    return when_any(counts, sizes.count, lambda: float(sizes.high))

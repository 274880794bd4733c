"""Size and spread of the numbers that a text column holds, where nearly all of its values read as one.

They have the names and the words of the same metrics of numbers: who writes a check, or reads an alarm, of a mean
need not know how the source types its columns.
"""

from __future__ import annotations

from collections.abc import Callable

from airflow_dq.metrics.descriptor import Bound, MetricValue, Reason, Scale, Unit
from airflow_dq.metrics.extrapolation import LARGEST, LEVEL, SMALLEST, WIDTH
from airflow_dq.metrics.outcome import when_any
from airflow_dq.metrics.registry import metric
from airflow_dq.states.count import Counts
from airflow_dq.states.text import TextShape
from airflow_dq.states.written import WrittenNumbers

NEARLY_ALL = 0.9
"""Of the values: a few may say that there is none, or hold a mistake.  Of fewer nothing is said: what is left out may
be what changed."""


def _when_numbers(counts: Counts, text: TextShape, written: WrittenNumbers, value: Callable[[], float]) -> MetricValue:
    if text.count > 0 and written.count < NEARLY_ALL * text.count:
        return Reason.NOT_APPLICABLE
    return when_any(counts, text.count, value)


@metric(
    Counts,
    TextShape,
    WrittenNumbers,
    bound=Bound.CHEBYSHEV,
    name="min",
    level=0.0,
    words="min",
    unit=Unit.COLUMN,
    extrapolation=SMALLEST,
)
def written_min(counts: Counts, text: TextShape, written: WrittenNumbers) -> MetricValue:
    """Smallest of the numbers that the strings read as, where nearly all do."""
    return _when_numbers(counts, text, written, lambda: written.low)


@metric(
    Counts,
    TextShape,
    WrittenNumbers,
    bound=Bound.CHEBYSHEV,
    name="max",
    level=1.0,
    words="max",
    unit=Unit.COLUMN,
    extrapolation=LARGEST,
)
def written_max(counts: Counts, text: TextShape, written: WrittenNumbers) -> MetricValue:
    """Largest of the numbers that the strings read as, where nearly all do."""
    return _when_numbers(counts, text, written, lambda: written.high)


@metric(
    Counts,
    TextShape,
    WrittenNumbers,
    bound=Bound.CLT,
    name="mean",
    words="mean",
    unit=Unit.COLUMN,
    always=WrittenNumbers.kinds,
    extrapolation=LEVEL,
)
def written_mean(counts: Counts, text: TextShape, written: WrittenNumbers) -> MetricValue:
    """Arithmetic mean of the numbers that the strings read as, where nearly all do."""
    return _when_numbers(counts, text, written, lambda: written.mean)


@metric(
    Counts,
    TextShape,
    WrittenNumbers,
    bound=Bound.CHEBYSHEV,
    name="std",
    scale=Scale.RATIO,
    words="standard deviation",
    unit=Unit.SPAN,
    always=WrittenNumbers.kinds,
    extrapolation=WIDTH,
)
def written_std(counts: Counts, text: TextShape, written: WrittenNumbers) -> MetricValue:
    """Standard deviation (of the partition, divided by n) of the numbers that the strings read as."""
    return _when_numbers(counts, text, written, lambda: written.std)

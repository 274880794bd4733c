"""Metrics of dates and timestamps that other numbers do not have."""

from __future__ import annotations

from airflow_dq.metrics.descriptor import Bound, MetricValue, Scale, Use
from airflow_dq.metrics.extrapolation import SHARE_OF_NUMBERS
from airflow_dq.metrics.outcome import when_any
from airflow_dq.metrics.registry import metric
from airflow_dq.states.count import Counts
from airflow_dq.states.midnight import ClockShape


@metric(
    Counts,
    ClockShape,
    bound=Bound.CLT,
    scale=Scale.SHARE,
    use=Use.NAMED,
    words="share of midnights",
    extrapolation=SHARE_OF_NUMBERS,
)
def midnight_ratio(counts: Counts, clock: ClockShape) -> MetricValue:
    """Share of the moments that are midnights in UTC: all of them for dates, hardly any for a clock's."""
    return when_any(counts, clock.count, lambda: clock.midnights / clock.count)

"""How much data there is, and how much of it is missing."""

from __future__ import annotations

from airflow_dq.metrics.registry import Bound, MetricValue, Reason, Scale, metric
from airflow_dq.states.count import Counts


@metric(Counts, bound=Bound.CLT, paper=True, scale=Scale.COUNT, min_effect=0.01)
def row_count(counts: Counts) -> MetricValue:
    """Number of rows; 0 is a count like any other."""
    return float(counts.rows)


@metric(Counts, bound=Bound.CLT, paper=True, scale=Scale.SHARE)
def complete_ratio(counts: Counts) -> MetricValue:
    """Share of rows whose value is present: not null, NaN or empty (an infinity is present)."""
    if counts.rows == 0:
        return Reason.EMPTY_BATCH
    return (counts.rows - counts.missing) / counts.rows

"""How much data there is, and how much of it is missing."""

from __future__ import annotations

from airflow_dq.metrics.descriptor import Bound, MetricValue, Reason, Scale, Support
from airflow_dq.metrics.extrapolation import ROWS, SHARE
from airflow_dq.metrics.registry import metric
from airflow_dq.states.base import Kind
from airflow_dq.states.count import Counts

_ANY = frozenset(Kind)


@metric(
    Counts,
    bound=Bound.CLT,
    paper=True,
    scale=Scale.COUNT,
    min_effect=0.01,
    words="number of rows",
    support=Support.ROWS,
    of_table=True,
    extrapolation=ROWS,
)
def row_count(counts: Counts) -> MetricValue:
    """Number of rows; 0 is a count like any other."""
    return float(counts.rows)


@metric(
    Counts,
    bound=Bound.CLT,
    paper=True,
    scale=Scale.SHARE,
    words="share of complete values",
    support=Support.ROWS,
    presence=True,
    # Injected errors lose values at random, real ones may lose them so that every other metric stays as it was.
    always=_ANY,
    extrapolation=SHARE,
)
def complete_ratio(counts: Counts) -> MetricValue:
    """Share of rows whose value is present: not null, NaN or empty (an infinity is present)."""
    if counts.rows == 0:
        return Reason.EMPTY_BATCH
    return (counts.rows - counts.missing) / counts.rows

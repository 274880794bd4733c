"""How much data there is, and how much of it is missing."""

from __future__ import annotations

from airflow_dq.metrics.descriptor import Bound, FirstOccurrence, MetricValue, Reason, Scale, Support, Use
from airflow_dq.metrics.extrapolation import ROWS, SHARE
from airflow_dq.metrics.registry import metric
from airflow_dq.states.base import Kind
from airflow_dq.states.count import Counts

_ANY = frozenset(Kind)
LEAST = 0.01
"""Least change of a share of empty texts or NaN that is an alarm: as for values of a sort never seen before."""


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
    return _of_rows(counts, counts.rows - counts.missing)


@metric(
    Counts,
    kinds=frozenset({Kind.STRING}),
    bound=Bound.CLT,
    scale=Scale.SHARE,
    min_effect=LEAST,
    use=Use.NAMED,
    words="share of empty texts",
    support=Support.ROWS,
    presence=True,
    first_occurrence=FirstOccurrence("are empty texts; in the past partitions none was."),
    extrapolation=SHARE,
)
def empty_ratio(counts: Counts) -> MetricValue:
    """Share of rows whose text is empty, which is not null: where one stands for the other, nothing else tells."""
    return _of_rows(counts, counts.empty)


@metric(
    Counts,
    kinds=frozenset({Kind.NUMERIC}),
    bound=Bound.CLT,
    scale=Scale.SHARE,
    min_effect=LEAST,
    use=Use.NAMED,
    words="share of NaN",
    support=Support.ROWS,
    presence=True,
    first_occurrence=FirstOccurrence("are NaN; in the past partitions none was."),
    extrapolation=SHARE,
)
def nan_ratio(counts: Counts) -> MetricValue:
    """Share of rows whose number is NaN, which is not null: where one stands for the other, nothing else tells."""
    return _of_rows(counts, counts.nans)


def _of_rows(counts: Counts, number: int) -> MetricValue:
    return number / counts.rows if counts.rows else Reason.EMPTY_BATCH

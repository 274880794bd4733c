"""Rows that are too many or too few, as a single column shows it: copies of some, or none after some time."""

from __future__ import annotations

import numpy as np

from airflow_dq.explain.cause.hypothesis import Cause, hypothesis, percent
from airflow_dq.explain.cause.presence import copies_of
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.wording import number_words
from airflow_dq.states.base import Kind

_UNIQUE = 0.999
"""A column in which no more values recur is taken for one that tells rows apart."""
_LEAST = 0.01
"""A smaller share of copies or of lost time has no cause worth a name."""
_FEWEST = 10
"""Fewer rows show no end of their own."""
_FULL = 0.9
"""Past partitions that reach at least so far into their day, as shares of the longest, are of one length."""


@hypothesis(Kind.STRING, Kind.NUMERIC)
def copies(comparison: Comparison) -> Cause | None:
    """Values that tell rows apart occur twice: some rows arrived again."""
    distinct, past = comparison.value("unique_ratio"), comparison.series("unique_ratio")
    if distinct is None or not len(past) or past.min() < _UNIQUE:
        return None
    values = comparison.present[0]
    again = round((1.0 - distinct) * values)
    rows, before = comparison.rows
    # With as many rows as before, they are in place of others, and no copies; that all came again is told elsewhere.
    if again < _LEAST * values or rows <= before or (copies_of(comparison) or 1) > 1:
        return None
    words, fact = f"{again:,} of {rows:,} rows are there more than once", f"has {again:,} of {rows:,} values twice"
    return Cause("volume_change", "copies", words, 1.0, fact=fact, rows=again)


@hypothesis(Kind.TIMESTAMP)
def ended_early(comparison: Comparison) -> Cause | None:
    """Nothing after some time, in a column whose partitions all cover one span after another."""
    lowest, highest = comparison.series("min"), comparison.series("max")
    low, high = comparison.value("min"), comparison.value("max")
    rows, before = comparison.rows
    if low is None or high is None or len(lowest) != len(highest) or len(lowest) < 2 or not _FEWEST <= rows < before:
        return None
    spans, step = highest - lowest, float(np.median(np.diff(lowest)))
    span = float(np.median(spans))
    if span <= 0.0 or spans.min() < _FULL * span or abs(low - float(lowest[-1]) - step) > (1.0 - _FULL) * span:
        return None
    gone = 1.0 - (high - low) / span
    usual = 1.0 - float(spans.min()) / span
    if gone < _LEAST + 2.0 * usual:
        return None
    missing = 1.0 - rows / before
    until = number_words("max", comparison.kind, [high])[0]
    words = f"nothing came after {until}: the last {percent(gone)} of the usual time"
    # As many rows are gone as time is, more or less: the day is not the same at every hour.
    return Cause("volume_change", "ended early", words, 1.0 - min(1.0, abs(missing - gone)))

"""One value in place of all: a default, a constant in the code, a field that is filled from a single row."""

from __future__ import annotations

from airflow_dq.explain.cause.hypothesis import Cause, hypothesis
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.wording import number_words, quoted
from airflow_dq.states.base import Kind

_SEVERAL = 5
"""Fewer values than this may all be one by chance."""
_BY_CHANCE = 1e-3
"""So few rows that all have one truth value with a larger chance than this say nothing."""


@hypothesis(Kind.STRING)
def one_text(comparison: Comparison) -> Cause | None:
    """Every string is the same, of a column that always had several."""
    values, past = comparison.values, comparison.series("dist_val_count")
    if values is None or not len(past) or past.min() <= 1.0 or not values[0].exact or len(values[0].all_shares) != 1:
        return None
    (value,) = values[0].all_shares
    return _stuck(comparison, "one and the same" if comparison.hidden else quoted(value))


@hypothesis(Kind.NUMERIC, Kind.TIMESTAMP)
def one_number(comparison: Comparison) -> Cause | None:
    """Every number or time is the same, of a column that always had several."""
    lowest, highest, past = comparison.value("min"), comparison.value("max"), comparison.series("range")
    # That all became zero is told by another hypothesis.
    if lowest is None or lowest != highest or not lowest or not len(past) or past.min() <= 0.0:
        return None
    return _stuck(comparison, number_words("min", comparison.kind, [lowest])[0])


@hypothesis(Kind.BOOLEAN)
def one_truth(comparison: Comparison) -> Cause | None:
    """Every row is true, or every row false, of a column that always had both."""
    now, past = comparison.value("true_ratio"), comparison.series("true_ratio")
    if now not in (0.0, 1.0) or not len(past) or not (past.min() > 0.0 and past.max() < 1.0):
        return None
    usual = float(past.max()) if now else 1.0 - float(past.min())
    by_chance = usual ** comparison.present[0] > _BY_CHANCE
    return None if by_chance else _stuck(comparison, "true" if now else "false")


def _stuck(comparison: Comparison, value: str) -> Cause | None:
    enough = comparison.present[0] >= _SEVERAL
    if not enough:
        return None
    fact, rows = f"is {value}", comparison.present[0]
    return Cause("stuck", value, f"every value is {value}", 1.0, fact=fact, rows=rows)

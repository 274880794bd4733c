"""One value that was never there, in many rows: a sentinel for what is missing, a text ``null``, a test's records."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar

from airflow_dq.explain.cause.hypothesis import Cause, hypothesis, percent
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.undo import other_than
from airflow_dq.explain.wording import number_words, quoted
from airflow_dq.states.base import Kind
from airflow_dq.states.number import NumberDistribution

Value = TypeVar("Value", str, float)

_LEAST = 0.01
"""A smaller share of the values has no cause worth a name."""
_TIMES = 3.0
"""So many times as frequent as any other value, now or before: it is not one of the column's many values."""
_NEWCOMERS = 5
"""With fewer other new values one cannot tell how frequent new ones are."""
_ABOVE = 10.0
"""So many times as frequent as any other new value: frequencies of values differ much, and the most frequent of fifty
is often three times as frequent as the next."""
_MOST = 0.9
"""A larger share leaves too little of the column to be told by: it is stuck."""
_NOTHING = frozenset(
    {"-", "--", "?", "\\n", "n/a", "na", "nan", "nil", "none", "null", "unknown", "undefined", "missing"}
)
"""Texts that stand for nothing, in lower case: of them any share that is new is one."""
_DEFAULTS = {
    name: datetime.fromisoformat(f"{name}T00:00:00+00:00").timestamp()
    for name in ("0001-01-01", "1899-12-30", "1900-01-01", "1970-01-01", "2099-12-31", "2999-12-31", "9999-12-31")
}
"""Days that stand for no day: where a calendar, a program or a person begins or ends to count."""
_UNIQUE = 0.95
"""With more different values than this, drawing others in place of one makes values occur twice that never did."""


@hypothesis(Kind.STRING, trust=0.98)
def new_text(comparison: Comparison) -> Cause | None:
    """A text that no row had before."""
    if comparison.hidden or comparison.values is None or not all(side.exact for side in comparison.values):
        return None
    now, before = (side.all_shares for side in comparison.values)
    found = _outstanding(now, before) or _standing_for_nothing(now, before) or _above_newcomers(comparison.new_values)
    return None if found is None else _cause(comparison, found, quoted(found), now[found])


@hypothesis(Kind.NUMERIC, trust=0.98)
def new_number(comparison: Comparison) -> Cause | None:
    """A number that no row had before; zeros are told apart."""
    states = comparison.states(NumberDistribution)
    if comparison.hidden or states is None or not all(state.sketch is None and state.total for state in states):
        return None
    now, before = (
        dict(zip(state.values.tolist(), (state.counts / state.total).tolist(), strict=True)) for state in states
    )
    found = _outstanding(now, before)
    if not found:
        return None
    return _cause(comparison, found, number_words("", Kind.NUMERIC, [found])[0], now[found])


@hypothesis(Kind.TIMESTAMP, trust=0.98)
def default_day(comparison: Comparison) -> Cause | None:
    """A day that stands for none, and that no row had before."""
    states = comparison.states(NumberDistribution)
    if comparison.hidden or states is None or not all(state.sketch is None and state.total for state in states):
        return None
    now, before = states
    for name, moment in _DEFAULTS.items():
        share = float(now.counts[now.values == moment].sum() / now.total)
        if share >= _LEAST and moment not in before.values:
            return _cause(comparison, moment, name, share)
    return None


def _standing_for_nothing(now: Mapping[str, float], before: Mapping[str, float]) -> str | None:
    """The most frequent new text that says that there is no value."""
    found = [one for one in now if one.strip().lower() in _NOTHING and one not in before and now[one] >= _LEAST]
    return max(found, key=lambda one: now[one], default=None)


def _above_newcomers(new: Mapping[str, float]) -> str | None:
    """Of a column that has new values every day, the new one that is far more frequent than all other new ones."""
    if len(new) <= _NEWCOMERS:
        return None
    first, second = list(new)[:2]
    return first if _LEAST <= new[first] <= _MOST and new[first] >= _ABOVE * new[second] else None


def _outstanding(now: Mapping[Value, float], before: Mapping[Value, float]) -> Value | None:
    """The new value that is far more frequent than all others; None without one."""
    value = max(now, key=lambda one: now[one], default=None)
    if value is None or value in before or not _LEAST <= now[value] <= _MOST:
        return None
    others = max((share for one, share in now.items() if one != value), default=0.0)
    return value if now[value] >= _TIMES * max(others, *before.values()) else None


def _cause(comparison: Comparison, value: str | float, shown: str, share: float) -> Cause:
    rows = round(share * comparison.present[0])
    return Cause(
        "placeholder",
        shown,
        f"{shown} in {percent(share)} of the values, which no row had before",
        1.0,
        undo=None if _is_unique(comparison) else other_than(value, share),
        fact=f"is {shown}",
        detail="never before",
        rows=rows,
        hit=rows,
    )


def _is_unique(comparison: Comparison) -> bool:
    return (comparison.value_before("dist_val_count") or 0.0) > _UNIQUE * comparison.present[1]

"""Header rows that were read as data: a column of texts holds its own name, and the others are null in as many rows."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_dq.explain.cause.hypothesis import Cause
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.wording import joined
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.count import Counts

_CLOSE = 0.1
"""Nulls that rose by so much more or less than there are header rows are of these rows: some are null every day."""
_FEW = 3
"""By so many they may differ anyway."""


def header_rows(profile: Profile, compared: Mapping[str, Comparison]) -> dict[str, Cause]:
    """The cause of the columns that header rows have got into; empty where none have.

    :param compared: the columns that something was found of
    """
    named = {name: count for name in profile.columns if (count := _own_name(profile, name))}
    if not named:
        return {}
    count = max(set(named.values()), key=list(named.values()).count)
    # A single text column may hold its name for another reason.
    texts = sum(column.kind is Kind.STRING for column in profile.columns.values())
    if list(named.values()).count(count) < min(2, texts):
        return {}
    holders = [name for name, times in named.items() if times == count and name in compared]
    hit = [name for name, comparison in compared.items() if name in holders or _lost(comparison, count)]
    if not holders:
        return {}
    rows = f"{count:,} row{'' if count == 1 else 's'}"
    example = f"{joined([name for name, times in named.items() if times == count])} hold their own names"
    words = f"the header was read as data in {rows}"
    cause = Cause("header", "", words, 1.0, fact=words, detail=example, rows=count, of_rows=True)
    return dict.fromkeys(hit, cause)


def _own_name(profile: Profile, name: str) -> int:
    """How many rows of a column of texts hold its name."""
    state = profile.columns[name].states.get(CategoryDistribution.key)
    if not isinstance(state, CategoryDistribution) or state.buckets is not None or profile.options.hides(name):
        return 0
    values = state.values.to_pylist()
    return int(state.counts[values.index(name)]) if name in values else 0


def _lost(comparison: Comparison, count: int) -> bool:
    """Whether as many more values are null as there are header rows."""
    states = comparison.states(Counts)
    if states is None or not states[1].rows:
        return False
    now, before = states
    risen = now.nulls - before.nulls / before.rows * (now.rows - count)
    return abs(risen - count) <= max(_FEW, _CLOSE * count)

"""The columns of one profile in a line each: what a person wants to know of a table first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from airflow_dq.explain.wording import number_words, quoted, share_words
from airflow_dq.learn.distribution import ValueShares
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.count import Counts
from airflow_dq.states.number import NumberDistribution

_MOST_VALUES = 3
"""Most frequent values that a line has room for."""
HEADS = ("COLUMN", "TYPE", "MISSING", "DISTINCT", "MIN", "MEDIAN", "MAX", "MOST FREQUENT")


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """One column; None for what its kind does not have, or what is hidden."""

    name: str
    type: str
    missing: str | None
    """Share of the rows without a value: null, NaN or the empty string."""
    distinct: int | None
    min: str | None
    median: str | None
    max: str | None
    frequent: str | None
    """The most frequent values with their shares."""
    remark: str | None

    @property
    def cells(self) -> tuple[object, ...]:
        """The fields under :data:`HEADS`."""
        return (self.name, self.type, self.missing, self.distinct, self.min, self.median, self.max, self.frequent)


def summaries(profile: Profile) -> list[ColumnSummary]:
    """All columns, in the table's order."""
    return [_summary(column, profile.options.hides(column.name)) for column in profile.columns.values()]


def _summary(column: ColumnProfile, hidden: bool) -> ColumnSummary:
    complete = column.metrics.get("complete_ratio")
    missing = None if complete is None or isinstance(complete, Reason) else share_words(1.0 - complete)
    low, middle, high = (_number(column, metric) for metric in ("min", "median", "max"))
    frequent = None if hidden else ", ".join(_frequent(column)) or None
    return ColumnSummary(
        column.name, column.data_type, missing, _distinct(column), low, middle, high, frequent, column.remark
    )


def _number(column: ColumnProfile, metric: str) -> str | None:
    value = column.metrics.get(metric)
    if value is None or isinstance(value, Reason):
        return None
    return number_words(metric, column.kind, [float(value)])[0]


def _distinct(column: ColumnProfile) -> int | None:
    for state_type in (NumberDistribution, CategoryDistribution):
        state = column.states.get(state_type.key)
        if isinstance(state, NumberDistribution | CategoryDistribution):
            return int(state.distinct)
    return None


def _frequent(column: ColumnProfile) -> Iterator[str]:
    state, counts = column.states.get(CategoryDistribution.key), column.states.get(Counts.key)
    if not isinstance(state, CategoryDistribution) or not isinstance(counts, Counts) or not state.total:
        return
    shares = ValueShares.of(state).shares
    if column.kind is Kind.STRING and shares and max(shares.values()) * state.total <= 1:
        return  # All values differ: none is frequent.
    for value, share in list(shares.items())[:_MOST_VALUES]:
        yield f"{quoted(value)} {share_words(share)}"

"""Columns that tell the date or the hour of their partition: their next value follows from it, not from past values.

A day of the month has grown by one for weeks, and is 1 tomorrow; a year has never changed, and changes at New Year.
Judged like other numbers they are false alarms that come every month, while yesterday's file, delivered again, has
nothing about it that is out of the ordinary but its date.  A partition of a week has seven days, and where a month
turns in it, two months.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, time
from typing import ClassVar

from airflow_dq.learn.constraint.base import Constraint, Detector, Finding, Learned, NotEvaluated, Scope, Skipped
from airflow_dq.learn.constraint.date_part import HOUR, PARTS, DatePart, Value, Values, part_words, shown, told_by
from airflow_dq.learn.constraint.schema import compatible
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.expect.violation import is_unknown
from airflow_dq.learn.history.calendar import Grain, grain_of, moments_of
from airflow_dq.learn.history.history import History
from airflow_dq.learn.history.timeline import moment_of
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import ColumnProfile
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution

DAYS = (0, -1, 1)
"""A column may tell the date of the key, of the day before (which the run was about), or of the day after."""
WEEK = 7
"""Days of a partition whose key names a week."""
OF_WEEKS = (0, -1, 1, -6, -7)
"""A key may be a week's first day, and the week begin on a Sunday where the key is a Monday; or it is its last day."""
MOST_VALUES = 2
"""Most values that a partition has of what turns in it: a week lies in two months, and never in three."""
FEWEST_TEXTS = 3
"""Values of strings are kept for the newest partitions only: this many partitions are enough."""
FEWEST_VALUES = 3
"""With at least this many different values a column agrees with the date for a reason, and not by chance."""


@dataclass(frozen=True, slots=True)
class DateColumn(Constraint):
    """The column's only value is what the partition's date foretells; of a week, each of its values what a day does."""

    family: ClassVar[str] = "date_column"

    kind: Kind
    parts: tuple[DatePart, ...]
    """Everything about its partitions' dates that the column's only value has been."""
    span: int
    """Days of a partition."""
    varied: bool
    """Whether it has changed often enough not to agree by chance; otherwise it explains a value and demands none."""
    past: tuple[tuple[str | None, str], ...]
    """Key and value, as it is shown, of past partitions, newest first: to say which one's rows these are."""
    partitions: int
    """Number of past partitions."""

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """Another single value than the date foretells; several values are for ranges to judge."""
        found = self._seen(partition)
        if isinstance(found, NotEvaluated):
            return found
        day, values = found
        if not self.varied:
            return self._not_evaluated("it has agreed with the date, but has varied too little", applies=False)
        if self._foretells(day, values):
            return None
        seen, part = shown(values, self.kind), self.parts[0]
        old = next((key for key, past in self.past if past == seen), None)
        return Finding(
            "date_column",
            self.scope,
            seen=seen,
            expected=f"{shown(told_by(part, self.kind, day, self.span), self.kind)}, {part_words(part, self.span)}",
            partitions=self.partitions,
            rows=partition.profile.row_count,
            cause=None if old is None else f"rows of {old}",
        )

    def vouches_for(self, partition: PartitionView) -> frozenset[str]:
        """The column, when its value is the one that the date foretells."""
        found = self._seen(partition)
        told = not isinstance(found, NotEvaluated) and self._foretells(*found)
        return frozenset(self.scope.columns) if told else frozenset()

    def _foretells(self, day: datetime, values: Values) -> bool:
        return any(values <= told_by(part, self.kind, day, self.span) for part in self.parts)

    def _seen(self, partition: PartitionView) -> tuple[datetime, Values] | NotEvaluated:
        """The partition's date and the column's values; or why there are no such two."""
        (name,) = self.scope.columns
        column, day = partition.column(name), moment_of(partition.profile.partition)
        if column is None:
            return self._not_evaluated("the column is missing in the partition")
        if not compatible(self.kind, column.kind):
            return self._not_evaluated(f"the column is {column.kind}, its history is {self.kind}")
        if column.kind is Kind.NULL or (values := _values(column, self.span)) is None:
            if not _values_known(column):
                return self._not_evaluated("its values are not known; profile the partition again")
            return self._not_evaluated("it has no values, or several different ones", applies=False)
        if day is None:
            return self._not_evaluated(f"the key {partition.profile.partition!r} tells no date")
        return day, values

    def _not_evaluated(self, reason: str, *, applies: bool = True) -> NotEvaluated:
        return NotEvaluated("date_column", self.scope, reason, applies=applies)


class DateColumnDetector(Detector):
    """Looks for columns that have told something about the date of every partition."""

    name: ClassVar[str] = "date column"

    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """One constraint for each such column."""
        found = date_columns(history, options)
        return Learned(tuple(found.values())) if found else Skipped("no column tells the date of its partition")


def date_columns(history: History, options: SynthesisOptions) -> dict[str, DateColumn]:
    """The columns that have told something about the date of every partition, by name.

    :param history: a value must be known in at least ``options.min_history`` partitions, of texts in
        :data:`FEWEST_TEXTS`
    """
    newest = history.newest
    names = [] if newest is None else [name for name in newest.columns if options.judges(name)]
    found = {name: _date_column(history, name, options.min_history) for name in names}
    return {name: constraint for name, constraint in found.items() if constraint is not None}


def _date_column(history: History, name: str, least: int) -> DateColumn | None:
    """None when the column holds several values, or what no part of the date explains."""
    newest = history.newest
    kind = Kind.NULL if newest is None else newest.columns[name].kind
    moments = moments_of(history.partitions)
    span = WEEK if moments is not None and grain_of(moments) is Grain.WEEK else 1
    most = 1 if span == 1 else MOST_VALUES
    told: list[tuple[str | None, datetime, Values]] = []
    for profile in reversed(history.profiles):
        found, day = profile.columns.get(name), moment_of(profile.partition)
        if found is None or found.kind is not kind or kind not in PARTS or day is None:
            return None
        values = _values(found, span)
        if values is not None:
            told.append((profile.partition, day, values))
        elif _is_known(found) or found.metrics.get("dist_val_count") not in (1.0, float(most)):
            return None
    if len(told) < (FEWEST_TEXTS if kind is Kind.STRING else least):
        return None
    hourly = any(day.time() != time.min for _, day, _ in told)
    names = [part for part in PARTS[kind] if hourly or part != HOUR]
    parts = tuple(
        part
        for part in (DatePart(part, days) for days in (DAYS if span == 1 else OF_WEEKS) for part in names)
        if all(values <= told_by(part, kind, day, span) for _, day, values in told)
    )
    if not parts:
        return None
    varied = len(frozenset().union(*(values for _, _, values in told))) >= FEWEST_VALUES
    past = tuple((key, shown(values, kind)) for key, _, values in told)
    return DateColumn(Scope((name,)), kind, parts, span, varied, past, len(history))


def _values(column: ColumnProfile, span: int) -> Values | None:
    """All values of a column, one of a day and up to two of several days; None: more, none, or they are not known."""
    only = only_value(column)
    if only is not None or span == 1:
        return None if only is None else frozenset((only,))
    if column.kind is Kind.STRING:
        state = column.states.get(CategoryDistribution.key)
        if not isinstance(state, CategoryDistribution) or len(state.values) != MOST_VALUES:
            return None
        return frozenset(map(str, state.values.to_pylist()))
    if column.kind is Kind.BOOLEAN:
        return None if is_unknown(column.metrics.get("true_ratio")) else frozenset((0.0, 1.0))
    numbers = [column.metrics.get(name) for name in ("unique_ratio", "complete_ratio", "row_count", "min", "max")]
    unique, complete, rows, low, high = (one if isinstance(one, float | int) else math.nan for one in numbers)
    two = abs(unique * complete * rows - MOST_VALUES) < 0.5  # False of what is not known
    return frozenset((float(low), float(high))) if two else None


def only_value(column: ColumnProfile) -> Value | None:
    """The one value that all values of a column are; None when there are several, none, or it is not known."""
    if column.kind is Kind.STRING:
        state = column.states.get(CategoryDistribution.key)
        if not isinstance(state, CategoryDistribution) or len(state.values) != 1:
            return None
        return str(state.values[0].as_py())
    if column.kind is Kind.BOOLEAN:
        share = column.metrics.get("true_ratio")
        return share if share in (0.0, 1.0) and isinstance(share, float) else None
    low, high = column.metrics.get("min"), column.metrics.get("max")
    return float(low) if low == high and isinstance(low, float | int) else None


def _values_known(column: ColumnProfile) -> bool:
    """Whether :func:`only_value` saw what the column holds."""
    if column.kind is Kind.NULL:
        return True
    if column.kind is Kind.STRING:
        return CategoryDistribution.key in column.states
    names = ("true_ratio",) if column.kind is Kind.BOOLEAN else ("min", "max")
    return not any(is_unknown(column.metrics.get(name)) for name in names)


def _is_known(column: ColumnProfile) -> bool:
    """Whether the column has values, and what they are is known."""
    complete = column.metrics.get("complete_ratio")
    kept = column.kind is not Kind.STRING or CategoryDistribution.key in column.states
    return kept and isinstance(complete, float) and complete > 0.0

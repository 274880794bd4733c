"""Columns that tell the date or the hour of their partition: their next value follows from it, not from past values.

A day of the month has grown by one for weeks, and is 1 tomorrow; a year has never changed, and changes at New Year.
Judged like other numbers they are false alarms that come every month, while yesterday's file, delivered again, has
nothing about it that is out of the ordinary but its date.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import ClassVar

from airflow_dq.learn.constraint.base import Constraint, Detector, Finding, Learned, NotEvaluated, Scope, Skipped
from airflow_dq.learn.constraint.schema import compatible
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.expect.violation import is_unknown
from airflow_dq.learn.history.history import History
from airflow_dq.learn.history.timeline import timestamp_of
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import ColumnProfile
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution

Value = float | str

DAYS = (0, -1, 1)
"""A column may tell the date of the key, of the day before (which the run was about), or of the day after."""
FEWEST_TEXTS = 3
"""Values of strings are kept for the newest partitions only: this many partitions are enough."""
FEWEST_VALUES = 3
"""With at least this many different values a column agrees with the date for a reason, and not by chance."""
_EPOCH = datetime(1970, 1, 1)

_HOUR = "hour"
"""The part that only keys with hours have."""
_NUMBERS: Mapping[str, Callable[[datetime], int]] = {
    "date as YYYYMMDD": lambda day: int(f"{day:%Y%m%d}"),
    "month as YYYYMM": lambda day: int(f"{day:%Y%m}"),
    "year": lambda day: day.year,
    "quarter": lambda day: (day.month + 2) // 3,
    "month": lambda day: day.month,
    "week": lambda day: day.isocalendar().week,
    "day of the year": lambda day: int(f"{day:%j}"),
    "day of the month": lambda day: day.day,
    "weekday (Monday is 0)": lambda day: day.weekday(),
    "weekday (Monday is 1)": lambda day: day.isoweekday(),
    "weekday (Sunday is 0)": lambda day: day.isoweekday() % 7,
    "weekday (Sunday is 1)": lambda day: day.isoweekday() % 7 + 1,
    "weekend": lambda day: int(day.isoweekday() > 5),
    "first day of a month": lambda day: int(day.day == 1),
    "last day of a month": lambda day: int((day + timedelta(1)).day == 1),
    _HOUR: lambda day: day.hour,
}
_TIMESTAMPS: Mapping[str, Callable[[datetime], datetime]] = {
    "date": lambda day: datetime.combine(day, time.min),
    "first day of the month": lambda day: datetime.combine(day.replace(day=1), time.min),
    _HOUR: lambda day: day,
}
_TEXTS: Mapping[str, str] = {
    f"date as {words}": pattern
    for words, pattern in {
        "YYYY-MM-DD": "%Y-%m-%d",
        "YYYYMMDD": "%Y%m%d",
        "YYYY/MM/DD": "%Y/%m/%d",
        "DD.MM.YYYY": "%d.%m.%Y",
        "DD/MM/YYYY": "%d/%m/%Y",
        "MM/DD/YYYY": "%m/%d/%Y",
        "DD-MM-YYYY": "%d-%m-%Y",
        "YYYY-MM-DD 00:00:00": "%Y-%m-%d 00:00:00",
        "YYYY-MM": "%Y-%m",
        "YYYYMM": "%Y%m",
    }.items()
} | {
    "year": "%Y",
    "month": "%m",
    "day of the month": "%d",
    "name of the weekday": "%A",
    "name of the month": "%B",
    _HOUR: "%H",
}
_OF_KIND: Mapping[Kind, Sequence[str]] = {
    Kind.NUMERIC: tuple(_NUMBERS),
    Kind.BOOLEAN: ("weekend", "first day of a month", "last day of a month"),
    Kind.TIMESTAMP: tuple(_TIMESTAMPS),
    Kind.STRING: tuple(_TEXTS),
}


@dataclass(frozen=True, slots=True)
class DatePart:
    """Something about its partition's date that a column has always told."""

    name: str
    """``year``, ``day of the month``, ``date as YYYY-MM-DD`` ..."""
    days: int
    """Which day's it is: this many after the one that the partition key names."""


@dataclass(frozen=True, slots=True)
class DateColumn(Constraint):
    """The column's only value is what the partition's date foretells."""

    family: ClassVar[str] = "date_column"

    kind: Kind
    parts: tuple[DatePart, ...]
    """Everything about its partitions' dates that the column's only value has been."""
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
        day, value = found
        if not self.varied:
            return self._not_evaluated("it has agreed with the date, but has varied too little", applies=False)
        if self._foretells(day, value):
            return None
        seen, part = _shown(value, self.kind), self.parts[0]
        old = next((key for key, past in self.past if past == seen), None)
        return Finding(
            "date_column",
            self.scope,
            seen=seen,
            expected=f"{_shown(_value(part, self.kind, day), self.kind)}, {part_words(part)}",
            partitions=self.partitions,
            rows=partition.profile.row_count,
            cause=None if old is None else f"rows of {old}",
        )

    def vouches_for(self, partition: PartitionView) -> frozenset[str]:
        """The column, when its value is the one that the date foretells."""
        found = self._seen(partition)
        told = not isinstance(found, NotEvaluated) and self._foretells(*found)
        return frozenset(self.scope.columns) if told else frozenset()

    def _foretells(self, day: datetime, value: Value) -> bool:
        return value in {_value(part, self.kind, day) for part in self.parts}

    def _seen(self, partition: PartitionView) -> tuple[datetime, Value] | NotEvaluated:
        """The partition's date and the column's only value; or why there are no such two."""
        (name,) = self.scope.columns
        column, day = partition.column(name), timestamp_of(partition.profile.partition)
        if column is None:
            return self._not_evaluated("the column is missing in the partition")
        if not compatible(self.kind, column.kind):
            return self._not_evaluated(f"the column is {column.kind}, its history is {self.kind}")
        if column.kind is Kind.NULL or (value := only_value(column)) is None:
            if not _values_known(column):
                return self._not_evaluated("its values are not known; profile the partition again")
            return self._not_evaluated("it has no values, or several different ones", applies=False)
        if day is None:
            return self._not_evaluated(f"the key {partition.profile.partition!r} tells no date")
        return day, value

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
    told: list[tuple[str | None, datetime, Value]] = []
    for profile in reversed(history.profiles):
        found, day = profile.columns.get(name), timestamp_of(profile.partition)
        if found is None or found.kind is not kind or kind not in _OF_KIND or day is None:
            return None
        value = only_value(found)
        if value is not None:
            told.append((profile.partition, day, value))
        elif _is_known(found) or found.metrics.get("dist_val_count") != 1.0:
            return None
    if len(told) < (FEWEST_TEXTS if kind is Kind.STRING else least):
        return None
    hourly = any(day.time() != time.min for _, day, _ in told)
    names = [part for part in _OF_KIND[kind] if hourly or part != _HOUR]
    parts = tuple(
        part
        for part in (DatePart(part, days) for days in DAYS for part in names)
        if all(_value(part, kind, day) == value for _, day, value in told)
    )
    if not parts:
        return None
    varied = len({value for _, _, value in told}) >= FEWEST_VALUES
    past = tuple((key, _shown(value, kind)) for key, _, value in told)
    return DateColumn(Scope((name,)), kind, parts, varied, past, len(history))


def part_words(part: DatePart) -> str:
    """``the day of the month of the partition``."""
    of = {0: "the partition", -1: "the day before", 1: "the day after"}
    return f"the {part.name} of {of[part.days]}"


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


def _value(part: DatePart, kind: Kind, day: datetime) -> Value:
    day += timedelta(part.days)
    if kind is Kind.STRING:
        return day.strftime(_TEXTS[part.name])
    if kind is Kind.TIMESTAMP:
        return (_TIMESTAMPS[part.name](day) - _EPOCH).total_seconds()
    return float(_NUMBERS[part.name](day))


def _shown(value: Value, kind: Kind) -> str:
    if isinstance(value, str):
        return repr(value)
    if kind is Kind.TIMESTAMP:
        return str(_EPOCH + timedelta(seconds=value)).removesuffix(" 00:00:00")
    return f"{value:.17g}"

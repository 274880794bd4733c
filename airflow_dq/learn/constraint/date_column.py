"""Columns that tell the date or the hour of their partition: their next value follows from it, not from past values.

A day of the month has grown by one for weeks, and is 1 tomorrow; a year has never changed, and changes at New Year.
Judged like other numbers they are false alarms that come every month, while yesterday's file, delivered again, has
nothing about it that is out of the ordinary but its date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, time, timedelta

from airflow_dq.explain.wording import quoted
from airflow_dq.learn.history.timeline import moment_of
from airflow_dq.learn.model import Alert, CalendarPart, ColumnProgram
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution

Value = float | str

DAYS = (0, -1, 1)
"""A column may tell the date of the key, of the day before (which the run was about), or of the day after."""
TEXTS = 3
"""Values of strings are kept for the newest partitions only: this many partitions are enough."""
VARIED = 3
"""With at least this many different values a column agrees with the date for a reason, and not by chance."""
_EPOCH = datetime(1970, 1, 1)

_HOURS = "hour"
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
    _HOURS: lambda day: day.hour,
}
_MOMENTS: Mapping[str, Callable[[datetime], datetime]] = {
    "date": lambda day: datetime.combine(day, time.min),
    "first day of the month": lambda day: datetime.combine(day.replace(day=1), time.min),
    _HOURS: lambda day: day,
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
    _HOURS: "%H",
}
_OF_KIND: Mapping[Kind, Sequence[str]] = {
    Kind.NUMERIC: tuple(_NUMBERS),
    Kind.BOOLEAN: ("weekend", "first day of a month", "last day of a month"),
    Kind.TIMESTAMP: tuple(_MOMENTS),
    Kind.STRING: tuple(_TEXTS),
}
_OF_DAY = {0: "the partition", -1: "the day before", 1: "the day after"}


def calendar_parts(history: Sequence[Profile], column: str, least: int) -> tuple[CalendarPart, ...]:
    """Everything about the partitions' dates that the column's only value has been throughout the history.

    :param history: profiles of past partitions, oldest first
    :param least: number of partitions in which the value must be known (of strings fewer, see :data:`TEXTS`)
    :return: nothing when the column holds several values, or what no part of the date explains
    """
    kind = history[-1].columns[column].kind
    told: list[tuple[datetime, Value]] = []
    for profile in reversed(history):
        found, day = profile.columns.get(column), moment_of(profile.partition)
        if found is None or found.kind is not kind or kind not in _OF_KIND or day is None:
            return ()
        value = only_value(found)
        if value is not None:
            told.append((day, value))
        elif _is_known(found) or found.metrics.get("dist_val_count") != 1.0:
            return ()
    if len(told) < (TEXTS if kind is Kind.STRING else least):
        return ()
    varied = len({value for _, value in told}) >= VARIED
    hourly = any(day.time() != time.min for day, _ in told)
    names = [name for name in _OF_KIND[kind] if hourly or name != _HOURS]
    parts = (CalendarPart(name, days, varied) for days in DAYS for name in names)
    return tuple(part for part in parts if all(_value(part, kind, day) == value for day, value in told))


def foretold(parts: Sequence[CalendarPart], column: ColumnProfile, partition: str | None) -> bool | None:
    """Whether the partition's date foretells a column's only value; None when the column has none, or several."""
    day, value = moment_of(partition), only_value(column)
    if not parts or day is None or value is None or column.kind not in _OF_KIND:
        return None
    return value in {_value(part, column.kind, day) for part in parts}


def calendar_alerts(
    programs: Mapping[str, ColumnProgram], profile: Profile, history: Sequence[Profile]
) -> Iterator[Alert]:
    """One alert for each column that has always told the partition's date and does not now."""
    for name, program in programs.items():
        column, parts = profile.columns.get(name), program.calendar
        if column is None or foretold(parts, column, profile.partition) is not False or not parts[0].varied:
            continue
        part, kind, day, seen = parts[0], column.kind, moment_of(profile.partition), only_value(column)
        assert day is not None, "without a date nothing is foretold"
        assert seen is not None, "nor of a column without a single value"
        message = (
            f"{name}: every value is {_shown(seen, kind)}; expected {_shown(_value(part, kind, day), kind)}, "
            f"{part_words(part)}, as in each of the {len(history)} past partitions."
        )
        dated = ((earlier.partition, moment_of(earlier.partition)) for earlier in reversed(history))
        old = next((key for key, its in dated if its is not None and _value(part, kind, its) == seen), None)
        cause = None if old is None else f"rows of {old}"
        yield Alert("calendar", name, message, kind=kind, cause=cause)


def part_words(part: CalendarPart) -> str:
    """``the day of the month of the partition``."""
    return f"the {part.name} of {_OF_DAY[part.days]}"


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


def _is_known(column: ColumnProfile) -> bool:
    """Whether the column has values, and what they are is known."""
    complete = column.metrics.get("complete_ratio")
    kept = column.kind is not Kind.STRING or CategoryDistribution.key in column.states
    return kept and isinstance(complete, float) and complete > 0.0


def _value(part: CalendarPart, kind: Kind, day: datetime) -> Value:
    day += timedelta(part.days)
    if kind is Kind.STRING:
        return day.strftime(_TEXTS[part.name])
    if kind is Kind.TIMESTAMP:
        return (_MOMENTS[part.name](day) - _EPOCH).total_seconds()
    return float(_NUMBERS[part.name](day))


def _shown(value: Value, kind: Kind) -> str:
    if isinstance(value, str):
        return quoted(value)
    if kind is Kind.TIMESTAMP:
        return str(_EPOCH + timedelta(seconds=value)).removesuffix(" 00:00:00")
    return f"{value:.17g}"

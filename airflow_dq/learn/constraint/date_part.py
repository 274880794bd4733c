"""What a date tells: its year, its month, its weekday, as numbers, texts and times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import partial

from airflow_dq.states.base import Kind

Value = float | str
Values = frozenset[Value]

_EPOCH = datetime(1970, 1, 1)

HOUR = "hour"
"""The part that only keys with hours have."""
_NUMBERS: Mapping[str, Callable[[datetime], int]] = {
    "date as YYYYMMDD": lambda day: int(f"{day:%Y%m%d}"),
    "month as YYYYMM": lambda day: int(f"{day:%Y%m}"),
    "date as YYMMDD": lambda day: int(f"{day:%y%m%d}"),
    "month as YYMM": lambda day: int(f"{day:%y%m}"),
    "year": lambda day: day.year,
    "year of two digits": lambda day: day.year % 100,
    "quarter": lambda day: (day.month + 2) // 3,
    "month": lambda day: day.month,
    "half of the year": lambda day: (day.month + 5) // 6,
    "season (winter is 0)": lambda day: day.month % 12 // 3,
    "season (winter is 1)": lambda day: day.month % 12 // 3 + 1,
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
    HOUR: lambda day: day.hour,
}
_TIMESTAMPS: Mapping[str, Callable[[datetime], datetime]] = {
    "date": lambda day: datetime.combine(day, time.min),
    "first day of the month": lambda day: datetime.combine(day.replace(day=1), time.min),
    HOUR: lambda day: day,
}
_SEASONS = ("winter", "spring", "summer", "autumn")
_FORMATS: Mapping[str, str] = {
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
        "YYMMDD": "%y%m%d",
        "YYMM": "%y%m",
        "YY": "%y",
        "YYYY-Www": "%G-W%V",
    }.items()
} | {
    "year": "%Y",
    "month": "%m",
    "day of the month": "%d",
    "name of the weekday": "%A",
    "name of the month": "%B",
    "short name of the month": "%b",
    HOUR: "%H",
}
_TEXTS: Mapping[str, Callable[[datetime], str]] = {
    **{name: partial(lambda pattern, day: day.strftime(pattern), pattern) for name, pattern in _FORMATS.items()},
    "quarter": lambda day: f"Q{(day.month + 2) // 3}",
    "quarter as YYYY-Qn": lambda day: f"{day.year}-Q{(day.month + 2) // 3}",
    "quarter as YYYYQn": lambda day: f"{day.year}Q{(day.month + 2) // 3}",
    "season": lambda day: _SEASONS[day.month % 12 // 3],
    "season, as Winter": lambda day: _SEASONS[day.month % 12 // 3].capitalize(),
}
PARTS: Mapping[Kind, Sequence[str]] = {
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
    """Which day's it is, or the first of its days': this many after the one that the partition key names."""


def part_words(part: DatePart, span: int = 1) -> str:
    """``the day of the month of the partition``, ``the month of a day of the partition``.

    :param span: days of a partition
    """
    if span > 1:
        return f"the {part.name} of a day of the partition"
    of = {0: "the partition", -1: "the day before", 1: "the day after"}
    return f"the {part.name} of {of[part.days]}"


def told_by(part: DatePart, kind: Kind, day: datetime, span: int) -> Values:
    """What the days of a partition tell."""
    return frozenset(_value(part, kind, day + timedelta(part.days + step)) for step in range(span))


def _value(part: DatePart, kind: Kind, day: datetime) -> Value:
    if kind is Kind.STRING:
        return _TEXTS[part.name](day)
    if kind is Kind.TIMESTAMP:
        return (_TIMESTAMPS[part.name](day) - _EPOCH).total_seconds()
    return float(_NUMBERS[part.name](day))


def shown(values: Values, kind: Kind) -> str:
    """``3``, ``'October' or 'November'``."""
    return " or ".join(_shown_value(value, kind) for value in sorted(values, key=str))


def _shown_value(value: Value, kind: Kind) -> str:
    if isinstance(value, str):
        return repr(value)
    if kind is Kind.TIMESTAMP:
        return str(_EPOCH + timedelta(seconds=value)).removesuffix(" 00:00:00")
    return f"{value:.17g}"

"""Places of the calendar that partitions come to again: the first of a month, its last working day, the end of a year.

A window of some thirty partitions knows the weekdays; what comes once a month it has seen once, or never.  From the
partition's key follows its place, and from the place when it was there before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from airflow_dq.learn.history.timeline import moment_of

_DAY = timedelta(days=1)
_WORKING = 5
"""Weekdays from Monday on that are working days."""
_ORDINALS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}

Unit = Literal["day", "working day", "week", "month", "date"]
Period = Literal["month", "quarter", "year"]
_MONTHS: dict[Period, int] = {"month": 1, "quarter": 3, "year": 12}
REACH: dict[Period, int] = {"month": 6, "quarter": 5, "year": 3}
"""How many times back a place is looked for: two are needed, three say what is usual there, and twice as many forgive
that some never came.  Each costs a gate the dozen partitions that it is compared with."""


class Grain(StrEnum):
    """How far apart partitions lie."""

    HOUR = "hour"
    """Several a day."""
    DAY = "day"
    WEEK = "week"
    MONTH = "month"


@dataclass(frozen=True, slots=True)
class Place:
    """A place in every month, quarter or year."""

    period: Period
    unit: Unit
    """``date``: a day of a year, by its month and day."""
    number: int
    """1: the first; -1: the last; of a ``date`` 100 times the month and the day."""
    time: str | None = None
    """Of tables with several partitions a day: the time, such as ``06:00``."""

    @property
    def is_edge(self) -> bool:
        """Whether it is a beginning or an end, where cycles of a month usually are."""
        return self.number in (1, -1) and (self.unit, self.period) != ("month", "year")

    @property
    def words(self) -> str:
        """``on the first of a month``, ``in the last week of a quarter``, ``on the 15th of a month at 06:00``."""
        at = "" if self.time is None else f" at {self.time}"
        if self.unit == "date":
            return f"on {self.number % 100} {date(2000, self.number // 100, 1):%B}{at}"
        if self.unit == "month" and self.period == "year":
            return f"in {date(2000, self.number, 1):%B}"
        which = {1: "first", -1: "last"}.get(self.number) or f"{self.number}{_ORDINALS.get(self.number, 'th')}"
        if self.unit == "day" and self.period == "month" and self.number > 0:
            return f"on the {which} of a month{at}"
        preposition = "in" if self.unit in ("week", "month") else "on"
        return f"{preposition} the {which} {self.unit} of a {self.period}{at}"

    def before(self, moment: datetime, times: int) -> datetime | None:
        """When it was there so many times before; None where that month has no such place."""
        months = 12 * moment.year + moment.month - 1 - times * _MONTHS[self.period]
        year, month = months // 12, months % 12 + 1
        day = self._day(year, month, moment) if year >= 1 else None
        return None if day is None else datetime(year, month, day, moment.hour, moment.minute)

    def _day(self, year: int, month: int, moment: datetime) -> int | None:
        last = _days_in(year, month)
        if self.unit == "day" and self.number < 0:
            return last
        if self.unit == "working day":
            days = [day for day in range(1, last + 1) if date(year, month, day).weekday() < _WORKING]
            return days[0] if self.number == 1 else days[-1]
        if self.unit == "week":
            days = [day for day in range(1, last + 1) if date(year, month, day).weekday() == moment.weekday()]
            return days[0] if self.number == 1 else days[-1]
        if self.unit == "month":
            # The day that stands for the month.
            return min(moment.day, last)
        return moment.day if moment.day <= last else None


def moments_of(keys: Sequence[str | None]) -> list[datetime] | None:
    """When partitions begin, oldest first; None unless every key says so and each is later than the one before."""
    found = [moment_of(key) for key in keys]
    moments = [moment for moment in found if moment is not None]
    if not moments or len(moments) < len(found) or any(later <= earlier for earlier, later in pairwise(moments)):
        return None
    return moments


def grain_of(moments: Sequence[datetime]) -> Grain | None:
    """How far apart partitions lie; None where that is no step of a calendar, or nothing is known of it."""
    steps = [later - earlier for earlier, later in pairwise(moments)]
    if not steps:
        return None
    step = min(steps)
    if step < _DAY:
        return Grain.HOUR
    if any(one % _DAY for one in steps):
        return None
    if step < 7 * _DAY:
        return Grain.DAY
    if step == 7 * _DAY:
        return Grain.WEEK if all(one % step == timedelta() for one in steps) else None
    return Grain.MONTH if step in (28 * _DAY, 29 * _DAY, 30 * _DAY, 31 * _DAY) else None


@lru_cache(maxsize=4096)
def places_of(moment: datetime, grain: Grain) -> tuple[Place, ...]:
    """The places of a partition, from those that come most often on."""
    day, last = moment.date(), _days_in(moment.year, moment.month)
    if grain is Grain.MONTH:
        third = (moment.month - 1) % 3
        edges = {0: 1, 2: -1}
        found = [Place("quarter", "month", edges[third])] if third in edges else []
        return (*found, Place("year", "month", moment.month))
    if grain is Grain.WEEK:
        return tuple(_edges("week", first=day.day <= 7, last=day.day > last - 7, month=day.month))
    found = [*_edges("day", first=day.day == 1, last=day.day == last, month=day.month)]
    if day.weekday() < _WORKING:
        working = [one for one in range(1, last + 1) if day.replace(day=one).weekday() < _WORKING]
        first, end = day.day == working[0], day.day == working[-1]
        found += _edges("working day", first=first, last=end, month=day.month)
    if day.day != 1:
        found.append(Place("month", "day", day.day))
    found.append(Place("year", "date", 100 * day.month + day.day))
    found.sort(key=lambda place: _MONTHS[place.period])
    time = f"{moment:%H:%M}" if grain is Grain.HOUR else None
    return tuple(replace(place, time=time) for place in found)


def _edges(unit: Unit, *, first: bool, last: bool, month: int) -> list[Place]:
    """The beginnings and ends that a day of a month is."""
    found = []
    periods: tuple[Period, ...] = ("month", "quarter", "year")
    for period in periods:
        step = _MONTHS[period]
        if first and (month - 1) % step == 0:
            found.append(Place(period, unit, 1))
        if last and month % step == 0:
            found.append(Place(period, unit, -1))
    return found


def _days_in(year: int, month: int) -> int:
    following = date(year + month // 12, month % 12 + 1, 1) if year < 9999 or month < 12 else date(9999, 12, 31)
    return (following - _DAY).day if (year, month) != (9999, 12) else 31

"""Where partitions lie in time: one that failed or never came leaves a gap, and what follows is not its neighbour.

A history lies on *slots*, one for each partition that was due.  The weekly cycle of a table is then found at the same
weekday also behind a gap, and what grows by a day's worth each day has grown by two across one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import lru_cache, partial
from itertools import pairwise

import numpy as np

from airflow_dq.learn.array import BoolArray, FloatArray

WEEK = 7
"""Days in a week."""
YEAR = 12
"""Months in a year."""
TWICE = 2
"""A weekday that could have come this often and never did is a day on which no partition is due."""
_DATE = r"(?<!\d)(\d{4})(?:-(\d\d)-(\d\d)|(\d\d)(\d\d))(?!\d)"
_KEY = re.compile(rf"{_DATE}(?:(?:[T ]|[-_/](?:\w+=)?(?=\d\d(?:[-:]?\d\d)?\Z))(\d\d)(?:[-:]?(\d\d))?)?")
_COMPACT_HOUR = re.compile(r"((?:19|20)\d{6})(\d\d(?:\d\d)?)")
"""``2026021506``: only as a whole key and of these centuries, for a moment in seconds is a number of ten digits too."""
_MONTH = re.compile(r"(?<!\d)(\d{4})-(\d\d)(?![\d-])")
_ISO_WEEK = re.compile(r"(?<!\d)(\d{4})-?W(\d\d)(?!\d)")
_OFFSET = re.compile(r"[T ]\d\d(?::?\d\d){0,2}(?:\.\d+)?(?:Z|([+-])(\d\d):?(\d\d)?)$")
_NUMBER = re.compile(r"\d{1,9}")
_DAY = 24 * 60
"""Minutes in a day."""
_SHORTEST_MONTH = 28 * _DAY
"""Minutes in the shortest month: keys that are never closer than this are months."""

_Slot = Callable[[int], int]
"""From where a key lies in time, in minutes, or from its number, to a slot."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The slots of a history's partitions, oldest first."""

    slots: tuple[int, ...]
    """Strictly increasing."""
    week: int = WEEK
    """Slots of a cycle: until the same weekday, of several partitions a day the same hour, or of months the same month
    comes again; seven partitions where there is none of these."""
    _slot: _Slot | None = field(default=None, compare=False, repr=False)
    _dated: bool = field(default=False, compare=False, repr=False)

    @classmethod
    def of(cls, keys: Sequence[str | None]) -> Timeline:
        """The slots of partitions by their keys: one after the other where these are no dates or numbers in rhythm."""
        return _timeline(tuple(keys))

    @classmethod
    def consecutive(cls, count: int) -> Timeline:
        """Partitions that simply follow each other."""
        return cls(tuple(range(count)))

    def of_places(self, places: Sequence[int]) -> Timeline:
        """The same of some of the partitions, by their places, oldest first."""
        return replace(self, slots=tuple(self.slots[place] for place in places))

    def steps_to(self, key: str | None = None) -> tuple[int, ...]:
        """How many slots each partition lies before the one with this key, or before the next one that is due."""
        last = self.slots[-1] if self.slots else -1
        dated, place = _place(key) or (not self._dated, 0)
        here = last + 1 if self._slot is None or dated is not self._dated else max(last + 1, self._slot(place))
        return tuple(here - slot for slot in self.slots)

    def across_gap(self, count: int) -> BoolArray:
        """Which of the newest partitions do not lie right behind the one before; the very first one does."""
        return np.diff(np.array(self.slots), prepend=self.slots[0] - 1)[len(self.slots) - count :] > 1

    def spread(self, values: FloatArray) -> FloatArray:
        """The values of the newest partitions on their slots; NaN in slots without a partition."""
        if not len(values):
            return values
        slots = np.array(self.slots[-len(values) :])
        placed = np.full(slots[-1] - slots[0] + 1, np.nan)
        placed[slots - slots[0]] = values
        return placed


def timestamp_of(partition: str | None) -> datetime | None:
    """The date, and hour if any, that a key names; or None.

    ``2026-02-15``, ``20260215``, ``day=2026-02-15T06``, ``2026-02-15-06``, ``2026-02-15/hour=06``, ``2026021506``.
    """
    compact = _COMPACT_HOUR.fullmatch(partition or "")
    found = _KEY.search(partition or "" if compact is None else "T".join(compact.groups()))
    if found is None:
        return None
    year, month, day, hour, minute = ([int(part) for part in found.groups() if part is not None] + [0, 0])[:5]
    try:
        return datetime(year, month, day, hour, minute)
    except ValueError:
        return None


@lru_cache(maxsize=16_384)
def moment_of(key: str | None) -> datetime | None:
    """When a partition begins by its key: a date, an hour, a month (``2024-05``) or a week (``2024-W07``); or None."""
    found = timestamp_of(key)
    if found is not None or key is None:
        return found
    try:
        if week := _ISO_WEEK.search(key):
            return datetime.combine(date.fromisocalendar(int(week[1]), int(week[2]), 1), datetime.min.time())
        month = _MONTH.search(key)
        return None if month is None else datetime(int(month[1]), int(month[2]), 1)
    except ValueError:
        return None


def offset_of(key: str | None) -> int | None:
    """Minutes that the local time of a key lies ahead of UTC; None when it does not say."""
    found = _OFFSET.search(key or "")
    if found is None:
        return None
    sign, hours, minutes = found.groups(default="0")
    ahead = 60 * int(hours) + int(minutes)
    return -ahead if sign == "-" else ahead


def _place(key: str | None) -> tuple[bool, int] | None:
    """Whether a key is dated, and its minutes in the calendar, or its number."""
    found = moment_of(key)
    if found is not None:
        # An hour that comes twice has two offsets: the moment tells its keys apart, and the clock on the wall does not.
        return True, found.toordinal() * _DAY + found.hour * 60 + found.minute - (offset_of(key) or 0)
    return (False, int(key)) if key is not None and _NUMBER.fullmatch(key) else None


@lru_cache(maxsize=256)
def _timeline(keys: tuple[str | None, ...]) -> Timeline:
    found = [place for key in keys if (place := _place(key)) is not None]
    places = [place for _, place in found]
    steps = [later - earlier for earlier, later in pairwise(places)]
    if len(found) < len(keys) or len({dated for dated, _ in found}) != 1 or not steps or min(steps) < 1:
        return Timeline.consecutive(len(keys))
    dated = found[0][0]
    slot, week = _rhythm(places, min(steps)) if dated else (partial(_every, places[0], min(steps)), WEEK)
    slots = tuple(slot(place) for place in places)
    # With more gaps than partitions, or two in one slot, there is no such rhythm.
    if slots[-1] >= 2 * len(slots) or len(set(slots)) < len(slots):
        return Timeline.consecutive(len(keys))
    return Timeline(slots, week, slot, dated)


def _rhythm(places: Sequence[int], step: int) -> tuple[_Slot, int]:
    """The slot of a timestamp, and how many slots make a week, a day, or of months a year."""
    first = places[0]
    if any((place - first) % _DAY for place in places):
        return partial(_every, first, step), WEEK if _DAY % step else _DAY // step
    days = [date.fromordinal(place // _DAY) for place in places]
    if step == _DAY:
        could = [date.fromordinal(day).weekday() for day in range(days[0].toordinal(), days[-1].toordinal() + 1)]
        came = {day.weekday() for day in days}
        due = frozenset(weekday for weekday in range(WEEK) if weekday in came or could.count(weekday) < TWICE)
        return partial(_due_until, due, days[0].toordinal()), len(due)
    if step >= _SHORTEST_MONTH and len({day.day for day in days}) == 1:
        return partial(_months, days[0]), YEAR
    return partial(_every, first, step), WEEK


def _every(first: int, step: int, place: int) -> int:
    return (place - first) // step


def _months(first: date, place: int) -> int:
    day = date.fromordinal(place // _DAY)
    return 12 * (day.year - first.year) + day.month - first.month


def _due_until(due: frozenset[int], first: int, place: int) -> int:
    """Number of due days after the first one, up to that of a timestamp."""
    weeks, rest = divmod(place // _DAY - first, WEEK)
    weekday = date.fromordinal(first).weekday()
    return weeks * len(due) + sum((weekday + i) % WEEK in due for i in range(1, rest + 1))

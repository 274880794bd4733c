"""Where partitions lie in time: one that failed or never came leaves a gap, and what follows is not its neighbour.

A history lies on *slots*, one for each partition that was due.  The weekly cycle of a table is then found at the same
weekday also behind a gap, and what grows by a day's worth each day has grown by two across one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache, partial
from itertools import pairwise

import numpy as np

from airflow_dq.program.array import BoolArray, FloatArray

WEEK = 7
TWICE = 2
"""A weekday that could have come so often and never did is a day on which no partition is due."""
_KEY = re.compile(r"(?<!\d)(\d{4})(?:-(\d\d)-(\d\d)|(\d\d)(\d\d))(?!\d)")
_SHORTEST_MONTH = 28

_NUMBER = re.compile(r"\d{1,9}")

_Slot = Callable[[int], int]
"""From where a key lies in time, a day or its number, to a slot."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The slots of a history's partitions, oldest first."""

    slots: tuple[int, ...]
    """Strictly increasing."""
    week: int = WEEK
    """Slots until the same weekday comes again; seven partitions where there are no weekdays."""
    _slot: _Slot | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, keys: Sequence[str | None]) -> Timeline:
        """The slots of partitions by their keys: one after the other where these are no dates or numbers in rhythm."""
        return _timeline(tuple(keys))

    @classmethod
    def plain(cls, count: int) -> Timeline:
        """Partitions that simply follow each other."""
        return cls(tuple(range(count)))

    def tail(self, count: int) -> Timeline:
        """The same of the newest partitions."""
        return replace(self, slots=self.slots[len(self.slots) - count :])

    def steps_to(self, key: str | None = None) -> tuple[int, ...]:
        """How many slots each partition lies before the one with this key, or before the next one that is due."""
        last = self.slots[-1] if self.slots else -1
        place = _place(key)
        here = last + 1 if self._slot is None or place is None else max(last + 1, self._slot(place))
        return tuple(here - slot for slot in self.slots)

    def far(self, count: int) -> BoolArray:
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


def date_of(partition: str | None) -> date | None:
    """The date that a partition key names (``2026-02-15``, ``20260215``, ``day=2026-02-15T06``); None without one."""
    found = _KEY.search(partition or "")
    if found is None:
        return None
    year, month, day = (int(part) for part in found.groups() if part is not None)
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _place(key: str | None) -> int | None:
    """The day of a key in the calendar, or its number."""
    day = date_of(key)
    if day is not None:
        return day.toordinal()
    return int(key) if key is not None and _NUMBER.fullmatch(key) else None


@lru_cache(maxsize=256)
def _timeline(keys: tuple[str | None, ...]) -> Timeline:
    places = [place for key in keys if (place := _place(key)) is not None]
    steps = [later - earlier for earlier, later in pairwise(places)]
    if len(places) < len(keys) or not steps or min(steps) < 1:
        return Timeline.plain(len(keys))
    days = [day for key in keys if (day := date_of(key)) is not None]
    if 0 < len(days) < len(keys):
        return Timeline.plain(len(keys))
    slot, week = _rhythm(days, min(steps)) if days else (partial(_every, places[0], min(steps)), WEEK)
    slots = tuple(slot(place) for place in places)
    # With more gaps than partitions, or two in one slot, there is no such rhythm.
    if slots[-1] >= 2 * len(slots) or len(set(slots)) < len(slots):
        return Timeline.plain(len(keys))
    return Timeline(slots, week, slot)


def _rhythm(days: Sequence[date], step: int) -> tuple[_Slot, int]:
    """The slot of a day, and how many slots make a week."""
    first = days[0].toordinal()
    if step == 1:
        could = [date.fromordinal(day).weekday() for day in range(first, days[-1].toordinal() + 1)]
        came = {day.weekday() for day in days}
        due = frozenset(weekday for weekday in range(WEEK) if weekday in came or could.count(weekday) < TWICE)
        return partial(_due_until, due, first), len(due)
    if step >= _SHORTEST_MONTH and len({day.day for day in days}) == 1:
        return partial(_months, days[0]), WEEK
    return partial(_every, first, step), WEEK


def _every(first: int, step: int, place: int) -> int:
    return (place - first) // step


def _months(first: date, place: int) -> int:
    day = date.fromordinal(place)
    return 12 * (day.year - first.year) + day.month - first.month


def _due_until(due: frozenset[int], first: int, place: int) -> int:
    """Number of due days after the first one, up to a day."""
    weeks, rest = divmod(place - first, WEEK)
    weekday = date.fromordinal(first).weekday()
    return weeks * len(due) + sum((weekday + i) % WEEK in due for i in range(1, rest + 1))

"""When a simulated table's partitions come and how many rows they have: seasons, growth, holidays, promotions, gaps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

Generator = np.random.Generator

HOLIDAYS = frozenset({(1, 1), (1, 6), (5, 1), (7, 4), (8, 15), (11, 1), (12, 24), (12, 25), (12, 26), (12, 31)})
"""(month, day) of days on which some tables have fewer rows."""
PROMOTION = 2.4
"""On a promotion day a table has so many times its usual rows."""
LATE = 0.05
"""Share of a late day's rows that arrive with the next partition."""
WEEKS: dict[str, tuple[float, ...]] = {
    "flat": (1.0,) * 7,
    "quiet weekend": (1.0, 1.02, 1.05, 1.0, 0.97, 0.7, 0.6),
    "busy weekend": (0.9, 0.9, 0.95, 1.0, 1.1, 1.5, 1.35),
    "thin Sunday": (1.0, 1.0, 1.0, 1.0, 1.0, 0.9, 0.047),
    "business days": (1.0, 0.95, 0.95, 1.0, 1.05, 0.0, 0.0),
}
"""By name: rows from Monday to Sunday relative to an ordinary day; 0: no partition is due."""
_WEEK_ODDS = (0.35, 0.3, 0.13, 0.1, 0.12)
_THIN_FROM = 1_000.0
"""A table with a thin Sunday has at least so many rows on other days: 50 are then left."""


@dataclass(frozen=True, slots=True)
class Day:
    """One partition: when, how many rows, and what was special about it."""

    key: str
    date: date
    number: int
    """Days since the first one; those without a partition count."""
    rows: int
    before: int
    """Rows of all partitions before it: where growing ids begin."""
    late: int = 0
    """How many of its rows are of the day before."""
    events: frozenset[str] = frozenset()
    """Of ``holiday``, ``promotion``, ``month end``, ``late``, ``after gap``: nobody is woken for them."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """What decides how many rows a day has."""

    rows: float
    week: str
    growth: float
    """Share by which a table grows from day to day."""
    yearly: float
    """Half the height of the yearly wave, relative to the level."""
    noise: float
    """Standard deviation of the logarithm of a day's rows, beyond the Poisson noise."""
    holiday: float
    """Rows on a holiday relative to an ordinary day; 1: the table knows none."""
    month_end: float
    """Rows on the last day of a month, likewise."""
    promotions: float
    """Share of the days that are promotion days."""
    missing: float
    """Share of the due days that never come."""
    late: float
    """Share of the days a part of whose rows arrives with the next one."""

    @classmethod
    def draw(cls, rng: Generator, most: float) -> Calendar:
        """A calendar as tables have them: most are plain in most ways.

        :param most: most rows of an ordinary day
        """
        week = str(rng.choice(list(WEEKS), p=_WEEK_ODDS))
        rows = float(np.exp(rng.uniform(math.log(min(300.0, most)), math.log(max(301.0, most)))))
        return cls(
            rows=max(rows, _THIN_FROM) if week == "thin Sunday" else rows,
            week=week,
            growth=float(rng.choice([0.0, 0.0, 0.001, 0.003, 0.006])),
            yearly=float(rng.choice([0.0, 0.1, 0.3])),
            noise=float(rng.choice([0.0, 0.01, 0.03, 0.08, 0.15])),
            holiday=float(rng.choice([1.0, 0.8, 0.4])),
            month_end=float(rng.choice([1.0, 1.0, 1.0, 1.3, 1.8])),
            promotions=float(rng.choice([0.0, 0.0, 0.0, 0.02])),
            missing=float(rng.choice([0.0, 0.0, 0.01, 0.04])),
            late=float(rng.choice([0.0, 0.0, 0.0, 0.02])),
        )

    def days(self, rng: Generator, first: date, count: int) -> list[Day]:
        """So many partitions from a date on."""
        found: list[Day] = []
        phase, offset, total, late, gap = rng.uniform(0, 2 * math.pi), 0, 0, 0, False
        while len(found) < count:
            today = first + timedelta(days=offset)
            level, events = self._level(rng, today, offset, phase)
            due = WEEKS[self.week][today.weekday()] > 0.0
            if not due or rng.random() < self.missing:
                gap |= due
                offset += 1
                continue
            if gap:
                events.add("after gap")
            rows = max(2, int(rng.poisson(level)))
            kept = rows
            if rng.random() < self.late:
                events.add("late")
                kept = rows - round(LATE * rows)
            if late:
                events.add("late")
            day = Day(today.isoformat(), today, offset, kept + late, total, late, frozenset(events))
            found.append(day)
            total, late, gap, offset = total + day.rows, rows - kept, False, offset + 1
        return found

    def _level(self, rng: Generator, today: date, offset: int, phase: float) -> tuple[float, set[str]]:
        """Expected rows of a day, and what is special about it."""
        events = set()
        level = self.rows * WEEKS[self.week][today.weekday()] * (1 + self.growth) ** offset
        level *= 1 + self.yearly * math.sin(phase + 2 * math.pi * offset / 365.25)
        level *= math.exp(rng.normal(0.0, 1.0) * self.noise)
        if (today.month, today.day) in HOLIDAYS and self.holiday != 1.0:
            level *= self.holiday
            events.add("holiday")
        if (today + timedelta(days=1)).day == 1 and self.month_end != 1.0:
            level *= self.month_end
            events.add("month end")
        if rng.random() < self.promotions:
            level *= PROMOTION
            events.add("promotion")
        return level, events

"""Recurring tables that nobody has seen before, each drawn from one number.

Seeds 0 to 99 are there to tune on.  Seeds from 1000 on are looked at only to judge what was tuned: whoever looks at a
single one of them, to see why it alarms, has to report on others from then on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import pyarrow as pa

from tests.benchmark.simulated.calendar import Calendar, Day
from tests.benchmark.simulated.column import MAKERS, Values, optional, thinned

TUNING, HELD_OUT = range(100), range(1000, 2000)
"""Seeds to tune on, and seeds that are not looked at while tuning."""
CELLS = 24_000
"""Rows times columns of an ordinary day at most: what two months of it cost stays within seconds."""
LEAST_ROWS, MOST_ROWS = 300, 3_000
LEAST_COLUMNS, MOST_COLUMNS = 5, 80


@dataclass(frozen=True)
class SimulatedTable:
    """One recurring table."""

    seed: int
    calendar: Calendar
    days: tuple[Day, ...]
    """Oldest first."""
    columns: Mapping[str, Values]
    """By name, which begins with the kind."""

    @classmethod
    def draw(cls, seed: int, days: int) -> SimulatedTable:
        """The table with this number; with more days the same table goes on for longer."""
        rng = np.random.default_rng([seed, 0])
        width = int(np.exp(rng.uniform(np.log(LEAST_COLUMNS), np.log(MOST_COLUMNS + 1))))
        most = min(MOST_ROWS, max(LEAST_ROWS, CELLS / width))
        calendar = Calendar.draw(rng, most)
        first = date(2022, 1, 1) + timedelta(days=int(rng.integers(0, 900)))
        columns = _columns(rng, width)
        coming = calendar.days(np.random.default_rng([seed, 1]), first, days)
        return cls(seed, calendar, tuple(coming), columns)

    @property
    def name(self) -> str:
        """What it is called in a report."""
        return f"simulated {self.seed}"

    def partition(self, number: int) -> pa.Table:
        """The rows of one day, the same whenever they are asked for."""
        day = self.days[number]
        found = {}
        for place, (name, values) in enumerate(self.columns.items()):
            drawn = values(np.random.default_rng([self.seed, 2 + day.number, place]), day)
            if drawn is not None:
                found[name] = drawn
        return pa.table(found)


def _columns(rng: np.random.Generator, width: int) -> dict[str, Values]:
    """So many columns: one in four has missing values, and of one table in four one in twelve is optional."""
    weights = np.array([weight for weight, _ in MAKERS.values()])
    kinds = rng.choice(list(MAKERS), width, p=weights / weights.sum()).tolist()
    loose = rng.random() < 0.25
    columns: dict[str, Values] = {}
    for place, kind in enumerate(kinds):
        values = MAKERS[kind][1](rng)
        name = f"{kind.replace(' ', '_')}_{place}"
        if rng.random() < 0.25:
            values, name = thinned(rng, values), f"{name}_null"
        if rng.random() < 1 / 12 and loose:
            values, name = optional(rng, values), f"{name}_opt"
        columns[name] = values
    return columns

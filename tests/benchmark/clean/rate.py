"""Shares of alarmed partitions with what is known about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from statsmodels.stats.proportion import proportion_confint

from tests.benchmark.clean.replay import Judged

RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Rate:
    """So many of so many partitions alarmed."""

    alarms: int
    judged: int

    @property
    def share(self) -> float:
        """The share; 0 where none was judged."""
        return self.alarms / self.judged if self.judged else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Its exact 95 % interval (Clopper and Pearson), as if partitions were independent."""
        if not self.judged:
            return 0.0, 1.0
        low, high = proportion_confint(self.alarms, self.judged, alpha=0.05, method="beta")
        return float(low), float(high)

    def keeps(self, target: float) -> bool:
        """Whether the claim lies within the interval or above it."""
        return self.interval[0] <= target

    def __str__(self) -> str:
        """As ``3 of 400 (0.75 %, 0.15-2.18 %)``."""
        low, high = self.interval
        share = f"{100 * self.share:.2f} %, {100 * low:.2f}-{100 * high:.2f} %"
        return f"{self.alarms} of {self.judged} ({share})" if self.judged else "none judged"


def rate(judged: Iterable[Judged]) -> Rate:
    """The rate over partitions."""
    alarmed = [one.alarmed for one in judged]
    return Rate(sum(alarmed), len(alarmed))


def by_table(judged: Sequence[Judged]) -> Mapping[str, Rate]:
    """The rate of each table."""
    return {name: rate(some) for name, some in groupby(sorted(judged, key=_table), key=_table)}


def over_tables(rates: Sequence[Rate]) -> tuple[float, float]:
    """95 % interval of the share when whole tables are drawn again: alarms of one table come in groups."""
    if not rates:
        return 0.0, 1.0
    drawn = np.random.default_rng(0).integers(0, len(rates), (RESAMPLES, len(rates)))
    alarms = np.array([one.alarms for one in rates])[drawn].sum(axis=1)
    judged = np.array([one.judged for one in rates])[drawn].sum(axis=1)
    low, high = np.quantile(alarms / np.maximum(1, judged), [0.025, 0.975])
    return float(low), float(high)


def _table(one: Judged) -> str:
    return one.table

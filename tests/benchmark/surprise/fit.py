"""The constants of the law that surprises follow, and how far they depend on each single table.

The chance of a surprise above ``x`` is near ``chance / (errors + 1) * x ** -tail``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.expect import pooled
from airflow_dq.learn.expect.surprise import LEAST
from tests.benchmark.surprise.sample import Sample

FAR = 32.0
"""What is further off has broken by itself: that it is further than this is all that the tail learns from it."""
GROUP = 10
"""Fewest surprises of one number of past errors that an exponent is taken of."""
BEYOND = 2.0
"""Metrics are compared by their surprises above this."""
PRIOR = 300.0
"""So many typical series are added to those of each metric: the rare ones have too few surprises of their own."""
TYPICAL = 0.2
"""A metric that has been taken as typical stays so while its factor differs from 1 by less than this."""
SLACK = 0.05
"""What is as near as this to what leaving out a table gives is not changed: no range would be by more."""
FEWEST = 3
"""Fewest past errors that surprises are sorted by, as in the package."""


@dataclass(frozen=True, slots=True)
class Constants:
    """What was fitted to a sample."""

    chance: float
    """Chance that the next error is the largest so far, times the number of past errors plus one."""
    tail: float
    growth: float
    heaviness: Mapping[str, float]

    def exponent(self, samples: int) -> float:
        """The tail's exponent after so many past errors."""
        return self.tail + self.growth * math.log(max(samples, FEWEST))


@dataclass(frozen=True, slots=True)
class Spread:
    """Smallest and largest value of a constant when one table after the other is left out."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """That of some values."""
        return cls(min(values), max(values))

    def settle(self, present: float, fitted: float) -> float:
        """The present value where leaving out a table could about have given it; else the fitted one."""
        return present if self.low - SLACK <= present <= self.high + SLACK else fitted

    def __str__(self) -> str:
        """As ``1.20-1.55``."""
        return f"{self.low:.2f}-{self.high:.2f}"


def fit(sample: Sample) -> Constants:
    """The constants of a sample, or of a part of it.

    :raises ValueError: when no series in it has ever moved
    """
    moving = sample.moving()
    if not len(moving):
        raise ValueError("No series of the sample has moved; replay more tables.")
    chance = float(np.mean((moving.times > 1.0) * (moving.samples + 1.0)))
    tail, growth = _tail(moving)
    return Constants(chance, tail, growth, _heaviness(moving))


def exponents(moving: Sample) -> list[tuple[int, float, int]]:
    """Number of past errors, exponent of the tail behind LEAST, and surprises that it is taken of.

    Hill's estimate, the most likely exponent, with surprises beyond FAR as censored ones.
    """
    over = moving.where(moving.times > LEAST)
    samples = np.maximum(over.samples, FEWEST)
    found = []
    for number in np.unique(samples).tolist():
        times = over.times[samples == number]
        count = int((times <= FAR).sum())
        if count >= GROUP:
            found.append((int(number), count / float(np.log(np.minimum(times, FAR) / LEAST).sum()), count))
    return found


def _tail(moving: Sample) -> tuple[float, float]:
    """The exponent after one error, and what it gains with their logarithm; the present ones from too few surprises."""
    found = exponents(moving)
    if len(found) < 2:
        return pooled.TAIL, pooled.TAIL_GROWTH
    numbers, alphas, counts = (np.array(column, float) for column in zip(*found, strict=True))
    growth, tail = np.polyfit(np.log(numbers), alphas, 1, w=np.sqrt(counts))
    return float(tail), float(growth)


def _heaviness(moving: Sample) -> dict[str, float]:
    """By metric: the root of how many times the typical chance of a surprise above BEYOND its own is."""
    names, which = np.unique(moving["metric"], return_inverse=True)
    beyond = (moving.times > BEYOND) * (moving.samples + 1.0)
    total = np.bincount(which, beyond, len(names))
    series = np.bincount(which, minlength=len(names)).astype(float)
    usual = float(beyond.mean())
    if not usual:
        return {}
    factors = np.sqrt((total + usual * PRIOR) / (series + PRIOR) / usual)
    return dict(zip(names.tolist(), factors.tolist(), strict=True))


def left_out(sample: Sample) -> list[Constants]:
    """The constants without one table after the other; those of all when there is only one."""
    return [fit(sample.without(name)) for name in sample.tables] if len(sample.tables) > 1 else [fit(sample)]


@dataclass(frozen=True, slots=True)
class Together:
    """How much the surprises of a column's metrics come together."""

    history: int
    beyond: float
    columns: int
    """Columns, each counted at each place that it was judged at."""
    surprised: int
    """Those with a metric beyond."""
    metrics: int
    """Metrics beyond."""

    @property
    def factor(self) -> float:
        """Metrics beyond of a column that has any: as much smaller may the chance of each be."""
        return self.metrics / self.surprised if self.surprised else 1.0


def together(sample: Sample, beyond: Sequence[float]) -> list[Together]:
    """The sum over the metrics against the columns whose largest surprise exceeds a limit."""
    found = []
    of_columns = sample.where(sample["column"] != "").moving()
    for history in np.unique(sample["history"]).tolist():
        some = of_columns.where(of_columns["history"] == history)
        count, column = _columns(some)
        for limit in beyond:
            over = np.bincount(column, some.times > limit, count)
            found.append(Together(history, limit, count, int((over > 0).sum()), int(over.sum())))
    return found


def budget_chance(sample: Sample, rate: float) -> dict[int, float]:
    """By length of history: the chance with which as many columns alarm as their false-positive rate says.

    Each of a column's metrics has an equal share of it.  What a metric needs is the chance from which on its range
    holds the value; what a column needs is the largest of those.
    """
    found = {}
    of_columns = sample.where(sample["column"] != "")
    for history in np.unique(sample["history"]).tolist():
        some = of_columns.where(of_columns["history"] == history)
        count, column = _columns(some)
        if not count:
            continue
        metrics = np.bincount(column, minlength=count)[column]
        needed = np.where(some["moving"] & (some.times > LEAST), _needed(some, rate / metrics), 0.0)
        largest = np.zeros(count)
        np.maximum.at(largest, column, needed)
        found[int(history)] = float(np.quantile(largest, 1.0 - rate))
    return found


def _needed(sample: Sample, rates: FloatArray) -> FloatArray:
    """The chance from which on a range at such a rate would hold each value, by the package's law."""
    samples = np.maximum(sample.samples, FEWEST)
    exponent = pooled.TAIL + pooled.TAIL_GROWTH * np.log(samples)
    heaviness = np.array([pooled.HEAVINESS.get(str(name), 1.0) for name in sample["metric"]])
    return np.asarray(np.minimum(sample.times, 1e9) ** exponent * (samples + 1.0) * rates / heaviness)


def _columns(sample: Sample) -> tuple[int, np.ndarray]:
    """How many columns at places there are, and the number of the one that each series belongs to."""
    keys = np.stack([np.unique(sample[name], return_inverse=True)[1] for name in ("table", "place", "column")])
    if not keys.shape[1]:
        return 0, keys[0]
    found, which = np.unique(keys, axis=1, return_inverse=True)
    return found.shape[1], which.reshape(-1)

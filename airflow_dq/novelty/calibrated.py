"""Our detector: how far the furthest feature lies off its history, and how far the columns do on average.

Every feature is standardised by its own history with a prior on its spread, so that a share that never moved has a
width too: the one that its number of values allows.  The deviations of a column's features are put together so that two
that go with each other count for more than one.  Two things are judged: the furthest column, and the mean over the
columns, which finds what is odd in many small ways.  Each has a threshold from
what the past partitions have when each is left out, whose logarithms are taken for normal with a prior on their mean
and spread: a percentile of thirty would be the largest of them.  The score is the larger one of both, as a multiple of
its threshold.

Deviations given the other features (by the inverse of a shrunk covariance) were tried, and found nothing more at the
same rate of false alarms, at twenty times the cost; see ``docs/novelty.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from airflow_dq.novelty.feature import Features
from airflow_dq.novelty.row import Floats

PRIOR = 3.0
"""Weight of a feature's least spread, in partitions."""
STILL = 2.5
"""What a deviation of a feature that never moved weighs more: in clean partitions such features hardly ever move, and
a hundredth of nulls in a complete column is found twice as often.  Twice as much finds .007 to .011 less at the same
rate of false alarms, whichever of 31 tables is left out.  Not of extremes, see
:data:`~airflow_dq.novelty.feature.EXTREMES`."""
SPREAD = 0.15
"""Prior of the logarithms of what past partitions have: their standard deviation on eleven public tables."""
FURTHEST, BREADTH = (1.2, 120.0, 1.47), (0.35, 60.0, 1.45)
"""Of the furthest column and of the columns' mean: the prior's mean logarithm, how many partitions it counts as, and
how much further a partition may lie, for the past ones are not quite as those that follow.  The means lie above what
tables have (.9 and .15), so that a quiet history has no low limit.  In their furthest column tables differ less than
short histories say (counted as 60 it finds .003 less at the same rate of false alarms), in their mean more."""
CLIP = 2.2
"""A past partition counts as at most so many times as far off as the median one: one that was poisoned widens no limit,
and half of what poison costs comes back.  1.8 finds .001 to .002 less at the same rate of false alarms."""
FEWEST = 5
"""Past partitions that must have a value of a feature: with fewer its spread is its prior's, and the first values of
columns that are rarely filled would be novel."""
ALONE, ONCE = 20, 7.0
"""Of a share that moved in a single one of at least so many partitions, that one counts as at most so many least
spreads off: one bad partition otherwise hides the next of its kind for good, and a third of what poison costs comes
back.  Of shares alone: other metrics that moved once move again in clean partitions."""
LEVEL = 2
"""So many partitions in a row make a level: how far the next one is off is counted from the mean or from the newest
ones, whichever is nearer.  After a change that lasts two partitions are novel and no dozen; one error moves nothing."""
_NEGLIGIBLE = 1e-18
"""A sum of squares that is rounding."""
_ROUNDING = 1e-9
"""What is left of a sum of squares when its only part is taken away: rounding, of some hundred partitions at most."""
_LOWEST = 0.3
"""Scores below are one: their logarithms would rule the spread."""


@dataclass(frozen=True, slots=True)
class Model:
    """What a history says of the partition that follows."""

    centre: Floats
    variance: Floats
    """Of each feature, with its prior and what is not known of the mean."""
    known: Floats
    """In how many past partitions each feature has a value."""
    weight: Floats
    way: Floats
    newest: Floats
    """The last partitions, see :data:`LEVEL`."""
    columns: NDArray[np.int64]
    """The number of each feature's column; the features of one stand together."""
    limits: tuple[float, float]
    """Of the furthest column and of the columns' mean."""
    past: Floats
    """The score of each past partition, had the others been its history."""

    def standard(self, rows: Floats) -> Floats:
        """Each feature of each row in standard deviations from its mean; 0 where it has no value."""
        return np.where(np.isfinite(rows) & (self.known > 0), (rows - self.centre) / np.sqrt(self.variance), 0.0)

    def deviations(self, rows: Floats) -> Floats:
        """How far each feature of each row lies off, on one scale; 0 without a value, and for a harmless move."""
        standard = self.standard(rows)
        apart = np.abs(rows[:, None] - self.newest).max(axis=1) / np.sqrt(self.variance)
        far = np.fmin(np.abs(standard), apart)
        far[standard * self.way < 0.0] = 0.0
        return _deviation(far**2, self.known) * self.weight

    def scores(self, deviations: Floats) -> Floats:
        """How many times as far off as is usual each row is; above 1 it is novel."""
        return np.asarray((_summary(deviations, self.columns) / self.limits).max(1))


def fit(features: Features, rate: float = 0.01) -> Model:
    """Learn from the past rows of some features.

    :param rate: share of clean partitions that may lie beyond the threshold
    """
    past = features.past
    there = np.isfinite(past)
    known = there.sum(0).astype(np.float64)
    filled = np.where(there, past, 0.0)
    centre = filled.sum(0) / np.maximum(known, 1.0)
    # A single partition is not compared with itself.
    off = np.subtract(filled, centre, out=filled)
    off *= there
    off[:, known < 2] = 0.0
    squares = off**2
    square = squares.sum(0)
    still = features.lasting & (square <= _NEGLIGIBLE) & (known > 2)
    weight = features.emphasis * np.where(still, STILL, 1.0) * (known >= min(FEWEST, len(past)))
    _tame(centre, squares, square, known, features)
    others = _others(squares, square, known, features)
    one_way = features.way != 0.0
    squares[:, one_way] *= off[:, one_way] * features.way[one_way] > 0.0
    columns = _numbered([column for column, _ in features.keys])
    squares /= others
    summary = _summary(_deviation(squares, known - 1.0) * weight, columns)
    limits = (_limit(summary[:, 0], rate, *FURTHEST), _limit(summary[:, 1], rate, *BREADTH))
    variance = _variance(square, known, features)
    return Model(
        centre, variance, known, weight, features.way, past[-LEVEL:], columns, limits, (summary / limits).max(1)
    )


def _tame(centre: Floats, squares: Floats, square: Floats, known: Floats, features: Features) -> None:
    """Take the mean and the squares of shares that moved in one partition from the others, see :data:`ONCE`.

    :param centre: of each feature; it is changed, as are the squared distances and their sums
    """
    furthest = squares.argmax(0)
    off = squares[furthest, np.arange(len(square))]
    # Alone it lies n - 1 times as far from the mean as each of the others, on the other side.
    alone = off * known >= square * (known - 1.0) * (1.0 - _ROUNDING)
    lone = np.flatnonzero(alone & (square > _NEGLIGIBLE) & (known >= ALONE) & features.shares & features.lasting)
    rows = furthest[lone]
    distance = features.past[rows, lone] - centre[lone]
    centre[lone] -= distance / (known[lone] - 1.0)
    whole = (features.past[rows, lone] - centre[lone]) ** 2
    squares[:, lone] = 0.0
    squares[rows, lone] = square[lone] = np.minimum(whole, (ONCE * features.least[lone]) ** 2)


def _others(squares: Floats, square: Floats, known: Floats, features: Features) -> Floats:
    """The variance of each feature without each partition, as a share of how far that lies from the mean of the others.

    :param squares: the squared distances from the mean of all
    """
    # Without a partition, the mean of the others is further from it, and their squares are less.
    apart = np.maximum(known, 1.0) / np.maximum(known - 1.0, 1.0)
    left = squares * apart
    np.maximum(np.subtract(square, left, out=left), 0.0, out=left)
    return np.divide(_variance(left, known - 1.0, features), apart**2, out=left)


def _numbered(names: Sequence[str | None]) -> NDArray[np.int64]:
    """The names as numbers, from 0 in the order of their first features."""
    places: dict[str | None, int] = {}
    return np.array([places.setdefault(name, len(places)) for name in names], np.int64)


def _summary(deviations: Floats, columns: NDArray[np.int64]) -> Floats:
    """Of each row the furthest column, and the mean over all columns."""
    first = np.flatnonzero(np.diff(columns, prepend=-1))
    # The fourth root of fourth powers: an error moves several features of its column, an oddity mostly a single one.
    fourth = np.square(deviations)
    np.square(fourth, out=fourth)
    together = np.sqrt(np.sqrt(np.add.reduceat(fourth, first, axis=1)))
    return np.stack([together.max(1), together.mean(1)], axis=1)


def _variance(square: Floats, known: Floats, features: Features) -> Floats:
    """The variance with its prior, wider by what is not known of the mean.

    :param square: sum of the squared distances from the mean; it is overwritten
    """
    square += (PRIOR + 1.0) * features.least**2
    square *= (1.0 + 1.0 / np.maximum(known, 1.0)) / (PRIOR + known)
    return np.maximum(square, features.finest**2, out=square)


def _deviation(squares: Floats, known: Floats) -> Floats:
    """A Student's t of so many partitions as the normal deviation that is about as rare.

    :param squares: of the standardised distances; they are overwritten
    """
    freedom = known + PRIOR - 1.0
    # A logarithm takes a quarter of the time of log1p, and nobody asks how near a near one is.
    squares /= freedom
    squares += 1.0
    np.log(squares, out=squares)
    squares *= freedom
    return np.sqrt(squares, out=squares)


def _limit(past: Floats, rate: float, usual: float, scores: float, margin: float) -> float:
    """The value that so small a share of clean partitions exceeds."""
    kept = np.clip(past, _LOWEST, CLIP * max(_LOWEST, float(np.median(past))))
    logarithms = np.log(kept)
    count = len(logarithms) + scores
    level = (scores * usual + logarithms.sum()) / count
    variance = (scores * SPREAD**2 + ((logarithms - level) ** 2).sum()) / count
    return margin * float(np.exp(level - NormalDist().inv_cdf(rate) * np.sqrt(variance * (1.0 + 1.0 / count))))

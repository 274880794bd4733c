"""Our detector: how far the furthest feature lies off its history, and how far the columns do on average.

Every feature is standardised by its own history with a prior on its spread, so that a share that never moved has a
width too: the one that its number of rows allows.  Two things are judged: the largest deviation of any feature, and
the mean over the columns of the largest of each, which finds what is odd in many small ways.  Each has a threshold from
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
STILL = 1.8
"""What a deviation of a feature that never moved weighs more: in clean partitions such features hardly ever move, and
a hundredth of nulls in a complete column is found twice as often.  Not of extremes, see
:data:`~airflow_dq.novelty.feature.EXTREMES`."""
SPREAD, SCORES = 0.2, 40.0
"""Prior of the logarithms of what past partitions have: their standard deviation on eleven public tables, and how many
partitions it counts as."""
FURTHEST, BREADTH = (1.2, 1.2), (0.35, 1.25)
"""Of the furthest feature and of the columns' mean: the prior's mean logarithm, and how much further a partition may
lie, for the past ones are not quite as those that follow."""
CLIP = 2.2
"""A past partition counts as at most so many times as far off as the median one: one that was poisoned widens no limit,
and half of what poison costs comes back."""
_NEGLIGIBLE = 1e-18
"""A sum of squares that is rounding."""
_LOWEST = 0.3
"""Scores below are one: their logarithms would rule the spread."""


@dataclass(frozen=True, slots=True)
class Model:
    """What a history says of the partition that follows."""

    centre: Floats
    spread: Floats
    """Of each feature: standard deviation with its prior."""
    known: Floats
    """In how many past partitions each feature has a value."""
    weight: Floats
    rises: NDArray[np.bool_]
    columns: NDArray[np.int64]
    """The number of each feature's column; the features of one stand together."""
    limits: tuple[float, float]
    """Of the furthest feature and of the columns' mean."""
    past: Floats
    """The score of each past partition, had the others been its history."""

    def deviations(self, rows: Floats) -> Floats:
        """How far each feature of each row lies off, on one scale; 0 where it has no value."""
        standard = np.where(np.isfinite(rows) & (self.known > 0), (rows - self.centre) / self.spread, 0.0)
        return _deviation(standard, self.known, self.rises) * self.weight

    def scores(self, deviations: Floats) -> Floats:
        """How many times as far off as is usual each row is; above 1 it is novel."""
        return np.asarray((_summary(deviations, self.columns) / self.limits).max(1))


def fit(features: Features, rate: float = 0.01) -> Model:
    """Learn from the past rows of some features.

    :param rate: share of clean partitions that may lie beyond the threshold
    """
    past, least, rises = features.past, features.least, features.rises
    there = np.isfinite(past)
    known = there.sum(0).astype(np.float64)
    centre = np.where(there, past, 0.0).sum(0) / np.maximum(known, 1.0)
    # A single partition is not compared with itself.
    off = np.where(there & (known > 1), past - centre, 0.0)
    square = (off**2).sum(0)
    still = features.lasting & (square <= _NEGLIGIBLE) & (known > 2)
    weight = features.emphasis * np.where(still, STILL, 1.0)
    # Without a partition, the mean of the others is further from it, and their squares are less.
    apart = known / np.maximum(known - 1.0, 1.0)
    others = np.maximum(square - off**2 * apart, 0.0)
    standard = off * apart / _spread(others, known - there, least)
    columns = _numbered([column for column, _ in features.keys])
    summary = _summary(_deviation(standard, known - there, rises) * weight, columns)
    limits = (_limit(summary[:, 0], rate, *FURTHEST), _limit(summary[:, 1], rate, *BREADTH))
    spread = _spread(square, known, least)
    return Model(centre, spread, known, weight, rises, columns, limits, (summary / limits).max(1))


def _numbered(names: Sequence[str | None]) -> NDArray[np.int64]:
    """The names as numbers, from 0 in the order of their first features."""
    places: dict[str | None, int] = {}
    return np.array([places.setdefault(name, len(places)) for name in names], np.int64)


def _summary(deviations: Floats, columns: NDArray[np.int64]) -> Floats:
    """Of each row the furthest deviation, and the mean over the columns of the furthest of each."""
    first = np.flatnonzero(np.diff(columns, prepend=-1))
    furthest = np.maximum.reduceat(deviations, first, axis=1)
    return np.stack([furthest.max(1), furthest.mean(1)], axis=1)


def _spread(square: Floats, known: Floats, least: Floats) -> Floats:
    """The standard deviation with its prior, wider by what is not known of the mean."""
    variance = ((PRIOR + 1.0) * least**2 + square) / (PRIOR + known)
    return np.asarray(np.sqrt(variance * (1.0 + 1.0 / np.maximum(known, 1.0))))


def _deviation(standard: Floats, known: Floats, rises: NDArray[np.bool_]) -> Floats:
    """A Student's t of so many partitions as the normal deviation that is about as rare; 0 for a fall that is none."""
    freedom = known + PRIOR - 1.0
    size = np.sqrt(freedom * np.log1p(standard**2 / freedom))
    return np.where(rises & (standard < 0.0), 0.0, size)


def _limit(past: Floats, rate: float, usual: float, margin: float) -> float:
    """The value that so small a share of clean partitions exceeds."""
    kept = np.clip(past, _LOWEST, CLIP * max(_LOWEST, float(np.median(past))))
    logarithms = np.log(kept)
    count = len(logarithms) + SCORES
    level = (SCORES * usual + logarithms.sum()) / count
    variance = (SCORES * SPREAD**2 + ((logarithms - level) ** 2).sum()) / count
    return margin * float(np.exp(level - NormalDist().inv_cdf(rate) * np.sqrt(variance * (1.0 + 1.0 / count))))

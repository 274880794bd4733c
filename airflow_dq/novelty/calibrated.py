"""Our detector: how far each feature lies off its history; the furthest counts.

Every feature is standardised by its own history with a prior on its spread, so that a share that never moved has a
width too: the one that its number of rows allows.  The score is the largest deviation of any feature.  The threshold
comes from the scores that the past partitions have when each is left out, whose logarithms are taken for normal with
a prior on their mean and spread: a percentile of thirty scores would be the largest of them.

Deviations given the other features (by the inverse of a shrunk covariance) were tried, and found nothing more at the
same rate of false alarms, at twenty times the cost; see ``docs/novelty.md``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from airflow_dq.novelty.feature import Features, Floats

PRIOR = 3.0
"""Weight of a feature's least spread, in partitions."""
STILL = 1.8
"""What a deviation of a feature that never moved weighs more: in clean partitions such features hardly ever move, and
a hundredth of nulls in a complete column is found twice as often."""
LEVEL, SPREAD, SCORES = 1.2, 0.2, 40.0
"""Prior of the logarithms of scores: their mean and standard deviation on eleven public tables, and how many
partitions it counts as."""
MARGIN = 1.08
"""How much further a partition may lie: the past scores are not quite those of the partitions that follow."""
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
    past: Floats
    """The score of each past partition, had the others been its history."""
    threshold: float

    def deviations(self, rows: Floats) -> Floats:
        """How far each feature of each row lies off, on one scale; 0 where it has no value."""
        standard = np.where(np.isfinite(rows) & (self.known > 0), (rows - self.centre) / self.spread, 0.0)
        return _deviation(standard, self.known, self.rises) * self.weight


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
    weight = features.emphasis * np.where((square <= _NEGLIGIBLE) & (known > 2), STILL, 1.0)
    # Without a partition, the mean of the others is further from it, and their squares are less.
    apart = known / np.maximum(known - 1.0, 1.0)
    others = np.maximum(square - off**2 * apart, 0.0)
    standard = off * apart / _spread(others, known - there, least)
    scores = (_deviation(standard, known - there, rises) * weight).max(1)
    return Model(centre, _spread(square, known, least), known, weight, rises, scores, _threshold(scores, rate))


def _spread(square: Floats, known: Floats, least: Floats) -> Floats:
    """The standard deviation with its prior, wider by what is not known of the mean."""
    variance = ((PRIOR + 1.0) * least**2 + square) / (PRIOR + known)
    return np.asarray(np.sqrt(variance * (1.0 + 1.0 / np.maximum(known, 1.0))))


def _deviation(standard: Floats, known: Floats, rises: NDArray[np.bool_]) -> Floats:
    """A Student's t of so many partitions as the normal deviation that is about as rare; 0 for a fall that is none."""
    freedom = known + PRIOR - 1.0
    size = np.sqrt(freedom * np.log1p(standard**2 / freedom))
    return np.where(rises & (standard < 0.0), 0.0, size)


def _threshold(scores: Floats, rate: float) -> float:
    logarithms = np.log(np.maximum(scores, _LOWEST))
    count = len(logarithms) + SCORES
    level = (SCORES * LEVEL + logarithms.sum()) / count
    variance = (SCORES * SPREAD**2 + ((logarithms - level) ** 2).sum()) / count
    return MARGIN * float(np.exp(level - ndtri(rate) * np.sqrt(variance * (1.0 + 1.0 / count))))

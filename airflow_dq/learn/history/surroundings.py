"""What the days around a day foretell of it, and how far ordinary days stray from that: of many series at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airflow_dq.learn.array import FloatArray, sorted_across

FAR = 6.0
"""A day strays when it lies this many robust standard deviations off: of a normal metric one in 500 million does."""
_TO_SIGMA = 1.4826
"""Standard deviations in a median absolute deviation, of normal values."""
LEAST = 5
"""Fewest days around that say how far an ordinary one lies off."""
_ROUNDING = 1e-9
"""What lies off by less, relative to the largest value, is a rounding error."""

Indexes = NDArray[np.intp]
"""For each of some days the places of days around it; -1 where there is none."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """How well ordinary days are foretold by the days around them, and by which best: one entry for each series."""

    way: NDArray[np.intp]
    """By which of the ways that days lie around one."""
    drift: FloatArray
    """By how much a day usually exceeds what they foretell."""
    far: FloatArray
    """A deviation above this is no ordinary day's; infinite where too little is known."""

    @classmethod
    def of(
        cls, series: FloatArray, ordinary: Indexes, neighbours: Sequence[Indexes], ways: Sequence[int]
    ) -> Surroundings | None:
        """The best way for each series; None where there are too few ordinary days.

        :param series: values of all days, one series in each row; NaN where there is none
        :param ordinary: places of the ordinary days
        :param neighbours: by way, the days around each of these
        :param ways: those to choose from
        """
        if len(ordinary) < LEAST:
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            # Near the largest floats a difference is infinite: nothing is known of it.
            found = [_errors(series[:, ordinary] - middles(series, neighbours[way])) for way in ways]
        drifts, spreads, seconds = (np.array(one) for one in zip(*found, strict=True))
        best, rows = np.argmin(spreads, axis=0), np.arange(len(series))
        rounding = _ROUNDING * np.fmax.reduce(np.abs(series), axis=1, initial=0.0)
        far = np.maximum(np.maximum(FAR * _TO_SIGMA * spreads[best, rows], seconds[best, rows]), rounding)
        return cls(np.array(ways)[best], drifts[best, rows], far)

    def expected(self, series: FloatArray, neighbours: Sequence[Indexes]) -> FloatArray:
        """What is expected of days by those around them; NaN where none of these is known.

        :param series: those that this was made of
        :param neighbours: by way, the days around each
        """
        found = np.empty((len(series), len(neighbours[0])))
        for way in set(self.way.tolist()):
            rows = self.way == way
            found[rows] = middles(series[rows], neighbours[way]) + self.drift[rows, None]
        return found


def middles(series: FloatArray, indexes: Indexes) -> FloatArray:
    """The median of the known values around each day, by series; NaN where there is none."""
    padded = np.concatenate([series, np.full((len(series), 1), np.nan)], axis=1)
    around = padded[:, indexes.T]
    missing = np.isnan(around)
    # By how far before: so many series and days, NaN behind all numbers.
    ordered = sorted_across(np.moveaxis(np.where(missing, np.inf, around), 1, 0))
    found = 0.5 * ordered[(len(ordered) - 1) // 2] + 0.5 * ordered[len(ordered) // 2]
    partly = missing.any(axis=1)
    if partly.any():
        known = np.count_nonzero(~missing, axis=1)[partly]
        found[partly] = np.where(known > 0, _middle(np.stack([one[partly] for one in ordered], axis=-1), known), np.nan)
    return np.asarray(found)


def _errors(errors: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The median of each row, the median distance from it, and the largest but one: one odd day is no scale."""
    errors = np.where(np.isfinite(errors), errors, np.nan)
    known = np.count_nonzero(~np.isnan(errors), axis=1)
    drift = _middle(np.sort(errors, axis=1), known)
    sizes = np.sort(np.abs(errors - drift[:, None]), axis=1)
    spread = np.where(known >= LEAST, _middle(sizes, known), np.inf)
    second = np.take_along_axis(sizes, np.maximum(known - 2, 0)[:, None], axis=1)[:, 0]
    return drift, spread, np.where(known >= LEAST, second, np.inf)


def _middle(ordered: FloatArray, known: NDArray[np.intp]) -> FloatArray:
    """The median of each last axis, whose known values come first, in order; NaN where there is none."""
    places = np.stack([np.maximum(0, (known - 1) // 2), known // 2], axis=-1)
    middle = np.take_along_axis(ordered, np.minimum(places, ordered.shape[-1] - 1), axis=-1)
    # Halved first: the sum of two of the largest floats is infinite.
    return np.asarray((0.5 * middle).sum(axis=-1))

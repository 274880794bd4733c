"""Two number distributions over the same cells: what every distance between them is computed from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from airflow_dq.states.grid import CELLS, bin_edges

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Cells:
    """Ordered cells ``[lower, upper]`` and the number of values of both distributions in each.

    A cell of no width is one value.  A wider cell's count is exact as well (that of its edges is), only the places
    of the values within it are unknown: they are taken as evenly spread.
    """

    lower: Floats
    upper: Floats
    now: Integers
    before: Integers
    rests: Integers | None = None
    """What whole numbers beyond 2**53 are above their float, where each cell is one value; None: they are floats."""

    @cached_property
    def points(self) -> Floats:
        """The middle of each cell."""
        if self.lower is self.upper:
            return self.lower
        return np.where(self.lower == self.upper, self.lower, 0.5 * self.lower + 0.5 * self.upper)

    @cached_property
    def gaps(self) -> Floats:
        """How far each point lies above the one before, also where one float stands for both."""
        gaps: Floats = np.diff(self.points)
        return gaps if self.rests is None else gaps + np.diff(self.rests)

    @cached_property
    def offsets(self) -> Floats:
        """How far each point lies above the first one, exactly where they are whole numbers close to each other."""
        offsets: Floats = self.points - self.points[0]
        return offsets if self.rests is None else offsets + (self.rests - self.rests[0])

    @cached_property
    def shares(self) -> tuple[Floats, Floats]:
        """Share of each distribution in each cell."""
        return self.now / self.now.sum(), self.before / self.before.sum()

    @cached_property
    def deviations(self) -> Floats:
        """How far each cell lies from the mean of ``now``, as a share of the largest deviation; 0 for a constant."""
        if self.rests is None and self.lower[0] == self.upper[-1]:
            # Their deviations would be rounding errors, all of one size.
            return np.zeros(len(self.lower))
        # In the unit of the largest value, then of the largest deviation: no power overflows or vanishes.
        points = _scaled(self.points if self.rests is None else self.offsets)
        # Not a dot product: its last digits depend on the number of processors.
        return _scaled(points - float((self.shares[0] * points).sum()))

    def binned(self, bins: int) -> tuple[Floats, Floats]:
        """Shares in bins of equal width over the joint range, see :func:`bin_edges`; one bin if it has no width."""
        lower, low, high = self.lower, float(self.lower[0]), float(self.upper[-1])
        if self.rests is not None and high - low < CELLS * np.spacing(max(-low, high)):
            # So close together that the floats have no such edges between them.
            lower, low, high = self.offsets, 0.0, float(self.offsets[-1])
        if low == high:
            return np.ones(1), np.ones(1)
        # No occupied cell reaches over an edge: a cell that begins below it lies below it.
        ends = np.searchsorted(lower, bin_edges(low, high, bins), side="left")
        return _shares_between(self.now, ends), _shares_between(self.before, ends)

    def quantile(self, share: float) -> float:
        """The value at a share of the ``now`` distribution, interpolated as numpy.quantile does by default."""
        ends = self._ends
        position = share * (int(ends[-1]) - 1)
        rank = int(position)
        part = position - rank
        first = self._value_at(rank, ends)
        return first if part == 0.0 else _between(first, self._value_at(rank + 1, ends), part)

    @cached_property
    def _ends(self) -> Integers:
        return np.cumsum(self.now)

    def _value_at(self, rank: int, ends: Integers) -> float:
        cell = int(np.searchsorted(ends, rank, side="right"))
        lower, upper = float(self.lower[cell]), float(self.upper[cell])
        if lower == upper:
            return lower
        count = int(self.now[cell])
        inside = (rank - (int(ends[cell]) - count) + 0.5) / count
        return _between(lower, upper, inside)


def _between(low: float, high: float, part: float) -> float:
    """The value at a part of the way from one to a larger one, and never beyond either."""
    return min(max((1.0 - part) * low + part * high, low), high)


def _shares_between(counts: Integers, ends: Integers) -> Floats:
    cumulative = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=cumulative[1:])
    edges = cumulative[np.concatenate([[0], ends, [len(counts)]])]
    shares: Floats = (edges[1:] - edges[:-1]) / cumulative[-1]
    return shares


def _scaled(values: Floats) -> Floats:
    largest = float(np.abs(values).max())
    return values / largest if largest > 0.0 else values

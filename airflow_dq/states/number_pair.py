"""Two distributions of numbers over the same cells: what every distance between them is computed from."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from airflow_dq.states.base import State
from airflow_dq.states.cell import Cells
from airflow_dq.states.joint import comparable_cells, sketched_cells
from airflow_dq.states.number import ALIKE, NumberDistribution
from airflow_dq.states.pair import Pair
from airflow_dq.states.sketch import NumberSketch

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BINS = 20
"""Bins of equal width over the joint range, on which divergences compare two distributions of numbers."""


class NumberPair(Pair[NumberDistribution]):
    """The numbers of one column in two partitions that are compared; cells need a value on both sides."""

    state: ClassVar[type[State]] = NumberDistribution

    @cached_property
    def cells(self) -> Cells:
        """Both over the same cells: single values, or when either is sketched, the cells of a sketch."""
        if self.now is self.before:
            return self.now.cells
        if self._sketched:
            return sketched_cells(*self._sketches)
        if len(self.now.rests) or len(self.before.rests):
            return _single_integers(self.now, self.before)
        return _single_values(self.now, self.before)

    @cached_property
    def comparable(self) -> Cells:
        """As :attr:`cells`, over cells whose number does not depend on that of the values."""
        return comparable_cells(*self._sketches) if self._sketched else self.cells

    @cached_property
    def binned(self) -> tuple[Floats, Floats]:
        """The shares of both in :data:`BINS` bins of equal width over the joint range."""
        return self.cells.binned(BINS)

    @property
    def _sketched(self) -> bool:
        return self.now.sketch is not None or self.before.sketch is not None

    @cached_property
    def _sketches(self) -> tuple[NumberSketch, NumberSketch]:
        now = self.now.sketched()
        return now, now if self.now is self.before else self.before.sketched()


def _single_values(now: NumberDistribution, before: NumberDistribution) -> Cells:
    """The values of either, each a cell of no width."""
    values = np.concatenate([now.values, before.values])
    # Two sorted runs: to merge them is much quicker than to hash them, as np.unique does, and to look each value up.
    order = np.argsort(values, kind="stable")
    points = values[order]
    first = np.ones(len(points), bool)
    np.not_equal(points[1:], points[:-1], out=first[1:])
    place = np.empty(len(values), np.int64)
    place[order] = np.cumsum(first) - 1
    counts = np.zeros((2, np.count_nonzero(first)), np.int64)
    counts[0, place[: len(now.values)]] = now.counts
    counts[1, place[len(now.values) :]] = before.counts
    points, counts = _written_alike(points[first], counts)
    return Cells(points, points, counts[0], counts[1])


def _written_alike(points: Floats, counts: Integers) -> tuple[Floats, Integers]:
    """The points, with those joined that are one number: 11.3417208 on one side, 11.341720800000001 on the other.

    Another way of printing or of summing moves the last digits; no value of the column is another one for that.
    Only points of one side each are joined, in pairs, and no integers.
    """
    with np.errstate(over="ignore"):
        near = points[1:] - points[:-1] <= ALIKE * np.abs(points[1:])
    if not near.any():
        return points, counts
    whole, absent = points == np.floor(points), counts == 0
    apart = (absent[0, :-1] & absent[1, 1:]) | (absent[1, :-1] & absent[0, 1:])
    first = np.flatnonzero(near & apart & ~(whole[:-1] & whole[1:]))
    # In a run of neighbours each has one partner: the first and the second, the third and the fourth.
    _, begin, run = np.unique(first - np.arange(len(first)), return_index=True, return_inverse=True)
    first = first[(np.arange(len(first)) - begin[run]) % 2 == 0]
    counts[:, first + 1] += counts[:, first]
    return np.delete(points, first), np.delete(counts, first, axis=1)


def _single_integers(now: NumberDistribution, before: NumberDistribution) -> Cells:
    """Points that are one float and different integers stay apart, in their order."""
    rests = np.concatenate([now.all_rests(), before.all_rests()])
    pairs = np.stack([np.concatenate([now.values, before.values]), rests.astype(np.float64)], axis=1)
    points, place = np.unique(pairs, axis=0, return_inverse=True)
    counts = np.zeros((2, len(points)), np.int64)
    counts[0, place[: len(now.values)]] = now.counts
    counts[1, place[len(now.values) :]] = before.counts
    return Cells(points[:, 0], points[:, 0], counts[0], counts[1], points[:, 1].astype(np.int64))

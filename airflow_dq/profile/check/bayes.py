"""How well other columns foretell a column: naive Bayes on hashed pieces of their texts, tried on rows held out.

The model is counts, which add up over parts and over partitions.  Which rows are held out the hash of their key says:
those stay held out wherever they are counted, so that no model has seen what it is tried on.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from airflow_dq.check.model import Check
from airflow_dq.profile.check.measured import NO_ROWS, NO_VALUES, Measured
from airflow_dq.profile.check.tally import Tally
from airflow_dq.states.hashing import Hashes
from airflow_dq.states.layout import pack_integers, unpack_integers

FEATURES = 8192
"""Features that pieces of texts are hashed to.  Of 20,000 made-up product names of 60 brands 75.5 % are foretold, with
half as many features 74.8 %, with twice as many 75.3 %."""
MOST_VALUES = 500
"""Different values that are told apart: with more the counts outgrow what a task sends (4 million numbers)."""
HELD_OUT = 5
"""One row in so many is held out: 20 %, as in the paper (Schelter et al., 5.1)."""
MOST_TRIED = 5_000
"""Held-out rows that are tried, those with the least hashes: a share of them is known to 0.7 points (one sigma)."""
_SMOOTHING = 1.0
"""Added to each count, as Spark's naive Bayes does, which the paper used: with 0.05 the names above give 64.6 %."""

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """Rows that are held out, in the order of their hashes."""

    hashes: Hashes
    values: Hashes
    """Of the column that is foretold."""
    sizes: Integers
    """Number of features of each row."""
    features: Integers
    """All rows' features, one after the other."""

    @classmethod
    def of(cls, hashes: Hashes, values: Hashes, sizes: Integers, features: Integers) -> Self:
        """The rows with the least hashes; equal ones in an order that does not depend on where they were."""
        starts = np.cumsum(sizes) - sizes
        # Rows that agree in all of this are the same to the model.
        sums = np.add.reduceat(np.append(features, 0) ** 2, starts) if len(starts) else starts
        order = np.lexsort((np.where(sizes > 0, sums, 0), sizes, values, hashes))[:MOST_TRIED]
        picked = ranges(starts[order], sizes[order])
        return cls(hashes[order], values[order], sizes[order], features[picked])

    def with_those(self, other: Tried) -> Tried:
        """The least of both."""
        sides = [
            np.concatenate([getattr(self, one), getattr(other, one)])
            for one in ("hashes", "values", "sizes", "features")
        ]
        return Tried.of(*sides)


def ranges(starts: Integers, sizes: Integers) -> Integers:
    """The numbers from each start on, as many as its size."""
    before = np.cumsum(sizes) - sizes
    found: Integers = np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Bayes(Tally):
    """Counts of features by value, of the rows to learn from, and the rows that are held out."""

    tag: ClassVar[str] = "bayes"

    rows: int
    """In scope, those without a value too."""
    values: Hashes
    """The values to learn from, ascending."""
    numbers: Integers
    """Rows with each of them."""
    cells: Integers
    """``place of the value * FEATURES + feature``, ascending, where there is any."""
    counts: Integers
    tried: Tried
    too_many: bool = False

    @classmethod
    def of(cls, rows: int, values: Hashes, sizes: Integers, features: Integers, tried: Tried) -> Self:
        """Of rows to learn from, each with its value and its features."""
        found, places, numbers = np.unique(values, return_inverse=True, return_counts=True)
        if len(found) > MOST_VALUES:
            return cls(rows, found[:0], numbers[:0], numbers[:0], numbers[:0], tried, too_many=True)
        keys = np.repeat(places, sizes) * FEATURES + features
        counts = np.bincount(keys, minlength=1).astype(np.int64)
        cells = np.flatnonzero(counts)
        return cls(rows, found, numbers.astype(np.int64), cells.astype(np.int64), counts[cells], tried)

    def _with(self, other: Any) -> Tally:
        rows, tried = self.rows + other.rows, self.tried.with_those(other.tried)
        values = np.union1d(self.values, other.values)
        if self.too_many or other.too_many or len(values) > MOST_VALUES:
            nothing = self.numbers[:0]
            return Bayes(rows, self.values[:0], nothing, nothing, nothing, tried, too_many=True)
        numbers, counts = np.zeros(len(values), np.int64), np.zeros(len(values) * FEATURES, np.int64)
        for side in (self, other):
            places = np.searchsorted(values, side.values)
            numbers[places] += side.numbers
            counts[places[side.cells // FEATURES] * FEATURES + side.cells % FEATURES] += side.counts
        cells = np.flatnonzero(counts)
        return Bayes(rows, values, numbers, cells.astype(np.int64), counts[cells], tried)

    def encode(self) -> tuple[Any, bytes]:
        """Each array, with its size."""
        hashes = (self.values, self.tried.hashes, self.tried.values)
        integers = (self.numbers, self.cells, self.counts, self.tried.sizes, self.tried.features)
        blobs = [one.astype("<u8").tobytes() for one in hashes] + [pack_integers(one) for one in integers]
        return [self.rows, self.too_many, [len(blob) for blob in blobs]], b"".join(blobs)

    @classmethod
    def decode(cls, head: Any, data: bytes) -> Self:
        """What :meth:`encode` wrote."""
        rows, too_many, sizes = head
        edges = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        blobs = [data[start:end] for start, end in pairwise(edges)]
        values, hashes, truths = (np.frombuffer(blob, "<u8").astype(np.uint64) for blob in blobs[:3])
        numbers, cells, counts, lengths, features = (unpack_integers(blob) for blob in blobs[3:])
        return cls(rows, values, numbers, cells, counts, Tried(hashes, truths, lengths, features), too_many)

    def measured(self, check: Check) -> Measured:
        """The share of held-out rows whose value is foretold, beside that of the most frequent value."""
        if self.too_many:
            return Measured(problem=f"column {check.columns[0]!r} has more than {MOST_VALUES} different values")
        total = len(self.tried.hashes)
        if not total and not len(self.values):
            return Measured(nothing=NO_VALUES if self.rows else NO_ROWS)
        if not total or not len(self.values):
            return Measured(nothing="there are too few rows to learn from some and hold out others")
        said = self._foretold()
        right = said == self.tried.values
        usual = int(np.count_nonzero(self.tried.values == self.values[np.argmax(self.numbers)]))
        seen = f"the most frequent value is right in {usual / total:.1%} of them"
        if check.score == "f1":
            return Measured(_weighted_f1(said, self.tried.values), seen=seen)
        return Measured(int(np.count_nonzero(right)) / total, int(np.count_nonzero(right)), total, seen=seen)

    def _foretold(self) -> Hashes:
        """The most likely value of each held-out row (Schelter et al., 3.2, with how frequent each value is)."""
        counts = np.zeros((len(self.values), FEATURES))
        counts.ravel()[self.cells] = self.counts
        weights = np.log(counts + _SMOOTHING) - np.log(counts.sum(axis=1) + _SMOOTHING * FEATURES)[:, None]
        prior = np.log(self.numbers / self.numbers.sum())
        edges = np.cumsum(self.tried.sizes)
        best = np.empty(len(edges), np.int64)
        for place, features in enumerate(np.split(self.tried.features, edges[:-1])):
            best[place] = np.argmax(weights[:, features].sum(axis=1) + prior)
        found: Hashes = self.values[best]
        return found


def _weighted_f1(said: Hashes, truth: Hashes) -> float:
    """F1 of each value, weighted by how frequent it is."""
    found = 0.0
    for value, number in zip(*np.unique(truth, return_counts=True), strict=True):
        both = np.count_nonzero((said == value) & (truth == value))
        found += number * 2 * both / (number + np.count_nonzero(said == value))
    return float(found / len(truth))

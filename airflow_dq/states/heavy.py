"""Heavy hitters: the most frequent values of a column with too many distinct ones to count each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.states.hashing import Hashes
from airflow_dq.states.layout import pack_integers, unpack_integers

Counted = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Frequent:
    """One of the most frequent values: it occurs at least ``count`` and at most ``count + error`` times."""

    value: str | float
    count: int
    error: int


@dataclass(frozen=True, slots=True, eq=False)
class HeavyHitters:
    """The values that may occur often, each with a count and how many occurrences that count may have missed.

    Mergeable space-saving (Metwally et al. 2005; Cafaro et al. 2016) with lower bounds: when more than ``CAPACITY``
    values are held, those with the smallest upper bounds go, and ``floor`` remembers the largest bound that went.  It
    never exceeds ``total / CAPACITY`` by more than one per merged part.  A value that is frequent in every part of the
    data is never dropped, so its count is exact whatever the split; which of the light ones are held is not.
    """

    CAPACITY: ClassVar[int] = 8192
    """Most values that are held while a partition is scanned."""
    STORED: ClassVar[int] = 256
    """Most values that a stored state keeps."""
    SHARE: ClassVar[int] = 2048
    """A stored state keeps no value that is rarer than one in so many."""
    NO_SECTIONS: ClassVar[tuple[bytes, ...]] = (b"",) * 3

    values: pa.Array
    hashes: Hashes
    """Of the values, ascending."""
    counts: Counted
    missed: Counted
    floor: int = 0
    """No value that is not held occurs more often."""

    @classmethod
    def of(cls, values: pa.Array, hashes: Hashes, counts: Counted) -> HeavyHitters:
        """The heavy ones among distinct values that occur ``counts`` times; hashes tell values apart."""
        return cls._kept(values, hashes, counts, np.zeros(len(counts), np.int64), 0, cls.CAPACITY, 0)

    @classmethod
    def stored_of(cls, values: pa.Array, hashes: Hashes, counts: Counted) -> HeavyHitters:
        """As ``of(...).as_stored(...)`` of them all."""
        return cls(values, hashes, counts, np.zeros(len(counts), np.int64)).as_stored(int(counts.sum()))

    @classmethod
    def none(cls, values: pa.Array) -> HeavyHitters:
        """Those of no data; ``values`` is empty and of the values' type."""
        nothing = np.empty(0, np.int64)
        return cls(values, nothing.astype(np.uint64), nothing, nothing)

    @classmethod
    def _kept(
        cls, values: pa.Array, hashes: Hashes, counts: Counted, missed: Counted, floor: int, most: int, least: int
    ) -> HeavyHitters:
        """At most ``most`` of the values, each occurring ``least`` times or more, in the order of their hashes."""
        upper = counts + missed
        cut = _at_rank(upper, len(upper) - most - 1) if len(upper) > most else 0
        # Equal ones go together: which of them came first depends on the split.
        chosen = (upper > cut) & (counts >= least)
        floor = max(floor, int(upper.max(where=~chosen, initial=0)))
        held = np.flatnonzero(chosen)
        held = held[np.argsort(hashes[held], kind="stable")]
        kept = (
            values
            if len(held) == len(values) and np.array_equal(held, np.arange(len(values)))
            else values.take(pa.array(held))
        )
        return cls(kept, hashes[held], counts[held], missed[held], floor)

    def merge(self, other: HeavyHitters) -> HeavyHitters:
        """The heavy hitters of the concatenation."""
        both = np.concatenate([self.hashes, other.hashes])
        hashes, first, place = np.unique(both, return_index=True, return_inverse=True)
        floor = self.floor + other.floor
        counts, missed = np.zeros(len(hashes), np.int64), np.full(len(hashes), floor, np.int64)
        start = 0
        for part in (self, other):
            here = place[start : start + len(part.hashes)]
            counts[here] += part.counts
            # Where a part holds a value, what that part may have missed is known better than its floor.
            missed[here] += part.missed - part.floor
            start += len(part.hashes)
        values = pa.concat_arrays([self.values, other.values]).take(pa.array(first))
        return self._kept(values, hashes, counts, missed, floor, self.CAPACITY, 0)

    def as_stored(self, total: int) -> HeavyHitters:
        """The few that are worth storing: none rarer than one in ``SHARE`` of all ``total`` values.

        The floor is raised to what it can be at worst for any split, so that it says nothing about the split.
        """
        least = -(-total // self.SHARE)
        kept = self._kept(self.values, self.hashes, self.counts, self.missed, self.floor, self.STORED, least)
        return replace(kept, floor=max(kept.floor, 2 * least))

    def thinned(self, share: float) -> HeavyHitters:
        """The heavy hitters of a share of the rows, distributed like all of them."""
        counts = np.floor(self.counts * share).astype(np.int64)
        some = counts > 0
        values = self.values.filter(pa.array(some))
        return HeavyHitters(values, self.hashes[some], counts[some], self.missed[some], self.floor)

    def top(self, number: int) -> list[Frequent]:
        """The most frequent values first."""
        order = np.lexsort([self.hashes, -self.counts])[:number]
        values = self.values.take(pa.array(order)).to_pylist()
        return [
            Frequent(*found)
            for found in zip(values, self.counts[order].tolist(), self.missed[order].tolist(), strict=True)
        ]

    @property
    def mass(self) -> int:
        """Number of occurrences that are counted here."""
        return int(self.counts.sum())

    def sections(self) -> tuple[bytes, ...]:
        """What the codec stores beside the values."""
        return pack_integers(self.counts), pack_integers(self.missed), pack_integers(np.array([self.floor], np.int64))

    @classmethod
    def from_sections(cls, values: pa.Array, hashes: Hashes, *sections: bytes) -> HeavyHitters:
        """The heavy hitters with these values and sections.

        :raises ValueError: when they cannot be heavy hitters.
        """
        counts, missed, floor = (unpack_integers(section) for section in sections)
        whole = len(values) == len(counts) == len(missed) and len(floor) == 1
        if not whole or min(counts.min(initial=1), missed.min(initial=0) + 1, floor[0] + 1) < 1:
            raise ValueError("its most frequent values and their counts do not fit together")
        if (hashes[1:] <= hashes[:-1]).any():
            raise ValueError("its most frequent values are not in order")
        return cls(values, hashes, counts, missed, int(floor[0]))


def _at_rank(counts: Counted, rank: int) -> int:
    """The count with so many others before it, when they ascend."""
    if counts.max() > len(counts):
        return int(np.partition(counts, rank)[rank])
    # Of many small counts it takes a sixth of the time to count each of them.
    return int(np.searchsorted(np.bincount(counts).cumsum(), rank, side="right"))

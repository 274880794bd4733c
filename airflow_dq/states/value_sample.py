"""A sample of a column's distinct values, by hash: each with the exact number of its occurrences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from airflow_dq.states.hashing import Hashes, hash_floats, smallest
from airflow_dq.states.layout import pack_integers, unpack_integers

Counted = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ValueSample:
    """The ``SIZE`` distinct values with the smallest hashes, as hashes and counts (bottom-k, Cohen and Kaplan 2007).

    A value among the smallest of the whole is among the smallest of every part that has it: merging is exact, and the
    same values are drawn from every partition.  Sums over distinct values are estimated from it without bias.
    """

    SIZE: ClassVar[int] = 1024
    """Most values that are held: the number of distinct values has a standard error of 1 / sqrt(1024), 3 %."""

    hashes: Hashes
    """Ascending."""
    counts: Counted

    @classmethod
    def of(cls, hashes: Hashes, counts: Counted) -> ValueSample:
        """Draw from distinct values given by their hashes."""
        drawn = smallest(hashes, cls.SIZE)
        return cls(hashes[drawn], counts[drawn])

    @classmethod
    def merged(cls, samples: Sequence[ValueSample]) -> ValueSample:
        """The sample of the concatenation of all inputs."""
        hashes, place = np.unique(np.concatenate([one.hashes for one in samples]), return_inverse=True)
        counts = np.zeros(len(hashes), np.int64)
        np.add.at(counts, place, np.concatenate([one.counts for one in samples]))
        return cls(hashes[: cls.SIZE], counts[: cls.SIZE])

    def replaced(self, share: float) -> ValueSample:
        """The sample when a share of the values are others, which no column has had; always the same ones."""
        chance = _mixed(self.hashes).astype(np.float64) / 2.0**64
        gone = chance < share
        others = (_mixed(~self.hashes[gone]).astype(np.float64) * (float(self.reach) / 2.0**64)).astype(np.uint64)
        stayed = ValueSample(self.hashes[~gone], self.counts[~gone])
        return self.merged([stayed, ValueSample.of(others, self.counts[gone])])

    @property
    def reach(self) -> np.uint64:
        """The largest hash up to which every value is in the sample."""
        return self.hashes[-1] if len(self.hashes) >= self.SIZE else np.uint64(2**64 - 1)

    def without(self, hashes: Hashes) -> Counted:
        """The counts of the sampled values that are not among these."""
        return self.counts[~np.isin(self.hashes, hashes)]

    def new_share(self, before: ValueSample) -> float:
        """Share of the occurrences whose value the other sample's column does not have, over the values both drew from.

        0.0 when there is no such value.
        """
        end = int(np.searchsorted(self.hashes, min(self.reach, before.reach), side="right"))
        hashes, counts = self.hashes[:end], self.counts[:end]
        # Ascending on both sides, which np.isin would not know.
        place = np.searchsorted(before.hashes, hashes)
        known = np.append(before.hashes, ~hashes[-1:])[place] == hashes
        return float(counts[~known].sum() / counts.sum()) if len(counts) else 0.0

    def __eq__(self, other: object) -> bool:
        """Equal hashes and counts."""
        if not isinstance(other, ValueSample):
            return NotImplemented
        return np.array_equal(self.hashes, other.hashes) and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]

    def sections(self) -> tuple[bytes, bytes]:
        """What the codec stores."""
        # Steps between ascending hashes are shorter than the hashes by as many bits as the sample has.
        steps = np.diff(self.hashes, prepend=np.zeros(1, np.uint64))
        return pack_integers(steps.view(np.int64)), pack_integers(self.counts)

    @classmethod
    def from_sections(cls, steps: bytes, counts: bytes) -> ValueSample:
        """The sample with these sections.

        :raises ValueError: when they cannot be a sample.
        """
        hashes, counted = np.cumsum(unpack_integers(steps).view(np.uint64), dtype=np.uint64), unpack_integers(counts)
        ascending = bool((hashes[1:] > hashes[:-1]).all())
        if len(hashes) != len(counted) or len(hashes) > cls.SIZE or not ascending or counted.min(initial=1) < 1:
            raise ValueError("its sample of values does not fit together")
        return cls(hashes, counted)


def _mixed(hashes: Hashes) -> Hashes:
    return hash_floats(hashes.view(np.float64))  # it mixes the bits, whatever they stand for

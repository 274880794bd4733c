"""Hashed buckets: what is kept of a string distribution with too many distinct values to count each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airflow_dq.states.codec import pack_integers, unpack_integers
from airflow_dq.states.hashing import hash_strings
from airflow_dq.states.hyperloglog import HyperLogLog

NUMBER = 4096
"""How many buckets there are; part of the stored layout."""


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """Counts of the values by hash bucket, and a HyperLogLog for how many distinct ones there are."""

    counts: NDArray[np.int64]
    sketch: HyperLogLog

    @classmethod
    def of(cls, data: NDArray[np.uint8], offsets: NDArray[np.int64], counts: NDArray[np.int64]) -> Buckets:
        """Hash distinct UTF-8 strings (end to end, with offsets) that occur ``counts`` times."""
        hashes = hash_strings(data, offsets)
        totals = np.zeros(NUMBER, np.int64)
        # The low bits: HyperLogLog uses the high ones.
        np.add.at(totals, (hashes % np.uint64(NUMBER)).astype(np.int64), counts)
        return cls(totals, HyperLogLog.of(hashes))

    def merge(self, other: Buckets) -> Buckets:
        """The buckets of the concatenation."""
        return Buckets(self.counts + other.counts, self.sketch.merge(other.sketch))

    @property
    def total(self) -> int:
        """Number of values, exact."""
        return int(self.counts.sum())

    def distinct(self, least: int) -> int:
        """Estimated number of distinct values, known to be at least ``least``."""
        return max(least, round(min(self.total, self.sketch.estimate())))

    def __eq__(self, other: object) -> bool:
        """Equal counts and registers."""
        if not isinstance(other, Buckets):
            return NotImplemented
        return np.array_equal(self.counts, other.counts) and self.sketch == other.sketch

    __hash__ = None  # type: ignore[assignment]

    def sections(self) -> tuple[bytes, bytes]:
        """What the codec stores."""
        return pack_integers(self.counts), self.sketch.registers

    @classmethod
    def from_sections(cls, counts: bytes, registers: bytes) -> Buckets:
        """The buckets with these sections.

        :raises ValueError: when they cannot be buckets.
        """
        totals = unpack_integers(counts)
        if len(totals) != NUMBER or totals.min() < 0:
            raise ValueError("it holds no hash buckets")
        return cls(totals, HyperLogLog.from_bytes(registers))

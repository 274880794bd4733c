"""Hashed buckets: what is kept of a string distribution with too many distinct values to count each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.states.array import DistinctStrings, string_bytes, strings_from_bytes
from airflow_dq.states.hashing import Hashes, hash_strings
from airflow_dq.states.heavy import HeavyHitters
from airflow_dq.states.hyperloglog import HyperLogLog
from airflow_dq.states.layout import pack_integers, unpack_integers
from airflow_dq.states.value_sample import ValueSample

Counted = NDArray[np.int64]
NUMBER = 4096
"""How many buckets there are, a power of two; part of the stored layout."""


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """Counts of the values by hash bucket, and what buckets do not tell: how many values there are, and which are many.

    All parts but the lightest of the heavy hitters depend on the data alone.
    """

    NO_SECTIONS: ClassVar[tuple[bytes, ...]] = (b"",) * 9

    counts: Counted
    distinct_sketch: HyperLogLog
    heavy: HeavyHitters
    sample: ValueSample

    @classmethod
    def of(cls, strings: DistinctStrings) -> Buckets:
        """Sort strings into buckets by their hashes."""
        hashes, counts = strings.hashes, strings.counts
        heavy = HeavyHitters.of(strings.values, hashes, counts)
        return cls(_totals(hashes, counts), HyperLogLog.of(hashes), heavy, ValueSample.of(hashes, counts))

    @classmethod
    def to_compare(cls, strings: DistinctStrings) -> Buckets:
        """As ``of(...).compared()``."""
        hashes, counts = strings.hashes, strings.counts
        return cls._compared(_totals(hashes, counts), ValueSample.of(hashes, counts))

    @classmethod
    def _compared(cls, counts: Counted, sample: ValueSample) -> Buckets:
        return cls(counts, HyperLogLog(), HeavyHitters.none(pa.array([], pa.large_string())), sample)

    @classmethod
    def merged(cls, buckets: Sequence[Buckets]) -> Buckets:
        """The buckets of the concatenation of at least one input."""
        return cls(
            np.sum([one.counts for one in buckets], axis=0),
            reduce(HyperLogLog.merge, [one.distinct_sketch for one in buckets]),
            reduce(HeavyHitters.merge, [one.heavy for one in buckets]),
            ValueSample.merged([one.sample for one in buckets]),
        )

    def as_stored(self) -> Buckets:
        """With no more heavy hitters than are worth storing."""
        return replace(self, heavy=self.heavy.as_stored(self.total))

    def compared(self) -> Buckets:
        """With what distances read."""
        return self._compared(self.counts, self.sample)

    @property
    def total(self) -> int:
        """Number of values, exact."""
        return int(self.counts.sum())

    @property
    def distinct(self) -> int:
        """Estimated number of distinct values."""
        return round(min(self.total, self.distinct_sketch.estimate))

    @property
    def mode_count(self) -> int:
        """Occurrences of the most frequent value: a heavy hitter, or when there is none a sampled one."""
        return int(max(self.heavy.counts.max(initial=0), self.sample.counts.max(initial=0)))

    @property
    def entropy(self) -> float:
        """Estimated Shannon entropy in nats: heavy hitters exactly, the others as the sampled ones among them.

        The sample estimates the average of ``-ln(share)`` over the occurrences of the other values.
        """
        total = float(self.total)
        known = self.heavy.counts / total
        exact = -float((known * np.log(known)).sum())
        others = self.sample.without(self.heavy.hashes)
        left = (total - self.heavy.mass) / total
        if left <= 0.0 or not len(others):
            return max(0.0, exact)
        return max(0.0, exact + left * float((others * np.log(total / others)).sum() / others.sum()))

    def __eq__(self, other: object) -> bool:
        """Equal up to the heavy hitters, whose light tail depends on the split."""
        if not isinstance(other, Buckets):
            return NotImplemented
        same = np.array_equal(self.counts, other.counts) and self.distinct_sketch == other.distinct_sketch
        return same and self.sample == other.sample

    __hash__ = None  # type: ignore[assignment]

    def sections(self) -> tuple[bytes, ...]:
        """What the codec stores."""
        text, starts = string_bytes(self.heavy.values)
        values = text.tobytes(), pack_integers(np.diff(starts))
        return (
            pack_integers(self.counts),
            self.distinct_sketch.to_bytes(),
            *values,
            *self.heavy.sections(),
            *self.sample.sections(),
        )

    @classmethod
    def from_sections(cls, counts: bytes, registers: bytes, text: bytes, lengths: bytes, *others: bytes) -> Buckets:
        """The buckets with these sections.

        :raises ValueError: when they cannot be buckets.
        """
        totals = unpack_integers(counts)
        if len(totals) != NUMBER or totals.min() < 0:
            raise ValueError("it holds no hash buckets")
        values = read_strings(text, unpack_integers(lengths))
        heavy = HeavyHitters.from_sections(values, hash_strings(*string_bytes(values)), *others[:3])
        return cls(totals, HyperLogLog.from_bytes(registers), heavy, ValueSample.from_sections(*others[3:]))


def bucket_counts(values: pa.LargeStringArray, counts: Counted) -> Counted:
    """How many of distinct strings that occur ``counts`` times fall into each bucket."""
    return _totals(hash_strings(*string_bytes(values)), counts)


def _totals(hashes: Hashes, counts: Counted) -> Counted:
    totals = np.zeros(NUMBER, np.int64)
    # The low bits: HyperLogLog and the sample use the high ones.
    np.add.at(totals, (hashes & np.uint64(NUMBER - 1)).astype(np.int64), counts)
    return totals


def read_strings(text: bytes, lengths: Counted) -> pa.LargeStringArray:
    """Stored strings.

    :raises ValueError: when the text is no UTF-8 or has another length.
    """
    if lengths.sum() != len(text) or lengths.min(initial=1) < 1:
        raise ValueError("its values do not fit their lengths")
    values = strings_from_bytes(text, np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]))
    values.validate(full=True)
    return values

"""How often each value of a column occurs."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.states.array import flat, present_strings, string_bytes, strings_from_bytes
from airflow_dq.states.base import Kind, State
from airflow_dq.states.bucket import Buckets
from airflow_dq.states.codec import pack, pack_integers, reading, unpack, unpack_integers
from airflow_dq.states.memo import remember_last

Counted = NDArray[np.int64]
LONGEST = 200
"""Code points of a value that is kept whole; a longer one is kept as its beginning and a digest of all of it."""
_DIGEST_BYTES = 8
_NO_VALUES = pa.array([], pa.large_string())
_NO_COUNTS = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class CategoryDistribution(State):
    """Counts of the non-null, non-empty values: each value's own up to ``limit`` distinct values, hashed beyond.

    ``values`` and ``counts`` go together, in no particular order, and are empty when ``buckets`` are there.
    """

    key: ClassVar[str] = "categories/1"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.STRING, Kind.BOOLEAN})
    limit: ClassVar[int] = 20_000
    """Most distinct values that are counted one by one."""

    values: pa.LargeStringArray = field(default_factory=lambda: _NO_VALUES)
    counts: Counted = field(default_factory=lambda: _NO_COUNTS)
    buckets: Buckets | None = None

    @classmethod
    def of(cls, values: pa.Array) -> Self:
        """Count a string or boolean array (booleans as ``true`` and ``false``)."""
        encoded = cls._labels(values).dictionary_encode()
        indices = encoded.indices.to_numpy(zero_copy_only=False)
        return cls._of_distinct(encoded.dictionary, np.bincount(indices, minlength=len(encoded.dictionary)))

    @classmethod
    def _labels(cls, values: pa.Array) -> pa.LargeStringArray:
        values = flat(values)
        return present_strings(pc.cast(values, pa.large_string()) if pa.types.is_boolean(values.type) else values)

    @classmethod
    def from_counts(cls, values: pa.LargeStringArray, counts: Counted) -> Self:
        """The state of given values and how often each occurs; a value may be listed twice, counts are positive."""
        encoded = _shortened(values).dictionary_encode()
        totals = np.zeros(len(encoded.dictionary), np.int64)
        np.add.at(totals, encoded.indices.to_numpy(zero_copy_only=False), counts)
        return cls._of_distinct(encoded.dictionary, totals)

    @classmethod
    def _of_distinct(cls, values: pa.LargeStringArray, counts: Counted) -> Self:
        values = _shortened(values)
        if len(values) > cls.limit:
            return cls(buckets=Buckets.of(*string_bytes(values), counts))
        return cls(values, counts)

    def merge(self, other: Self) -> Self:
        """The state of the concatenation of both inputs."""
        if self.buckets is None and other.buckets is None:
            if not len(self.values) or not len(other.values):
                return self if len(self.values) else other
            values = pa.concat_arrays([self.values, other.values])
            return self.from_counts(values, np.concatenate([self.counts, other.counts]))
        return type(self)(buckets=self.bucketed().merge(other.bucketed()))

    def bucketed(self) -> Buckets:
        """The hashed form, which every state can take."""
        return self.buckets or Buckets.of(*string_bytes(self.values), self.counts)

    @property
    def total(self) -> int:
        """Number of values."""
        return int(self.counts.sum()) if self.buckets is None else self.buckets.total

    @property
    def distinct(self) -> int:
        """Number of distinct values: exact up to ``limit``, an estimate (standard error 0.8 %) beyond."""
        return len(self.values) if self.buckets is None else self.buckets.distinct(self.limit + 1)

    @property
    def frequencies(self) -> Counted:
        """The counts, of values or of hashed buckets, without what they are counts of."""
        return self.counts if self.buckets is None else self.buckets.counts

    def count_of(self, value: str) -> int:
        """How often a value occurs; 0 as well when values are not counted one by one."""
        index = pc.index(self.values, pa.scalar(value, pa.large_string())).as_py()
        return int(self.counts[index]) if index >= 0 else 0

    def items(self) -> tuple[pa.LargeStringArray, Counted]:
        """The values in order of their UTF-8 bytes, and their counts."""
        order = pc.array_sort_indices(self.values)
        return self.values.take(order), self.counts[order.to_numpy(zero_copy_only=False)]

    def __eq__(self, other: object) -> bool:
        """Equal values with equal counts, or equal buckets."""
        if not isinstance(other, CategoryDistribution) or self.key != other.key:
            return NotImplemented
        if self.buckets is not None or other.buckets is not None:
            return self.buckets == other.buckets
        (values, counts), (other_values, other_counts) = self.items(), other.items()
        return bool(values.equals(other_values)) and np.array_equal(counts, other_counts)

    __hash__ = None  # type: ignore[assignment]

    def encode(self) -> bytes:
        """Bytes from which :meth:`decode` restores an equal state."""
        values, counts = self.items()
        data, offsets = string_bytes(values)
        sections = (b"", b"") if self.buckets is None else self.buckets.sections()
        return pack(self.key, data.tobytes(), pack_integers(np.diff(offsets)), pack_integers(counts), *sections)

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """The state that :meth:`encode` wrote.

        :raises CodecError: when the bytes are not of this state and version.
        """
        with reading(cls.key):
            text, packed_lengths, packed_counts, *sections = unpack(cls.key, data, 5)
            lengths, counts = unpack_integers(packed_lengths), unpack_integers(packed_counts)
            if len(lengths) != len(counts) or lengths.sum() != len(text) or min(*lengths, *counts, 1, 1) < 1:
                raise ValueError("its values and counts do not fit together")
            values = strings_from_bytes(text, np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]))
            values.validate(full=True)
            return cls(values, counts, Buckets.from_sections(*sections) if sections[0] else None)


@remember_last
def common(a: CategoryDistribution, b: CategoryDistribution) -> tuple[Counted, Counted]:
    """The counts of both over the values (or, when either is hashed, the buckets) that occur in one of them.

    A hashed distribution is only ever compared with a hashed one: buckets make unequal values look equal.
    """
    if a.buckets is None and b.buckets is None:
        values = pa.concat_arrays([a.values, b.values]).dictionary_encode()
        indices = values.indices.to_numpy(zero_copy_only=False)
        counts = np.zeros((2, len(values.dictionary)), np.int64)
        counts[0, indices[: len(a.values)]] = a.counts
        counts[1, indices[len(a.values) :]] = b.counts
        # In an order of their own: values come in the order of the split, which floating-point sums would show.
        now, before = counts[:, np.lexsort(counts)]
        return now, before
    left, right = a.bucketed().counts, b.bucketed().counts
    occupied = (left > 0) | (right > 0)
    return left[occupied], right[occupied]


def _shortened(values: pa.LargeStringArray) -> pa.LargeStringArray:
    # Bytes are at least code points: most columns stop at this first, cheap test.
    _, offsets = string_bytes(values)
    if np.diff(offsets).max(initial=0) <= LONGEST:
        return values
    return pa.array([_short(value) for value in values.to_pylist()], pa.large_string())


def _short(value: str) -> str:
    if len(value) <= LONGEST:
        return value
    digest = blake2b(value.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{value[: LONGEST - len(digest) - 1]}…{digest}"

"""How often each value of a column occurs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.states.array import DistinctStrings, added_up, byte_count, string_bytes
from airflow_dq.states.base import Kind, State
from airflow_dq.states.bucket import Buckets, read_strings
from airflow_dq.states.heavy import Frequent
from airflow_dq.states.hidden import hidden_strings
from airflow_dq.states.layout import pack, pack_integers, reading, unpack, unpack_integers
from airflow_dq.states.prepared import PreparedColumn

Counted = NDArray[np.int64]
LONGEST = 200
"""Code points of a value that is kept whole; a longer one is kept as its beginning and a digest of all of it."""
_DIGEST_BYTES = 8
"""64 bits: of a million long values two are alike with a chance of one in forty million."""
_MARK = "…"
_BEGINNING = LONGEST - len(_MARK) - 2 * _DIGEST_BYTES
"""Code points that are kept of a longer value, before the mark and its digest in hexadecimal digits."""
_NO_VALUES = pa.array([], pa.large_string())
_NO_COUNTS = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class CategoryDistribution(State):
    """Counts of the non-null, non-empty values: each value's own up to ``limit`` distinct values, hashed beyond.

    ``values`` and ``counts`` go together, in no particular order, and are empty when ``buckets`` are there, or when
    there is no value at all.
    """

    key: ClassVar[str] = "categories/2"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.STRING, Kind.BOOLEAN})
    limit: ClassVar[int] = 20_000
    """Most distinct values that are counted one by one."""
    byte_limit: ClassVar[int] = 320_000
    """Most bytes of UTF-8 that distinct values counted one by one may have together: long ones are sketched earlier."""

    values: pa.LargeStringArray = field(default_factory=lambda: _NO_VALUES)
    counts: Counted = field(default_factory=lambda: _NO_COUNTS)
    buckets: Buckets | None = None

    @classmethod
    def of_column(cls, column: PreparedColumn) -> Self:
        """Count the strings or booleans of a column (booleans as ``true`` and ``false``)."""
        return cls._of_distinct(_shortened(cls._counted(column)))

    @classmethod
    def of_hidden(cls, column: PreparedColumn, key: bytes) -> Self:
        """Count the strings of a column as keyed hashes of them; booleans hide nothing and stay as they are."""
        strings = cls._counted(column)
        if not pa.types.is_boolean(column.values.type):
            strings = DistinctStrings(hidden_strings(strings.values, key), strings.counts)
        return cls._of_distinct(_shortened(strings))

    @classmethod
    def _counted(cls, column: PreparedColumn) -> DistinctStrings:
        """What is counted of a column."""
        return column.strings

    @classmethod
    def from_counts(cls, values: pa.LargeStringArray, counts: Counted) -> Self:
        """The state of given values and how often each occurs; a value may be listed twice, counts are positive."""
        return cls._of_distinct(added_up(_shortened(DistinctStrings(values, counts)).values, counts))

    @classmethod
    def from_distinct(cls, values: pa.LargeStringArray, counts: Counted) -> Self:
        """As :meth:`from_counts`, of values that are all different and no longer than such a state keeps them."""
        return cls._of_distinct(DistinctStrings(values, counts))

    @classmethod
    def _of_distinct(cls, strings: DistinctStrings) -> Self:
        if cls._fullness(strings.values) > 1.0:
            return cls(buckets=Buckets.of(strings))
        return cls(strings.values, strings.counts)

    @classmethod
    def _fullness(cls, values: pa.LargeStringArray) -> float:
        """How much of what may be counted one by one is used; above 1 it is too much."""
        return max(len(values) / cls.limit, byte_count(values) / cls.byte_limit)

    def merge(self, other: Self) -> Self:
        """The state of the concatenation of both inputs."""
        return self.merged([self, other])

    @classmethod
    def merged(cls, states: Sequence[Self]) -> Self:
        """The state of the concatenation of all inputs: several at once take less time than one after the other."""
        if any(state.buckets is not None for state in states):
            return cls(buckets=Buckets.merged([state.bucketed() for state in states]))
        parts = [state for state in states if len(state.values)]
        if len(parts) < 2:
            return parts[0] if parts else states[0]
        values = pa.concat_arrays([part.values for part in parts])
        return cls.from_counts(values, np.concatenate([part.counts for part in parts]))

    def repeated(self, times: int) -> Self:
        """As :meth:`State.repeated`."""
        return State.repeated(self, times) if self.buckets is not None else type(self)(self.values, self.counts * times)

    def bucketed(self) -> Buckets:
        """The hashed form, which every state can take."""
        return self.buckets or Buckets.of(DistinctStrings(self.values, self.counts))

    def as_sketch(self) -> Self:
        """The distribution as hash buckets."""
        return self if self.buckets is not None else type(self)(buckets=self.bucketed())

    def as_stored(self) -> Self:
        """With no more heavy hitters than are worth storing."""
        return self if self.buckets is None else type(self)(buckets=self.buckets.as_stored())

    def compared(self) -> Self:
        """Of buckets, their counts and the sample of values: no distance reads the rest."""
        return self if self.buckets is None else type(self)(buckets=self.buckets.compared())

    def compared_sketch(self) -> Self:
        """As ``as_sketch().compared()``."""
        if self.buckets is not None:
            return self.compared()
        return type(self)(buckets=Buckets.to_compare(DistinctStrings(self.values, self.counts)))

    @property
    def fullness(self) -> float:
        """Distinct values and their bytes as a share of their limits, whichever is more; infinite for buckets."""
        return self._fullness(self.values) if self.buckets is None else math.inf

    @property
    def total(self) -> int:
        """Number of values."""
        return int(self.counts.sum()) if self.buckets is None else self.buckets.total

    @property
    def distinct(self) -> int:
        """Number of distinct values: exact up to the limit, an estimate (standard error 0.4 %) beyond."""
        return len(self.values) if self.buckets is None else self.buckets.distinct

    @property
    def mode_count(self) -> int:
        """How often the most frequent value occurs: exact up to the limit, a lower bound beyond."""
        return int(self.counts.max(initial=0)) if self.buckets is None else self.buckets.mode_count

    def top(self, number: int) -> list[Frequent]:
        """The most frequent values first, each with its count and what that may have missed (0 up to the limit)."""
        if self.buckets is not None:
            return self.buckets.heavy.top(number)
        values, counts = self.items()
        order = np.argsort(-counts, kind="stable")[:number]
        named = zip(values.take(pa.array(order)).to_pylist(), counts[order].tolist(), strict=True)
        return [Frequent(value, count, 0) for value, count in named]

    def count_of(self, value: str) -> int:
        """How often a value occurs; 0 as well when values are not counted one by one."""
        index = pc.index(self.values, pa.scalar(value, pa.large_string())).as_py()
        return int(self.counts[index]) if index >= 0 else 0

    @property
    def readable(self) -> pa.LargeStringArray:
        """The values that are counted one by one, without the digests of long ones."""
        # Bytes are at least code points: most columns have no value that is long enough for a digest.
        longest = np.diff(string_bytes(self.values)[1]).max(initial=0)
        return self.values if longest < LONGEST else _without_digests(self.values)

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
        sections = Buckets.NO_SECTIONS if self.buckets is None else self.buckets.sections()
        return pack(self.key, data.tobytes(), pack_integers(np.diff(offsets)), pack_integers(counts), *sections)

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """The state that :meth:`encode` wrote.

        :raises CodecError: when the bytes are not of this state and version.
        """
        with reading(cls.key):
            text, lengths, packed_counts, *sections = unpack(cls.key, data, 3 + len(Buckets.NO_SECTIONS))
            values, counts = read_strings(text, unpack_integers(lengths)), unpack_integers(packed_counts)
            if len(values) != len(counts) or counts.min(initial=1) < 1:
                raise ValueError("its values and counts do not fit together")
            return cls(values, counts, Buckets.from_sections(*sections) if sections[0] else None)


def _shortened(strings: DistinctStrings) -> DistinctStrings:
    # Bytes are at least code points: most columns stop at this first, cheap test.
    return strings if strings.longest <= LONGEST else DistinctStrings(_short_ones(strings.values), strings.counts)


def _short_ones(values: pa.LargeStringArray) -> pa.LargeStringArray:
    return pa.array([_short(value) for value in values.to_pylist()], pa.large_string())


def _short(value: str) -> str:
    if len(value) <= LONGEST:
        return value
    digest = blake2b(value.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{value[:_BEGINNING]}{_MARK}{digest}"


def _without_digests(values: pa.LargeStringArray) -> pa.LargeStringArray:
    mark = pc.utf8_slice_codeunits(values, _BEGINNING, _BEGINNING + len(_MARK))
    cut = pc.and_(pc.equal(pc.utf8_length(values), LONGEST), pc.equal(mark, _MARK))
    return pc.if_else(cut, pc.utf8_slice_codeunits(values, 0, _BEGINNING), values)

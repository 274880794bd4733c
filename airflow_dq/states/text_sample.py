"""A few of a column's texts, drawn by hash: what patterns are learned from where values are too many to count each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.states.array import DistinctStrings, added_up, string_bytes
from airflow_dq.states.base import Kind, State
from airflow_dq.states.bucket import read_strings
from airflow_dq.states.category import LONGEST
from airflow_dq.states.hashing import smallest
from airflow_dq.states.layout import pack, pack_integers, reading, unpack, unpack_integers
from airflow_dq.states.prepared import PreparedColumn

Counted = NDArray[np.int64]
_NO_VALUES = pa.array([], pa.large_string())
_NO_COUNTS = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class TextSample(State):
    """The ``SIZE`` distinct texts with the smallest hashes, each with the exact number of its occurrences.

    Texts longer than a state keeps them whole (:data:`LONGEST`) are only counted: a part of one has another pattern.
    A text among those with the smallest hashes of all is among those of every part that has it: merging is exact.
    """

    key: ClassVar[str] = "texts/1"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.STRING})
    SIZE: ClassVar[int] = 200
    """Most texts that are held.  Of more than 150 values a column's pattern is learned no better."""

    values: pa.LargeStringArray = field(default_factory=lambda: _NO_VALUES)
    """By ascending hash."""
    counts: Counted = field(default_factory=lambda: _NO_COUNTS)
    longer: int = 0
    """How many values are too long to be held."""

    @classmethod
    def of_column(cls, column: PreparedColumn) -> Self:
        """Draw from the non-null, non-empty strings."""
        strings = column.strings
        if strings.longest <= LONGEST:
            return cls._drawn(strings, 0)
        short = pc.less_equal(pc.utf8_length(strings.values), LONGEST)
        held = short.to_numpy(zero_copy_only=False)
        longer = int(strings.counts[~held].sum())
        return cls._drawn(DistinctStrings(strings.values.filter(short), strings.counts[held]), longer)

    @classmethod
    def of_hidden(cls, column: PreparedColumn, key: bytes) -> Self:
        """Nothing: the texts of a hidden column are kept nowhere."""
        return cls()

    @classmethod
    def _drawn(cls, strings: DistinctStrings, longer: int) -> Self:
        drawn = smallest(strings.hashes, cls.SIZE)
        return cls(strings.values.take(pa.array(drawn)), strings.counts[drawn], longer)

    def merge(self, other: Self) -> Self:
        """The sample of the concatenation of both inputs."""
        return self.merged([self, other])

    @classmethod
    def merged(cls, states: Sequence[Self]) -> Self:
        """The sample of the concatenation of all inputs."""
        longer = sum(state.longer for state in states)
        values = pa.concat_arrays([state.values for state in states])
        return cls._drawn(added_up(values, np.concatenate([state.counts for state in states])), longer)

    def compared(self) -> Self:
        """Nothing: no distance reads it."""
        return type(self)()

    def __eq__(self, other: object) -> bool:
        """Equal texts with equal counts."""
        if not isinstance(other, TextSample):
            return NotImplemented
        same = self.values.equals(other.values) and np.array_equal(self.counts, other.counts)
        return bool(same) and self.longer == other.longer

    __hash__ = None  # type: ignore[assignment]

    def encode(self) -> bytes:
        """Bytes from which :meth:`decode` restores an equal state."""
        data, offsets = string_bytes(self.values)
        longer = pack_integers(np.array([self.longer], np.int64))
        return pack(self.key, data.tobytes(), pack_integers(np.diff(offsets)), pack_integers(self.counts), longer)

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """The state that :meth:`encode` wrote.

        :raises CodecError: when the bytes are not of this state and version.
        """
        with reading(cls.key):
            text, lengths, packed_counts, longer = unpack(cls.key, data, 4)
            values, counts = read_strings(text, unpack_integers(lengths)), unpack_integers(packed_counts)
            (number,) = unpack_integers(longer).tolist()
            if len(values) != len(counts) or len(values) > cls.SIZE or min(counts.min(initial=1), number + 1) < 1:
                raise ValueError("its texts and counts do not fit together")
            return cls(values, counts, number)

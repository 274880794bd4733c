"""How long the values of a column are: characters of texts, bytes of binaries, elements of nested ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from airflow_dq.states.array import finite_floats
from airflow_dq.states.base import Kind, State
from airflow_dq.states.character import Text
from airflow_dq.states.layout import pack, pack_integers, reading, unpack, unpack_integers
from airflow_dq.states.prepared import PreparedColumn


@dataclass(frozen=True, slots=True)
class ValueLengths(State):
    """Number, sum, minimum and maximum of the lengths of the values that are not null; all 0 when there are none.

    Of texts those that are not empty count, in code points.
    """

    key: ClassVar[str] = "sizes/1"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.STRING, Kind.BINARY, Kind.NESTED})

    count: int = 0
    total: int = 0
    low: int = 0
    high: int = 0

    @classmethod
    def of_column(cls, column: PreparedColumn) -> Self:
        """Summarise texts by their characters, binaries by their bytes, lists and maps by their elements.

        Numbers are lengths themselves.
        """
        if pt.is_string(column.values.type) or pt.is_large_string(column.values.type):
            return cls._of_text(column.text)
        lengths = finite_floats(_lengths(column.values)).astype(np.int64)
        if not len(lengths):
            return cls()
        return cls(len(lengths), int(lengths.sum()), int(lengths.min()), int(lengths.max()))

    @classmethod
    def _of_text(cls, text: Text) -> Self:
        lengths = np.diff(text.offsets)
        if not len(lengths):
            return cls()
        return cls(int(text.counts.sum()), int(lengths @ text.counts), int(lengths.min()), int(lengths.max()))

    def merge(self, other: Self) -> Self:
        """The state of the concatenation of both inputs."""
        if not self.count or not other.count:
            return self if self.count else other
        low, high = min(self.low, other.low), max(self.high, other.high)
        return type(self)(self.count + other.count, self.total + other.total, low, high)

    def encode(self) -> bytes:
        """Bytes from which :meth:`decode` restores an equal state."""
        return pack(self.key, pack_integers(np.array([self.count, self.total, self.low, self.high], np.int64)))

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """The state that :meth:`encode` wrote.

        :raises CodecError: when the bytes are not of this state and version.
        """
        with reading(cls.key):
            count, total, low, high = unpack_integers(unpack(cls.key, data, 1)[0]).tolist()
            if not 0 <= low <= high or not count * low <= total <= count * high:
                raise ValueError("its numbers contradict each other")
            return cls(count, total, low, high)


def _lengths(values: pa.Array) -> pa.Array:
    if pt.is_binary(values.type) or pt.is_large_binary(values.type) or pt.is_fixed_size_binary(values.type):
        return pc.binary_length(values)
    is_list = pt.is_list(values.type) or pt.is_large_list(values.type) or pt.is_fixed_size_list(values.type)
    return pc.list_value_length(values) if is_list else values

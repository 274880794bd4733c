"""What the strings of a column begin with."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from airflow_dq.states.base import Kind, State
from airflow_dq.states.layout import pack, pack_integers, reading, unpack, unpack_integers
from airflow_dq.states.prepared import PreparedColumn

Counted = NDArray[np.int64]
CLASSES = 256
"""First characters are told apart by their code point modulo this: ASCII ones exactly."""


@dataclass(frozen=True, slots=True, eq=False)
class Initials(State):
    """How often the non-null, non-empty strings begin with each character; all 0 when there are none."""

    key: ClassVar[str] = "initials/1"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.STRING})

    counts: Counted = field(default_factory=lambda: np.zeros(CLASSES, np.int64))
    """By code point modulo ``CLASSES``."""

    @classmethod
    def of_column(cls, column: PreparedColumn) -> Self:
        """Count the strings of a column."""
        text = column.text
        first = text.codes[text.offsets[:-1]].astype(np.int64) % CLASSES
        return cls(np.bincount(first, text.counts, CLASSES).astype(np.int64))

    @classmethod
    def of_hidden(cls, column: PreparedColumn, key: bytes) -> Self:
        """Count the strings of a column, the characters in an order that only the key's owner knows."""
        hashed = [blake2b(bytes([place]), key=key, digest_size=8).digest() for place in range(CLASSES)]
        return cls(cls.of_column(column).counts[np.argsort(np.array(hashed, dtype="S8"), kind="stable")])

    @property
    def total(self) -> int:
        """Number of strings."""
        return int(self.counts.sum())

    def merge(self, other: Self) -> Self:
        """The state of the concatenation of both inputs."""
        return type(self)(self.counts + other.counts)

    def __eq__(self, other: object) -> bool:
        """Equal counts."""
        return np.array_equal(self.counts, other.counts) if isinstance(other, Initials) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def encode(self) -> bytes:
        """Bytes from which :meth:`decode` restores an equal state."""
        places = np.flatnonzero(self.counts)
        return pack(self.key, pack_integers(places), pack_integers(self.counts[places]))

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """The state that :meth:`encode` wrote.

        :raises CodecError: when the bytes are not of this state and version.
        """
        with reading(cls.key):
            places, counted = (unpack_integers(section) for section in unpack(cls.key, data, 2))
            ascending = bool((places[1:] > places[:-1]).all())
            if len(places) != len(counted) or not ascending or counted.min(initial=1) < 1:
                raise ValueError("its characters and counts do not fit together")
            if len(places) and not 0 <= places[0] <= places[-1] < CLASSES:
                raise ValueError("it counts characters that there are not")
            counts = np.zeros(CLASSES, np.int64)
            counts[places] = counted
            return cls(counts)

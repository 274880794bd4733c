"""How the finite numbers of a column are distributed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.states.array import counted_numbers
from airflow_dq.states.base import Kind, State
from airflow_dq.states.cell import Cells
from airflow_dq.states.hashing import Hashes, hash_apart, hash_floats
from airflow_dq.states.heavy import Frequent
from airflow_dq.states.hidden import hidden_hashes
from airflow_dq.states.joint import sketched_cells
from airflow_dq.states.layout import (
    pack,
    pack_floats,
    pack_integers,
    reading,
    unpack,
    unpack_floats,
    unpack_integers,
)
from airflow_dq.states.long_integer import is_long, split, whole
from airflow_dq.states.prepared import PreparedColumn
from airflow_dq.states.sketch import NumberSketch

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


_NONE = np.empty(0, np.int64)
ALIKE = 2.0**-50
"""Relative difference up to which two floats are one number: four to eight units in the last place."""


@dataclass(frozen=True, eq=False)
class NumberDistribution(State):
    """Counts of the finite values: each value's own up to ``limit`` distinct values, a sketch beyond; or none.

    ``values`` (ascending), ``rests`` and ``counts`` go together, and are empty when there is a ``sketch``.
    """

    key: ClassVar[str] = "numbers/2"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.NUMERIC, Kind.TIMESTAMP})
    limit: ClassVar[int] = 20_000
    """Most distinct values that are counted one by one."""

    values: Floats = field(default_factory=lambda: np.empty(0, np.float64))
    counts: Integers = field(default_factory=lambda: _NONE)
    rests: Integers = field(default_factory=lambda: _NONE)
    """What integers beyond 2**53 are above the float in ``values``: tells neighbours apart that are one float.

    Empty when all are zero.
    """
    sketch: NumberSketch | None = None

    @classmethod
    def of_column(cls, column: PreparedColumn) -> Self:
        """Summarise numbers: floats, decimals, or integers of up to 64 bits."""
        values = column.values
        if pa.types.is_decimal(values.type):
            integers, others = whole(values)
            if is_long(integers):
                return cls.from_counts(*split(integers)).merge(cls.of(others.cast(pa.float64())))
        if is_long(values):
            return cls.from_counts(*split(values))
        return cls.from_distinct(*counted_numbers(column.finite))

    @classmethod
    def of_hidden(cls, column: PreparedColumn, key: bytes) -> Self:
        """A coarse sketch, however few values there are, whose distinct count is taken from keyed hashes."""
        exact, counts = counted_numbers(column.finite)
        if not len(exact):
            return cls()
        return cls(sketch=NumberSketch.of(exact, counts, hidden_hashes(hash_floats(exact), key)).hidden())

    @classmethod
    def from_counts(cls, values: Floats, counts: Integers, rests: Integers = _NONE) -> Self:
        """The state of finite values and how often each occurs; a value may be listed twice, counts are positive."""
        values = values + 0.0
        order = np.lexsort([rests, values]) if len(rests) else np.argsort(values, kind="stable")
        values, counts, rests = values[order], counts[order], rests[order] if len(rests) else rests
        differs = values[1:] != values[:-1]
        if len(rests):
            differs = differs | (rests[1:] != rests[:-1])
        first = np.flatnonzero(np.append(np.ones(min(len(values), 1), bool), differs))
        counts = np.add.reduceat(counts, first) if len(first) else counts
        return cls.from_distinct(values[first], counts, rests[first] if rests.any() else _NONE)

    @classmethod
    def from_distinct(cls, values: Floats, counts: Integers, rests: Integers = _NONE) -> Self:
        """As :meth:`from_counts`, of ascending values that are all different."""
        state = cls(values, counts, rests)
        return state if len(values) <= cls.limit else state.as_sketch()

    def merge(self, other: Self) -> Self:
        """The state of the concatenation of both inputs."""
        return self.merged([self, other])

    @classmethod
    def merged(cls, states: Sequence[Self]) -> Self:
        """The state of the concatenation of all inputs: several at once take less time than one after the other."""
        parts = [state for state in states if state.total]
        if len(parts) < 2:
            return parts[0] if parts else states[0]
        if any(part.sketch is not None for part in parts):
            return cls(sketch=NumberSketch.merged([part.sketched() for part in parts]))
        values = np.concatenate([part.values for part in parts])
        counts = np.concatenate([part.counts for part in parts])
        long = any(len(part.rests) for part in parts)
        return cls.from_counts(values, counts, np.concatenate([p.all_rests() for p in parts]) if long else _NONE)

    def repeated(self, times: int) -> Self:
        """As :meth:`State.repeated`."""
        return State.repeated(self, times) if self.sketch is not None else replace(self, counts=self.counts * times)

    def all_rests(self) -> Integers:
        """One rest for each value, zeros too."""
        return self.rests if len(self.rests) else np.zeros(len(self.values), np.int64)

    def sketched(self) -> NumberSketch:
        """The sketched form, which every state with at least one value can take."""
        return self.sketch or NumberSketch.of(self.values, self.counts, self._hashes())

    def _hashes(self) -> Hashes:
        return hash_apart(self.values, self.rests) if len(self.rests) else hash_floats(self.values)

    def as_sketch(self) -> Self:
        """The distribution as a sketch; without values there is nothing to sketch."""
        return self if self.sketch is not None or not self.total else type(self)(sketch=self.sketched())

    def as_stored(self) -> Self:
        """With no more heavy hitters than are worth storing."""
        return self if self.sketch is None else type(self)(sketch=self.sketch.as_stored())

    def reader(self) -> Self:
        """A copy that shares the arrays: the cells of a sketch take three times the space of the sketch."""
        return replace(self)

    def compared(self) -> Self:
        """Of a sketch, all that its cells are made of: no distance reads how many values are distinct."""
        return self if self.sketch is None else type(self)(sketch=self.sketch.compared())

    def compared_sketch(self) -> Self:
        """As ``as_sketch().compared()``."""
        if self.sketch is not None or not self.total:
            return self.compared()
        return type(self)(sketch=NumberSketch.to_compare(self.values, self.counts, self._hashes()))

    @property
    def fullness(self) -> float:
        """Distinct values as a share of the limit; infinite for a sketch."""
        return len(self.values) / self.limit if self.sketch is None else math.inf

    @cached_property
    def total(self) -> int:
        """Number of finite values."""
        return int(self.counts.sum()) if self.sketch is None else self.sketch.count

    @property
    def distinct(self) -> int:
        """Number of distinct values: exact up to ``limit``, an estimate (standard error 0.4 %) beyond."""
        return len(self.values) if self.sketch is None else self.sketch.distinct

    @property
    def mode_count(self) -> int:
        """How often the most frequent value occurs: exact up to ``limit``, a lower bound beyond."""
        counts = self.counts if self.sketch is None else self.sketch.heavy.counts
        return int(counts.max(initial=min(1, self.total)))

    def top(self, number: int) -> list[Frequent]:
        """The most frequent values first, each with its count and what that may have missed (0 up to the limit)."""
        if self.sketch is not None:
            return self.sketch.heavy.top(number)
        order = np.argsort(-self.counts, kind="stable")[:number]
        pairs = zip(self.values[order].tolist(), self.counts[order].tolist(), strict=True)
        return [Frequent(value, count, 0) for value, count in pairs]

    @cached_property
    def cells(self) -> Cells:
        """The distribution over its own cells: single values, or when it is sketched, the cells of the sketch."""
        if self.sketch is not None:
            return sketched_cells(self.sketch, self.sketch)
        rests = self.rests if len(self.rests) else None
        return Cells(self.values, self.values, self.counts, self.counts, rests)

    def quantile(self, share: float) -> float:
        """The value below which a share (0 to 1) of the values lies, as numpy.quantile interpolates by default.

        :raises ValueError: when there are no values.
        """
        if not self.total:
            raise ValueError("A distribution without values has no quantiles.")
        return self.cells.quantile(share)

    def __eq__(self, other: object) -> bool:
        """Equal values with equal counts, or equal sketches."""
        if not isinstance(other, NumberDistribution):
            return NotImplemented
        arrays = zip(self._arrays(), other._arrays(), strict=True)
        return all(np.array_equal(ours, theirs) for ours, theirs in arrays) and self.sketch == other.sketch

    def _arrays(self) -> tuple[Floats, Integers, Integers]:
        return self.values, self.counts, self.rests

    __hash__ = None  # type: ignore[assignment]

    def encode(self) -> bytes:
        """Bytes from which :meth:`decode` restores an equal state."""
        sections = NumberSketch.NO_SECTIONS if self.sketch is None else self.sketch.sections()
        return pack(
            self.key, pack_floats(self.values), pack_integers(self.counts), pack_integers(self.rests), *sections
        )

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """The state that :meth:`encode` wrote.

        :raises CodecError: when the bytes are not of this state and version.
        """
        with reading(cls.key):
            packed_values, *packed, _ = parts = unpack(cls.key, data, 3 + len(NumberSketch.NO_SECTIONS))
            values, counts, rests = unpack_floats(packed_values), unpack_integers(packed[0]), unpack_integers(packed[1])
            whole = len(values) == len(counts) and len(rests) in (0, len(values))
            if not whole or counts.min(initial=1) < 1 or not np.isfinite(values).all():
                raise ValueError("its values and counts do not fit together")
            return cls(values, counts, rests, NumberSketch.from_sections(*parts[3:]) if parts[3] else None)

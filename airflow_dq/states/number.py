"""How the finite numbers of a column are distributed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.states.array import finite_floats
from airflow_dq.states.base import Kind, State
from airflow_dq.states.cell import Cells
from airflow_dq.states.codec import (
    pack,
    pack_floats,
    pack_integers,
    reading,
    unpack,
    unpack_floats,
    unpack_integers,
)
from airflow_dq.states.memo import remember_last
from airflow_dq.states.sketch import NumberSketch, sketched_cells

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class NumberDistribution(State):
    """Counts of the finite values: each value's own up to ``limit`` distinct values, a sketch beyond.

    ``values`` (ascending) and ``counts`` go together, and are empty when there is a ``sketch``.
    """

    key: ClassVar[str] = "numbers/1"
    kinds: ClassVar[frozenset[Kind]] = frozenset({Kind.NUMERIC, Kind.TIMESTAMP})
    limit: ClassVar[int] = 20_000
    """Most distinct values that are counted one by one."""

    values: Floats = field(default_factory=lambda: np.empty(0, np.float64))
    counts: Integers = field(default_factory=lambda: np.empty(0, np.int64))
    sketch: NumberSketch | None = None

    @classmethod
    def of(cls, values: pa.Array) -> Self:
        """Summarise numbers, as float64."""
        return cls._of_distinct(*np.unique(finite_floats(values), return_counts=True))

    @classmethod
    def from_counts(cls, values: Floats, counts: Integers) -> Self:
        """The state of finite values and how often each occurs; a value may be listed twice, counts are positive."""
        values = values + 0.0
        order = np.argsort(values, kind="stable")
        values, counts = values[order], counts[order]
        first = np.flatnonzero(np.concatenate([np.ones(min(len(values), 1), bool), values[1:] != values[:-1]]))
        return cls._of_distinct(values[first], np.add.reduceat(counts, first) if len(first) else counts)

    @classmethod
    def _of_distinct(cls, values: Floats, counts: Integers) -> Self:
        if len(values) > cls.limit:
            return cls(sketch=NumberSketch.of(values, counts))
        return cls(values, counts)

    def merge(self, other: Self) -> Self:
        """The state of the concatenation of both inputs."""
        if self.sketch is None and other.sketch is None:
            if not len(self.values) or not len(other.values):
                return self if len(self.values) else other
            values = np.concatenate([self.values, other.values])
            return self.from_counts(values, np.concatenate([self.counts, other.counts]))
        if not self.total or not other.total:
            return self if self.total else other
        return type(self)(sketch=self.sketched().merge(other.sketched()))

    def sketched(self) -> NumberSketch:
        """The sketched form, which every state with at least one value can take."""
        return self.sketch or NumberSketch.of(self.values, self.counts)

    @property
    def total(self) -> int:
        """Number of finite values."""
        return int(self.counts.sum()) if self.sketch is None else self.sketch.count

    @property
    def distinct(self) -> int:
        """Number of distinct values: exact up to ``limit``, an estimate (standard error 0.8 %) beyond."""
        return len(self.values) if self.sketch is None else self.sketch.distinct(self.limit + 1)

    def quantile(self, share: float) -> float:
        """The value below which a share (0 to 1) of the values lies, as numpy.quantile interpolates by default.

        :raises ValueError: when there are no values.
        """
        if not self.total:
            raise ValueError("A distribution without values has no quantiles.")
        return common(self, self).quantile(share)

    def __eq__(self, other: object) -> bool:
        """Equal values with equal counts, or equal sketches."""
        if not isinstance(other, NumberDistribution):
            return NotImplemented
        same = np.array_equal(self.values, other.values) and np.array_equal(self.counts, other.counts)
        return same and self.sketch == other.sketch

    __hash__ = None  # type: ignore[assignment]

    def encode(self) -> bytes:
        """Bytes from which :meth:`decode` restores an equal state."""
        sections = NumberSketch.NO_SECTIONS if self.sketch is None else self.sketch.sections()
        return pack(self.key, pack_floats(self.values), pack_integers(self.counts), *sections)

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """The state that :meth:`encode` wrote.

        :raises CodecError: when the bytes are not of this state and version.
        """
        with reading(cls.key):
            packed_values, packed_counts, *sections = unpack(cls.key, data, 2 + len(NumberSketch.NO_SECTIONS))
            values, counts = unpack_floats(packed_values), unpack_integers(packed_counts)
            if len(values) != len(counts) or counts.min(initial=1) < 1 or not np.isfinite(values).all():
                raise ValueError("its values and counts do not fit together")
            return cls(values, counts, NumberSketch.from_sections(*sections) if sections[0] else None)


@remember_last
def common(now: NumberDistribution, before: NumberDistribution) -> Cells:
    """Both distributions over the same cells: single values, or when either is sketched, the cells of a sketch.

    Neither may be empty.
    """
    if now.sketch is not None or before.sketch is not None:
        return sketched_cells(now.sketched(), before.sketched())
    points = np.union1d(now.values, before.values)
    counts = np.zeros((2, len(points)), np.int64)
    counts[0, np.searchsorted(points, now.values)] = now.counts
    counts[1, np.searchsorted(points, before.values)] = before.counts
    return Cells(points, points, counts[0], counts[1])

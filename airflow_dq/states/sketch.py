"""What is kept of a number distribution with too many distinct values to count each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.states.grid import COARSEST, Histogram, coarser_log_keys, grid_keys, grid_level, log_keys, log_level
from airflow_dq.states.hashing import Hashes, hash_floats
from airflow_dq.states.heavy import HeavyHitters
from airflow_dq.states.hidden import rounded_outwards
from airflow_dq.states.hyperloglog import HyperLogLog
from airflow_dq.states.layout import pack_floats, pack_integers, unpack_floats, unpack_integers

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class NumberSketch:
    """Two histograms of the same values, their range, their heavy hitters and a HyperLogLog.

    The logarithmic histogram is as fine as 8,192 occupied bins allow, wherever the values lie; the dyadic grid has
    the edges on which partitions are compared.  Each knows the exact number of values below each of its edges, so both
    together know it at all edges: the cells of a sketch (:mod:`airflow_dq.states.cell`) are those between the edges
    of either.  Every part but the lightest of the heavy hitters depends on the data alone.
    """

    NO_SECTIONS: ClassVar[tuple[bytes, ...]] = (b"",) * 11

    low: float
    high: float
    level: int
    """The grid's cells are 2**level wide."""
    log_level: int
    """Bits that the logarithmic bins drop."""
    log: Histogram
    grid: Histogram
    distinct_sketch: HyperLogLog
    heavy: HeavyHitters

    @classmethod
    def of(cls, values: Floats, counts: Integers, hashes: Hashes | None = None) -> NumberSketch:
        """Sketch ascending values (at least one) that occur ``counts`` times.

        :param hashes: where they tell values apart that are one float
        """
        hashes = hash_floats(values) if hashes is None else hashes
        return cls._of(values, counts, HyperLogLog.of(hashes), HeavyHitters.of(pa.array(values), hashes, counts))

    @classmethod
    def to_compare(cls, values: Floats, counts: Integers, hashes: Hashes) -> NumberSketch:
        """As ``of(...).compared()``."""
        return cls._of(values, counts, HyperLogLog(), HeavyHitters.stored_of(pa.array(values), hashes, counts))

    @classmethod
    def _of(cls, values: Floats, counts: Integers, distinct: HyperLogLog, heavy: HeavyHitters) -> NumberSketch:
        low, high = float(values[0]), float(values[-1])
        level, finest = grid_level(low, high), log_keys(values, 0)
        fine = log_level(finest, 0)
        log = Histogram.of_ascending(coarser_log_keys(finest, fine), counts)
        grid = Histogram.of_ascending(grid_keys(values, level), counts)
        return cls(low, high, level, fine, log, grid, distinct, heavy)

    @classmethod
    def merged(cls, sketches: Sequence[NumberSketch]) -> NumberSketch:
        """The sketch of the concatenation of at least one input."""
        low, high = min(one.low for one in sketches), max(one.high for one in sketches)
        level, fine = grid_level(low, high), max(one.log_level for one in sketches)
        log = Histogram.merged([one.log_at(fine) for one in sketches])
        coarser = log_level(log.keys, fine) - fine
        return NumberSketch(
            low,
            high,
            level,
            fine + coarser,
            Histogram.of_ascending(coarser_log_keys(log.keys, coarser), log.counts) if coarser else log,
            Histogram.merged([one.at(level) for one in sketches]),
            reduce(HyperLogLog.merge, [one.distinct_sketch for one in sketches]),
            reduce(HeavyHitters.merge, [one.heavy for one in sketches]),
        )

    def at(self, level: int) -> Histogram:
        """The grid at a level that is its own or coarser."""
        return self.grid.coarsened(level - self.level)

    def log_at(self, level: int) -> Histogram:
        """The logarithmic histogram at a level that is its own or coarser."""
        if level == self.log_level:
            return self.log
        return Histogram.of_ascending(coarser_log_keys(self.log.keys, level - self.log_level), self.log.counts)

    def as_stored(self) -> NumberSketch:
        """With no more heavy hitters than are worth storing."""
        return replace(self, heavy=self.heavy.as_stored(self.count))

    def compared(self) -> NumberSketch:
        """With what distances read."""
        return replace(self, distinct_sketch=HyperLogLog(), heavy=self.heavy.as_stored(self.count))

    def hidden(self) -> NumberSketch:
        """Without any value in clear: coarse bins, a range rounded outwards to their edges, no heavy hitters."""
        low, high = rounded_outwards(self.low, self.high)
        level = grid_level(low, high)
        none = HeavyHitters.none(pa.array([], pa.float64()))
        return replace(
            self,
            low=low,
            high=high,
            level=level,
            log_level=COARSEST,
            log=self.log_at(COARSEST),
            grid=self.at(level),
            heavy=none,
        )

    @property
    def count(self) -> int:
        """Number of values, exact."""
        return int(self.log.counts.sum())

    @property
    def distinct(self) -> int:
        """Estimated number of distinct values."""
        return round(min(self.count, self.distinct_sketch.estimate))

    def __eq__(self, other: object) -> bool:
        """Equal up to the heavy hitters, whose light tail depends on the split."""
        if not isinstance(other, NumberSketch):
            return NotImplemented
        ours, theirs = ((s.low, s.high, s.level, s.log_level, s.distinct_sketch) for s in (self, other))
        return ours == theirs and self.log == other.log and self.grid == other.grid

    __hash__ = None  # type: ignore[assignment]

    def sections(self) -> tuple[bytes, ...]:
        """What the codec stores."""
        levels = np.array([self.level, self.log_level], np.int64)
        histograms = (_steps(self.log.keys), self.log.counts, _steps(self.grid.keys), self.grid.counts)
        return (
            pack_floats(np.array([self.low, self.high])) + pack_integers(levels),
            *(pack_integers(part) for part in histograms),
            self.distinct_sketch.to_bytes(),
            pack_floats(self.heavy.values.to_numpy()),
            pack_floats(self.heavy.hashes.view(np.float64)),
            *self.heavy.sections(),
        )

    @classmethod
    def from_sections(cls, bounds: bytes, *sections: bytes) -> NumberSketch:
        """The sketch with these sections.

        :raises ValueError: when they cannot be a sketch.
        """
        low, high = unpack_floats(bounds[:16]).tolist()
        level, fine = unpack_integers(bounds[16:]).tolist()
        keys, counts, grid_numbers, grid_counts = (unpack_integers(section) for section in sections[:4])
        keys, grid_numbers = np.cumsum(keys), np.cumsum(grid_numbers)
        values, hashes = unpack_floats(sections[5]), unpack_floats(sections[6]).view(np.uint64)
        sketch = cls(
            low,
            high,
            level,
            fine,
            Histogram(keys, counts),
            Histogram(grid_numbers, grid_counts),
            HyperLogLog.from_bytes(sections[4]),
            HeavyHitters.from_sections(pa.array(values), hashes, *sections[7:]),
        )
        whole = len(keys) == len(counts) and len(grid_numbers) == len(grid_counts) and len(values) == len(hashes)
        if (
            not whole
            or level != grid_level(low, high)
            or counts.sum() != grid_counts.sum()
            or not 0 <= fine <= COARSEST
        ):
            raise ValueError("its histograms do not fit together")
        return sketch


def _steps(keys: Integers) -> Integers:
    # Neighbouring bins are mostly one apart: their steps take a byte where they take eight.
    return np.diff(keys, prepend=np.zeros(1, np.int64))

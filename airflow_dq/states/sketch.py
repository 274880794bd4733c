"""What is kept of a number distribution with too many distinct values to count each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from airflow_dq.states.cell import Cells
from airflow_dq.states.codec import pack_integers, unpack_integers
from airflow_dq.states.grid import Histogram, grid_edges, grid_keys, grid_level, log_edges, log_keys
from airflow_dq.states.hashing import hash_floats
from airflow_dq.states.hyperloglog import HyperLogLog

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NumberSketch:
    """Two histograms of the same values, their range, and a HyperLogLog; every part depends on the data alone.

    The logarithmic histogram resolves heavy tails, the dyadic grid a small spread at a large offset (timestamps).
    Each knows the exact number of values below each of its edges, so both together know it at all edges: the
    cells of a sketch are those between the edges of either.
    """

    NO_SECTIONS: ClassVar[tuple[bytes, ...]] = (b"",) * 6

    low: float
    high: float
    level: int
    """The grid's cells are 2**level wide."""
    log: Histogram
    grid: Histogram
    values: HyperLogLog

    @classmethod
    def of(cls, values: Floats, counts: Integers) -> NumberSketch:
        """Sketch distinct ascending values (at least one) that occur ``counts`` times."""
        low, high = float(values[0]), float(values[-1])
        level = grid_level(low, high)
        log = Histogram.of(log_keys(values), counts)
        grid = Histogram.of(grid_keys(values, level), counts)
        return cls(low, high, level, log, grid, HyperLogLog.of(hash_floats(values)))

    def merge(self, other: NumberSketch) -> NumberSketch:
        """The sketch of the concatenation."""
        low, high = min(self.low, other.low), max(self.high, other.high)
        level = grid_level(low, high)
        grid = self.at(level).merge(other.at(level))
        return NumberSketch(low, high, level, self.log.merge(other.log), grid, self.values.merge(other.values))

    def at(self, level: int) -> Histogram:
        """The grid at a level that is its own or coarser."""
        return self.grid.coarsened(level - self.level)

    @property
    def count(self) -> int:
        """Number of values, exact."""
        return int(self.log.counts.sum())

    def distinct(self, least: int) -> int:
        """Estimated number of distinct values, known to be at least ``least``."""
        return max(least, round(min(self.count, self.values.estimate())))

    def sections(self) -> tuple[bytes, ...]:
        """What the codec stores."""
        bounds = np.array([self.low, self.high], "<f8").tobytes() + self.level.to_bytes(2, "little", signed=True)
        histograms = (self.log.keys, self.log.counts, self.grid.keys, self.grid.counts)
        return (bounds, *(pack_integers(part) for part in histograms), self.values.registers)

    @classmethod
    def from_sections(cls, bounds: bytes, *sections: bytes) -> NumberSketch:
        """The sketch with these sections.

        :raises ValueError: when they cannot be a sketch.
        """
        low, high = np.frombuffer(bounds[:16], "<f8").tolist()
        level = int.from_bytes(bounds[16:], "little", signed=True)
        keys, counts, grid_numbers, grid_counts = (unpack_integers(section) for section in sections[:4])
        sketch = cls(
            low,
            high,
            level,
            Histogram(keys, counts),
            Histogram(grid_numbers, grid_counts),
            HyperLogLog.from_bytes(sections[4]),
        )
        whole = len(keys) == len(counts) and len(grid_numbers) == len(grid_counts)
        if not whole or level != grid_level(low, high) or counts.sum() != grid_counts.sum():
            raise ValueError("its histograms do not fit together")
        return sketch


def sketched_cells(now: NumberSketch, before: NumberSketch) -> Cells:
    """Both sketches over the cells between all edges that both know: the logarithmic ones and the coarser grid's."""
    low, high = min(now.low, before.low), max(now.high, before.high)
    level = grid_level(low, high)
    grids = now.at(level), before.at(level)
    log_bins = _edge_keys(now.log.keys, before.log.keys)
    grid_bins = _edge_keys(*(grid.keys for grid in grids))
    edges = np.concatenate([log_edges(log_bins), grid_edges(grid_bins, level)])
    order = np.argsort(edges, kind="stable")
    edges = np.clip(edges[order], low, high)
    counts = []
    for sketch, grid in zip((now, before), grids, strict=True):
        below = np.concatenate([sketch.log.below(log_bins), grid.below(grid_bins)])[order]
        counts.append(np.diff(below))
    occupied = (counts[0] > 0) | (counts[1] > 0)
    lower, upper = edges[:-1][occupied], edges[1:][occupied]
    # Zero is a bin of its own: a value, not a cell up to the next float.
    upper[lower == 0.0] = 0.0
    return Cells(lower, upper, counts[0][occupied], counts[1][occupied])


def _edge_keys(*keys: Integers) -> Integers:
    occupied = np.unique(np.concatenate(keys))
    return np.union1d(occupied, occupied + 1)

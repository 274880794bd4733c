"""Histograms of float64 values whose bins do not depend on how the data was split: logarithmic and dyadic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airflow_dq.states.exact import SAFE, UNIT, units

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

CELLS = 2048
"""Most cells of a dyadic grid."""
COARSEST = 45
"""Most bits of a float64 that a logarithmic bin drops: 7 of 52 mantissa bits stay, bins are 0.8 % wide or less."""
LOG_CELLS = 8192
"""Most occupied logarithmic bins that are kept finer than that."""
_SIGN = np.int64(-(2**63))
"""The sign bit of a float64, as an integer."""


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Counts of occupied bins: sorted integer keys, one positive count each."""

    keys: Integers
    counts: Integers

    @classmethod
    def of(cls, keys: Integers, counts: Integers) -> Histogram:
        """Add up the counts of equal keys."""
        order = np.argsort(keys, kind="stable")
        return cls.of_ascending(keys[order], counts[order])

    @classmethod
    def of_ascending(cls, keys: Integers, counts: Integers) -> Histogram:
        """As :meth:`of`, of keys that are in order."""
        first = np.flatnonzero(np.concatenate([np.ones(min(len(keys), 1), bool), keys[1:] != keys[:-1]]))
        return cls(keys[first], np.add.reduceat(counts, first) if len(first) else counts)

    @classmethod
    def merged(cls, histograms: Sequence[Histogram]) -> Histogram:
        """The histogram of the concatenation of all inputs."""
        keys, counts = [one.keys for one in histograms], [one.counts for one in histograms]
        return cls.of(np.concatenate(keys), np.concatenate(counts))

    def coarsened(self, levels: int) -> Histogram:
        """The histogram in bins ``2**levels`` times as wide."""
        # Shifting floors, so this is exactly what binning the data at the wider level gives.
        return self if levels == 0 else Histogram.of_ascending(self.keys >> min(levels, 63), self.counts)

    def below(self, keys: Integers) -> Integers:
        """How many values lie in bins before each of these keys."""
        cumulative = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.counts)])
        return cumulative[np.searchsorted(self.keys, keys, side="left")]

    def __eq__(self, other: object) -> bool:
        """Equal keys and counts."""
        if not isinstance(other, Histogram):
            return NotImplemented
        return np.array_equal(self.keys, other.keys) and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]


def log_keys(values: Floats, level: int = COARSEST) -> Integers:
    """Logarithmic bin of each value: its float bits without the last ``level``, in the order of the values.

    0 is zero alone.
    """
    bits = values.view(np.int64)
    if bits.min(initial=0) >= 0:
        return (bits >> level) + (bits > 0)
    return np.where(bits < 0, (_SIGN - bits) >> level, (bits >> level) + (bits > 0))


def coarser_log_keys(keys: Integers, levels: int) -> Integers:
    """The bins at a level coarser by so many."""
    positive = keys > 0
    return ((keys - positive) >> levels) + positive


def log_level(keys: Integers, level: int) -> int:
    """The finest level, from ``level`` on, at which ascending keys occupy no more than LOG_CELLS bins.

    Depends on the values alone and never falls as values are added, so it is the same for any split of them.
    """
    # Two neighbours are in one bin as soon as all the bits are dropped in which they differ; of two signs, never.
    sign, bits = np.sign(keys), np.where(keys > 0, keys - 1, keys)
    differ = _bit_length(np.where(sign[1:] == sign[:-1], bits[1:] ^ bits[:-1], np.int64(2**62)))
    # How many neighbours are still apart without so many bits, and so how many bins there are but one.
    apart = np.bincount(differ, minlength=1)[::-1].cumsum()[::-1][1:]
    return min(COARSEST, level + int(np.count_nonzero(apart >= LOG_CELLS)))


def _bit_length(values: Integers) -> Integers:
    """Of values that are not negative."""
    # Without the bit below the first one the float next to it is never a power of two.  Its exponent tells the length,
    # and that of zero is below all others.
    exponents = (values & ~(values >> 1)).astype(np.float64).view(np.int64) >> 52
    lengths: Integers = np.maximum(exponents - 1022, 0)
    return lengths


def log_edges(keys: Integers, level: int = COARSEST) -> Floats:
    """Lower edge of each logarithmic bin."""
    bits = (np.abs(keys) - (keys > 0)) << level
    # The first bin begins at the smallest positive float, not at zero, which is a bin of its own.
    bits = np.where((keys > 0) & (bits == 0), 1, bits)
    return np.where(keys < 0, -1.0, 1.0) * bits.view(np.float64)


def grid_level(low: float, high: float) -> int:
    """The finest level k whose bins of width 2**k, aligned at multiples of it, cover the range with CELLS cells.

    Depends on the range alone and never falls as the range grows.
    """
    bottom, top = units(low), units(high)
    # No finer than the last bit of the largest value: bin numbers then fit 54 bits and edges are exact floats.
    last_bit = max(bottom.bit_length(), top.bit_length()) - 53
    shift = max(0, last_bit, (top - bottom).bit_length() - 12)
    while (top >> shift) - (bottom >> shift) >= CELLS:
        shift += 1
    return shift - UNIT


def grid_keys(values: Floats, level: int) -> Integers:
    """Dyadic bin of each value: ``floor(value / 2**level)``."""
    # A power of two that is an ordinary float scales as exactly, and three times as fast.
    scaled = values * math.ldexp(1.0, -level) if abs(level) <= SAFE else np.ldexp(values, -level)
    if values.min(initial=0.0) >= 0.0:
        return scaled.astype(np.int64)
    # A tiny negative value may vanish when scaled, and still lies below zero.
    return np.where((scaled == 0.0) & (values < 0.0), -1.0, np.floor(scaled)).astype(np.int64)


def grid_edges(keys: Integers, level: int) -> Floats:
    """Lower edge of each dyadic bin; infinite where it lies beyond the largest float."""
    with np.errstate(over="ignore"):
        return np.ldexp(keys.astype(np.float64), level)


def bin_edges(low: float, high: float, bins: int) -> Floats:
    """The inner edges of bins of equal width, each raised to the next edge of the range's dyadic grid.

    That moves an edge by less than a thousandth of the range (and never over an integer while the range is below
    CELLS), and makes counts in these bins the same whether values or only grid cells are known.
    """
    width = high - low
    even = np.linspace(low, high, bins + 1) if np.isfinite(width) else 2.0 * np.linspace(low / 2, high / 2, bins + 1)
    level = grid_level(low, high)
    return grid_edges(-grid_keys(-even[1:-1], level), level)

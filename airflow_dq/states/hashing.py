"""Stable vectorised 64-bit hashes of numbers and strings: the same on every machine and in every version."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]


def hash_floats(values: NDArray[np.float64]) -> Hashes:
    """Hashes of float64 values, which must not hold NaN or -0.0."""
    return _mix(np.ascontiguousarray(values).view(np.uint64))


def hash_strings(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Hashes:
    """Hashes of the UTF-8 strings ``data[offsets[i]:offsets[i + 1]]``, eight bytes a step."""
    starts, lengths = offsets[:-1], np.diff(offsets)
    padded = np.concatenate([data, np.zeros(8, np.uint8)])
    words: NDArray[np.uint64] = np.ndarray((len(data) + 1,), np.dtype("<u8"), padded, strides=(1,))
    hashes = _mix(lengths.astype(np.uint64))
    active = np.arange(len(lengths))
    for step in range(0, int(lengths.max(initial=0)), 8):
        active = active[lengths[active] > step]
        word = words[starts[active] + step].astype(np.uint64)
        spare = (8 * np.maximum(8 - (lengths[active] - step), 0)).astype(np.uint64)
        # Bytes behind the end belong to the next value: shift them out.
        hashes[active] = _mix((hashes[active] ^ (word << spare)) + np.uint64(step))
    return hashes


def _mix(values: Hashes) -> Hashes:
    # The finaliser of splitmix64 (Steele, Lea, Flood, 2014); unsigned arithmetic wraps, as it has to.
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))

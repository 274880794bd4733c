"""Stable vectorised 64-bit hashes of numbers and strings: the same on every machine and in every version."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
HASHED_WHOLE = 256
"""Texts above this many bytes are told apart by their digest: hashing eight bytes a step is for short ones."""
_ROWS = 2**14
"""Hashes that are mixed at once: these 128 KB and as many beside them stay near the processor, and all of a batch take
three times as long."""
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)
"""The numbers of splitmix64."""


def hash_floats(values: NDArray[np.float64]) -> Hashes:
    """Hashes of float64 values, which must not hold NaN or -0.0."""
    return _mixed(np.ascontiguousarray(values).view(np.uint64).copy())


def hash_apart(values: NDArray[np.float64], rests: NDArray[np.int64]) -> Hashes:
    """Hashes of integers, given as the floats next to them and what they are above these.

    Without a rest the hash is that of the float: other parts of the data may have none.
    """
    hashes = hash_floats(values)
    return np.where(rests != 0, _mixed(hashes ^ rests.view(np.uint64)), hashes)


def hash_strings(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Hashes:
    """Hashes of the UTF-8 strings ``data[offsets[i]:offsets[i + 1]]``, eight bytes a step."""
    lengths = np.diff(offsets)
    longest = int(lengths.max(initial=0))
    if len(lengths) and lengths.min() == longest:
        return _hash_equally_long(np.concatenate([data, np.zeros(8, np.uint8)]), longest, len(lengths))
    hashes = np.empty(len(lengths), np.uint64)
    for start in range(0, len(lengths), _ROWS):
        edges = offsets[start : start + _ROWS + 1]
        hashes[start : start + _ROWS] = _hash_of_any_length(data[edges[0] : edges[-1]], edges - edges[0])
    return hashes


def smallest(hashes: Hashes, number: int) -> NDArray[np.int64]:
    """The places of the so many smallest hashes, these ascending; of all, when there are not more."""
    places = np.arange(len(hashes))
    if len(hashes) > number:
        # As hashes are spread, there are about twice as many below this bound, and few are not so spread.
        below = np.flatnonzero(hashes < np.uint64(min(2**64 - 1, (number << 65) // len(hashes))))
        places = below if len(below) >= number else places
    if len(places) > number:
        places = places[np.argpartition(hashes[places], number)[:number]]
    return places[np.argsort(hashes[places], kind="stable")]


def _hash_of_any_length(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Hashes:
    """As :func:`hash_strings`, of a few of them."""
    lengths = np.diff(offsets)
    longest = int(lengths.max())
    # The longest first: those with bytes left are then the first ones, and a step looks at nothing else.
    order = _longest_first(lengths)
    starts, lengths = offsets[:-1][order], lengths[order]
    words = np.zeros(len(data) // 8 + 2, "<u8")
    words.view(np.uint8)[: len(data)] = data
    # A string may begin within a word: what it takes of this one, and what of the next, is put together.  To read
    # across words takes numpy three times as long.
    place, skipped = starts >> 3, ((starts & 7) << 3).astype(np.uint64)
    kept, ahead = np.uint64(64) - skipped, words[place]
    hashes = _mixed(lengths.astype(np.uint64))
    for step in range(0, longest, 8):
        number = len(lengths) - int(np.searchsorted(lengths[::-1], step, side="right"))
        word = ahead[:number] >> skipped[:number]
        place = place[:number] + 1
        ahead = words[place]
        # By 64 bits numpy shifts everything out.
        word |= ahead << kept[:number]
        # Bytes behind the end belong to the next value: shift them out.
        cut = len(lengths) - int(np.searchsorted(lengths[::-1], step + 8, side="left"))
        word[cut:] <<= (8 * (step + 8 - lengths[cut:number])).astype(np.uint64)
        word ^= hashes[:number]
        word += np.uint64(step)
        hashes[:number] = _mixed(word)
    found = np.empty_like(hashes)
    found[order] = hashes
    return found


def hash_order(hashes: Hashes) -> NDArray[np.int64]:
    """The places of hashes, these ascending."""
    # By the 32 bits in which they differ, 16 at a time: this numpy sorts by counting, in a quarter of the time.
    bits = max(0, int(hashes.max(initial=0)).bit_length() - 32)
    leading = (hashes >> np.uint64(bits)).astype(np.uint32)
    order = np.argsort(leading.astype(np.uint16), kind="stable")
    order = order[np.argsort((leading >> np.uint32(16)).astype(np.uint16)[order], kind="stable")]
    found = hashes[order]
    if (found[1:] >= found[:-1]).all():
        return order
    # Few share all of these: what is nearly in order the stable sort does quickly.
    return order[np.argsort(found, kind="stable")]


def _hash_equally_long(padded: NDArray[np.uint8], length: int, number: int) -> Hashes:
    """As :func:`hash_strings`, without an index: the words of one step are ``length`` bytes apart."""
    hashes = _mixed(np.full(number, length, np.uint64))
    for step in range(0, length, 8):
        word = np.ndarray((number,), np.dtype("<u8"), padded, step, (length,)).astype(np.uint64)
        word <<= np.uint64(8 * max(0, step + 8 - length))
        word ^= hashes
        word += np.uint64(step)
        hashes = _mixed(word)
    return hashes


def _longest_first(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    longest = int(lengths.max(initial=0))
    # Numbers of 16 bits are sorted by radix, ten times as fast.
    return np.argsort((longest - lengths).astype(np.uint16 if longest < 2**16 else np.int64), kind="stable")


def _mixed(values: Hashes) -> Hashes:
    """The hashes of these bits, in place."""
    # The finaliser of splitmix64 (Steele, Lea, Flood, 2014); unsigned arithmetic wraps, as it has to.
    room = np.empty(min(len(values), _ROWS), np.uint64)
    for start in range(0, len(values), _ROWS):
        some = values[start : start + _ROWS]
        moved = room[: len(some)]
        some += _STEP
        some ^= np.right_shift(some, _SHIFTS[0], out=moved)
        some *= _FACTORS[0]
        some ^= np.right_shift(some, _SHIFTS[1], out=moved)
        some *= _FACTORS[1]
        some ^= np.right_shift(some, _SHIFTS[2], out=moved)
    return values

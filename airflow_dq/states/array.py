"""Arrow arrays as the numpy arrays and clean string arrays that the states compute on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.states.hashing import HASHED_WHOLE, Hashes, hash_strings

_RADIX = 2**14
"""Numbers from which on a sort in two steps saves more than it takes."""
_LEAST_WIDTH = 2.0**-1000
"""Of a range; its inverse is then a float."""
_TOGETHER = 64
"""Numbers in one place, on the average, from which on merging them takes as long as to sort them all."""
_MANY = 2**15
"""So many different strings are more than a state counts one by one: it keeps none of the array that they are in."""
_LOOKED_AT = 1024
"""Strings, at even distances, of which three quarters must be different for hashes to be worth a try."""
_BITS = 19
"""The first bits of a hash: of 65,536 different strings one in 16 shares so many with a later one, and a table of them
takes 2 MB."""


@dataclass(frozen=True, eq=False)
class DistinctStrings:
    """Distinct strings without a null, how often each occurs, and their hashes."""

    values: pa.LargeStringArray
    counts: NDArray[np.int64]

    @cached_property
    def hashes(self) -> Hashes:
        """A hash of each string."""
        return hash_strings(*string_bytes(self.values))

    @cached_property
    def longest(self) -> int:
        """Bytes of the longest one; 0 when there is none."""
        return int(np.diff(string_bytes(self.values)[1]).max(initial=0))

    @cached_property
    def present(self) -> DistinctStrings:
        """Those that are not empty, each valid UTF-8 (invalid bytes become U+FFFD)."""
        values, counts = self.values, self.counts
        data, offsets = string_bytes(values)
        there = np.diff(offsets) > 0
        if there.all() and _is_valid(data, offsets):
            # The very same, so that nothing is hashed twice.
            return self
        if not there.all():
            values, counts = values.filter(pa.array(there)), counts[there]
            data, offsets = string_bytes(values)
        # Unequal bytes may have become equal characters.
        return DistinctStrings(values, counts) if _is_valid(data, offsets) else added_up(_repaired(values), counts)


def flat(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """One contiguous array of plain values: extension types by their storage, dictionaries decoded."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    return values.dictionary_decode() if isinstance(values, pa.DictionaryArray) else values


def finite_floats(values: pa.Array) -> NDArray[np.float64]:
    """The non-null finite values as float64, with -0.0 as 0.0 (the two are one value); read-only."""
    if values.null_count:
        values = values.drop_null()
    if not pa.types.is_float64(values.type):
        values = pc.cast(values, pa.float64(), safe=False)
    numbers: NDArray[np.float64] = values.to_numpy(zero_copy_only=False)
    finite = np.isfinite(numbers)
    numbers = (numbers if finite.all() else numbers[finite]) + 0.0
    numbers.flags.writeable = False
    return numbers


def counted_numbers(numbers: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The different ones of finite numbers, ascending, and how often each occurs."""
    # Those that ascend already, as ids and times of arrival do, are not sorted.
    if not (numbers[1:] >= numbers[:-1]).all():
        low, high = numbers.min(), numbers.max()
        if int(high) - int(low) < len(numbers) and (numbers == np.trunc(numbers)).all():
            counts = np.bincount((numbers - low).astype(np.int64))
            there = np.flatnonzero(counts)
            return low + there.astype(numbers.dtype), counts[there]
        numbers = _sorted(numbers, low, high)
    first = np.flatnonzero(np.concatenate([np.ones(min(len(numbers), 1), bool), numbers[1:] != numbers[:-1]]))
    return numbers[first], np.diff(first, append=len(numbers))


def _sorted(numbers: NDArray[Any], low: Any, high: Any) -> NDArray[Any]:
    """Numbers in order.

    Many are first sorted by the place in their range, as 16 bits, which is done by radix, and then merged, of which
    hardly anything is left to do: two to four times as fast where numpy's sort is slow, as it is on some processors.
    """
    width = float(high) - float(low)
    if len(numbers) < _RADIX or not _LEAST_WIDTH < width < np.inf:
        return np.sort(numbers)
    places = ((numbers - float(low)) * ((2**16 - 1) / width)).astype(np.uint16)
    if np.count_nonzero(np.bincount(places)) * _TOGETHER < len(numbers):
        return np.sort(numbers)
    return np.sort(numbers[np.argsort(places, kind="stable")], kind="stable")


def counted_booleans(values: pa.BooleanArray) -> DistinctStrings:
    """``false`` and ``true``, as far as they occur."""
    both = np.array([values.false_count, values.true_count], np.int64)
    return DistinctStrings(pa.array(["false", "true"], pa.large_string()).filter(pa.array(both > 0)), both[both > 0])


def encoded_strings(values: pa.Array) -> tuple[DistinctStrings, pa.Int32Array]:
    """The distinct strings in order of appearance, and the place of each value among them (null for a null)."""
    if not pa.types.is_large_string(values.type):
        values = pc.cast(values, pa.large_string())
    if not values.null_count:
        strings, found = _encoded(values)
        return strings, pa.array(found)
    strings, found = _encoded(values.drop_null())
    there = values.is_valid().to_numpy(zero_copy_only=False)
    places = np.zeros(len(values), np.int32)
    places[there] = found
    return strings, pa.array(places, mask=~there)


def added_up(values: pa.LargeStringArray, counts: NDArray[np.int64]) -> DistinctStrings:
    """Distinct values and the sums of their counts."""
    return _encoded(values, counts)[0]


def _encoded(
    values: pa.LargeStringArray, counts: NDArray[np.int64] | None = None
) -> tuple[DistinctStrings, NDArray[np.int32]]:
    """The distinct ones of strings without a null, in order of appearance, and the place of each of all among them.

    :param counts: how often each of all occurs (None: once)
    """
    if (found := _encoded_by_hash(values)) is not None:
        distinct, places, hashes = found
    else:
        encoded = values.dictionary_encode()
        distinct, places, hashes = encoded.dictionary, encoded.indices.to_numpy(zero_copy_only=False), None
    if len(distinct) == len(values):
        # All are different, each in its own place.
        totals = np.ones(len(values), np.int64) if counts is None else counts
    elif counts is None or (counts == 1).all():
        totals = np.bincount(places, minlength=len(distinct))
    else:
        totals = np.zeros(len(distinct), np.int64)
        np.add.at(totals, places, counts)
    strings = DistinctStrings(distinct, totals)
    if hashes is not None:
        # As if they had been asked for.
        strings.__dict__["hashes"] = hashes
    return strings, places


def _encoded_by_hash(values: pa.LargeStringArray) -> tuple[pa.LargeStringArray, NDArray[np.int32], Hashes] | None:
    """The distinct strings, the places of all and the hashes of the distinct ones; None unless most are different.

    The hashes, which are needed anyway unless strings are long, tell almost all of them apart: looked up are only those
    whose hashes begin as another's.  To look up every one takes as long as all else that is done with such a column.
    """
    number = len(values)
    if number < _MANY:
        return None
    data, offsets = string_bytes(values)
    if np.diff(offsets).max() > HASHED_WHOLE:
        return None
    some = values.take(pa.array(np.arange(0, number, number // _LOOKED_AT)))
    if len(some.unique()) < len(some) * 3 // 4:
        return None
    hashes = hash_strings(data, offsets)
    rows, beginnings = np.arange(number, dtype=np.int32), (hashes >> np.uint64(64 - _BITS)).view(np.int64)
    last = np.empty(1 << _BITS, np.int32)
    last[beginnings] = rows
    beside = last[beginnings]
    alike = np.flatnonzero(beside != rows)
    if len(alike) > number // 4:
        return None
    unsure = np.zeros(number, bool)
    unsure[alike] = unsure[beside[alike]] = True
    looked_up = np.flatnonzero(unsure)
    codes = values.take(pa.array(looked_up)).dictionary_encode().indices.to_numpy(zero_copy_only=False)
    # In order of appearance, a new one has a larger code than all before it.
    new = np.diff(np.maximum.accumulate(codes), prepend=np.int32(-1)) > 0
    first = np.ones(number, bool)
    first[looked_up[~new]] = False
    places = np.cumsum(first, dtype=np.int32) - np.int32(1)
    places[looked_up] = places[looked_up[new]][codes]
    if new.all():
        return values, places, hashes
    return values.filter(pa.array(first)), places, hashes[first]


def string_bytes(values: pa.LargeStringArray) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The UTF-8 bytes of an array without nulls, and the n + 1 offsets of its values in them."""
    if len(values) == 0:
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    _, starts, data = values.buffers()
    offsets = np.frombuffer(starts, np.int64)[values.offset : values.offset + len(values) + 1]
    raw = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return raw[offsets[0] : offsets[-1]], offsets - offsets[0]


def byte_count(values: pa.LargeStringArray) -> int:
    """How many UTF-8 bytes the values of an array without nulls have together."""
    if len(values) == 0:
        return 0
    starts = np.frombuffer(values.buffers()[1], np.int64)
    return int(starts[values.offset + len(values)] - starts[values.offset])


def strings_from_bytes(data: bytes | NDArray[np.uint8], offsets: NDArray[np.int64]) -> pa.LargeStringArray:
    """The inverse of :func:`string_bytes`."""
    starts = pa.py_buffer(np.ascontiguousarray(offsets, np.int64))
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, starts, pa.py_buffer(data))


def _is_valid(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> bool:
    if not len(data) or data.max() < 0x80:
        return True
    try:
        str(data.data, "utf-8")
    except UnicodeDecodeError:
        return False
    # A valid whole can still be cut inside a character: then a value starts with a continuation byte.
    return not bool(((data[offsets[:-1]] & 0xC0) == 0x80).any())


def _repaired(values: pa.LargeStringArray) -> pa.LargeStringArray:
    raw = values.cast(pa.large_binary()).to_pylist()
    return pa.array([value.decode("utf-8", "replace") for value in raw], pa.large_string())

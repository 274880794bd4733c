"""Arrow arrays as the numpy arrays and clean string arrays that the states compute on."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.states.hashing import Hashes, hash_strings
from airflow_dq.states.memo import remember, remember_last


def flat(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """One contiguous array of plain values: extension types by their storage, dictionaries decoded."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    return values.dictionary_decode() if isinstance(values, pa.DictionaryArray) else values


@remember_last
def finite_floats(values: pa.Array) -> NDArray[np.float64]:
    """The non-null finite values as float64, with -0.0 as 0.0 (the two are one value); read-only."""
    values = flat(values)
    if values.null_count:
        values = values.drop_null()
    if not pa.types.is_float64(values.type):
        values = pc.cast(values, pa.float64(), safe=False)
    numbers: NDArray[np.float64] = values.to_numpy(zero_copy_only=False)
    finite = np.isfinite(numbers)
    numbers = (numbers if finite.all() else numbers[finite]) + 0.0
    numbers.flags.writeable = False
    return numbers


@remember_last
def counted_strings(values: pa.Array) -> tuple[pa.LargeStringArray, NDArray[np.int64]]:
    """The distinct ones of the :func:`present_strings` in order of appearance, and how often each occurs.

    Booleans count as ``false`` and ``true``.
    """
    values = flat(values)
    if pa.types.is_null(values.type):
        return pa.array([], pa.large_string()), np.empty(0, np.int64)
    if pa.types.is_boolean(values.type):
        both = np.array([values.false_count, values.true_count], np.int64)
        return pa.array(["false", "true"], pa.large_string()).filter(pa.array(both > 0)), both[both > 0]
    if not pa.types.is_large_string(values.type):
        values = pc.cast(values, pa.large_string())
    distinct, places = encoded_strings(values)
    return _counted_present(distinct, np.bincount(places.drop_null().to_numpy(), minlength=len(distinct)))


@remember_last
def encoded_strings(values: pa.LargeStringArray) -> tuple[pa.LargeStringArray, pa.Int32Array]:
    """The distinct strings in order of appearance, and the place of each value among them (null for a null)."""
    encoded = values.dictionary_encode()
    return encoded.dictionary, encoded.indices


@remember(2)
def string_hashes(values: pa.LargeStringArray) -> Hashes:
    """A hash of each string of an array without nulls; the categories and the patterns of a column ask for theirs."""
    return hash_strings(*string_bytes(values))


def added_up(values: pa.LargeStringArray, counts: NDArray[np.int64]) -> tuple[pa.LargeStringArray, NDArray[np.int64]]:
    """Distinct values and the sums of their counts."""
    encoded = values.dictionary_encode()
    totals = np.zeros(len(encoded.dictionary), np.int64)
    np.add.at(totals, encoded.indices.to_numpy(zero_copy_only=False), counts)
    return encoded.dictionary, totals


def _counted_present(
    distinct: pa.LargeStringArray, counts: NDArray[np.int64]
) -> tuple[pa.LargeStringArray, NDArray[np.int64]]:
    data, offsets = string_bytes(distinct)
    present = np.diff(offsets) > 0
    if not present.all():
        distinct, counts = distinct.filter(pa.array(present)), counts[present]
        data, offsets = string_bytes(distinct)
    if _is_valid(data, offsets):
        return distinct, counts
    # Unequal bytes may have become equal characters.
    return added_up(_repaired(distinct), counts)


def present_strings(values: pa.Array) -> pa.LargeStringArray:
    """The non-null, non-empty strings, each valid UTF-8 (invalid bytes become U+FFFD)."""
    values = flat(values)
    if pa.types.is_null(values.type):
        return pa.array([], pa.large_string())
    if not pa.types.is_large_string(values.type):
        values = pc.cast(values, pa.large_string())
    if values.null_count:
        values = values.drop_null()
    data, offsets = string_bytes(values)
    if len(values) and not np.diff(offsets).all():
        values = values.filter(pa.array(np.diff(offsets) > 0))
        data, offsets = string_bytes(values)
    return values if _is_valid(data, offsets) else _repaired(values)


def string_bytes(values: pa.LargeStringArray) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The UTF-8 bytes of an array without nulls, and the n + 1 offsets of its values in them."""
    if len(values) == 0:
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    _, starts, data = values.buffers()
    offsets = np.frombuffer(starts, np.int64)[values.offset : values.offset + len(values) + 1]
    raw = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return raw[offsets[0] : offsets[-1]], offsets - offsets[0]


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

"""One column made ready for its states: what several of them read of the values is computed once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.states.array import (
    DistinctStrings,
    counted_booleans,
    encoded_strings,
    finite_floats,
    flat,
    string_bytes,
)
from airflow_dq.states.character import Text
from airflow_dq.states.hashing import HASHED_WHOLE, Hashes, hash_apart, hash_floats, hash_strings
from airflow_dq.states.long_integer import apart

_NO_STRINGS = DistinctStrings(pa.array([], pa.large_string()), np.empty(0, np.int64))


@dataclass(frozen=True, eq=False)
class PreparedColumn:
    """The values of one column, and views of them, each made when it is first asked for.

    It lives as long as someone summarises the column: a state keeps none of the views.
    """

    values: pa.Array
    """One array of plain values."""

    @classmethod
    def of(cls, values: pa.Array | pa.ChunkedArray) -> PreparedColumn:
        """Prepare an array of any type; chunks are put together, dictionaries decoded, extensions read as stored."""
        return cls(flat(values))

    @cached_property
    def finite(self) -> NDArray[np.float64]:
        """The finite numbers among the values, see :func:`finite_floats`."""
        return finite_floats(self.values)

    @cached_property
    def is_number(self) -> bool:
        """Whether the values are numbers, moments included, which are numbers of seconds."""
        kind = self.values.type
        return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind))

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The number of each row as the float next to it; NaN where there is no finite one."""
        if not self.is_number:
            return np.full(len(self.values), np.nan)
        values = self.values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        finite = np.isfinite(values)
        return values if finite.all() else np.where(finite, values, np.nan)

    @cached_property
    def has_number(self) -> NDArray[np.bool_]:
        """Whether each row has a finite number."""
        return ~np.isnan(self.numbers)

    @cached_property
    def hashes(self) -> Hashes:
        """One hash per value of a canonical column; of binaries only the length counts; a null's hash is undefined.

        Integers that a float would round are told apart, and others hash as the floats that they are.
        """
        values = self.values
        if pa.types.is_integer(values.type):
            return hash_apart(*apart(values.fill_null(0).to_numpy(zero_copy_only=False)))
        if pa.types.is_floating(values.type):
            numbers = values.to_numpy(zero_copy_only=False) + 0.0  # -0.0 + 0.0 is 0.0
            return hash_floats(np.where(np.isnan(numbers), np.nan, numbers))  # the bits of NaNs differ
        if pa.types.is_boolean(values.type):
            return np.asarray(values.fill_null(False).to_numpy(zero_copy_only=False), dtype=np.uint64)
        if pa.types.is_large_binary(values.type):
            return np.diff(string_bytes(values)[1]).astype(np.uint64)
        distinct, places = self.dictionary
        if not len(distinct.values):
            return np.zeros(len(values), np.uint64)
        long = distinct.longest > HASHED_WHOLE
        hashes = hash_strings(*string_bytes(_digested(distinct.values))) if long else distinct.hashes
        places = places.fill_null(0) if places.null_count else places
        found: Hashes = hashes[places.to_numpy()]
        return found

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """Whether each row has a value: neither null nor NaN, and no empty string."""
        values = self.values
        if pa.types.is_floating(values.type):
            return np.asarray(~np.isnan(values.to_numpy(zero_copy_only=False)), np.bool_)
        there: NDArray[np.bool_] = values.is_valid().to_numpy(zero_copy_only=False)
        if pa.types.is_large_string(values.type) and len(values):
            starts = np.frombuffer(values.buffers()[1], np.int64)[values.offset : values.offset + len(values) + 1]
            return there & (starts[1:] > starts[:-1])
        return there

    @cached_property
    def dictionary(self) -> tuple[DistinctStrings, pa.Int32Array]:
        """All strings that occur, empty ones too, and the place of each value among them (null for a null)."""
        return encoded_strings(self.values)

    @cached_property
    def distinct(self) -> tuple[NDArray[np.int64], PreparedColumn]:
        """The place of each value among the different ones, and these; -1 for what is null, not a number or empty."""
        values = self.values
        if pa.types.is_null(values.type):
            return np.full(len(values), -1), self
        if pa.types.is_large_string(values.type):
            strings, places = self.dictionary
            found, empty = strings.values, pc.index(strings.values, pa.scalar("", pa.large_string())).as_py()
        else:
            encoded = _plain(values).dictionary_encode()
            places, found, empty = encoded.indices, encoded.dictionary, -1
        codes = pc.fill_null(places, -1).to_numpy(zero_copy_only=False).astype(np.int64)
        return (np.where(codes == empty, -1, codes) if empty >= 0 else codes), PreparedColumn(found)

    @cached_property
    def strings(self) -> DistinctStrings:
        """The distinct non-null, non-empty strings in order of appearance; booleans as ``false`` and ``true``."""
        if pa.types.is_null(self.values.type):
            return _NO_STRINGS
        if pa.types.is_boolean(self.values.type):
            return counted_booleans(self.values)
        return self.dictionary[0].present

    @cached_property
    def text(self) -> Text:
        """The characters of :attr:`strings`."""
        return Text.of(self.strings)


def _digested(texts: pa.LargeStringArray) -> pa.LargeBinaryArray:
    raw = texts.cast(pa.large_binary()).to_pylist()
    digested = [text if len(text) <= HASHED_WHOLE else hashlib.blake2b(text).digest() for text in raw]
    return pa.array(digested, pa.large_binary())


def _plain(values: pa.Array) -> pa.Array:
    """Numbers as floats, of which equal ones have equal bits, and NaN is null; whole ones that a float rounds stay."""
    if pa.types.is_decimal(values.type):
        values = values.cast(pa.float64())
    if not pa.types.is_floating(values.type):
        return values
    return pc.if_else(pc.is_nan(values), None, pa.array(as_written(values.to_numpy(zero_copy_only=False))))


def as_written(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers to twelve digits, whole ones as they are: 0.1 + 0.2 is 0.3, and a latitude that was read by another
    reader is the same one."""
    with np.errstate(all="ignore"):
        scale = 10.0 ** (11 - np.floor(np.log10(np.abs(numbers))))
        rounded = np.rint(numbers * scale) / scale
    # -0.0 + 0.0 is 0.0.
    return np.where(np.isfinite(rounded) & (numbers != np.rint(numbers)), rounded, numbers) + 0.0

"""The values of a batch as codes and hashes: each different value is hashed once, and rows are compared as integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.profile.fingerprint import HASHED_WHOLE, value_hashes
from airflow_dq.states.hashing import Hashes, hash_floats
from airflow_dq.states.hidden import hidden_hashes
from airflow_dq.states.prepared import PreparedColumn

Codes = NDArray[np.int64]
_EXACT = 2.0**53
"""From here on floats are no longer all whole numbers."""


@dataclass(frozen=True, eq=False)
class CodedRows:
    """The rows of one batch by their value in a column, or in several together."""

    codes: Codes
    """Of each row the place of its value among the hashes; -1 where one is missing."""
    hashes: Hashes
    """Of each different value."""
    texts: Callable[[Codes, int], pa.LargeStringArray]
    """Values by their places, to be shown, cut at a number of characters."""

    @classmethod
    def of(cls, column: PreparedColumn) -> CodedRows:
        """By one column; null, NaN and the empty text are missing."""
        codes, distinct = column.distinct
        if pa.types.is_large_string(column.values.type) and column.dictionary[0].longest <= HASHED_WHOLE:
            # The states have hashed its strings.
            hashes = column.dictionary[0].hashes
        else:
            hashes = value_hashes(distinct)
        # Mixed once more: of booleans the hashes are the values themselves.
        return cls(codes, _mixed(hashes), lambda places, most: _shown(distinct.values, places, most))

    @classmethod
    def of_all(cls, columns: Sequence[CodedRows]) -> CodedRows:
        """By several columns together."""
        if len(columns) == 1:
            return columns[0]
        codes, known = columns[0].codes, columns[0].codes >= 0
        for one in columns[1:]:
            known = known & (one.codes >= 0)
            _, codes = np.unique(codes * (len(one.hashes) + 1) + one.codes, return_inverse=True)
        found, first, places = np.unique(codes, return_index=True, return_inverse=True)
        hashes = np.zeros(len(found), np.uint64)
        for place, one in enumerate(columns):
            # An index of -1 takes another value's hash: no row of it is looked at.
            parts = one.hashes[one.codes[first]] if len(one.hashes) else np.zeros(len(first), np.uint64)
            hashes = _mixed(hashes ^ parts) + np.uint64(place)

        def texts(chosen: Codes, most: int) -> pa.LargeStringArray:
            parts = [one.texts(one.codes[first[chosen]], most) for one in columns]
            return pc.binary_join_element_wise(*parts, pa.scalar(", ", pa.large_string()))

        return cls(np.where(known, places, -1), hashes, texts)

    def keyed(self, key: bytes) -> CodedRows:
        """The same with hashes that nobody can make again without the key."""
        return CodedRows(self.codes, hidden_hashes(self.hashes, key), self.texts)


def of_numbers(values: NDArray[np.float64]) -> CodedRows:
    """Rows by numbers that are computed, with their bits in the place of hashes; NaN is missing."""
    distinct, codes = np.unique(values + 0.0, return_inverse=True)
    known = np.where(np.isnan(values), -1, codes)
    return CodedRows(known, distinct.view(np.uint64), lambda places, most: _shown(pa.array(distinct), places, most))


def as_numbers(rows: CodedRows, column: PreparedColumn) -> CodedRows:
    """The same with the bits of the numbers themselves in the place of their hashes."""
    numbers = np.asarray(column.distinct[1].values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))
    return CodedRows(rows.codes, (numbers + 0.0).view(np.uint64), rows.texts)


def _mixed(hashes: Hashes) -> Hashes:
    return hash_floats(hashes.view(np.float64))  # it mixes the bits, whatever they stand for


def _shown(values: pa.Array, places: Codes, most: int) -> pa.LargeStringArray:
    chosen = values.take(pa.array(places))
    if pa.types.is_floating(chosen.type):
        return _number_texts(chosen)
    return pc.utf8_slice_codeunits(chosen.cast(pa.large_string()), 0, most)


def _number_texts(numbers: pa.Array) -> pa.LargeStringArray:
    """Whole numbers without a decimal."""
    known = numbers.to_numpy(zero_copy_only=False)
    whole = (known == np.floor(known)) & (np.abs(known) < _EXACT)
    integers = pa.array(np.where(whole, known, 0.0).astype(np.int64)).cast(pa.large_string())
    return pc.if_else(pa.array(whole), integers, numbers.cast(pa.large_string()))

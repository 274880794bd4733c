"""A 64-bit hash of every row's content, vectorised; the same on every machine, in every process and batch."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from airflow_dq.states.array import string_bytes
from airflow_dq.states.hashing import HASHED_WHOLE, Hashes, hash_apart, hash_floats, hash_strings
from airflow_dq.states.long_integer import apart
from airflow_dq.states.prepared import PreparedColumn


class RowHashes:
    """One hash per row over canonical columns, which are added in any order.

    A null adds nothing, so a row without the column hashes like one where it is null; -0.0 equals 0.0 and every NaN
    equals every other.
    """

    def __init__(self, rows: int, seed: int) -> None:
        self._total = np.full(rows, _text_hash(str(seed)), dtype=np.uint64)

    def add(self, name: str, column: PreparedColumn) -> None:
        """Take a column in, soonest the one of which states were made: they have encoded and hashed its strings."""
        values = column.values
        if pa.types.is_null(values.type):
            return
        hashes = _mix(value_hashes(column) ^ _text_hash(name))
        if values.null_count:
            hashes *= values.is_valid().to_numpy(zero_copy_only=False)
        self._total += hashes

    def result(self) -> Hashes:
        """The hashes of the rows."""
        return _mix(self._total)


def row_hashes(columns: Mapping[str, pa.Array], rows: int, seed: int) -> Hashes:
    """The hashes of the rows of these columns (:class:`RowHashes`)."""
    hashes = RowHashes(rows, seed)
    for name, values in columns.items():
        hashes.add(name, PreparedColumn.of(values))
    return hashes.result()


def value_hashes(column: PreparedColumn) -> Hashes:
    """One hash per value of a canonical column; of binaries only the length counts; a null's hash is undefined.

    Integers that a float would round are told apart, and others hash as the floats that they are.
    """
    values = column.values
    if pa.types.is_integer(values.type):
        return hash_apart(*apart(values.fill_null(0).to_numpy(zero_copy_only=False)))
    if pa.types.is_floating(values.type):
        numbers = values.to_numpy(zero_copy_only=False) + 0.0  # -0.0 + 0.0 is 0.0
        return hash_floats(np.where(np.isnan(numbers), np.nan, numbers))  # the bits of NaNs differ
    if pa.types.is_boolean(values.type):
        return np.asarray(values.fill_null(False).to_numpy(zero_copy_only=False), dtype=np.uint64)
    if pa.types.is_large_binary(values.type):
        return np.diff(string_bytes(values)[1]).astype(np.uint64)
    distinct, places = column.dictionary
    if not len(distinct.values):
        return np.zeros(len(values), np.uint64)
    long = distinct.longest > HASHED_WHOLE
    hashes = hash_strings(*string_bytes(_digested(distinct.values))) if long else distinct.hashes
    places = places.fill_null(0) if places.null_count else places
    found: Hashes = hashes[places.to_numpy()]
    return found


def _digested(texts: pa.LargeStringArray) -> pa.LargeBinaryArray:
    raw = texts.cast(pa.large_binary()).to_pylist()
    digested = [text if len(text) <= HASHED_WHOLE else hashlib.blake2b(text).digest() for text in raw]
    return pa.array(digested, pa.large_binary())


def _mix(hashes: Hashes) -> Hashes:
    return hash_floats(hashes.view(np.float64))  # it mixes the bits, whatever they stand for


def _text_hash(text: str) -> np.uint64:
    return np.uint64(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little"))

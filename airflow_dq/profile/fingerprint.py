"""A 64-bit hash of every row's content, vectorised; the same on every machine, in every process and batch."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from airflow_dq.states.array import string_bytes, strings_from_bytes
from airflow_dq.states.hashing import Hashes, hash_floats, hash_strings

_LONG = 256
"""Texts above this many bytes enter by their digest: hashing eight bytes a step is for short ones."""


def row_hashes(columns: Mapping[str, pa.Array], rows: int, seed: int) -> Hashes:
    """One hash per row over canonical columns.

    A null adds nothing, so a row without the column hashes like one where it is null; the order of the columns
    does not matter; -0.0 equals 0.0 and every NaN equals every other.
    """
    total = np.full(rows, _text_hash(str(seed)), dtype=np.uint64)
    for name, values in columns.items():
        if pa.types.is_null(values.type):
            continue
        hashes = _mix(value_hashes(values) ^ _text_hash(name))
        if values.null_count:
            hashes *= values.is_valid().to_numpy(zero_copy_only=False)
        total += hashes
    return _mix(total)


def value_hashes(values: pa.Array) -> Hashes:
    """One hash per value of a canonical array; of binaries only the length counts; a null's hash is undefined."""
    if pa.types.is_floating(values.type):
        numbers = values.to_numpy(zero_copy_only=False) + 0.0  # -0.0 + 0.0 is 0.0
        return hash_floats(np.where(np.isnan(numbers), np.nan, numbers))  # the bits of NaNs differ
    if pa.types.is_boolean(values.type):
        return np.asarray(values.fill_null(False).to_numpy(zero_copy_only=False), dtype=np.uint64)
    data, offsets = string_bytes(values)
    lengths = np.diff(offsets)
    if pa.types.is_large_binary(values.type):
        return lengths.astype(np.uint64)
    if lengths.max(initial=0) > _LONG:
        data, offsets = string_bytes(_digested(strings_from_bytes(data, offsets)))
    return hash_strings(data, offsets)


def _digested(texts: pa.LargeStringArray) -> pa.LargeBinaryArray:
    raw = texts.cast(pa.large_binary()).to_pylist()
    digested = [text if len(text) <= _LONG else hashlib.blake2b(text).digest() for text in raw]
    return pa.array(digested, pa.large_binary())


def _mix(hashes: Hashes) -> Hashes:
    return hash_floats(hashes.view(np.float64))  # it mixes the bits, whatever they stand for


def _text_hash(text: str) -> np.uint64:
    return np.uint64(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little"))

"""A 64-bit hash of every row's content, vectorised; the same on every machine, in every process and batch."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from airflow_dq.states.hashing import Hashes, hash_floats
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
        hashes = _mix(column.hashes ^ _text_hash(name))
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


def _mix(hashes: Hashes) -> Hashes:
    return hash_floats(hashes.view(np.float64))  # it mixes the bits, whatever they stand for


def _text_hash(text: str) -> np.uint64:
    return np.uint64(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little"))

"""A bounded sample of rows that depends on the multiset of rows alone, never on how it was split or ordered."""

from __future__ import annotations

import json
import struct
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.exceptions import CodecError
from airflow_dq.states.hashing import Hashes

CELL_LIMIT = 1000
"""Code points of a text that the sample keeps; rows are told apart by their full content."""

_MAGIC = b"rows/2"


@dataclass(frozen=True, slots=True, eq=False)
class RowSample:
    """The ``size`` distinct rows with the smallest seeded hash, each with its number of occurrences.

    Bottom-k sampling: a row among the smallest of the whole is among the smallest of every part, so merging is
    exact, occurrences included.  The price: rows are drawn by distinct content, so a table in which few contents
    make up most of more than ``size`` distinct rows is represented less evenly than by drawing rows.  With at
    most ``size`` distinct rows nothing is lost: the sample is the table.
    """

    size: int
    seed: int
    rows: pa.Table
    """Canonical columns (:data:`airflow_dq.profile.column.CANONICAL`), by ascending hash."""
    hashes: Hashes
    counts: npt.NDArray[np.int64]
    total: int
    """Rows of the whole table."""

    @classmethod
    def empty(cls, size: int, seed: int) -> RowSample:
        """The sample of no rows: what any other merges with unchanged."""
        nothing = np.empty(0, dtype=np.int64)
        return cls(size, seed, pa.table({}), nothing.astype(np.uint64), nothing, 0)

    @property
    def complete(self) -> bool:
        """True when the sample holds every row of the table."""
        return int(self.counts.sum()) == self.total

    def add(self, columns: Mapping[str, pa.Array], hashes: Hashes) -> RowSample:
        """The sample with a batch of more rows in canonical columns.

        :param hashes: of the rows (:mod:`airflow_dq.profile.fingerprint`), with the sample's seed
        """
        rows = len(hashes)
        candidates: npt.NDArray[np.int64] | None = None
        if len(self.hashes) == self.size > 0:
            candidates = np.flatnonzero(hashes <= self.hashes[-1])
            hashes = hashes[candidates]
        kept, first, counts = np.unique(hashes, return_index=True, return_counts=True)
        first = first[: self.size] if candidates is None else candidates[first[: self.size]]
        taken = pa.table({name: _storable(values.take(pa.array(first))) for name, values in columns.items()})
        batch = RowSample(self.size, self.seed, taken, kept[: self.size], counts[: self.size], rows)
        return self.merge(batch)

    def merge(self, other: RowSample) -> RowSample:
        """The sample of both tables together.

        :raises ValueError: when the two were drawn with different sizes or seeds
        """
        if (self.size, self.seed) != (other.size, other.seed):
            raise ValueError("Row samples of different sizes or seeds cannot be merged.")
        if not len(self.hashes) or not len(other.hashes):
            chosen = self if len(self.hashes) else other
            total = self.total + other.total
            return RowSample(self.size, self.seed, chosen.rows, chosen.hashes, chosen.counts, total)
        hashes = np.concatenate([self.hashes, other.hashes])
        kept, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        weights = np.concatenate([self.counts, other.counts])
        counts = np.zeros(len(kept), dtype=np.int64)
        np.add.at(counts, inverse, weights)
        rows = self.rows
        if rows.num_columns or other.rows.num_columns:
            sides = [self._like(other), other._like(self)]
            rows = pa.concat_tables(sides, promote_options="permissive")
            rows = rows.take(pa.array(first[: self.size])).combine_chunks()
        total = self.total + other.total
        return RowSample(self.size, self.seed, rows, kept[: self.size], counts[: self.size], total)

    def of(self, columns: Collection[str]) -> RowSample:
        """The same rows, and of them the cells of these columns as far as the sample has them."""
        return replace(self, rows=self.rows.select([name for name in self.rows.column_names if name in columns]))

    def beside(self, other: RowSample) -> RowSample:
        """The same rows with the cells of both.

        :raises ValueError: when they are other rows
        """
        if not np.array_equal(self.hashes, other.hashes) or self.total != other.total:
            raise ValueError("Row samples of different rows cannot be put side by side.")
        cells = dict(zip(self.rows.column_names, self.rows.columns, strict=True))
        more = dict(zip(other.rows.column_names, other.rows.columns, strict=True))
        return replace(self, rows=pa.table({**cells, **more}))

    def _like(self, other: RowSample) -> pa.Table:
        """The rows; without columns, of which Arrow does not know how many rows they have, those of ``other``, null."""
        if self.rows.num_columns:
            return self.rows
        return pa.table({field.name: pa.nulls(len(self.hashes), field.type) for field in other.rows.schema})

    def expand(self, columns: Sequence[str]) -> pa.Table:
        """Physical rows in proportion to their occurrences, at most twice ``size``; all rows when they fit in that.

        Otherwise every distinct row appears at least once.
        """
        rows = self.rows.select(list(columns))
        held = int(self.counts.sum())
        if held <= 2 * self.size:
            copies = self.counts
        else:
            copies = np.maximum(1, self.counts * (self.size / held)).astype(np.int64)
        if len(copies) == 0 or copies.max() == 1:
            return rows
        return rows.take(pa.array(np.repeat(np.arange(len(copies)), copies)))

    def encode(self) -> bytes:
        """Bytes from which :meth:`decode` restores the sample (an Arrow stream)."""
        head = json.dumps({"size": self.size, "seed": self.seed, "total": self.total}).encode()
        fixed = [pa.array(self.hashes), pa.array(self.counts)]
        columns = [column.combine_chunks() for column in self.rows.columns]
        # Column names are data: the two fixed columns are told by position, not by a reserved name.
        batch = pa.table(fixed + columns, names=["hash", "count", *self.rows.column_names])
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_table(batch)
        return _MAGIC + struct.pack("<I", len(head)) + head + bytes(sink.getvalue())

    @classmethod
    def decode(cls, data: bytes) -> RowSample:
        """The sample that :meth:`encode` wrote.

        :raises CodecError: when the bytes are not of a row sample of this version
        """
        if not data.startswith(_MAGIC):
            raise CodecError(f"These bytes are not a row sample of this version ({_MAGIC.decode()}).")
        try:
            start = len(_MAGIC) + 4
            (length,) = struct.unpack_from("<I", data, len(_MAGIC))
            head = json.loads(data[start : start + length])
            with pa.ipc.open_stream(data[start + length :]) as reader:
                table = reader.read_all().combine_chunks()
            hashes, counts = (table.column(i).to_numpy() for i in (0, 1))
            return cls(
                head["size"], head["seed"], table.select(range(2, table.num_columns)), hashes, counts, head["total"]
            )
        except (struct.error, ValueError, KeyError, OSError, pa.ArrowException) as error:
            raise CodecError(f"The stored row sample is damaged: {error}") from error


def _storable(values: pa.Array) -> pa.Array:
    """Equal rows must be stored equally: cut texts, one zero, one NaN; of binaries only how long they are."""
    if pa.types.is_large_string(values.type):
        return pc.utf8_slice_codeunits(_readable(values), 0, CELL_LIMIT)
    if pa.types.is_large_binary(values.type):
        lengths = pc.min_element_wise(pc.binary_length(values), CELL_LIMIT, skip_nulls=False)
        return pc.binary_repeat(pa.scalar(b"\0", pa.large_binary()), lengths)
    if pa.types.is_floating(values.type):
        return pc.if_else(pc.is_nan(values), float("nan"), pc.add(values, 0.0))
    return values


def _readable(texts: pa.Array) -> pa.Array:
    """Bytes that are no UTF-8 (Arrow does not check what it is given) become U+FFFD."""
    try:
        texts.validate(full=True)
        return texts
    except pa.ArrowInvalid:
        raw = texts.cast(pa.large_binary()).to_pylist()
        return pa.array([None if text is None else text.decode("utf-8", "replace") for text in raw], texts.type)

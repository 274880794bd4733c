"""Keys as the rows of a folder's pieces, on an executor as in this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.check.model import Check
from airflow_dq.exceptions import ProfileError
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.check.count import count
from airflow_dq.profile.check.evaluate import Batch
from airflow_dq.profile.check.key_tally import Keys
from airflow_dq.profile.check.many_keys import BUCKETS, parts_of, view_of
from airflow_dq.profile.check.tally import Failed, Tally

KEY_DDL = "view bigint, hash bigint, n bigint, complete boolean, bucket int"
"""The columns of a piece; ``bucket`` is the name of the folder."""
KEY_SCHEMA = pa.schema(
    [
        ("view", pa.int64()),
        ("hash", pa.int64()),
        ("n", pa.int64()),
        ("complete", pa.bool_()),
        ("bucket", pa.int32()),
    ]
)


_CHUNK = 65_536
"""Rows that travel together: 1.4 MB."""


def key_batches(batches: Iterable[pa.RecordBatch], names: Sequence[str], check: Check) -> Iterator[pa.RecordBatch]:
    """How often each key occurs in each batch: rows of :data:`KEY_SCHEMA`.

    :param names: the names of the columns, whatever they are called in the batches
    """
    for tally in counted_keys((batch.rename_columns(list(names)) for batch in batches), check):
        yield from key_table(tally).to_batches()


def counted_keys(tables: Iterable[pa.Table | pa.RecordBatch], check: Check) -> Iterator[Tally]:
    """How often each key occurs in each table.

    :param check: of no hidden column, whose keys are not kept
    :raises ProfileError: when that cannot be computed
    """
    options = ProfileOptions(checks=(check,))
    for table in tables:
        batch = Batch({name: table.column(name) for name in table.schema.names}, table.num_rows)
        (tally,) = count(batch, options).values()
        if isinstance(tally, Failed):
            raise ProfileError(tally.problem)
        yield tally


def key_table(tally: Tally) -> pa.Table:
    """Keys as the rows of a piece."""
    views = [
        _columns(view_of(label, number), part)
        for label, parts in parts_of(tally).items()
        for number, part in enumerate(parts)
    ]
    if not views:
        return KEY_SCHEMA.empty_table()
    columns = zip(*views, strict=True)
    arrays = [pa.array(np.concatenate(column), field.type) for column, field in zip(columns, KEY_SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=KEY_SCHEMA)


def _columns(view: int, keys: Keys) -> tuple[NDArray[np.generic], ...]:
    buckets = (keys.hashes % np.uint64(BUCKETS)).astype(np.int32)
    return np.full(len(keys.hashes), view, np.int64), keys.hashes.view(np.int64), keys.counts, keys.complete, buckets


def packed_chunks(table: pa.Table) -> Iterator[bytes]:
    """A table as bytes, of which :func:`unpacked_chunks` makes its rows again."""
    for start in range(0, max(1, table.num_rows), _CHUNK):
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table.slice(start, _CHUNK))
        yield sink.getvalue().to_pybytes()


def unpacked_chunks(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of packed chunks, one in each row of the batches."""
    for batch in batches:
        for chunk in batch.column(0):
            yield from pa.ipc.open_stream(chunk.as_buffer()).read_all().to_batches()

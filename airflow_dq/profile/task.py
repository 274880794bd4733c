"""What runs inside a Spark task: Arrow batches of keyed rows -> one encoded state per partition key.

Plain generators over Arrow batches; Spark calls them through ``mapInArrow``, tests call them directly.  A partition
that cannot be profiled becomes a row that says why, so it never takes down the partitions that share its task.
"""

from __future__ import annotations

import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from airflow_dq.exceptions import DQError
from airflow_dq.profile.model import Profile, ProfileOptions, Variant
from airflow_dq.profile.table import TableState
from airflow_dq.profile.variant import variants_of

PARTIAL = pa.schema(
    [
        ("key", pa.string()),
        ("state", pa.binary()),
        ("problem", pa.string()),
        ("trace", pa.string()),
        ("seconds", pa.float64()),
    ]
)
"""A partial result: ``state``, or the ``problem`` in a sentence, with a ``trace`` when it was not foreseen."""
PARTIAL_DDL = "key string, state binary, problem string, trace string, seconds double"

# Keys whose states a task holds at once.  Rows usually come sorted by key or nearly so; when a task meets more keys,
# the one not seen for longest is sent off early and the merge puts its pieces together again.
_KEYS_HELD = 256


class Broadcast(Protocol):
    """Spark's handle on a value that all tasks share."""

    @property
    def value(self) -> tuple[Profile, ...]:
        """The profiles."""


@dataclass(slots=True)
class Partial:
    """What is known of one partition so far."""

    state: TableState | None = None
    problem: str | None = None
    trace: str | None = None
    seconds: float = 0.0

    def add(self, make: Callable[..., TableState], *arguments: object) -> None:
        """Merge one more piece in, made by a call that may fail, unless the partition has already failed."""
        if self.problem is not None:
            return
        try:
            piece = make(*arguments)
            self.state = piece if self.state is None else self.state.merge(piece)
        except DQError as error:
            self.problem = str(error)
        except Exception as error:
            self.problem, self.trace = f"{type(error).__name__}: {error}", traceback.format_exc()

    def absorb(self, problem: str | None, trace: str | None, seconds: float) -> None:
        """Take over another piece's failure, if it has one, and its time."""
        self.problem, self.trace = (self.problem, self.trace) if self.problem else (problem, trace)
        self.seconds += seconds

    def to_batch(self, key: str) -> pa.RecordBatch:
        """One row of the schema :data:`PARTIAL`."""
        state = self.state.encode() if self.state is not None and self.problem is None else None
        row = (key, state, self.problem, self.trace, self.seconds)
        return pa.record_batch(
            [pa.array([cell], field.type) for cell, field in zip(row, PARTIAL, strict=True)], PARTIAL
        )


def profile_batches(
    batches: Iterable[pa.RecordBatch], names: Sequence[str], options: ProfileOptions
) -> Iterator[pa.RecordBatch]:
    """Summarise the rows of each partition key; the key is the last column, text, and not profiled.

    :param names: the names of the other columns, whatever they are called in the batches
    :return: one row of :data:`PARTIAL` per key, or several when the task meets very many keys
    """
    held: OrderedDict[str, Partial] = OrderedDict()
    clock = time.perf_counter()
    for batch in batches:
        for key, rows in split_by_key(batch):
            partial = held.setdefault(key, Partial())
            held.move_to_end(key)
            partial.add(TableState.of, rows.rename_columns(list(names)), options)
            now = time.perf_counter()
            partial.seconds += now - clock
            clock = now
            if len(held) > _KEYS_HELD:
                oldest, done = held.popitem(last=False)
                yield done.to_batch(oldest)
    for key, partial in held.items():
        yield partial.to_batch(key)


def merge_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Merge rows of :data:`PARTIAL` into one per key."""
    held: dict[str, Partial] = {}
    for batch in batches:
        for row in batch.to_pylist():
            partial = held.setdefault(row["key"], Partial())
            partial.absorb(row["problem"], row["trace"], row["seconds"])
            if row["state"] is not None:
                partial.add(TableState.decode, row["state"])
    for key, partial in held.items():
        yield partial.to_batch(key)


def split_by_key(batch: pa.RecordBatch) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The rows of each value of the last column, without that column."""
    keys = batch.column(batch.num_columns - 1).dictionary_encode()
    rows = batch.remove_column(batch.num_columns - 1)
    names = keys.dictionary.to_pylist()
    if len(names) == 1:
        yield names[0], rows
        return
    codes = keys.indices.to_numpy(zero_copy_only=False)
    order = np.argsort(codes, kind="stable")
    counts = np.bincount(codes, minlength=len(names))
    rows = rows.take(pa.array(order))
    start = 0
    for name, count in zip(names, counts.tolist(), strict=True):
        yield name, rows.slice(start, count)
        start += count


def variants_of_column(shared: Broadcast, wanted: tuple[int, str]) -> tuple[int, str, tuple[Variant, ...]]:
    """The injected variants of one column of one of the profiles that all tasks share.

    :param shared: a broadcast value holding the profiles
    :param wanted: position of the profile, name of the column
    """
    index, name = wanted
    return index, name, variants_of(shared.value[index], name)

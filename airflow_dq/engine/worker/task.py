"""What runs inside a Spark task: Arrow batches of keyed rows -> one encoded state per partition key.

Plain generators over Arrow batches; Spark calls them through ``mapInArrow``, tests call them directly.  A partition
that cannot be profiled becomes a row that says why, so it never takes down the partitions that share its task.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Protocol

import numpy as np
import pyarrow as pa

from airflow_dq.corruption.variant import packed_variants
from airflow_dq.engine.worker.memory import keep_freed_memory
from airflow_dq.engine.worker.partial import Partial
from airflow_dq.exceptions import ProfileError
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import BATCH_ROWS, TableState

# Rows wait until there are BATCH_ROWS of a key (many small states cost more to make and merge than few large ones),
# or until those of all keys together take so much memory.
_BYTES_WAITING = 64 * 2**20
KEYS_HELD = 256
"""Keys whose states a task holds at once.

Rows usually come sorted by key or nearly so; when a task meets more keys, the one not seen for longest is sent off
early and the merge puts its pieces together again.
"""


class Broadcast(Protocol):
    """Spark's handle on a value that all tasks share."""

    @property
    def value(self) -> tuple[Profile, ...]:
        """The profiles."""


@dataclass(slots=True)
class Waiting:
    """Rows of one key that wait until there are enough of them, and what is known of those before."""

    options: ProfileOptions
    partial: Partial = field(default_factory=Partial)
    batches: list[pa.RecordBatch] = field(default_factory=list)
    rows: int = 0
    bytes: int = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Take rows in."""
        self.batches.append(batch)
        self.rows += batch.num_rows
        self.bytes += batch.nbytes
        if self.rows >= BATCH_ROWS:
            self.summarise()

    def summarise(self) -> None:
        """Let no row wait any longer."""
        if self.batches:
            table = pa.Table.from_batches(self.batches)
            self.batches, self.rows, self.bytes = [], 0, 0
            self.partial.grow(lambda state: _larger(state, table, self.options), self.options.discreet)


def profile_batches(
    batches: Iterable[pa.RecordBatch],
    names: Sequence[str],
    options: ProfileOptions,
    key: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> Iterator[pa.RecordBatch]:
    """Summarise the rows of each partition key; the key is the last column, text, and not profiled.

    :param names: the names of the other columns, whatever they are called in the batches
    :param key: the key of all rows, which then have no column for it
    :param labels: the end of a file's or its folder's path -> partition key, when the last column is that of the file
    :return: one row of ``PARTIAL`` per key, or several when the task meets very many keys
    """
    for _, row in profile_keyed((_keyed(batch, names, key, labels) for batch in batches), options):
        yield row


def profile_keyed(
    batches: Iterable[Iterable[tuple[str, pa.RecordBatch]]],
    options: ProfileOptions,
    unsampled: Collection[str] = (),
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Summarise batches whose rows are told apart by their partition key already.

    :param unsampled: keys of which no rows are drawn, for nobody will inject errors into them
    :return: a key and its row of ``PARTIAL``, as :func:`profile_batches`
    """
    keep_freed_memory()
    held: OrderedDict[str, Waiting] = OrderedDict()
    clock = Clock()
    without_rows = replace(options, sample_rows=0)

    def take_in(batch: Iterable[tuple[str, pa.RecordBatch]]) -> Iterator[tuple[str, pa.RecordBatch]]:
        for key, rows in batch:
            if key not in held:
                held[key] = Waiting(without_rows if key in unsampled else options)
            waiting = held[key]
            held.move_to_end(key)
            waiting.add(rows)
            waiting.partial.seconds += clock.lap()
            if len(held) > KEYS_HELD:
                oldest, done = held.popitem(last=False)
                done.summarise()
                yield oldest, done.partial.to_batch(oldest)
        if sum(waiting.bytes for waiting in held.values()) > _BYTES_WAITING:
            for waiting in held.values():
                waiting.summarise()
                waiting.partial.seconds += clock.lap()

    # No name here holds the last rows while the states are encoded.
    yield from chain.from_iterable(map(take_in, batches))
    for key, waiting in held.items():
        waiting.summarise()
        waiting.partial.seconds += clock.lap()
        yield key, waiting.partial.to_batch(key)


def profile_whole(
    batches: Iterable[pa.RecordBatch], names: Sequence[str], options: ProfileOptions, key: str, lanes: int
) -> Iterator[pa.RecordBatch]:
    """Summarise a small partition several times, once in each lane, and share its injected variants out to the lanes.

    To read a few rows several times takes less time than a second Spark job.  The last column is the number of the
    lane as text; all rows of a lane are in one task.

    :return: at most one row of ``PARTIAL`` per lane
    """
    return profile_lanes((_keyed(batch, names, None, None) for batch in batches), options, key, lanes)


def profile_lanes(
    batches: Iterable[Iterable[tuple[str, pa.RecordBatch]]], options: ProfileOptions, key: str, lanes: int
) -> Iterator[pa.RecordBatch]:
    """Summarise batches whose rows are told apart by their lane already.

    Lane 0 alone sends the state.  With more than :data:`BATCH_ROWS` rows it does so without variants, and the other
    lanes give up.

    :return: as :func:`profile_whole`
    """
    keep_freed_memory()
    held: dict[int, Waiting] = {}
    seen: Counter[int] = Counter()
    clock = Clock()
    for batch in batches:
        for label, rows in batch:
            lane = int(label)
            seen[lane] += rows.num_rows
            if lane == 0 or seen[lane] <= BATCH_ROWS:
                held.setdefault(lane, Waiting(options)).add(rows)
            else:
                held.pop(lane, None)
    for lane, waiting in held.items():
        waiting.summarise()
        partial = waiting.partial
        if partial.state is not None and partial.problem is None and seen[lane] <= BATCH_ROWS:
            profile = partial.state.profile(key, options)
            mine = islice(profile.columns, lane, None, lanes)
            partial.variants = {name: packed_variants(profile, name).blob for name in mine}
        partial.state = partial.state if lane == 0 else None
        partial.seconds = clock.lap()
        yield partial.to_batch(key)


def _keyed(
    batch: pa.RecordBatch, names: Sequence[str], key: str | None, labels: Mapping[str, str] | None
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The rows of each partition key of a batch, under their columns' names."""
    for found, rows in split_by_key(batch) if key is None else ((key, batch),):
        yield found if labels is None else _key_of(found, labels), rows.rename_columns(list(names))


def _key_of(path: str, labels: Mapping[str, str]) -> str:
    """The partition key of a file, by the label of itself or of its folder.

    :raises ProfileError: when it has none; to leave its rows out would be wrong in silence
    """
    key = labels.get(path) or labels.get(path.rpartition("/")[0])
    if key is None:
        raise ProfileError(
            f"The file {path} lies in none of the folders that were listed. Profile the partitions again."
        )
    return key


def _larger(state: TableState | None, table: pa.Table, options: ProfileOptions) -> TableState:
    return TableState.of(table, options) if state is None else state.add(table, options)


class Clock:
    """Shares out the time that passes."""

    def __init__(self) -> None:
        self._last = time.perf_counter()

    def lap(self) -> float:
        """Seconds since the last lap."""
        now = time.perf_counter()
        self._last, passed = now, now - self._last
        return passed


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


def variants_of_column(shared: Broadcast, most: Sequence[int], wanted: tuple[int, str]) -> tuple[int, str, bytes]:
    """The injected variants of one column of one of the profiles that all tasks share, encoded.

    :param shared: a broadcast value holding the profiles, or as much of them as is needed
    :param most: how many a column of each of them has at most
    :param wanted: position of the profile, name of the column
    """
    keep_freed_memory()
    index, name = wanted
    return index, name, packed_variants(shared.value[index], name, most[index]).blob

"""Row groups of plain Parquet files, read where they are profiled: no query engine hands them over."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet
import pyarrow.types as pt

from airflow_dq.engine.worker.files import Place
from airflow_dq.engine.worker.partial import SLICE_COLUMNS, Partial, merge_batches
from airflow_dq.engine.worker.task import profile_keyed, profile_lanes
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.column import logical_type, whole_micros
from airflow_dq.profile.table import BATCH_ROWS

_BATCH_ROWS = BATCH_ROWS
"""Most rows that are decoded at once, as many as are summarised: they are not put together from several parts then.
What waits is bounded by its bytes, whichever comes first."""
_BATCH_CELLS = 2**20
"""The same of a wide table."""
_BATCH_BYTES = 2**26
"""The same of a table with large values, as far as the file tells: values that repeat may take less room in it."""
_SHORT_CELLS, _SHORT_BYTES = 2**23, 2**27
"""The most of a wide table's row group that is read whole, some columns after the others: to read a part of it takes at
least a page of every column, encoded and decoded, at once, which is 280 MB of 2,000 columns whose values are 90 MB."""
_BUFFER = 2**18
"""Bytes of each column that are read at once: a row group may be larger than memory."""

_FAR_BUFFER, _FAR_BYTES = 2**23, 2**26
"""The same of a file in an object store, where each request waits for tens of milliseconds; and of all its columns."""

Found = tuple[str, pa.RecordBatch | None]
"""A partition's key and a partial result of it, rows of one batch; None when one of its files could not be read."""


@dataclass(frozen=True, slots=True)
class RowGroups:
    """Some row groups of one file, as it was when the driver looked at it."""

    key: str
    """Of the partition."""
    path: str
    stamp: tuple[int, int]
    """The file's size in bytes, and when it was last changed, in nanoseconds since 1970."""
    groups: tuple[int, ...]
    schema: pa.Schema
    """The columns to profile, in their order, with the types as which Spark reads them."""
    sampled: bool = True
    """Whether rows are drawn to inject errors into; the same for all slices of a partition."""

    def read(self, place: Place | None = None) -> Iterator[pa.RecordBatch]:
        """The rows.

        :param place: the file system; None: this machine's own
        :raises OSError: when the file cannot be opened, or is not the one that was looked at any more
        :raises pyarrow.ArrowException: when it is damaged, or a value does not fit its type
        """
        self._check(place)
        with self._opened(place) as file:
            for batch in self._batches(file):
                # By name: to the library a dot leads into a struct, so that it may read more columns than these.
                columns = [_read_as(batch.column(field.name), field.type) for field in self.schema]
                yield pa.RecordBatch.from_arrays(columns, names=self.schema.names)
        # Written over meanwhile, it would be half the one and half the other.
        self._check(place)

    def _batches(self, file: pa.parquet.ParquetFile) -> Iterator[pa.RecordBatch]:
        names = self.schema.names
        groups = [file.metadata.row_group(group) for group in self.groups]
        if len(names) > SLICE_COLUMNS and all(_is_short(group, len(names)) for group in groups):
            slices = [names[start : start + SLICE_COLUMNS] for start in range(0, len(names), SLICE_COLUMNS)]
            for group in self.groups:
                parts = [file.read_row_group(group, some, use_threads=False).select(some) for some in slices]
                columns = [column for part in parts for column in part.columns]
                yield from pa.Table.from_arrays(columns, names).to_batches()
            return
        width = max([1, *(group.total_byte_size // max(1, group.num_rows) for group in groups)])
        rows = max(1, min(_BATCH_ROWS, _BATCH_CELLS // len(names), _BATCH_BYTES // width))
        yield from file.iter_batches(rows, list(self.groups), names, use_threads=False)

    def _opened(self, place: Place | None) -> pa.parquet.ParquetFile:
        if place is None:
            return pa.parquet.ParquetFile(self.path, buffer_size=_BUFFER)
        size = max(_BUFFER, min(_FAR_BUFFER, _FAR_BYTES // len(self.schema)))
        return pa.parquet.ParquetFile(place.open(self.path), buffer_size=size)

    def _check(self, place: Place | None) -> None:
        if stamp_of(self.path, place) != self.stamp:
            raise OSError(errno.ESTALE, "The file has changed since it was listed", self.path)


def _is_short(group: pa.parquet.RowGroupMetaData, columns: int) -> bool:
    """Whether all values of a wide table's row group take less room than what reads a part of every column at once."""
    return bool(group.num_rows * columns <= _SHORT_CELLS and group.total_byte_size <= _SHORT_BYTES)


def stamp_of(path: str, place: Place | None = None) -> tuple[int, int]:
    """What a file's :attr:`RowGroups.stamp` is now."""
    if place is not None:
        return place.stamp(path)
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def profile_row_groups(
    slices: Sequence[RowGroups], options: ProfileOptions, place: Place | None = None
) -> Iterator[Found]:
    """Summarise the rows of each partition key of these slices, one after the other.

    :param place: the file system that all of them are in; None: each machine's own
    """
    failed: dict[str, Found] = {}
    unsampled = {one.key for one in slices if not one.sampled}
    for key, row in profile_keyed(([found] for found in _rows(slices, failed, place)), options, unsampled):
        if key not in failed:
            yield key, row
    yield from failed.values()


def profile_lane(
    slices: Sequence[RowGroups], options: ProfileOptions, lanes: int, lane: int, place: Place | None = None
) -> Iterator[Found]:
    """Summarise a small partition in one of several tasks that each read all of it, as :func:`profile_lanes`."""
    failed: dict[str, Found] = {}
    key = slices[0].key
    rows = ([(str(lane), batch)] for _, batch in _rows(slices, failed, place))
    found = [(key, row) for row in profile_lanes(rows, options, key, lanes)]
    yield from failed.values() or found


@dataclass(frozen=True, slots=True)
class Small:
    """All of one dataset's small partition."""

    number: int
    """Which of the datasets it is."""
    slices: tuple[RowGroups, ...]
    options: ProfileOptions


def profile_small(one: Small, places: Mapping[int, Place]) -> Iterator[tuple[int, str, pa.RecordBatch]]:
    """Summarise it, its injected variants included; nothing where a file cannot be read.

    :param places: by their numbers, the file systems of the datasets that are not in each machine's own
    :return: its number, its key, and its partial result
    """
    for key, row in profile_lane(one.slices, one.options, 1, 0, places.get(one.number)):
        if row is not None:
            yield one.number, key, row


def merge_found(found: Iterable[Found]) -> Iterator[Found]:
    """Merge what several tasks have found out into one for each key."""
    read: list[Found] = []
    unread: set[str] = set()
    for key, rows in found:
        if rows is None:
            unread.add(key)
        else:
            read.append((key, rows))
    for rows in merge_batches(rows for key, rows in read if key not in unread):
        yield rows.column("key")[0].as_py(), rows
    yield from ((key, None) for key in unread)


def _rows(
    slices: Sequence[RowGroups], failed: dict[str, Found], place: Place | None
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The rows of the slices.

    :param failed: takes what is found out of a key of which a file cannot be read, whatever was read of it before
    """
    for one in slices:
        try:
            for batch in one.read(place):
                yield one.key, batch
        except FileNotFoundError:
            problem = (
                f"the file {one.path} cannot be read (it is gone since it was listed, or not visible to an executor). "
                "Write it again where every executor sees it, and profile the partition when that is done."
            )
            failed[one.key] = one.key, Partial(problem=problem).to_batch(one.key)
        except (pa.ArrowException, OSError):
            # Spark reads the partition again, and says what is wrong with it in its own words.
            failed.setdefault(one.key, (one.key, None))


def _read_as(column: pa.Array, wanted: pa.DataType) -> pa.Array:
    """The column in the type as which Spark reads it, in whatever layout.

    :raises pyarrow.ArrowException: when a value does not fit
    """
    if pt.is_decimal(wanted):
        # Spark refuses numbers with more digits than their type has.
        column.validate(full=True)
    if pt.is_timestamp(column.type) and column.type.unit == "ns":
        return whole_micros(column).cast(wanted)
    return column if logical_type(column.type) == wanted else column.cast(wanted)

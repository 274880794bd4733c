"""Which Parquet files the tasks can read by themselves: plain ones, whose footers say nothing that is Spark's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from airflow_dq.engine.spark.listing import Listing
from airflow_dq.engine.spark.refused import RefusedError
from airflow_dq.engine.worker.files import Place
from airflow_dq.engine.worker.parquet import stamp_of

_MOST_FILES = 1_000
"""Files of a partition up to which the driver looks at each."""
_MOST_COLUMNS = 300
"""Columns up to which the pages of all of them, which Arrow's reader holds at once, leave room in a worker's 1 GiB."""
_MOST_BYTES = 2**27
"""Bytes of a row group, before compression, that leave room as well, however many columns share them: as many as
Spark's own writer puts into one."""
_SCHEMA_OF_SPARK = b"org.apache.spark.sql.parquet.row.metadata"
_OLD_CALENDAR = b"org.apache.spark.legacyDateTime"
_WRITER = b"org.apache.spark.version"


@dataclass(frozen=True, slots=True)
class File:
    """A Parquet file, and what its footer says."""

    path: str
    stamp: tuple[int, int]
    """See :class:`~airflow_dq.engine.worker.parquet.RowGroups`."""
    groups: tuple[int, ...]
    """Bytes of each row group, before compression."""
    schema: pa.Schema
    text: str
    """The schema as Parquet has it."""
    noted: bytes | None
    """The schema as the Spark that wrote the file noted it."""

    @property
    def kind(self) -> tuple[object, ...]:
        """Equal for files whose columns are read as the same."""
        return self.text, self.schema, self.noted


def plain_files(listing: Listing, place: Place | None = None) -> list[tuple[str, int]]:
    """The files' paths, local or in an object store, and their sizes.

    :param place: the store that they are in; None: they are local
    :raises RefusedError: when they lie elsewhere, or when what their rows are depends on more than the files
    """
    if not 0 < len(listing.files) <= _MOST_FILES:
        raise RefusedError(f"it has {len(listing.files)} files")
    roots = {_path(root, place) for root in listing.roots}
    if place is not None and listing.log is not None:
        raise RefusedError(f"{listing.log.root} holds {listing.log.sign}")
    for root in roots if place is None else ():
        # What Spark's streams and Delta Lake keep there says which of the files count.
        for log in ("_spark_metadata", "_delta_log"):
            if (Path(root) / log).exists():
                raise RefusedError(f"{root} holds {log}")
    found = [(_path(file.path, place), file.size) for file in listing.files]
    for path, _ in found:
        if path not in roots and os.path.dirname(path) not in roots:
            raise RefusedError(f"{path} lies in a folder below, whose name may be a column")
    return found


def require_no_other_folders(listing: Listing, base: str, place: Place | None = None) -> None:
    """Refuse partitions that lie deeper than right below the source: the folders between may be columns.

    :raises RefusedError: naming the first
    """
    for root in listing.roots:
        if os.path.dirname(_path(root, place)) != _path(base, place):
            raise RefusedError(f"{root} lies in a folder whose name may be a column")


def _path(path: str, place: Place | None) -> str:
    if place is not None:
        if not place.holds(path):
            raise RefusedError(f"{path} lies in another store")
        return path.rstrip("/")
    scheme, _, rest = ("file", ":", path) if path.startswith("/") else path.partition(":")
    if scheme != "file":
        raise RefusedError(f"{path} is no local file")
    return "/" + rest.strip("/")


def inspect_file(path: str, size: int, place: Place | None = None) -> File:
    """What the footer of a file says.

    :param size: bytes that it had when it was listed
    :param place: the store that it is in; None: it is local
    :raises RefusedError: when it has changed, or its dates are of a calendar that Spark converts
    :raises OSError: when it cannot be opened
    :raises pyarrow.ArrowException: when it is no Parquet file
    """
    stamp = stamp_of(path, place)
    if stamp[0] != size:
        raise RefusedError(f"{path} has changed since it was listed")
    with pa.parquet.ParquetFile(path if place is None else place.open(path)) as file:
        metadata = file.metadata
        notes = metadata.metadata or {}
        if _OLD_CALENDAR in notes or notes.get(_WRITER, b"").startswith((b"1.", b"2.")):
            raise RefusedError(f"{path} was written by a Spark with another calendar")
        groups = tuple(metadata.row_group(index).total_byte_size for index in range(metadata.num_row_groups))
        # The first line is the object's address.
        text = str(file.schema).partition("\n")[2]
        return File(path, stamp, groups, file.schema_arrow.remove_metadata(), text, notes.get(_SCHEMA_OF_SPARK))


def require_one_kind(files: Sequence[File]) -> None:
    """Refuse files that Spark would have to fit together.

    :raises RefusedError: naming the first that differs
    """
    for file in files[1:]:
        if file.kind != files[0].kind:
            raise RefusedError(f"the schemas of {files[0].path} and {file.path} differ")


def require_room(columns: int, files: Sequence[File]) -> None:
    """Refuse row groups that are both wide and large: they would not fit in a worker's memory.

    :param columns: those that are profiled
    :raises RefusedError: naming the first file with one
    """
    for file in files if columns > _MOST_COLUMNS else ():
        if max(file.groups, default=0) > _MOST_BYTES:
            raise RefusedError(f"{columns} columns are profiled, and a row group of {file.path} is large")

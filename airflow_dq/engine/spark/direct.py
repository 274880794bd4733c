"""Partitions of plain Parquet files, local or in a store, which the tasks read by themselves: Spark only says which.

Half of a scan's time is Spark's way from its reader to Python.  It is left out where nothing on this way is Spark's to
decide: every reason to refuse is here.  A partition that is refused, and one that cannot be read like this after all,
takes the way through Spark's reader (:mod:`airflow_dq.engine.spark.source`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

from airflow_dq.engine.spark.direct_column import Columns, columns_of
from airflow_dq.engine.spark.direct_file import (
    File,
    inspect_file,
    plain_files,
    require_no_other_folders,
    require_one_kind,
    require_room,
)
from airflow_dq.engine.spark.failure import SPARK_ERRORS
from airflow_dq.engine.spark.files import base_path, is_connect
from airflow_dq.engine.spark.footer import read_signature
from airflow_dq.engine.spark.listing import Listing
from airflow_dq.engine.spark.reader import list_source
from airflow_dq.engine.spark.refused import RefusedError
from airflow_dq.engine.spark.source import Place
from airflow_dq.engine.spark.store_files import store_place
from airflow_dq.engine.worker.files import Place as Store
from airflow_dq.engine.worker.parquet import RowGroups
from airflow_dq.exceptions import DQError, said_of
from airflow_dq.options.job import JobSpec
from airflow_dq.options.profile import ProfileOptions

_READERS = 4
"""Footers that are read at once: each waits for the file system more than it computes."""
_MAGIC = b"PAR1"
"""With which a Parquet file begins."""
SETTINGS = {
    # Ours, to switch this off.
    "spark.airflow_dq.direct": "true",
    # What Spark's reader makes of values, and of files that it cannot read.
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.fieldId.read.enabled": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    # What may put something else in the place of its reader, or of the file system.
    "spark.sql.extensions": "",
    "spark.hadoop.fs.file.impl": "",
}
"""Spark's properties, and the only value of each with which its reader does nothing that Arrow's does not."""


@dataclass(frozen=True, slots=True)
class DirectPartition:
    """A partition whose rows are all that its files hold, and the same to Arrow's reader as to Spark's."""

    key: str
    files: tuple[File, ...]
    columns: Columns
    sampled: bool = True
    """See :class:`~airflow_dq.engine.worker.parquet.RowGroups`."""

    @property
    def size(self) -> int:
        """Bytes of its files."""
        return sum(file.stamp[0] for file in self.files)

    def row_groups(self) -> Iterator[tuple[RowGroups, int]]:
        """Each row group, and its bytes."""
        for file in self.files:
            for group, size in enumerate(file.groups):
                yield RowGroups(self.key, file.path, file.stamp, (group,), self.columns.schema, self.sampled), size


@dataclass(frozen=True, slots=True)
class Direct:
    """What of an order the tasks can read by themselves."""

    parts: tuple[DirectPartition, ...]
    refused: Mapping[str, str]
    """For each of the other partitions the reason why not."""
    store: Store | None = None
    """The object store that all are in; None: they are local."""


def open_direct(spark: SparkSession, spec: JobSpec, options: ProfileOptions, places: Mapping[str, Place]) -> Direct:
    """Find out which partitions can be read directly."""
    try:
        if is_connect(spark):
            raise RefusedError("the session is one of Spark Connect")
        require_plain_order(spec)
        require_settings({name: spark.conf.get(name, value) for name, value in SETTINGS.items()})
        first = next(iter(places.values()), "")
        store = store_place(spark, first.roots[0] if isinstance(first, Listing) else first)
    except RefusedError as error:
        return Direct((), dict.fromkeys(places, str(error)))
    options = replace(options, exclude=(*options.exclude, *([spec.partition_by] if spec.partition_by else ())))
    found: list[DirectPartition] = []
    refused: dict[str, str] = {}
    columns: dict[tuple[object, ...], Columns | RefusedError] = {}
    with ThreadPoolExecutor(_READERS) as pool:
        for key, files in zip(
            places, pool.map(lambda place: _inspected(spark, spec, place, store), places.values()), strict=True
        ):
            if isinstance(files, RefusedError):
                refused[key] = str(files)
                continue
            kind = files[0].kind
            if kind not in columns:
                columns[kind] = _columns(spark, files[0], options, store)
            try:
                found.append(DirectPartition(key, files, _with_room(columns[kind], files)))
            except RefusedError as error:
                refused[key] = str(error)
    return Direct(tuple(found), refused, store)


def require_plain_order(spec: JobSpec) -> None:
    """Refuse what is not files of Parquet as they are.

    :raises RefusedError: saying why
    """
    if spec.whole or spec.format.lower() != "parquet":
        raise RefusedError("it is not read from Parquet files")
    if spec.options:
        raise RefusedError(f"read options are given: {', '.join(spec.options)}")


def require_settings(given: Mapping[str, str | None]) -> None:
    """Refuse a session that may read in its own way.

    :raises RefusedError: naming the property
    """
    for name, plain in SETTINGS.items():
        if (given[name] or "").lower() != plain.lower():
            raise RefusedError(f"{name} is {given[name]}")


def _inspected(
    spark: SparkSession, spec: JobSpec, place: Place, store: Store | None
) -> tuple[File, ...] | RefusedError:
    try:
        listing = place if isinstance(place, Listing) else list_source(spark, spec, place, "")
        if isinstance(place, Listing):
            require_no_other_folders(place, base_path(spec.pattern or next(iter(spec.paths.values()), "")), store)
        files = tuple(inspect_file(path, size, store) for path, size in plain_files(listing, store))
        require_one_kind(files)
        return files
    except RefusedError as error:
        return error
    except (DQError, pa.ArrowException, OSError, *SPARK_ERRORS) as error:
        # Whatever it is, it comes up again when Spark reads the partition, and is explained there.
        return RefusedError(said_of(error, discreet=spec.profile_options.discreet))


def _columns(spark: SparkSession, file: File, options: ProfileOptions, store: Store | None) -> Columns | RefusedError:
    try:
        with _footer_here(file.path, store) as path:
            inferred = read_signature(spark, f"file://{path}").schema(spark)
        return columns_of(file.schema, inferred, options)
    except RefusedError as error:
        return error
    except (DQError, *SPARK_ERRORS) as error:
        return RefusedError(said_of(error, discreet=options.discreet))


def _with_room(columns: Columns | RefusedError, files: Sequence[File]) -> Columns:
    """The columns, where there are some, and room for them.

    :raises RefusedError: saying why not
    """
    if isinstance(columns, RefusedError):
        raise columns
    require_room(len(columns.schema), files)
    return columns


@contextmanager
def _footer_here(path: str, store: Store | None) -> Iterator[str]:
    """A local file with the footer of a file, whose rows it need not have: Spark then needs no way to the store."""
    if store is None:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="airflow-dq-footer-") as folder:
        found = Path(folder, "footer.parquet")
        found.write_bytes(_MAGIC + store.footer(path))
        yield str(found)

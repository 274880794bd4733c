"""Partitions of plain local Parquet files, which the tasks read by themselves: Spark only says which.

Half of a scan's time is Spark's way from its reader to Python.  It is left out where nothing on this way is Spark's to
decide: every reason to refuse is here.  A partition that is refused, and one that cannot be read like this after all,
takes the way through Spark's reader (:mod:`airflow_dq.engine.spark.source`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pyarrow.types as pt
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from airflow_dq.engine.spark.failure import SPARK_ERRORS
from airflow_dq.engine.spark.footer import read_signature
from airflow_dq.engine.spark.listing import Listing, base_path
from airflow_dq.engine.spark.reader import list_source
from airflow_dq.engine.spark.source import Place, arrow_field
from airflow_dq.engine.worker.parquet import Slice, stamp_of
from airflow_dq.exceptions import DQError
from airflow_dq.options.job import JobSpec
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.column import logical_type
from airflow_dq.profile.table import TableState

_READERS = 4
_MOST_FILES = 1_000
"""Files of a partition up to which the driver looks at each."""
_MOST_COLUMNS = 300
"""Columns up to which the pages of all of them, which Arrow's reader holds at once, leave room in a worker's 1 GiB."""
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
_SAME = {
    *(pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64()),
    *(pa.string(), pa.binary(), pa.date32()),
}
"""Types whose values are the same to both readers."""
_SCHEMA_OF_SPARK = b"org.apache.spark.sql.parquet.row.metadata"
_OLD_CALENDAR = b"org.apache.spark.legacyDateTime"
_WRITER = b"org.apache.spark.version"


class RefusedError(Exception):
    """Why a partition is left to Spark's reader."""


@dataclass(frozen=True, slots=True)
class File:
    """A Parquet file, and what its footer says."""

    path: str
    stamp: tuple[int, int]
    """See :class:`~airflow_dq.engine.worker.parquet.Slice`."""
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


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that are profiled, as Spark reads them."""

    schema: pa.Schema
    empty: TableState = field(repr=False)
    """The state of no rows."""


@dataclass(frozen=True, slots=True)
class DirectPart:
    """A partition whose rows are all that its files hold, and the same to Arrow's reader as to Spark's."""

    key: str
    files: tuple[File, ...]
    columns: Columns
    sampled: bool = True
    """See :class:`~airflow_dq.engine.worker.parquet.Slice`."""

    @property
    def size(self) -> int:
        """Bytes of its files."""
        return sum(file.stamp[0] for file in self.files)

    def slices(self) -> Iterator[tuple[Slice, int]]:
        """Each row group, and its bytes."""
        for file in self.files:
            for group, size in enumerate(file.groups):
                yield Slice(self.key, file.path, file.stamp, (group,), self.columns.schema, self.sampled), size


def open_direct(
    spark: SparkSession, spec: JobSpec, options: ProfileOptions, places: Mapping[str, Place]
) -> tuple[list[DirectPart], dict[str, str]]:
    """The partitions that can be read directly, and for each of the others the reason why not."""
    try:
        require_plain_order(spec)
        require_settings({name: spark.conf.get(name, value) for name, value in SETTINGS.items()})
    except RefusedError as error:
        return [], dict.fromkeys(places, str(error))
    options = replace(options, exclude=(*options.exclude, *([spec.partition_by] if spec.partition_by else ())))
    parts: list[DirectPart] = []
    refused: dict[str, str] = {}
    columns: dict[tuple[object, ...], Columns | RefusedError] = {}
    with ThreadPoolExecutor(_READERS) as pool:
        for key, files in zip(places, pool.map(lambda place: _look(spark, spec, place), places.values()), strict=True):
            if isinstance(files, RefusedError):
                refused[key] = str(files)
                continue
            kind = files[0].kind
            if kind not in columns:
                columns[kind] = _columns(spark, files[0], options)
            known = columns[kind]
            if isinstance(known, RefusedError):
                refused[key] = str(known)
            else:
                parts.append(DirectPart(key, files, known))
    return parts, refused


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


def _look(spark: SparkSession, spec: JobSpec, place: Place) -> tuple[File, ...] | RefusedError:
    try:
        listing = place if isinstance(place, Listing) else list_source(spark, spec, place, "")
        if isinstance(place, Listing):
            require_no_other_folders(place, base_path(spec.pattern or next(iter(spec.paths.values()), "")))
        files = tuple(look_at(path, size) for path, size in local_files(listing))
        require_one_kind(files)
        return files
    except RefusedError as error:
        return error
    except (DQError, pa.ArrowException, OSError, *SPARK_ERRORS) as error:
        # Whatever it is, it comes up again when Spark reads the partition, and is explained there.
        return RefusedError(str(error))


def local_files(listing: Listing) -> list[tuple[str, int]]:
    """The files' local paths and sizes.

    :raises RefusedError: when they lie elsewhere, or when what their rows are depends on more than the files
    """
    if not 0 < len(listing.files) <= _MOST_FILES:
        raise RefusedError(f"it has {len(listing.files)} files")
    roots = {_local(root) for root in listing.roots}
    for root in roots:
        # What Spark's streams and Delta Lake keep there says which of the files count.
        for log in ("_spark_metadata", "_delta_log"):
            if (Path(root) / log).exists():
                raise RefusedError(f"{root} holds {log}")
    found = [(_local(file.path), file.size) for file in listing.files]
    for path, _ in found:
        if path not in roots and os.path.dirname(path) not in roots:
            raise RefusedError(f"{path} lies in a folder below, whose name may be a column")
    return found


def require_no_other_folders(listing: Listing, base: str) -> None:
    """Refuse partitions that lie deeper than right below the source: the folders between may be columns.

    :raises RefusedError: naming the first
    """
    for root in listing.roots:
        if os.path.dirname(_local(root)) != _local(base):
            raise RefusedError(f"{root} lies in a folder whose name may be a column")


def _local(path: str) -> str:
    scheme, _, rest = ("file", ":", path) if path.startswith("/") else path.partition(":")
    if scheme != "file":
        raise RefusedError(f"{path} is no local file")
    return "/" + rest.strip("/")


def look_at(path: str, size: int) -> File:
    """What the footer of a file says.

    :param size: bytes that it had when it was listed
    :raises RefusedError: when it has changed, or its dates are of a calendar that Spark converts
    :raises OSError: when it cannot be opened
    :raises pyarrow.ArrowException: when it is no Parquet file
    """
    stamp = stamp_of(path)
    if stamp[0] != size:
        raise RefusedError(f"{path} has changed since it was listed")
    with pa.parquet.ParquetFile(path) as file:
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


def _columns(spark: SparkSession, file: File, options: ProfileOptions) -> Columns | RefusedError:
    try:
        return columns_of(file.schema, read_signature(spark, f"file://{file.path}").schema(spark), options)
    except RefusedError as error:
        return error
    except (DQError, *SPARK_ERRORS) as error:
        return RefusedError(str(error))


def columns_of(schema: pa.Schema, inferred: StructType, options: ProfileOptions) -> Columns:
    """The columns to profile.

    :param schema: as which Arrow reads a file
    :param inferred: as which Spark reads it
    :raises RefusedError: naming a column whose values may not be the same to both, or whose name is ambiguous
    :raises ProfileError: when ``options`` name an unknown column
    """
    names = inferred.names
    if names != schema.names or len(set(names)) < len(names) or any("\0" in name for name in names):
        raise RefusedError(f"Spark and Arrow may not agree on the names of its columns: {', '.join(map(repr, names))}")
    inferred_types = {one.name: None if one.metadata else arrow_field(one) for one in inferred.fields}
    types = {
        name: None if found is None else type_read(schema.field(name).type, found.type)
        for name, found in inferred_types.items()
    }
    whole = pa.schema([(name, found or pa.null()) for name, found in types.items()])
    empty = TableState.of(whole.empty_table(), options)
    for name in empty.columns:
        if types[name] is None:
            raise RefusedError(f"its column {name!r} is read as {schema.field(name).type}")
    if not 0 < len(empty.columns) <= _MOST_COLUMNS:
        raise RefusedError(f"{len(empty.columns)} of its columns are profiled")
    return Columns(pa.schema([whole.field(name) for name in empty.columns]), empty)


def type_read(arrow: pa.DataType, spark: pa.DataType) -> pa.DataType | None:
    """As what the job profiles a column that the one reads as ``arrow`` and the other as ``spark``.

    None when its values may not be the same to both.
    """
    plain = arrow if isinstance(arrow, pa.BaseExtensionType) else logical_type(arrow)
    if pt.is_dictionary(arrow) and plain != pa.string():
        return None
    if pt.is_timestamp(plain):
        moment = pa.timestamp("us", "UTC" if plain.tz else None)
        # Nanoseconds are integers to Spark, of which the job makes timestamps; INT96, too, are nanoseconds to Arrow.
        same = spark == {"ns": pa.int64(), "us": moment, "ms": moment}.get(plain.unit)
        return moment if same else None
    same = spark == (pa.int32() if pt.is_null(plain) else plain)
    return spark if same and (plain in _SAME or pt.is_decimal128(plain) or pt.is_null(plain)) else None

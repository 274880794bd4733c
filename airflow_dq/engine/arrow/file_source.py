"""Partitions that are files, on this machine or in an object store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa

from airflow_dq.engine.arrow.listing import data_files, locate, strays
from airflow_dq.engine.arrow.reader import FileReader, csv_format, require_no_options
from airflow_dq.engine.order import where_of
from airflow_dq.engine.store_access import StoreAccess
from airflow_dq.engine.table_log import TableLog
from airflow_dq.exceptions import ConfigurationError, SourceUnreadableError
from airflow_dq.options.job import LAKE_FORMATS, JobSpec
from airflow_dq.profile.check.trial import joined

FORMATS = ("parquet", "csv", "arrow")
"""Formats whose types are the same to pyarrow as to Spark: JSON's are not."""


_HEADERS = 8
"""Files at either end whose columns are looked at: a writer that changes them does so from one file on."""


class FileSource:
    """One order about files."""

    def __init__(self, order: JobSpec, access: StoreAccess) -> None:
        """Take the order.

        :raises ConfigurationError: when it needs Spark, saying what it is that needs it
        """
        self.order = order
        self._access = access
        self._reader = _reader(order)
        self._places: Mapping[str, str] = {}
        self._logs: dict[str, TableLog | None] = {}

    def locate(self) -> Mapping[str, str]:
        """The partitions; see :meth:`airflow_dq.engine.arrow.source.Source.locate`."""
        self._places = locate(self.order, self._access)
        return self._places

    def batches(self, key: str) -> Iterator[pa.RecordBatch]:
        """The rows; see :meth:`airflow_dq.engine.arrow.source.Source.batches`.

        Text files of 0 bytes have no columns, and come in no batch.
        """
        where, header = where_of(self.order, key), None
        for file in data_files(self._places[key], where, self._reader.format, self._access, self._logs):
            for batch in self._reader.batches(file, where):
                header = header or batch.schema.names
                if self._reader.format == "csv" and batch.schema.names != header:
                    raise _other_header(where, str(file), batch.schema.names, header)
                yield batch

    def schema(self, key: str) -> pa.Schema:
        """The columns of the first and last files; see :meth:`airflow_dq.engine.arrow.source.Source.schema`."""
        where = where_of(self.order, key)
        files = data_files(self._places[key], where, self._reader.format, self._access, self._logs)
        some = [*files[:_HEADERS], *files[_HEADERS:][-_HEADERS:]]
        heads = (next(self._reader.batches(file, where), None) for file in some)
        return joined(head.schema for head in heads if head is not None)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Files beside the partitions' folders."""
        said = None if self.order.pattern is None else strays(self.order.pattern, self._places.values())
        return () if said is None else (said,)


def _other_header(where: str, file: str, found: Sequence[str], before: Sequence[str]) -> SourceUnreadableError:
    """The error of CSV files of one partition whose columns are not the same, as Spark refuses them, too."""
    said = f"{where}: the header of {file} is not that of the files before it"
    after = ": values must not change columns. Write the partition's files with one header."
    # Without a header, a file's first values pass for names.
    return SourceUnreadableError(f"{said} ({', '.join(found)}; {', '.join(before)}){after}", discreet=said + after)


def _reader(order: JobSpec) -> FileReader:
    asked = [name for name in ("table", "sql", "partition_by", "where") if getattr(order, name)]
    file_format = order.format.lower()
    if asked or file_format not in FORMATS:
        what = " and ".join(asked) or f"format {order.format!r}"
        raise ConfigurationError(
            f"{where_of(order)}: engine='arrow' reads files of the formats {', '.join(FORMATS)} and no {what}: use "
            f"engine='spark' (or source_format={' or '.join(map(repr, LAKE_FORMATS))}, if it is such a table)."
        )
    try:
        if file_format == "csv":
            return FileReader(file_format, csv_format(order.options))
        require_no_options(file_format, order.options)
    except ConfigurationError as error:
        raise ConfigurationError(f"{where_of(order)}: {error}") from None
    return FileReader(file_format)

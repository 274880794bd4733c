"""Where the rows of an order's partitions are, in this process: files, or tables that know their own files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

import pyarrow as pa

from airflow_dq.engine.arrow.file_source import FileSource
from airflow_dq.engine.store_access import StoreAccess
from airflow_dq.options.job import LAKE_FORMATS, JobSpec


class Source(Protocol):
    """What this process reads an order's rows from."""

    order: JobSpec
    """The order, with what the source itself has added to it."""

    def locate(self) -> Mapping[str, str]:
        """Partition key -> where it is, in the keys' order.

        :raises DQError: when there is none
        """

    def batches(self, key: str) -> Iterator[pa.RecordBatch]:
        """The rows of one of the partitions, in the types in which Spark hands them over.

        :raises DQError: when they are missing or cannot be read
        """

    def schema(self, key: str) -> pa.Schema:
        """The columns of one of the partitions, in these types.

        :raises DQError: as :meth:`batches` does
        """

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader should know of the source, once it has been looked at."""


def source_of(order: JobSpec, access: StoreAccess) -> Source:
    """What reads an order.

    :raises ConfigurationError: when it needs Spark, saying what it is that needs it
    """
    if order.format.lower() in LAKE_FORMATS and not order.sql:
        from airflow_dq.engine.arrow.table_source import TableSource

        return TableSource(order, access)
    return FileSource(order, access)

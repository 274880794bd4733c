"""Tables that keep a log of which files are theirs, read without Spark: what is asked of each format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import pyarrow as pa

from airflow_dq.engine.arrow.pushdown import Term
from airflow_dq.engine.store_access import StoreAccess
from airflow_dq.exceptions import EnvironmentMismatchError
from airflow_dq.options.job import JobSpec
from airflow_dq.options.time_travel import TimeTravel


class LakeTable(Protocol):
    """One state of one table; it stays the same, whatever is written to the table meanwhile."""

    @property
    def words(self) -> str:
        """The table and which state of it this is."""

    @property
    def schema(self) -> pa.Schema:
        """The columns of the table, whatever columns its files have."""

    @property
    def own_columns(self) -> tuple[str, ...]:
        """The columns by which the table is partitioned."""

    def scan(self, terms: Sequence[Term], columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
        """The live rows that fulfil all terms; maybe others, too.

        :param columns: read these only (None: all)
        :raises Exception: any, of the library that reads the format
        """


def open_table(order: JobSpec, place: str, travel: TimeTravel, access: StoreAccess) -> LakeTable:
    """The table at a place.

    :param place: a path, or for an order with ``table`` the name in a catalog
    :raises DQError: when it is not there, or was not yet
    :raises EnvironmentMismatchError: when what reads the format is not installed
    """
    kind = order.format.lower()
    try:
        if kind == "delta":
            from airflow_dq.engine.arrow.delta import open_delta

            return open_delta(order, place, travel, access)
        from airflow_dq.engine.arrow.iceberg import open_iceberg

        return open_iceberg(order, place, travel, access)
    except ImportError as error:
        raise EnvironmentMismatchError(
            f"Dataset {order.dataset!r}: engine='arrow' reads format {kind!r} by a package that is not installed "
            f"({error.name}): pip install 'airflow-provider-dq[{kind}]', or use engine='spark'."
        ) from error

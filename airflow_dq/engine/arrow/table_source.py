"""Partitions of a table that keeps a log of its files: the rows of a key, of a condition, or as they were at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.check.expression import Node
from airflow_dq.check.parser import predicate
from airflow_dq.engine.arrow.key_text import key_texts
from airflow_dq.engine.arrow.lake_table import LakeTable, open_table
from airflow_dq.engine.arrow.listing import locate
from airflow_dq.engine.arrow.pushdown import Term, bound_terms, key_terms, terms_of
from airflow_dq.engine.arrow.schema import as_spark_reads, no_rows, require_flat_names
from airflow_dq.engine.order import chosen_keys, describe, lacks_key_column, where_of, with_key_column
from airflow_dq.engine.store_access import StoreAccess
from airflow_dq.exceptions import (
    ConfigurationError,
    DQError,
    SourceMissingError,
    SourceUnreadableError,
    UnknownColumnError,
)
from airflow_dq.options.job import JobSpec
from airflow_dq.options.time_travel import TimeTravel
from airflow_dq.profile.check.evaluate import Batch, RuleError


class TableSource:
    """One order about Delta or Iceberg tables; each is opened once, so that a job sees one state of it."""

    def __init__(self, order: JobSpec, access: StoreAccess) -> None:
        """Take the order.

        :raises ConfigurationError: when its condition cannot be read
        """
        self.order = order
        self._access = access
        self._condition: Node | None = None if order.where is None else _condition(order)
        self._opened: dict[tuple[str, TimeTravel], LakeTable] = {}
        self._places: Mapping[str, str] = {}

    def locate(self) -> Mapping[str, str]:
        """The partitions; see :meth:`airflow_dq.engine.arrow.source.Source.locate`."""
        if lacks_key_column(self.order):
            self.order = with_key_column(self.order, self._current().own_columns)
        if self.order.partition_by is not None:
            keys = chosen_keys(self.order, self._keys(self._current()))
            self._places = dict.fromkeys(keys, self._place)
        elif self.order.table is not None:
            self._places = {self.order.partition or "": self._place}
        else:
            self._places = locate(self.order, self._access)
        return self._places

    def batches(self, key: str) -> Iterator[pa.RecordBatch]:
        """The rows; see :meth:`airflow_dq.engine.arrow.source.Source.batches`."""
        where, name = where_of(self.order, key), self.order.partition_by
        table = self._at(self._places[key], self.order.travel(key))
        self._require_column(table, where)
        require_flat_names(table.schema, table.words)
        terms = (*self._terms(table.schema), *key_terms(self.order, key, table.schema))
        left_out = [] if name is None else [name]
        yield as_spark_reads(_without(no_rows(table.schema), left_out))
        rows = 0
        for batch in self._scanned(table, terms, None, where):
            if name is not None:
                batch = batch.filter(pc.equal(key_texts(batch.column(name), name, where), key))
            rows += batch.num_rows
            yield as_spark_reads(_without(batch, left_out))
        if name is not None and rows == 0:
            raise SourceMissingError(f"{where}: {table.words} has no row in which {name} is {key!r}.")

    def schema(self, key: str) -> pa.Schema:
        """What the table's log says; see :meth:`airflow_dq.engine.arrow.source.Source.schema`."""
        return next(self.batches(key)).schema

    @property
    def remarks(self) -> tuple[str, ...]:
        """Which states have been read."""
        return tuple(f"{table.words} is read" for table in self._opened.values())

    @property
    def _place(self) -> str:
        """Where the one table of the order is."""
        return self.order.table or self.order.pattern or next(iter(self.order.paths.values()))

    def _current(self) -> LakeTable:
        """The table that the partitions' keys are told by."""
        key = self.order.key
        return self._at(self._place, self.order.travel(key))

    def _at(self, place: str, travel: TimeTravel) -> LakeTable:
        if (place, travel) not in self._opened:
            self._opened[place, travel] = open_table(self.order, place, travel, self._access)
        return self._opened[place, travel]

    def _terms(self, schema: pa.Schema) -> tuple[Term, ...]:
        return () if self._condition is None else terms_of(self._condition, schema)

    def _keys(self, table: LakeTable) -> set[str]:
        """The keys that the rows have, of those at least that are asked for; only what tells them is read."""
        where, name = where_of(self.order), self.order.partition_by or ""
        self._require_column(table, where)
        terms = (*self._terms(table.schema), *bound_terms(self.order, table.schema))
        columns = list(dict.fromkeys([name, *(() if self._condition is None else self._condition.columns)]))
        found: set[str] = set()
        for batch in self._scanned(table, terms, columns, where):
            found.update(pc.unique(key_texts(batch.column(name), name, where)).to_pylist())
        return found

    def _scanned(
        self, table: LakeTable, terms: tuple[Term, ...], columns: list[str] | None, where: str
    ) -> Iterator[pa.RecordBatch]:
        """The rows for which the order's condition is true.

        :raises DQError: when they cannot be read, or the condition cannot be computed
        """
        try:
            for batch in table.scan(terms, columns):
                yield batch if self._condition is None else batch.filter(_truth(self._condition, batch))
        except RuleError as error:
            raise ConfigurationError(f"{where}: where={self.order.where!r} cannot be computed: {error}.") from None
        except DQError:
            raise
        except Exception as error:
            # Each library has errors of its own, and hands on those of stores and of formats.
            said = " ".join(str(error).split())[:400]
            raise SourceUnreadableError(
                f"{where}: {table.words} cannot be read ({said}). A file of it may have been removed (VACUUM, expired "
                "snapshots) or be damaged; run it again for the newest state, or read it by engine='spark'.",
                discreet=f"{where}: {table.words} cannot be read ({type(error).__name__}).",
            ) from error

    def _require_column(self, table: LakeTable, where: str) -> None:
        """Refuse columns that the table does not have: in a condition they would be null.

        :raises UnknownColumnError: naming the column, and those that there are
        """
        by = [] if self.order.partition_by is None else [self.order.partition_by]
        read = () if self._condition is None else self._condition.columns
        for name in (*by, *read):
            if table.schema.get_field_index(name) < 0:
                missing = f"{where}: {describe(self.order)} has no column {name!r}; it has"
                raise UnknownColumnError(
                    f"{missing} {', '.join(table.schema.names)}.",
                    discreet=f"{missing} {len(table.schema.names)} of other names.",
                )


def _condition(order: JobSpec) -> Node:
    try:
        return predicate(order.where or "")
    except ConfigurationError as error:
        raise ConfigurationError(f"{where_of(order)}: where: {error}") from None


def _truth(condition: Node, batch: pa.RecordBatch) -> pa.Array:
    rows = Batch({name: batch.column(name) for name in batch.schema.names}, batch.num_rows)
    return pc.fill_null(rows.truth(condition), False)


def _without(batch: pa.RecordBatch, names: list[str]) -> pa.RecordBatch:
    return batch.select([name for name in batch.schema.names if name not in names])

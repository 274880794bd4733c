"""Delta tables, read by the package deltalake: its engine keeps to deletion vectors and mapped columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, TableNotFoundError
from pyarrow import fs

from airflow_dq.engine.arrow.pushdown import Plain, Term
from airflow_dq.engine.arrow.store import delta_options, store_of
from airflow_dq.engine.order import where_of
from airflow_dq.engine.store_access import StoreAccess
from airflow_dq.exceptions import ConfigurationError, SourceMissingError, SourceUnreadableError
from airflow_dq.options.job import JobSpec
from airflow_dq.options.time_travel import TimeTravel


@dataclass(frozen=True, slots=True)
class DeltaState:
    """One version of a Delta table."""

    table: DeltaTable
    place: str
    schema: pa.Schema

    @property
    def words(self) -> str:
        """The table and its version."""
        return f"version {self.table.version()} of the Delta table {self.place}"

    @property
    def own_columns(self) -> tuple[str, ...]:
        """The columns whose values name its folders."""
        return tuple(self.table.metadata().partition_columns)

    def scan(self, terms: Sequence[Term], columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
        """The rows; see :meth:`~airflow_dq.engine.arrow.lake_table.LakeTable.scan`."""
        names = list(self.schema.names if columns is None else columns)
        condition = " AND ".join(_sql(term) for term in terms) or None
        for batch in pa.RecordBatchReader.from_stream(self.table.scan(columns=names, predicate=condition)):
            arrays = [batch.column(name).cast(self.schema.field(name).type) for name in names]
            yield pa.RecordBatch.from_arrays(arrays, schema=pa.schema([self.schema.field(name) for name in names]))


def open_delta(order: JobSpec, place: str, travel: TimeTravel, access: StoreAccess) -> DeltaState:
    """The table at a path.

    :raises SourceMissingError: when there is none, or was none at the time
    :raises SourceUnreadableError: when its log cannot be read
    :raises ConfigurationError: when the order names a table of a catalog, or gives read options
    """
    where = where_of(order)
    if order.table is not None or order.options:
        what = f"table={order.table!r}" if order.table is not None else f"read options ({', '.join(order.options)})"
        raise ConfigurationError(
            f"{where}: engine='arrow' reads a Delta table by its path and takes no {what}: give source=<its folder>, "
            "or use engine='spark'."
        )
    store = store_of(place, access, where)
    try:
        table = DeltaTable(store.spelled, version=travel.version, storage_options=delta_options(place, access))
        if travel.moment is not None:
            table.load_as_version(travel.moment)
            _require_begun(table, store.system, store.inner, travel.moment, where)
        return DeltaState(table, place, pa.schema(table.schema().to_arrow()))
    except TableNotFoundError as error:
        past = f", or its log does not reach back to {travel.words.removeprefix('its ')}" if travel else ""
        raise SourceMissingError(
            f"{where}: there is no Delta table at {place}, or it may not be read{past}. Check the path and the "
            "credentials."
        ) from error
    except (DeltaError, OSError, ValueError) as error:
        state = travel.words or "the table"
        said = " ".join(str(error).split())[:300]
        raise SourceUnreadableError(
            f"{where}: {state} of the Delta table {place} cannot be opened ({said}). Check that the log still has it "
            "(VACUUM and the log's retention end the past of a table).",
            discreet=f"{where}: {state} of the Delta table {place} cannot be opened ({type(error).__name__}).",
        ) from error


def _require_begun(table: DeltaTable, system: fs.FileSystem, root: str, moment: datetime, where: str) -> None:
    """Refuse a moment before the log begins: the library gives the first version for it.

    :raises SourceMissingError: when the log has no version of that time any more, or not yet
    """
    entry = f"{root.rstrip('/')}/_delta_log/{table.version():020}.json"
    written = system.get_file_info(entry).mtime
    if written is not None and written <= moment:
        return
    begins = "" if written is None else f": it begins at {written.astimezone(UTC).isoformat(timespec='seconds')}"
    raise SourceMissingError(
        f"{where}: the log of the Delta table has no version of {moment.isoformat()}{begins}. Give a later moment; the "
        "log's retention ends the past of a table."
    )


def _sql(term: Term) -> str:
    """A term in the SQL of deltalake's engine."""
    name = '"' + term.column.replace('"', '""') + '"'
    values = [_literal(value) for value in term.values]
    return f"{name} IN ({', '.join(values)})" if term.sign == "in" else f"{name} {term.sign} {values[0]}"


def _literal(value: Plain) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.isoformat()}'"
    if isinstance(value, date):
        return f"DATE '{value.isoformat()}'"
    return str(value) if isinstance(value, int) else _quoted(value)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"

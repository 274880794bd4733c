"""Iceberg tables, read by the package pyiceberg: by a file of metadata, or by a catalog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyarrow import fs
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError
from pyiceberg.expressions import (
    AlwaysFalse,
    AlwaysTrue,
    And,
    BooleanExpression,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    LessThan,
    LessThanOrEqual,
    Or,
)
from pyiceberg.table import DataScan, StaticTable, Table

from airflow_dq.engine.arrow.pushdown import Plain, Term
from airflow_dq.engine.arrow.store import iceberg_options, store_of
from airflow_dq.engine.order import where_of
from airflow_dq.engine.store_access import StoreAccess
from airflow_dq.exceptions import ConfigurationError, DQError, SourceMissingError, SourceUnreadableError
from airflow_dq.options.job import JobSpec
from airflow_dq.options.time_travel import TimeTravel

_ENDING = ".metadata.json"
_SIGNS: Mapping[str, Any] = {
    "=": EqualTo,
    "<": LessThan,
    "<=": LessThanOrEqual,
    ">": GreaterThan,
    ">=": GreaterThanOrEqual,
}


@dataclass(frozen=True, slots=True)
class IcebergState:
    """One snapshot of an Iceberg table."""

    table: Table
    place: str
    snapshot: int | None
    """None: the table has none yet, and no row."""
    schema: pa.Schema
    own_columns: tuple[str, ...]

    @property
    def words(self) -> str:
        """The table and its snapshot."""
        return f"snapshot {self.snapshot} of the Iceberg table {self.place}"

    def scan(self, terms: Sequence[Term], columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
        """The rows; see :meth:`~airflow_dq.engine.arrow.lake_table.LakeTable.scan`."""
        if self.snapshot is None:
            return
        chosen: BooleanExpression = AlwaysTrue()
        for term in terms:
            # A dot means a field of a structure there.
            chosen = chosen if "." in term.column else And(chosen, _expression(term))
        names = list(self.schema.names if columns is None else columns)
        for batch in _scan(self.table, self.snapshot).update(row_filter=chosen).select(*names).to_arrow_batch_reader():
            yield batch.select(names)


def open_iceberg(order: JobSpec, place: str, travel: TimeTravel, access: StoreAccess) -> IcebergState:
    """The table at a path, or of a catalog.

    :raises SourceMissingError: when there is none, or was none at the time
    :raises SourceUnreadableError: when its metadata cannot be read
    :raises ConfigurationError: when nothing tells which of several files of metadata is the table's
    """
    where = where_of(order)
    try:
        table = _by_name(order, access) if order.table is not None else _by_path(order, place, access)
        snapshot = _snapshot(table, travel, place, where)
        known = (_scan(table, snapshot).projection() if snapshot else table.schema()).as_arrow()
        schema = pa.schema([pa.field(field.name, field.type) for field in known])
        return IcebergState(table, place, snapshot, schema, _own_columns(table))
    except (NoSuchTableError, NoSuchNamespaceError) as error:
        raise SourceMissingError(f"{where}: the catalog has no table {place!r}. Check its name.") from error
    except DQError:
        raise
    except Exception as error:
        # Of a catalog, its server, a file system: pyiceberg hands on what each raises.
        said = " ".join(str(error).split())[:300]
        raise SourceUnreadableError(
            f"{where}: the Iceberg table {place} cannot be opened ({type(error).__name__}: {said}).",
            discreet=f"{where}: the Iceberg table {place} cannot be opened ({type(error).__name__}).",
        ) from error


def _by_name(order: JobSpec, access: StoreAccess) -> Table:
    catalog, _, name = (order.table or "").partition(".")
    if "." not in name:
        raise ConfigurationError(
            f"{where_of(order)}: table is {order.table!r}; engine='arrow' needs '<catalog>.<namespace>.<table>', whose "
            "catalog is one of pyiceberg's configuration, or is described by read_options (uri, warehouse ...)."
        )
    return load_catalog(catalog, **{**iceberg_options("", access), **order.options}).load_table(name)


def _by_path(order: JobSpec, place: str, access: StoreAccess) -> Table:
    store = store_of(place, access, where_of(order))
    options: Mapping[str, str] = {**iceberg_options(place, access), **order.options}
    found = store.spelled if place.endswith(_ENDING) else _hinted(store.system, store.inner, store.spelled, order)
    return StaticTable.from_metadata(found, dict(options))


def _hinted(system: fs.FileSystem, root: str, spelled: str, order: JobSpec) -> str:
    """The file of metadata that a table's folder says is its own.

    :raises SourceMissingError: when it is no table's folder
    :raises ConfigurationError: when it does not say: the newest file may be of a write that was never committed
    """
    where, inside = where_of(order), f"{root.rstrip('/')}/metadata"
    names = [info.base_name for info in system.get_file_info(fs.FileSelector(inside, allow_not_found=True))]
    files = sorted(name for name in names if name.endswith(_ENDING))
    if not files:
        raise SourceMissingError(f"{where}: there is no Iceberg table at {spelled}. Check the path.")
    if "version-hint.text" not in names:
        raise ConfigurationError(
            f"{where}: the folder {spelled} does not say which file of metadata is the table's, for a catalog does: "
            f"give table='<catalog>.<namespace>.<table>', or the file as source ({spelled}/metadata/{files[-1]} is the "
            "last by its name)."
        )
    with system.open_input_stream(f"{inside}/version-hint.text") as stream:
        hint = stream.read().decode().strip()
    name = hint if hint.endswith(_ENDING) else f"v{hint}{_ENDING}"
    return f"{spelled.rstrip('/')}/metadata/{name}"


def _snapshot(table: Table, travel: TimeTravel, place: str, where: str) -> int | None:
    if travel.moment is not None:
        found = table.snapshot_as_of_timestamp(int(travel.moment.timestamp() * 1000))
    elif travel.snapshot is not None:
        number = travel.snapshot_id
        found = table.snapshot_by_name(travel.snapshot) if number is None else table.snapshot_by_id(number)
    else:
        found = table.current_snapshot()
        if found is None:
            return None
    if found is None:
        raise SourceMissingError(
            f"{where}: the Iceberg table {place} has no {travel.words.removeprefix('its ')}: it was written later, or "
            "has expired."
        )
    return found.snapshot_id


def _scan(table: Table, snapshot: int | None) -> DataScan:
    return table.scan(snapshot_id=snapshot)


def _own_columns(table: Table) -> tuple[str, ...]:
    """The columns whose values are its partitions; none where one is a transform of values, such as their day."""
    fields = table.spec().fields
    if any(str(field.transform) != "identity" for field in fields):
        return ()
    names = (table.schema().find_column_name(field.source_id) for field in fields)
    return tuple(name for name in names if name is not None)


def _expression(term: Term) -> BooleanExpression:
    values = [_literal(value) for value in term.values]
    if term.sign == "in":
        found: BooleanExpression = AlwaysFalse()
        for value in values:
            found = Or(found, _SIGNS["="](term.column, value))
        return found
    compared: BooleanExpression = _SIGNS[term.sign](term.column, values[0])
    return compared


def _literal(value: Plain) -> str | int | bool:
    return value if isinstance(value, str | int | bool) else value.isoformat()

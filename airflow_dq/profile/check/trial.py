"""Checks tried on no rows at all: a table's schema alone tells which of them no row of it could ever answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from airflow_dq.check.model import Check
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.check.stored import applies, wrong_kind
from airflow_dq.profile.check.tallies import meant_column
from airflow_dq.profile.column import CANONICAL, kind_of
from airflow_dq.profile.table import profile_table
from airflow_dq.states.base import Kind

_DECIMAL = re.compile(r"decimal(?:32|64|128|256)\((\d+), (-?\d+)\)")
_MOMENT = re.compile(r"timestamp\[(s|ms|us|ns)(?:, tz=(.+))?\]")
_UNTYPED = (Kind.NULL, Kind.NESTED, Kind.BINARY)
"""Kinds whose values, or whose stored names of types, do not tell what can be computed of them."""


@dataclass(frozen=True, slots=True)
class SeenColumn:
    """A column of an earlier partition, as its profile names it."""

    name: str
    kind: Kind
    data_type: str


@dataclass(frozen=True, slots=True)
class Misfit:
    """A check that no row of a table could answer."""

    check: Check
    problem: str


def schema_of(seen: Iterable[SeenColumn]) -> pa.Schema:
    """The columns of earlier partitions; one whose types differed, or are not told by their names, has none."""
    found: dict[str, set[pa.DataType]] = {}
    for column in seen:
        types = found.setdefault(column.name, set())
        if column.kind is not Kind.NULL:
            types.add(_type_of(column))
    return pa.schema([(name, types.pop() if len(types) == 1 else pa.null()) for name, types in found.items()])


def joined(schemas: Iterable[pa.Schema]) -> pa.Schema:
    """The columns of several files; one that they have under different types has none."""
    found: dict[str, pa.DataType] = {}
    for schema in schemas:
        for column in schema:
            known = found.setdefault(column.name, column.type)
            found[column.name] = column.type if pa.types.is_null(known) or known == column.type else pa.null()
    return pa.schema(list(found.items()))


def misfits(checks: Sequence[Check], schema: pa.Schema) -> list[Misfit]:
    """The checks that read a column which is not there, or whose type they cannot be computed of.

    Of a column without a type only its absence is told.
    """
    if not checks:
        return []
    kinds = {column.name: kind_of(column.type) for column in schema}
    # All partitions so far are no other than one in what can be computed of them.
    tried = [replace(check, scope="delta") for check in checks]
    read = {name for check in checks for name in check.reads}
    rows = pa.schema([column for column in schema if column.name in read]).empty_table()
    empty = profile_table(rows, options=ProfileOptions(checks=tuple(tried), sample_rows=0))
    found = []
    for check, alone in zip(checks, tried, strict=True):
        missing = [name for name in check.reads if name not in kinds]
        if missing and check.metric != "has_columns":
            found.append(Misfit(check, _absent(missing, schema.names)))
        elif not missing and not any(kinds[name] in _UNTYPED for name in check.reads):
            counted = empty.checks.get(alone.measure)
            problem = _of_kind(check, kinds) or (None if counted is None else counted.problem)
            found += [Misfit(check, problem)] if problem else []
    return found


def _of_kind(check: Check, kinds: Mapping[str, Kind]) -> str | None:
    """Why a metric that the profile has, or has not, is none of a column of this kind."""
    if not check.columns:
        return None
    if check.entry.source == "age" and kinds[check.columns[0]] is not Kind.TIMESTAMP:
        return wrong_kind(check, kinds[check.columns[0]], "timestamps")
    if check.entry.source != "stored":
        return None
    kind = kinds[check.columns[0]]
    if applies(check, kind):
        return None
    return wrong_kind(check, kind, "texts" if check.metric == "mean_length" else "numbers")


def _absent(missing: Sequence[str], known: Sequence[str]) -> str:
    """``there is no column 'amuont' (did you mean 'amount'?)``"""
    return "; ".join(f"there is no column {name!r}{meant_column(name, known)}" for name in missing)


def _type_of(column: SeenColumn) -> pa.DataType:
    """The type that a stored name says, as far as checks tell types apart."""
    if column.kind in _UNTYPED:
        return pa.null()
    if match := _DECIMAL.fullmatch(column.data_type):
        return pa.decimal256(int(match[1]), int(match[2]))
    if match := _MOMENT.fullmatch(column.data_type):
        return pa.timestamp(match[1], match[2])
    try:
        return pa.type_for_alias(column.data_type)
    except ValueError:
        return CANONICAL[column.kind] if column.kind is not Kind.TIMESTAMP else pa.timestamp("us", "UTC")

"""What of a condition a table format can compare by itself, to leave out files and rows that it need not read.

It only spares reading: whoever scans with it applies the whole condition to the rows that come, in this package's own
words, so that a condition means the same whatever reads the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

import pyarrow as pa
import pyarrow.types as pt

from airflow_dq.check.expression import Column, Comparison, Logic, Membership, Node, Value
from airflow_dq.options.job import NULL_KEY, JobSpec
from airflow_dq.profile.check.evaluate import RuleError, moment

Plain = str | int | bool | date | datetime
"""A value in the type of its column."""
_TURNED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""A comparison's sign when its sides change places."""


@dataclass(frozen=True, slots=True)
class Term:
    """``column sign value``, or ``column in values``."""

    column: str
    sign: str
    """``=``, ``<``, ``<=``, ``>``, ``>=`` or ``in``."""
    values: tuple[Plain, ...]
    """One, or with ``in`` any number."""


def terms_of(node: Node, schema: pa.Schema) -> tuple[Term, ...]:
    """The terms that all rows for which a condition is true fulfil."""
    return tuple(_terms(node, schema))


def key_terms(order: JobSpec, key: str, schema: pa.Schema) -> tuple[Term, ...]:
    """The terms that the rows of one partition fulfil."""
    name = order.partition_by
    value = None if name is None or key == NULL_KEY else _key_value(key, schema.field(name).type)
    return () if name is None or value is None else (Term(name, "=", (value,)),)


def bound_terms(order: JobSpec, schema: pa.Schema) -> tuple[Term, ...]:
    """The terms that the rows of all partitions fulfil for which an order asks; there may be others that do."""
    name = order.partition_by
    if name is None or not (pt.is_date(data_type := schema.field(name).type) or pt.is_integer(data_type)):
        # Texts are ordered as keys, not as the source orders them.
        return ()
    if order.key is not None:
        return key_terms(order, order.key, schema)
    # Rows without a key come before all others: without a first key they are asked for, too.
    since = None if order.since is None else _key_value(order.since, data_type)
    until = None if order.until is None or since is None else _key_value(order.until, data_type)
    found = [(">=", since), ("<=", until)]
    return tuple(Term(name, sign, (value,)) for sign, value in found if value is not None)


def _terms(node: Node, schema: pa.Schema) -> Iterator[Term]:
    match node:
        case Logic("and", left, right):
            yield from _terms(left, schema)
            yield from _terms(right, schema)
        case Comparison(sign, Column(name), Value(value)) if sign in _TURNED:
            yield from _term(name, sign, (value,), schema)
        case Comparison(sign, Value(value), Column(name)) if sign in _TURNED:
            yield from _term(name, _TURNED[sign], (value,), schema)
        case Membership(Column(name), values):
            yield from _term(name, "in", tuple(one.value for one in values), schema)


def _term(name: str, sign: str, values: tuple[object, ...], schema: pa.Schema) -> Iterator[Term]:
    if schema.get_field_index(name) < 0:
        return
    typed = [_typed(value, schema.field(name).type) for value in values]
    known = tuple(value for value in typed if value is not None)
    if len(known) == len(values):
        yield Term(name, sign, known)


def _typed(value: object, data_type: pa.DataType) -> Plain | None:
    """A literal in a column's type; None where it is not compared there as it is in Arrow."""
    if isinstance(value, bool) or pt.is_boolean(data_type):
        return value if isinstance(value, bool) and pt.is_boolean(data_type) else None
    if isinstance(value, int):
        return value if pt.is_integer(data_type) and abs(value) < 2 ** (data_type.bit_width - 1) else None
    if not isinstance(value, str):
        return None
    if pt.is_string(data_type) or pt.is_large_string(data_type):
        return value
    if not (pt.is_date(data_type) or pt.is_timestamp(data_type)):
        return None
    try:
        found: date = moment(value, data_type).as_py()
    except RuleError:
        # It is told when the condition is applied.
        return None
    return found


def _key_value(key: str, data_type: pa.DataType) -> Plain | None:
    """A key as a value of its column; None when it is no such value's own text."""
    if pt.is_integer(data_type):
        try:
            value = int(key)
        except ValueError:
            return None
        return _typed(value, data_type) if str(value) == key else None
    found = _typed(key, data_type)
    return None if pt.is_timestamp(data_type) or (isinstance(found, date) and found.isoformat() != key) else found

"""What a profile says to a check: what was counted for it, or what is kept anyway."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.check.expression import Column, Presence
from airflow_dq.check.model import Check
from airflow_dq.check.parser import predicate
from airflow_dq.profile.check.count import row_rule
from airflow_dq.profile.check.evaluate import Batch, RuleError
from airflow_dq.profile.check.key_tally import Occurring
from airflow_dq.profile.check.measured import NO_ROWS, NO_VALUES, Measured
from airflow_dq.profile.check.stored import completeness, of_column
from airflow_dq.profile.check.tallies import missing_words
from airflow_dq.profile.check.tally import Shares
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind
from airflow_dq.states.category import LONGEST, CategoryDistribution
from airflow_dq.states.count import Counts
from airflow_dq.states.number import NumberDistribution

NOT_COUNTED = "it was not counted when the partition was profiled; profile the partition again with this check"


def answer(check: Check, profile: Profile) -> Measured:
    """The value that a check asks for, or why there is none.  Never raises."""
    counted = profile.checks.get(check.measure)
    if counted is not None:
        return counted
    if check.entry.source == "schema" and check.metric in _OF_SCHEMA:
        return _OF_SCHEMA[check.metric](check, tuple(profile.columns))
    if check.scope == "total" or check.by is not None:
        return Measured(problem=NOT_COUNTED)
    missing = [name for name in check.reads if name not in profile.columns]
    if missing:
        return Measured(problem=missing_words(missing, list(profile.columns)))
    if check.metric == "rows" and check.where is None:
        return Measured(profile.row_count)
    by_rows = check.entry.source == "rows" and check.metric not in ("metric", "correlation")
    read_again = check.entry.source in ("age", "order", "model", "table") or check.metric in (
        "casing",
        "consistent_type",
    )
    if len(check.reads) != 1 or read_again or (check.where is not None and not by_rows):
        return Measured(problem=NOT_COUNTED)
    column = profile.columns[check.reads[0]]
    if check.metric == "type":
        return _type(check, column)
    if not profile.row_count:
        return Measured(nothing=NO_ROWS)
    if check.metric == "completeness" and check.where is None:
        return completeness(column, profile.row_count)
    if check.entry.source == "stored":
        return of_column(check, column)
    weighted = None if check.metric == "metric" or profile.options.hides(column.name) else _weighted(column)
    return Measured(problem=NOT_COUNTED) if weighted is None else _of_values(check, *weighted)


def _has_columns(check: Check, known: tuple[str, ...]) -> Measured:
    missing = [name for name in check.columns if name not in known]
    others = [name for name in known if name not in check.columns] if check.exactly else []
    there = [name for name in known if name in check.columns]
    wanted = [name for name in check.columns if name in known]
    moved = [name for name, other in zip(wanted, there, strict=True) if name != other] if check.ordered else []
    said = [
        f"{words} {', '.join(map(repr, names))}"
        for words, names in (("missing:", missing), ("not expected:", others), ("out of order:", moved))
        if names
    ]
    return Measured(len({*missing, *others, *moved}), seen="; ".join(said) or None)


def _column_names(check: Check, known: tuple[str, ...]) -> Measured:
    odd = [name for name in known if re.search(check.pattern or "", name) is None]
    found = Measured.share(len(known) - len(odd), len(known), "the partition has no column")
    return replace(found, seen=f"others: {', '.join(map(repr, odd[:20]))}") if odd else found


_OF_SCHEMA: Mapping[str, Callable[[Check, tuple[str, ...]], Measured]] = {
    "has_columns": _has_columns,
    "column_count": lambda check, known: Measured(len(known)),
    "column_names": _column_names,
}


def _type(check: Check, column: ColumnProfile) -> Measured:
    if column.kind is Kind.NULL:
        return Measured(nothing="the column has no value, and so no type")
    right = check.type in (str(column.kind), column.data_type)
    return Measured(int(right), int(right), 1, seen=f"{column.kind} ({column.data_type})")


Weighted = tuple[pa.Array, NDArray[np.int64]]
"""Values and how often each occurs, a null for those that are missing."""


def _weighted(column: ColumnProfile) -> Weighted | None:
    """All values of a column, where each was counted; None where they are not known one by one."""
    counts = column.states.get(Counts.key)
    if not isinstance(counts, Counts):
        return None
    if column.kind is Kind.NULL:
        return pa.nulls(1), np.array([counts.rows])
    found = _texts(column, counts) if column.kind in CategoryDistribution.kinds else _numbers(column, counts)
    if found is None:
        return None
    values, number = found
    return pa.concat_arrays([values, pa.nulls(1, values.type)]), np.append(number, counts.nulls + counts.nans)


def _texts(column: ColumnProfile, counts: Counts) -> Weighted | None:
    state = column.states.get(CategoryDistribution.key)
    if not isinstance(state, CategoryDistribution) or state.buckets is not None:
        return None
    if pc.max(pc.utf8_length(state.values)).as_py() == LONGEST:
        return None  # a longer one is kept as its beginning
    if column.kind is Kind.BOOLEAN:
        return pc.equal(state.values, "true"), state.counts
    return pa.concat_arrays([state.values, pa.array([""], pa.large_string())]), np.append(state.counts, counts.empty)


def _numbers(column: ColumnProfile, counts: Counts) -> Weighted | None:
    state = column.states.get(NumberDistribution.key)
    if not isinstance(state, NumberDistribution) or state.sketch is not None:
        return None
    if len(state.rests):
        whole = [int(value) + rest for value, rest in zip(state.values.tolist(), state.rests.tolist(), strict=True)]
        return (pa.array(whole, pa.int64()), state.counts) if not (counts.pos_inf or counts.neg_inf) else None
    values = pa.array(np.append(state.values, [np.inf, -np.inf]))
    number = np.append(state.counts, [counts.pos_inf, counts.neg_inf])
    if column.kind is not Kind.TIMESTAMP:
        return values, number
    micros = np.rint(state.values * 1e6).astype(np.int64)
    return pa.array(micros).view(pa.timestamp("us")), state.counts


def _of_values(check: Check, values: pa.Array, number: NDArray[np.int64]) -> Measured:
    """A check's value from how often each value of the one column occurs that it reads."""
    try:
        there = _scope(check, values) & (number > 0)
        values, number = values.filter(pa.array(there)), number[there]
        if check.entry.source == "keys":
            return _keys(check, values, number)
        if check.metric in ("min_length", "max_length"):
            return _length(check, values)
        truth = Batch({check.reads[0]: values}, len(values)).truth(row_rule(check))
    except RuleError as error:
        return Measured(problem=str(error))
    true, null = _flags(pc.fill_null(truth, False)), _flags(truth.is_null())
    return Shares(int(number.sum()), int(number[true].sum()), int(number[null].sum())).measured(check)


def _scope(check: Check, values: pa.Array) -> NDArray[np.bool_]:
    if check.where is None:
        return np.ones(len(values), np.bool_)
    return _flags(pc.fill_null(Batch({check.reads[0]: values}, len(values)).truth(predicate(check.where)), False))


def _keys(check: Check, values: pa.Array, number: NDArray[np.int64]) -> Measured:
    complete = _flags(Batch({check.reads[0]: values}, len(values)).truth(Presence(Column(check.reads[0]))))
    there = number[_flags(values.is_valid())]
    found = Occurring.of(there, int(np.count_nonzero(number[complete] == 1)))
    return found.measured(check, int(number.sum()))


def _flags(truth: pa.BooleanArray) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = truth.to_numpy(zero_copy_only=False)
    return found


def _length(check: Check, values: pa.Array) -> Measured:
    if pa.types.is_null(values.type):
        return Measured(nothing=NO_VALUES)
    if not pa.types.is_large_string(values.type):
        return Measured(problem=f"column {check.columns[0]!r} is {values.type}, and has no length in characters")
    found = pc.min_max(pc.utf8_length(values))["min" if check.metric == "min_length" else "max"].as_py()
    return Measured(nothing=NO_VALUES if len(values) else NO_ROWS) if found is None else Measured(found)

"""Counting what checks ask of the rows of one batch."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt
from numpy.typing import NDArray

from airflow_dq.check.expression import (
    Aggregate,
    Column,
    Comparison,
    Logic,
    Match,
    Membership,
    Negation,
    Node,
    Presence,
)
from airflow_dq.check.expression import Value as Literal
from airflow_dq.check.metric import FORMATS
from airflow_dq.check.model import Check
from airflow_dq.check.parser import aggregate, predicate
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.check.evaluate import Batch, RuleError
from airflow_dq.profile.check.filtered import Filtered
from airflow_dq.profile.check.key_tally import Joint, Keys
from airflow_dq.profile.check.tally import Aggregates, Failed, Lengths, Products, Shares, Tally
from airflow_dq.profile.column import canonical, kind_of
from airflow_dq.profile.fingerprint import RowHashes
from airflow_dq.profile.hash_key import hash_key
from airflow_dq.states.base import Kind
from airflow_dq.states.hashing import Hashes
from airflow_dq.states.moment import Moments
from airflow_dq.states.prepared import PreparedColumn

Mask: TypeAlias = "pa.BooleanArray | None"
"""Which rows are in scope; None: all of them."""


def group_of(check: Check) -> str | None:
    """Under which name a check's counts are kept: several checks share some; None when it needs none.

    What the profile keeps of each column anyway is not counted again.
    """
    if check.entry.source in ("age", "schema") or (check.where is None and check.metric in ("rows", "completeness")):
        return None
    if check.entry.source == "stored" and check.metric != "rows":
        return None if check.where is None else json.dumps(["column", *check.columns, check.where])
    if check.entry.source == "keys" and check.metric != "mutual_information":
        return json.dumps(["keys", list(check.columns), check.where])
    if check.metric in ("min_length", "max_length"):
        return json.dumps(["lengths", *check.columns, check.where])
    return check.measure


def count(batch: Batch, options: ProfileOptions) -> dict[str, Tally]:
    """What the checks of a profile need of a batch of rows, by group.

    :param batch: the columns that are profiled
    :return: a problem for what cannot be computed, which leaves the others alone
    """
    found: dict[str, Tally] = {}
    for check in options.checks:
        group = group_of(check)
        if group is None or group in found:
            continue
        try:
            found[group] = _COUNTERS[_counter(check)](batch, check, _mask(batch, check), options)
        except RuleError as error:
            found[group] = Failed(str(error))
        except MemoryError:
            raise
        except Exception as error:
            # Whatever it is, it concerns this check, and must not lose the others.
            found[group] = Failed(f"counting it failed with {type(error).__name__}")
    return found


def row_rule(check: Check) -> Node:
    """What a check of each row asks of it."""
    if check.sql is not None:
        return predicate(check.sql)
    column = Column(check.columns[0])
    match check.metric:
        case "completeness":
            return Presence(column)
        case "isin":
            return Membership(column, tuple(map(Literal, check.values)))
        case "not_in":
            return Negation(Membership(column, tuple(map(Literal, check.values))))
        case "matches":
            return Match(column, check.pattern or "", regex=True)
        case "format":
            return Match(column, FORMATS[check.format or ""], regex=True)
        case _:
            sides = [(">=", check.low), ("<=", check.high)]
            low, *high = [Comparison(sign, column, Literal(side)) for sign, side in sides if side is not None]
            return Logic("and", low, high[0]) if high else low


def _counter(check: Check) -> str:
    if check.metric in _COUNTERS:
        return check.metric
    return {"keys": "keys", "stored": "filtered"}.get(check.entry.source, "shares")


def _mask(batch: Batch, check: Check) -> Mask:
    return None if check.where is None else pc.fill_null(batch.truth(predicate(check.where)), False)


def _in_scope(values: pa.Array, mask: Mask) -> pa.Array:
    return values if mask is None else values.filter(mask)


def _size(batch: Batch, mask: Mask) -> int:
    return batch.rows if mask is None else int(mask.true_count)


def _rows(batch: Batch, check: Check, mask: Mask, options: ProfileOptions) -> Tally:
    return Shares(_size(batch, mask))


def _shares(batch: Batch, check: Check, mask: Mask, options: ProfileOptions) -> Tally:
    truth = _in_scope(batch.truth(row_rule(check)), mask)
    return Shares(len(truth), int(truth.true_count), int(truth.null_count))


def _lengths(batch: Batch, check: Check, mask: Mask, options: ProfileOptions) -> Tally:
    values = _in_scope(batch.column(check.columns[0]), mask)
    if pt.is_null(values.type):
        return Lengths(len(values))
    if not pt.is_large_string(values.type):
        raise RuleError(f"column {check.columns[0]!r} is {values.type}, and has no length in characters")
    found = pc.min_max(pc.utf8_length(values))
    return Lengths(len(values), found["min"].as_py(), found["max"].as_py())


def _products(batch: Batch, check: Check, mask: Mask, options: ProfileOptions) -> Tally:
    sides = []
    for name in check.columns:
        values = _in_scope(batch.column(name), mask)
        if not pt.is_null(values.type) and kind_of(values.type) is not Kind.NUMERIC:
            raise RuleError(f"column {name!r} is {values.type}, and no number")
        numbers = (
            values.cast(pa.float64()) if pt.is_null(values.type) else canonical(values).cast(pa.float64(), safe=False)
        )
        sides.append(pc.fill_null(numbers, float("nan")).to_numpy(zero_copy_only=False))
    first, second = sides
    both = np.isfinite(first) & np.isfinite(second)
    return Products.of(_size(batch, mask), first[both] + 0.0, second[both] + 0.0)


def _aggregates(batch: Batch, check: Check, mask: Mask, options: ProfileOptions) -> Tally:
    counts, moments = [], []
    for one in aggregate(check.sql or "").aggregates:
        number, state = _aggregate(batch, one, mask, options)
        counts.append(number)
        moments.append(state)
    return Aggregates(_size(batch, mask), tuple(counts), tuple(moments))


def _aggregate(batch: Batch, one: Aggregate, mask: Mask, options: ProfileOptions) -> tuple[int, Moments]:
    if one.of is None:
        return _size(batch, mask), Moments()
    values = _in_scope(batch.value(one.of), mask)
    number = len(values) - int(values.null_count)
    if one.name == "count" or pt.is_null(values.type):
        return number, Moments()
    hidden = [name for name in one.of.columns if options.hides(name)]
    if hidden and one.name in ("min", "max"):
        raise RuleError(f"column {hidden[0]!r} is hidden, and {one.name} is one of its values")
    if kind_of(values.type) not in Moments.kinds:
        raise RuleError(f"{one.name} is of numbers, and this is {values.type}")
    return number, Moments.of_column(PreparedColumn(canonical(values)))


def _keys(batch: Batch, check: Check, mask: Mask, options: ProfileOptions) -> Tally:
    hashes, present, complete = _hashed(batch, check.columns)
    scope = _numpy(mask, batch.rows)
    counted = scope & present.any(axis=0)
    return Keys.of(int(np.count_nonzero(scope)), hashes[counted], complete[counted])


def _joint(batch: Batch, check: Check, mask: Mask, options: ProfileOptions) -> Tally:
    hashes, present, complete = _hashed(batch, check.columns)
    scope = _numpy(mask, batch.rows)
    both, rows = scope & present.all(axis=0), int(np.count_nonzero(scope))
    each = (hashes, *(_hashed(batch, (name,))[0] for name in check.columns))
    return Joint(tuple(Keys.of(rows, one[both], complete[both]) for one in each))


def _hashed(batch: Batch, names: tuple[str, ...]) -> tuple[Hashes, NDArray[np.bool_], NDArray[np.bool_]]:
    """A hash of each row's values in some columns; of each column which are not null; which rows lack no value.

    The empty text is a value of its own here, and one that is missing for whoever asks for complete keys.
    """
    hashes, present, complete = RowHashes(batch.rows, 0), [], np.ones(batch.rows, np.bool_)
    for name in names:
        values = batch.column(name)
        if kind_of(values.type) in (Kind.NESTED, Kind.BINARY):
            raise RuleError(f"column {name!r} is {values.type}, which is not counted by value")
        present.append(_numpy(values.is_valid(), batch.rows))
        complete &= _numpy(batch.truth(Presence(Column(name))), batch.rows)
        if not pt.is_null(values.type):
            hashes.add(name, PreparedColumn(canonical(values)))
    return hashes.result(), np.array(present), complete


def _numpy(mask: Mask, rows: int) -> NDArray[np.bool_]:
    if mask is None:
        return np.ones(rows, np.bool_)
    found: NDArray[np.bool_] = mask.to_numpy(zero_copy_only=False)
    return found


def _filtered(batch: Batch, check: Check, mask: Mask, options: ProfileOptions) -> Tally:
    (name,) = check.columns
    key = hash_key() if options.hides(name) else None
    values = batch.raw(name)
    return Filtered.of(name, values if mask is None else values.filter(mask), key)


_COUNTERS: Mapping[str, Callable[[Batch, Check, Mask, ProfileOptions], Tally]] = {
    "rows": _rows,
    "shares": _shares,
    "min_length": _lengths,
    "max_length": _lengths,
    "correlation": _products,
    "metric": _aggregates,
    "keys": _keys,
    "mutual_information": _joint,
    "filtered": _filtered,
}

"""Counting what checks ask of the rows of one batch."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial, reduce

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
    Placeholder,
    Presence,
    Proof,
)
from airflow_dq.check.expression import Value as Literal
from airflow_dq.check.metric import FORMATS, PROVED
from airflow_dq.check.model import Check
from airflow_dq.check.parser import aggregate, predicate
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.check.count_bayes import count_bayes
from airflow_dq.profile.check.count_order import count_pairs, count_steps
from airflow_dq.profile.check.evaluate import Batch, RuleError
from airflow_dq.profile.check.filtered import Filtered
from airflow_dq.profile.check.grouped import count_groups
from airflow_dq.profile.check.hashed import Mask, flags, hashed
from airflow_dq.profile.check.key_tally import Joint, Keys
from airflow_dq.profile.check.tally import Aggregates, Failed, Lengths, Products, Shares, Tally
from airflow_dq.profile.check.type_tally import count_types
from airflow_dq.profile.column import canonical, kind_of
from airflow_dq.profile.hash_key import hash_key
from airflow_dq.states.base import Kind
from airflow_dq.states.hashing import Hashes
from airflow_dq.states.moment import Moments
from airflow_dq.states.prepared import PreparedColumn


def group_of(check: Check) -> str | None:
    """Under which name a check's counts are kept: several checks share some; None when it needs none.

    What the profile keeps of each column anyway is not counted again.
    """
    whole = check.where is None and check.by is None
    if check.entry.source in ("age", "schema") or (whole and check.metric in ("rows", "completeness")):
        return None
    if check.entry.source == "stored" and check.metric != "rows":
        return None if whole else _group("column", check)
    if check.entry.source == "keys" and check.metric not in ("mutual_information", "casing"):
        return _group("keys", check)
    if check.metric in ("min_length", "max_length"):
        return _group("lengths", check)
    if check.entry.source == "table":
        return _group(check.metric, check)
    return replace(check, scope="delta").measure if check.scope == "total" else check.measure


def _group(name: str, check: Check) -> str:
    return json.dumps([name, list(check.columns), check.where, *([] if check.by is None else [check.by])])


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
            found[group] = _counted(batch, check, options)
        except (RuleError, ConfigurationError) as error:
            # An executor may lack what reads a rule.
            found[group] = Failed(str(error))
        except MemoryError:
            raise
        except Exception as error:
            # Whatever it is, it concerns this check, and must not lose the others.
            found[group] = Failed(f"counting it failed with {type(error).__name__}")
    return found


def _counted(batch: Batch, check: Check, options: ProfileOptions) -> Tally:
    counter, mask = _COUNTERS[_counter(check)], _mask(batch, check)
    if check.by is None:
        return counter(batch, check, mask, options)
    key = hash_key() if options.hides(check.by) else None
    return count_groups(batch, check.by, mask, key, lambda rows: counter(batch, check, rows, options))


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
            outline = Match(column, FORMATS[check.format or ""], regex=True)
            return Logic("and", outline, Proof(column, check.format)) if check.format in PROVED else outline
        case "positive":
            return Comparison(">", column, Literal(0))
        case "zeros":
            return Comparison("=", column, Literal(0))
        case "no_placeholder":
            listed = tuple(map(Literal, check.values))
            return Negation(Membership(column, listed) if listed else Placeholder(column))
        case "all_complete" | "any_complete":
            there: list[Node] = [Presence(Column(name)) for name in check.columns]
            return reduce(partial(Logic, "and" if check.metric == "all_complete" else "or"), there)
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
    hashes, present, complete = hashed(batch, check.columns)
    scope = flags(mask, batch.rows)
    counted = scope & present.any(axis=0)
    return _counted_keys(int(np.count_nonzero(scope)), hashes[counted], complete[counted], options)


def _referring(batch: Batch, check: Check, mask: Mask, options: ProfileOptions) -> Tally:
    """Keys that are those of another table's columns; a row without one of the values has none, unless it is a row."""
    hashes, present, _ = hashed(batch, check.columns, by_place=True)
    scope = flags(mask, batch.rows)
    counted = scope if check.metric == "agrees" else scope & present.all(axis=0)
    return _counted_keys(int(np.count_nonzero(scope)), hashes[counted], counted[counted], options)


def _sums(batch: Batch, check: Check, mask: Mask, options: ProfileOptions) -> Tally:
    number, moments = _aggregate(batch, Aggregate("sum", Column(check.columns[0])), mask, options)
    return Aggregates(_size(batch, mask), (number,), (moments,))


def _counted_keys(rows: int, hashes: Hashes, complete: NDArray[np.bool_], options: ProfileOptions) -> Keys:
    """The keys of one pass over the rows."""
    number, passes = options.key_pass
    if passes > 1:
        mine = hashes % np.uint64(passes) == number
        hashes, complete = hashes[mine], complete[mine]
    return Keys.of(rows, hashes, complete)


def _joint(batch: Batch, check: Check, mask: Mask, options: ProfileOptions) -> Tally:
    hashes, present, complete = hashed(batch, check.columns)
    scope = flags(mask, batch.rows)
    both, rows = scope & present.all(axis=0), int(np.count_nonzero(scope))
    each = (hashes, *(hashed(batch, (name,))[0] for name in check.columns))
    return Joint(tuple(_counted_keys(rows, one[both], complete[both], options) for one in each))


def _casing(batch: Batch, check: Check, mask: Mask, options: ProfileOptions) -> Tally:
    values = _in_scope(batch.column(check.columns[0]), mask)
    if not (pt.is_large_string(values.type) or pt.is_null(values.type)):
        raise RuleError(f"column {check.columns[0]!r} is {values.type}, and has no letters")
    texts = values.drop_null().cast(pa.large_string())
    spelled = (texts, pc.utf8_lower(texts))
    there = np.ones(len(texts), np.bool_)
    hashes = (PreparedColumn(one).hashes for one in spelled)
    return Joint(tuple(_counted_keys(len(values), one, there, options) for one in hashes))


def _types(batch: Batch, check: Check, mask: Mask, options: ProfileOptions) -> Tally:
    return count_types(batch, check.columns[0], mask)


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
    "consistent_type": _types,
    "metric": _aggregates,
    "keys": _keys,
    "mutual_information": _joint,
    "casing": _casing,
    "predictable": count_bayes,
    "refers": _referring,
    "agrees": _referring,
    "row_difference": _rows,
    "sum_difference": _sums,
    "gaps": count_steps,
    "overlaps": count_pairs,
    "increasing": count_pairs,
    "filtered": _filtered,
}

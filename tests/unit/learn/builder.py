"""Profiles made by hand: columns of given values, with the variants that a test needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from airflow_dq.learn.constraint.base import ColumnReport, Constraint, Scope
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.constraint.schema import ExpectedColumn
from airflow_dq.learn.expect.expectation import Expectation
from airflow_dq.learn.history.column import ColumnHistory
from airflow_dq.learn.history.distance import Distances
from airflow_dq.learn.history.series import Series
from airflow_dq.learn.program import Program
from airflow_dq.metrics.descriptor import Bound, MetricValue
from airflow_dq.metrics.evaluate import measure
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import ColumnProfile, Profile, Variant
from airflow_dq.states.base import Kind, Representation, State, states_for

_TYPES = {Kind.NUMERIC: pa.float64(), Kind.STRING: pa.large_string(), Kind.NULL: pa.null()}


def states(kind: Kind, values: Sequence[object] | np.ndarray) -> dict[str, State]:
    array = pa.array(values, _TYPES[kind])
    return {state.key: state.of(array) for state in states_for(kind)}


def column(name: str, kind: Kind, values: Sequence[object] | np.ndarray) -> ColumnProfile:
    made = states(kind, values)
    return ColumnProfile(name, kind, str(_TYPES[kind]), measure(kind, made), made)


def profile(partition: str, *columns: ColumnProfile) -> Profile:
    rows = {int(col.metrics["row_count"]) for col in columns}
    assert len(rows) == 1, "the columns of a table have one length"
    return Profile(partition, rows.pop(), {col.name: col for col in columns})


def variant(kind: Kind, label: str, values: Sequence[object] | np.ndarray) -> Variant:
    made = states(kind, values)
    name, _, parameter = label.partition(" ")
    return Variant(name, parameter, measure(kind, made), made)


def with_metric(source: Profile, name: str, values: Mapping[str, MetricValue]) -> Profile:
    """The profile with other metric values in one column, as an engine might have reported them."""
    col = source.columns[name]
    changed = replace(col, metrics={**col.metrics, **values}, distances={})
    return replace(source, columns={**source.columns, name: changed})


def without_states(source: Profile) -> Profile:
    """The profile after retention has pruned the states; cached comparisons stay."""
    return replace(source, columns={name: replace(col, states={}) for name, col in source.columns.items()})


def day(index: int) -> str:
    return f"2013-01-{index + 1:02d}"


def flights(index: int, *, rows: int = 400, minutes: float = 150.0, factor: float = 1.0) -> Profile:
    """One day of a small flight table: numeric ``air_time``, string ``carrier``."""
    rng = np.random.default_rng(index)
    carriers = rng.choice(["AA", "B6", "DL", "UA"], rows, p=[0.1, 0.4, 0.3, 0.2])
    air_time = rng.normal(minutes, 20.0, rows).round(1) * factor
    made = profile(
        day(index), column("air_time", Kind.NUMERIC, air_time), column("carrier", Kind.STRING, carriers.tolist())
    )
    made.variants["air_time"] = (
        variant(Kind.NUMERIC, "unit_change x60", air_time * 60),
        variant(Kind.NUMERIC, "nulls 50%", [None, 1.0] * (rows // 2)),
        variant(Kind.NUMERIC, "volume_change x10", np.tile(air_time, 10)),
        variant(Kind.NUMERIC, "nulls 100%", [None] * rows),
    )
    lower = [text.lower() for text in carriers.tolist()]
    made.variants["carrier"] = (
        variant(Kind.STRING, "casing_change 100%", lower),
        variant(Kind.STRING, "padding 100%", [f" {text}" for text in carriers.tolist()]),
        variant(Kind.STRING, "distribution_change first 10%", ["AA"] * rows),
    )
    return made


def a_range(
    metric: str,
    lower: float | None,
    upper: float | None,
    column: str | None = "air_time",
    expectation: Expectation | None = None,
    kind: Kind = Kind.NUMERIC,
    **fields: Any,
) -> Range:
    """A range with these bounds, around their middle (of one bound: around that bound's nearest whole step)."""
    known = [bound for bound in (lower, upper) if bound is not None]
    center = sum(known) / len(known) if known else 0.0
    if expectation is None:
        expectation = Expectation(center=center)
        low, high = (None if bound is None else abs(bound - center) for bound in (lower, upper))
    else:
        # Relative to what the values before foretell.
        low, high = (None if lower is None else -lower), upper
    given: dict[str, Any] = {
        "scope": Scope(()) if column is None else Scope((column,)),
        "metric": metric,
        "kind": kind,
        "pair": metric in ("emd", "ks_dist", "js_div"),
        "expectation": expectation,
        "below": low,
        "above": high,
        "fpr": 5e-4,
        "bound": Bound.POOLED,
        "spread": 1.0,
        "worst": 1.0,
        "samples": 12,
        "partitions": 12,
    }
    return Range(**{**given, **fields})


def a_program(
    history: Sequence[Profile],
    *ranges: Range,
    schema: Mapping[str, Kind] | None = None,
    reports: Mapping[str, ColumnReport] | None = None,
    options: SynthesisOptions | None = None,
) -> Program:
    """A program of these ranges, and of a schema where one is given."""
    partitions = tuple(one.partition for one in history)
    expected: list[Constraint] = [
        ExpectedColumn(Scope((name,)), kind, None, len(history), len(history)) for name, kind in (schema or {}).items()
    ]
    named = {one.column: ColumnReport(one.kind, 60, 40) for one in ranges if one.column is not None}
    made = options or SynthesisOptions()
    return Program(made, partitions, (*expected, *ranges), named if reports is None else reports)


def series_of(history: Sequence[Profile], name: str, metric: str, pair: bool) -> Series:
    """A metric's series, with nothing known but what the profiles bring."""
    return ColumnHistory(history, name, distances=Distances()).series(metric, pair)


def representation_of(history: Sequence[Profile], name: str, metric: str) -> Representation:
    return ColumnHistory(history, name, distances=Distances()).representation(metric)


def distances(now: ColumnProfile, earlier: Sequence[ColumnProfile | None], pool: int) -> Mapping[str, MetricValue]:
    return Distances().of(now, earlier, pool)


def observe(
    metric: str,
    pair: bool,
    now: ColumnProfile | None,
    earlier: Sequence[ColumnProfile],
    representation: Representation | None = None,
) -> MetricValue | None:
    """A metric on a column that follows others."""
    name = "x" if now is None else now.name
    past = [Profile(None, 0, {name: replace(one, name=name)}) for one in earlier]
    return ColumnHistory(past, name, distances=Distances()).observe(metric, pair, now, representation)

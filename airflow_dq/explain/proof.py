"""Whether a cause is true: with its error undone on what is stored of the partition, does the column pass?

The machinery that injects an error into a partition of the history takes it out of this one: it is undone on values
drawn from the stored states, and what that changes is carried over to the whole column.  So is how many of its values
break the column's pattern.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from airflow_dq.corruption.clean_column import CleanColumn
from airflow_dq.corruption.extrapolation import Extrapolator
from airflow_dq.corruption.injection import Injected
from airflow_dq.corruption.movement import rounded
from airflow_dq.explain.cause.hypothesis import Proof, Undo
from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.constraint.base import Constraint, Finding
from airflow_dq.learn.constraint.pattern import Conforming
from airflow_dq.learn.constraint.segment import UsualSegments
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.distribution import QuantilePoints
from airflow_dq.metrics.descriptor import MetricValue, Reason
from airflow_dq.metrics.evaluate import measure
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.check.learned import RowPattern, answer_rule, row_rule
from airflow_dq.profile.check.measured import NO_VALUES, Measured, One
from airflow_dq.profile.check.segment import MEAN, measure_of
from airflow_dq.profile.column import CANONICAL
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind, State, states_of
from airflow_dq.states.category import LONGEST, CategoryDistribution
from airflow_dq.states.count import Counts
from airflow_dq.states.number import NumberDistribution

DRAWN = 4000
"""Most values that stand for a column: as many as a profile samples rows for its injected errors."""


def prove(partition: PartitionView, name: str, undo: Undo, found: Sequence[tuple[Constraint, Finding]]) -> Proof | None:
    """Judge a column again with an error undone.

    :param name: the column
    :param found: what was found of it
    :return: None when the values are not kept: then nothing can be said
    """
    column = partition.profile.columns[name]
    values = drawn(column)
    if values is None:
        return None
    clean = CleanColumn(column.kind, values)
    undone_values = undo(clean)
    # Of segments only the means are known: what became of every number in one way has become of them.
    means = undone_values.linear is not None
    found = [one for one in found if not isinstance(one[0], UsualSegments) or (means and one[1].metric == MEAN)]
    if not found:
        return None
    if len(values) == partition.profile.row_count and _is_exact(column):
        states: Mapping[str, State] = states_of(column.kind, undone_values.values)
        metrics: Mapping[str, MetricValue] = measure(column.kind, states)
    else:
        extrapolator = Extrapolator.of(column, clean, partition.profile.row_count)
        metrics, states = extrapolator.extrapolate(undone_values)
    # The distances of a column are remembered by its content, of which the digest is a part.
    undone = replace(column, metrics=metrics, states=states, states_digest="undone", distances={})
    profile = replace(
        partition.profile,
        columns={**partition.profile.columns, name: undone},
        checks={**partition.profile.checks, **_checks_again(partition.profile, name, found, undone_values)},
    )
    view = replace(partition, profile=profile)
    left = sum(isinstance(constraint.check(view), Finding) for constraint, _ in found)
    return Proof(len(found) - left, len(found))


def _checks_again(
    profile: Profile, name: str, found: Sequence[tuple[Constraint, Finding]], undone: Injected
) -> dict[str, Measured]:
    """What would have been counted of the column for what judges it, by what it is stored under."""
    checks: dict[str, Measured] = {}
    for constraint, _ in found:
        if isinstance(constraint, Conforming):
            counted = _counted_again(constraint.learned, profile, undone)
            checks |= {} if counted is None else {constraint.learned.measure: counted}
        elif isinstance(constraint, UsualSegments) and undone.linear is not None:
            stored = measure_of(constraint.by, MEAN, name)
            checks[stored] = _moved(profile.checks[stored], *undone.linear)
    return checks


def _counted_again(rule: LearnedRule, profile: Profile, undone: Injected) -> Measured | None:
    """How many values break a pattern once an error is undone: what that changes in the drawn ones, in all of them."""
    reader, counted = row_rule(rule), answer_rule(rule, profile)
    if not isinstance(reader, RowPattern) or counted is None or not counted.denominator:
        return None
    with_it, without = (reader.held_against(values) for values in (undone.clean.values, undone.values))
    scale = counted.denominator / max(1, with_it.values)
    values = round(scale * without.values)
    broken = (counted.numerator or 0) + scale * (without.broken - with_it.broken)
    unusual = (counted.unusual or 0) + scale * (without.unusual - with_it.unusual)
    broken, unusual = (min(values, max(0, round(one))) for one in (broken, unusual))
    return replace(Measured.share(broken, values, NO_VALUES), learned=True, unusual=unusual)


def _moved(means: Measured, factor: float, offset: float) -> Measured:
    """The means of segments, of which every number became another one."""
    known = {label: one for label, one in means.groups.items() if one.value is not None}
    again = {label: One(factor * float(one.value or 0) + offset) for label, one in known.items()}
    return replace(means, groups={**means.groups, **again})


def drawn(column: ColumnProfile) -> pa.Array | None:
    """At most DRAWN values of the column in the proportions of its states; None when they are not kept, or hashed away.

    Nulls come last; a column of single values is there whole when it is small enough.
    """
    counts = column.states.get(Counts.key)
    if not isinstance(counts, Counts) or not counts.rows:
        return None
    share = min(1.0, DRAWN / counts.rows)
    draw = _numbers if column.kind in (Kind.NUMERIC, Kind.TIMESTAMP) else _texts
    values = draw(column, counts, share)
    if values is None:
        return None
    missing = pa.nulls(round(share * counts.nulls), values.type)
    return pa.concat_arrays([values, missing])


def _is_exact(column: ColumnProfile) -> bool:
    """Whether the states have every value as it is."""
    numbers = column.states.get(NumberDistribution.key)
    return not isinstance(numbers, NumberDistribution) or (numbers.sketch is None and not len(numbers.rests))


def _numbers(column: ColumnProfile, counts: Counts, share: float) -> pa.Array | None:
    state = column.states.get(NumberDistribution.key)
    if not isinstance(state, NumberDistribution):
        return None
    found: list[FloatArray] = []
    if state.total:
        if state.sketch is None and share == 1.0:
            found.append(np.repeat(state.values, state.counts))
        else:
            points = QuantilePoints.of(state).values
            wanted = max(1, round(share * state.total))
            found.append(points[np.linspace(0, len(points) - 1, wanted).round().astype(np.int64)])
    for number, times in ((np.nan, counts.nans), (np.inf, counts.pos_inf), (-np.inf, counts.neg_inf)):
        found.append(np.full(round(share * times), number))
    return pa.array(np.concatenate(found), CANONICAL[column.kind])


def _texts(column: ColumnProfile, counts: Counts, share: float) -> pa.Array | None:
    state = column.states.get(CategoryDistribution.key)
    if column.kind is not Kind.STRING or not isinstance(state, CategoryDistribution) or state.buckets is not None:
        return None
    longest = column.metrics.get("max_len")
    if isinstance(longest, Reason | None) or longest > LONGEST:
        # Of longer values only the beginning is kept.
        return None
    times = rounded(state.counts * share)
    empty = pa.array([""] * round(share * counts.empty), state.values.type)
    return pa.concat_arrays([state.values.take(pa.array(np.repeat(np.arange(len(times)), times))), empty])

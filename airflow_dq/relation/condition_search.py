"""Which columns may be equal, or missing together, and which values may say whether another column is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from airflow_dq.relation.arithmetic import Equal
from airflow_dq.relation.base import Flags
from airflow_dq.relation.chance import equal_chance, log_chance
from airflow_dq.relation.condition import MissingImplies, PresentTogether, ValueImplies, has_value
from airflow_dq.relation.found import Candidate, holds
from airflow_dq.relation.sample import (
    MOST_BROKEN,
    MOST_COLUMNS,
    MOST_CONDITIONS,
    MOST_NULLABLE,
    MOST_VALUES,
    PROBES,
    Rows,
)

LEAST_OF_VALUE = 0.01
"""Share of rows that a value must have of which something is said."""
_LEAST = 4
"""Rows that must be equal before a pair is looked at any further."""


def equal_pairs(rows: Rows) -> Iterator[Candidate]:
    """Columns of the same values; each but the first of a class with that one."""
    few = rows.drawn(PROBES)
    found_values = {name: few.identity(name) for name in rows.most(rows.columns, MOST_COLUMNS, "equality")}
    # Of a column with one value alone nothing could have been another one.
    names = [name for name, one in found_values.items() if len(np.unique(one[one != 0])) > 1]
    if len(names) < 2:
        return
    values = np.column_stack([found_values[name] for name in names])
    kinds = np.array([_kind(rows, name) for name in names])
    taken: set[int] = set()
    for first in range(len(names) - 1):
        if first in taken:
            continue
        both = (values[:, first, None] != 0) & (values[:, first + 1 :] != 0)
        same = np.count_nonzero(both & (values[:, first, None] == values[:, first + 1 :]), axis=0)
        able = np.flatnonzero((same >= _LEAST) & (kinds[first + 1 :] == kinds[first]))
        known = np.count_nonzero(both[:, able], axis=0)
        for second in (able[same[able] >= 0.97 * known - 1] + first + 1).tolist():
            found = None if second in taken else _equal(rows, names[first], names[second])
            if found is not None:
                taken.add(second)
                yield found


def _equal(rows: Rows, first: str, second: str) -> Candidate | None:
    relation = Equal(first, second)
    tested = holds(relation, rows)
    if tested is None:
        return None
    left, right = (rows.identity(name)[tested.speaks] for name in (first, second))
    return Candidate(relation, tested.broken / tested.rows, equal_chance(left, right))


def _kind(rows: Rows, name: str) -> str:
    values = rows.columns[name].values.type
    return "time" if name in rows.moments else "number" if rows.columns[name].is_number else str(values)


def missing_together(rows: Rows) -> Iterator[Candidate]:
    """Columns that are missing in the same rows, each with the first of its class."""
    for first, members in _classes(rows).items():
        share = rows.columns[first].present.mean()
        for other in members:
            relation = PresentTogether(first, other)
            tested = holds(relation, rows)
            if tested is not None:
                kept = np.where(rows.columns[other].present, share, 1.0 - share)
                yield Candidate(relation, tested.broken / tested.rows, log_chance(kept, tested.broken))


def _classes(rows: Rows) -> dict[str, list[str]]:
    """Columns that have missing values and others, by the first of those that are missing in nearly the same rows."""
    names = rows.most(_nullable(rows), MOST_COLUMNS, "missing together")
    found: dict[str, list[str]] = {}
    there, sums = _presence(rows, names)
    # Rows that differ between two columns, for all pairs at once.
    differ = sums[:, None] + sums[None, :] - 2.0 * (there.T @ there)
    rare = np.minimum(sums, rows.size - sums)
    taken = np.zeros(len(names), np.bool_)
    for place, name in enumerate(names):
        if not taken[place]:
            alike = (differ[place] <= MOST_BROKEN * rare[place]) & ~taken
            taken |= alike
            found[name] = [names[other] for other in np.flatnonzero(alike).tolist() if other != place]
    return found


def _nullable(rows: Rows) -> list[str]:
    return [name for name, one in rows.columns.items() if 0 < np.count_nonzero(one.present) < rows.size]


def _presence(rows: Rows, names: list[str]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Which rows have a value of each of some columns, as numbers that can be multiplied; and how many."""
    there = np.zeros((rows.size, len(names)), np.float32)
    for place, name in enumerate(names):
        there[:, place] = rows.columns[name].present
    return there, there.sum(axis=0)


def missing_implied(rows: Rows, classes: Mapping[str, str]) -> Iterator[Candidate]:
    """Columns that are missing wherever another one is, but not only there; of a class its first one.

    :param classes: of columns that are missing together with another one, that one
    """
    names = _of_classes(rows, classes)
    there, sums = _presence(rows, names)
    broken = (1.0 - there).T @ there
    for column, other in np.argwhere(broken <= MOST_BROKEN * (rows.size - sums)[:, None]).tolist():
        if column != other:
            missing, follows = (~rows.columns[names[place]].present for place in (column, other))
            yield _implied(MissingImplies(names[column], names[other]), missing, follows)


def _of_classes(rows: Rows, classes: Mapping[str, str]) -> list[str]:
    names = [name for name in _nullable(rows) if name not in classes]
    return rows.most(names, MOST_NULLABLE, "missing values")


def _implied(relation: MissingImplies | ValueImplies, condition: Flags, follows: Flags) -> Candidate:
    """What the rows say to an implication: by those with the condition, and by those without what follows."""
    rows, broken = int(np.count_nonzero(condition)), int(np.count_nonzero(condition & ~follows))
    by_condition = log_chance(np.full(rows, follows.mean()), broken)
    by_consequence = log_chance(np.full(int(np.count_nonzero(~follows)), 1.0 - condition.mean()), broken)
    return Candidate(relation, broken / max(1, rows), max(by_condition, by_consequence))


def value_implied(rows: Rows, classes: Mapping[str, str]) -> Iterator[Candidate]:
    """Values of one column with which another one is always there, or never.

    :param classes: of columns that are missing together with another one, that one
    """
    names = _of_classes(rows, classes)
    conditions = [
        (column, value)
        for column in rows.columns
        if names and column not in rows.hidden
        for value in _values(rows, column)
    ]
    if len(conditions) > MOST_CONDITIONS:
        rows.left_out.append(f"values: the first {MOST_CONDITIONS} of {len(conditions)}")
    there, _ = _presence(rows, names)
    for column, value in conditions[:MOST_CONDITIONS]:
        condition = has_value(rows.columns[column], value)
        shares = condition.astype(np.float32) @ there / np.float32(np.count_nonzero(condition))
        for place in np.flatnonzero(np.abs(shares - 0.5) >= 0.5 - MOST_BROKEN).tolist():
            if names[place] != column and classes.get(column) != names[place]:
                present = bool(shares[place] > 0.5)
                follows = rows.columns[names[place]].present == present
                yield _implied(ValueImplies(column, value, names[place], present), condition, follows)


def _values(rows: Rows, column: str) -> list[str]:
    """The frequent values of a column that has few."""
    values = rows.columns[column].values
    if pa.types.is_boolean(values.type):
        return ["true", "false"] if len(pc.unique(values.drop_null())) == 2 else []
    if not pa.types.is_large_string(values.type) or len(pc.unique(values.slice(0, 1_000))) > MOST_VALUES + 1:
        return []
    counts = pc.value_counts(values).to_pylist()
    if len(counts) > MOST_VALUES + 1:
        return []
    return [one["values"] for one in counts if one["values"] and one["counts"] >= LEAST_OF_VALUE * rows.size]


def tried(rows: Rows) -> float:
    """How many relations of these kinds, and orders, there are between the columns."""
    columns, nullable = min(len(rows.columns), MOST_COLUMNS), min(len(_nullable(rows)), MOST_COLUMNS)
    return float(3 * columns**2 + nullable * columns * 2 * MOST_VALUES)

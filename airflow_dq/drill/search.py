"""The slices that carry a partition's change: single values of columns first, then pairs of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt
from numpy.typing import NDArray

from airflow_dq.drill.code import Coded, Columns, attribute, crossed, distribution
from airflow_dq.drill.contrast import contrasts
from airflow_dq.drill.model import Condition, Drilled, Slice
from airflow_dq.drill.past import Load, Past
from airflow_dq.drill.score import Scores, distance, row_scores, value_scores
from airflow_dq.options.profile import ProfileOptions

MOST_ATTRIBUTES = 12
"""Columns that are sliced by, those of the fewest values: 12 make 66 pairs."""
_MOST_CELLS = 2_500
"""Pairs of two columns that have more values together are not tried: hardly any has rows enough."""
_BETTER = 0.1
"""A pair must explain the change by so much more than a single value to be named instead of it."""
_TOO = 0.5
"""A column is named beside the first one of a slice when it has changed in it half as tellingly."""
_SAYS_WHAT = 0.85
"""That rows with a value came or went says what has changed; where that was so says more, if there is such a place."""
_EVERYWHERE = 0.5
"""A column in which so much has changed outside of all slices that were found has changed everywhere."""


@dataclass(frozen=True)
class _Found:
    """One value of an attribute, or pair of values of two, with the columns that changed there."""

    place: tuple[Coded, ...]
    """The attribute, or both; the first of them has the codes."""
    code: int
    conditions: tuple[Condition, ...]
    columns: tuple[str, ...]
    changed: float
    carried: float
    score: float


@dataclass(frozen=True)
class _Rows:
    """What is left of both tables, coded."""

    attributes: tuple[Coded, ...]
    pairs: tuple[tuple[Coded, Coded, Coded], ...]
    """Two attributes, and both as one."""
    targets: tuple[Coded, ...]
    types: Mapping[str, pa.DataType]
    """Of the columns, as they are compared."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are looked at in any way."""
        return tuple(dict.fromkeys(one.name for one in (*self.attributes, *self.targets)))

    @property
    def slices(self) -> tuple[int, int]:
        """Number of slices by one column, and by two."""
        return sum(len(one.values) for one in self.attributes), sum(len(pair[2].values) for pair in self.pairs)


def drill(
    before: pa.Table,
    now: pa.Table,
    *,
    past: Load | None = None,
    options: ProfileOptions | None = None,
    columns: Sequence[str] | None = None,
    each: float = 1.0,
    most: int = 5,
) -> Drilled:
    """Compare a partition with another one, slice by slice.

    :param before: rows of the partition to compare with: all of them, or as large a random part of them as ``now`` is
    :param past: reads the same of the good partitions before that one: what changes as much between two of them is
        usual; asked only when a slice would be named without them
    :param options: how they are profiled: columns that are left out or hidden are none to slice by
    :param columns: look at the distributions of these columns only (None: of all); the number of rows always counts
    :param each: rows of the partition that each row here stands for
    :param most: most slices
    """
    options = options or ProfileOptions()
    rows = whole = _coded(before, now, options, columns)
    usual = Past(past or (lambda names: ()), {name: whole.types[name] for name in whole.columns})
    found: list[_Found] = []
    while len(found) < most and (best := _best(rows, usual)) is not None:
        found.append(best)
        rows = _without(rows, best)
        usual.without(best.place[0], best.code)
    told = tuple(_slice(one, before, now, options, each) for one in found)
    named = {name for one in found for name in one.columns}
    # Unless it is asked for by name: keys and counters are others in every partition.
    asked = [one for one in rows.targets if columns is not None and one.name not in named]
    everywhere = tuple(one.name for one in asked if _overall(one) >= _EVERYWHERE)
    return Drilled(told, tuple(one.name for one in whole.attributes), sum(whole.slices), everywhere)


def rows_of(table: pa.Table, conditions: Iterable[Condition]) -> pa.Table:
    """The rows of a slice, by its conditions."""
    chosen = np.ones(table.num_rows, dtype=bool)
    for condition in conditions:
        values = table.column(condition.column)
        chosen &= _equal(values, condition.value)
    return table.filter(pa.array(chosen))


def _coded(before: pa.Table, now: pa.Table, options: ProfileOptions, columns: Sequence[str] | None) -> _Rows:
    wanted = [
        name
        for name in now.column_names
        if name in before.column_names
        and name not in options.exclude
        and (options.columns is None or name in options.columns)
    ]
    sides = {name: _alike(before.column(name), now.column(name)) for name in wanted}
    slicing = (attribute(name, sides[name]) for name in wanted if not options.hides(name))
    known = [one for one in slicing if one is not None]
    fewest = sorted(known, key=lambda one: one.size)[:MOST_ATTRIBUTES]
    attributes = [one for one in known if any(one is few for few in fewest)]
    looked_at = (distribution(name, sides[name]) for name in wanted if columns is None or name in columns)
    pairs = tuple(
        (one, two, crossed(one, two))
        for one, two in combinations(attributes, 2)
        if len(one.values) * len(two.values) <= _MOST_CELLS
    )
    types = {name: both[1].type for name, both in sides.items()}
    return _Rows(tuple(attributes), pairs, tuple(one for one in looked_at if one is not None), types)


def _alike(before: pa.ChunkedArray, now: pa.ChunkedArray) -> Columns:
    """Both sides of one type where both are numbers: a reader's guess is another one where a number is missing."""
    if before.type != now.type and all(pt.is_integer(side.type) or pt.is_floating(side.type) for side in (before, now)):
        return before.cast(pa.float64()), now.cast(pa.float64())
    return before, now


def _best(rows: _Rows, past: Past) -> _Found | None:
    """The slice that explains the most; a pair only where it explains more than any single value."""
    # Both have half of the chance; the number of rows is tried like a column.
    tests, of_pairs = (2 * slices * (len(rows.targets) + 1) for slices in rows.slices)
    single = max(
        (one for each in rows.attributes for one in _found((each,), each, rows.targets, tests, past)),
        key=lambda one: one.score,
        default=None,
    )
    pairs = (
        one
        for first, second, both in rows.pairs
        for one in _found((both, first, second), both, rows.targets, of_pairs, past)
    )
    pair = max(pairs, key=lambda one: one.score, default=None)
    if single is None or pair is None:
        return single or pair
    return pair if pair.score >= single.score + _BETTER else single


def _found(
    place: tuple[Coded, ...], slices: Coded, targets: Sequence[Coded], tests: int, past: Past
) -> Iterator[_Found]:
    """The best value of an attribute."""
    own = {one.name for one in (place if len(place) == 1 else place[1:])}
    by_target: list[tuple[str | None, Scores]] = [(None, row_scores(slices, tests, past))]
    by_target += [(one.name, value_scores(slices, one, tests, past)) for one in targets if one.name not in own]
    scores = np.array([one.score * (_SAYS_WHAT if name is None else 1.0) for name, one in by_target])
    if not scores.size or not scores.max() > 0.0:
        return
    row, code = (int(index) for index in np.unravel_index(scores.argmax(), scores.shape))
    best = scores[row, code]
    order = np.argsort(-scores[:, code], kind="stable")
    changed = tuple(
        name for index in order if scores[index, code] >= _TOO * best and (name := by_target[index][0]) is not None
    )
    first = by_target[row]
    yield _Found(
        place,
        code,
        _conditions(place, code),
        changed if first[0] is not None else (),
        float(first[1].changed[code]),
        float(first[1].carried[code]),
        float(best),
    )


def _conditions(place: tuple[Coded, ...], code: int) -> tuple[Condition, ...]:
    if len(place) == 1:
        return (Condition(place[0].name, place[0].values[code]),)
    both, *names = place
    return tuple(Condition(one.name, value) for one, value in zip(names, both.values[code], strict=True))


def _without(rows: _Rows, found: _Found) -> _Rows:
    """What is left when the rows of a slice are taken away."""
    kept = [side != found.code for side in found.place[0].sides]

    def left(one: Coded) -> Coded:
        return replace(one, sides=(one.sides[0][kept[0]], one.sides[1][kept[1]]))

    return _Rows(
        tuple(left(one) for one in rows.attributes),
        tuple((left(one), left(two), left(both)) for one, two, both in rows.pairs),
        tuple(left(one) for one in rows.targets),
        rows.types,
    )


def _overall(target: Coded) -> float:
    counts = [np.bincount(side, minlength=target.size)[None, :].astype(float) for side in target.sides[:2]]
    return float(distance(counts[0], counts[1])[0])


def _slice(found: _Found, before: pa.Table, now: pa.Table, options: ProfileOptions, each: float) -> Slice:
    sides = rows_of(before, found.conditions), rows_of(now, found.conditions)
    return Slice(
        conditions=found.conditions,
        columns=found.columns,
        changed=found.changed,
        carried=found.carried,
        rows=round(each * sides[1].num_rows),
        rows_before=round(each * sides[0].num_rows),
        share=sides[1].num_rows / now.num_rows if now.num_rows else 0.0,
        contrasts=tuple(contrasts(*sides, found.columns, options, each)),
    )


def _equal(values: pa.ChunkedArray, value: Any) -> NDArray[np.bool_]:
    found = values.is_null() if value is None else pc.fill_null(pc.equal(values, pa.scalar(value, values.type)), False)
    return np.asarray(found.to_numpy(), dtype=bool)

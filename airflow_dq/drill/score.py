"""How much each slice of one attribute has changed beyond the rest, and how much of the whole change it carries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from airflow_dq.drill.code import Coded
from airflow_dq.drill.past import Past, table_of

Floats = NDArray[np.float64]
ALPHA = 0.01
"""Chance that any slice at all is named by sampling alone, over everything that is tried."""
LEAST_CHANGE = 0.15
"""A slice in which less has changed beyond the rest is not named, however sure: days differ by as much."""
LEAST_CARRIED = 0.3
"""A slice that carries less of the change does not explain it; two or three of them may do so together."""
TIMES_USUAL = 2.0
"""How many times as much as between any two good partitions before it a slice must have changed."""
LEAST_ROWS = 20
"""A slice with fewer rows on either side has no distribution to compare."""
LEAST_ROW_CHANGE = 0.35
"""The same as :data:`LEAST_CHANGE` for the number of rows, which weekdays move as well."""
LEAST_MOVED_ROWS = 0.01
"""Rows that came or went, as a share of all, below which nobody is to be told of a slice."""
_ONE = 0.95
"""With so many of its rows in one cell a slice has one value there, but for a few."""
_BEYOND = 4.0
"""How many times as far as its siblings usually are a slice must be from their middle."""


@dataclass(frozen=True)
class Scores:
    """By value of an attribute; 0 for what is not to be named."""

    changed: Floats
    carried: Floats

    @property
    def score(self) -> Floats:
        """The harmonic mean of both."""
        total = self.changed + self.carried
        return np.divide(2.0 * self.changed * self.carried, total, out=np.zeros_like(total), where=total > 0.0)


def distance(before: Floats, now: Floats) -> Floats:
    """Total variation distance of each row of counts beyond what sampling alone makes of it; 0 to 1.

    Under no change its mean is about half the sum of the cells' mean absolute deviations.
    """
    n, m = before.sum(axis=-1), now.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        p, q = before / n[..., None], now / m[..., None]
        pooled = (before + now) / (n + m)[..., None]
        noise = 0.5 * np.sqrt(2.0 / np.pi * pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m)[..., None]).sum(axis=-1)
        found = 0.5 * np.abs(p - q).sum(axis=-1) - noise
    return np.where((n > 0) & (m > 0), np.maximum(found, 0.0), 0.0)


@dataclass(frozen=True)
class _Change:
    """One measure of how much slices have changed, by value of an attribute."""

    inside: Floats
    outside: Floats
    """In all rows but the slice's."""
    chance: Floats
    """What it exceeds by chance in no more than :data:`ALPHA` of all drills, if rows are independent."""
    least: Floats
    """The least that must be left beyond the rest."""
    rows: tuple[Floats, Floats]
    """Of the slice and of all others, now."""
    enough: NDArray[np.bool_]
    """Which slices have rows enough to be compared."""

    @property
    def carried(self) -> Floats:
        """How much of the whole change is in each slice."""
        moved = self.rows[0] * self.inside
        total = moved + self.rows[1] * self.outside
        return np.divide(moved, total, out=np.zeros_like(moved), where=total > 0.0)

    @property
    def named(self) -> NDArray[np.bool_]:
        """Which slices are to be named unless what they have changed by is usual, or their siblings have as well."""
        return np.asarray(
            self.enough
            & (self.inside >= self.chance)
            & (self.inside - self.outside >= self.least)
            & (self.carried >= LEAST_CARRIED)
        )

    def scores(self, usual: float) -> Scores:
        """What is beyond the rest and what is usual; 0 where that is too little."""
        beyond = self.inside - np.maximum(self.outside, usual)
        unusual = (self.inside >= _bar(usual)) & (beyond >= self.least) & _stands_out(self.inside, self.enough)
        named = self.named & unusual
        return Scores(np.where(named, beyond, 0.0), np.where(named, self.carried, 0.0))


def value_scores(attribute: Coded, target: Coded, tests: int, past: Past) -> Scores:
    """Slices by how much the distribution of another column has changed in them.

    Measured is the total variation distance of before and now, and the share of rows with values that no slice has
    had so often: the first sees any change, the second what is new where slices change as a whole from day to day.
    They exceed their means by t with a probability of at most exp(-2 t^2 / (1/n + 1/m)) and exp(-2 t^2 m)
    (McDiarmid), whatever the distribution: that, shared by all tests, bounds chance in rows that are independent.
    A rest of few rows is no measure for a slice, by the same bound.  Rows of real tables come in clusters, though,
    and days differ: a slice must differ from the rest by enough, from its siblings, and from what any of them
    changed by between the good partitions before.

    :param tests: number of slices and columns that are tried in all
    """
    counts = [table_of(attribute, target, *sides) for sides in zip(attribute.sides, target.sides, strict=True)]
    before, now = (side[:-1] for side in counts)
    rest = [side.sum(axis=0) - side[:-1] for side in counts]
    n, m = before.sum(axis=1), now.sum(axis=1)
    others = rest[0].sum(axis=1), rest[1].sum(axis=1)
    enough = (n >= LEAST_ROWS) & (m >= LEAST_ROWS)
    sides = {"rows": (m, others[1]), "enough": enough}

    def moved() -> _Change:
        least = np.maximum(LEAST_CHANGE, _by_chance(*others, tests))
        return _Change(distance(before, now), distance(*rest), _by_chance(n, m, tests), least, **sides)

    def came(known: Sequence[Floats]) -> _Change:
        least = np.maximum(LEAST_CHANGE, _by_chance(np.inf, others[1], tests))
        outside = new_share(rest[1], known)
        told = enough & ~_one_draw(before, now)
        return _Change(new_share(now, known), outside, _by_chance(np.inf, m, tests), least, sides["rows"], told)

    first = moved(), came([before])
    if not any(one.named.any() for one in first):
        return Scores(np.zeros_like(n), np.zeros_like(n))
    known = [before, *(one[:-1] for one in past.tables(attribute, target))]
    ways = (first[0].scores(usual_distance(known)), came(known).scores(usual_new_share(known)))
    better = ways[1].score > ways[0].score
    return Scores(
        np.where(better, ways[1].changed, ways[0].changed), np.where(better, ways[1].carried, ways[0].carried)
    )


def row_scores(attribute: Coded, tests: int, past: Past) -> Scores:
    """Slices by how many rows have come or gone, beside what became of the others.

    :param tests: as for :func:`value_scores`
    """
    n, m = (np.bincount(side, minlength=attribute.size).astype(float) for side in attribute.sides)
    relative, change, expected = _row_change(n, m)
    deviation = _row_deviation(n, m, expected)
    # Of many values with few rows each, chance alone moves more rows than an accident does in one.
    beyond = np.maximum(0.0, change - math.sqrt(2.0 / math.pi) * deviation)
    carried = beyond / max(1.0, beyond.sum())
    chance = math.sqrt(2.0 * math.log(tests / ALPHA)) * deviation
    named = (
        (min(n.sum(), m.sum()) >= LEAST_ROWS)
        & (change >= chance)
        & (relative >= LEAST_ROW_CHANGE)
        & (change >= LEAST_MOVED_ROWS * max(m.sum(), expected.sum()))
        & (carried >= LEAST_CARRIED)
        & _stands_out(relative, n + m >= LEAST_ROWS)
    )[:-1]
    relative, carried = relative[:-1], carried[:-1]
    if named.any():
        known = [n, *(counts.astype(float) for counts in past.rows(attribute))]
        # In the middle of the pairs: one day on which a value stayed away makes that no habit.
        usual = float(np.median([_usual_row_change(old, new) for new, old in pairwise(known)] or [0.0]))
        clustered = math.sqrt(_row_dispersion(known))
        named = named & (relative >= _bar(usual)) & (relative > usual) & (change >= clustered * chance)[:-1]
    return Scores(np.where(named, relative, 0.0), np.where(named, carried, 0.0))


def usual_distance(known: Sequence[Floats]) -> float:
    """How much any slice of an attribute has changed from one good partition to the next; 0 where there is only one.

    :param known: counts of the good partitions by slice and cell, the newest first
    """
    found = [0.0]
    for now, before in pairwise(known):
        enough = np.minimum(before.sum(axis=1), now.sum(axis=1)) >= LEAST_ROWS
        found.append(float(distance(before[enough], now[enough]).max(initial=0.0)))
    return max(found)


def new_share(now: Floats, known: Sequence[Floats]) -> Floats:
    """By slice: the share of its rows in cells beyond the largest share of any slice in any good partition.

    Where whole clusters change from day to day, every slice differs from what it was, and an accident cannot make it
    differ by more; but what they change to has been there before, in another slice or on another day.

    :param known: counts of the good partitions
    """
    most = np.max([_shares(one[one.sum(axis=1) >= LEAST_ROWS]).max(axis=0, initial=0.0) for one in known], axis=0)
    rows = np.maximum(now.sum(axis=1, keepdims=True), 1.0)
    noise = np.sqrt(2.0 / np.pi * most * (1.0 - most) / rows)
    return np.asarray(np.maximum(_shares(now) - most - noise, 0.0).sum(axis=1))


def usual_new_share(known: Sequence[Floats]) -> float:
    """The most that any slice of a good partition has that no other partition had; 0 where there is only one."""
    found = [0.0]
    for place, one in enumerate(known):
        others = [*known[:place], *known[place + 1 :]]
        if others:
            found.append(float(new_share(one[one.sum(axis=1) >= LEAST_ROWS], others).max(initial=0.0)))
    return max(found)


def _one_draw(before: Floats, now: Floats) -> NDArray[np.bool_]:
    """Slices whose rows have one value, before and now: they are one cluster, of which a new value proves nothing.

    The last cell has what is null, or no known text: what was there is gone, however the rows are clustered.
    """
    same = (_shares(before).max(axis=1) >= _ONE) & (_shares(now).max(axis=1) >= _ONE)
    return np.asarray(same & (now.argmax(axis=1) < now.shape[1] - 1))


def _shares(counts: Floats) -> Floats:
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0))


def _bar(usual: float) -> float:
    """The least change that is none of the usual ones: twice as much, or where half as much is left as usually is."""
    return min(TIMES_USUAL * usual, 1.0 - (1.0 - usual) / TIMES_USUAL)


def _row_dispersion(known: Sequence[Floats]) -> float:
    """How many times the variance of a value's rows is what it were if rows were independent; at least 1.

    :param known: rows of each value in the good partitions, the newest first
    """
    ratios = list[float]()
    for now, before in pairwise(known):
        _, change, expected = _row_change(before, now)
        deviation = _row_deviation(before, now, expected)
        found = np.divide(change, deviation, out=np.zeros_like(change), where=deviation > 0.0)
        there = (before > 0) | (now > 0)
        ratios.append(float(np.mean(np.square(found[there]))) if there.any() else 1.0)
    return max(1.0, float(np.median(ratios))) if ratios else 1.0


def _row_deviation(n: Floats, m: Floats, expected: Floats) -> Floats:
    """Standard deviation of a change of independent rows."""
    return np.asarray(np.sqrt(m + np.square(expected) / np.maximum(n, 1.0)))


def _usual_row_change(earlier: Floats, before: Floats) -> float:
    """The largest relative change of any value's rows between two partitions, of those with rows enough."""
    relative, change, _ = _row_change(earlier, before)
    return float(relative[change >= np.maximum(LEAST_ROWS, LEAST_MOVED_ROWS * before.sum())].max(initial=0.0))


def _row_change(n: Floats, m: Floats) -> tuple[Floats, Floats, Floats]:
    """By value: the change relative to the larger number, in rows, and the rows that were to be expected."""
    expected = _usual_ratio(n, m) * n
    change = np.abs(m - expected)
    larger = np.maximum(m, expected)
    return np.divide(change, larger, out=np.zeros_like(change), where=larger > 0.0), change, expected


def _by_chance(n: Floats | float, m: Floats, tests: int) -> Floats:
    """What the distance of samples of these sizes exceeds by chance in no more than :data:`ALPHA` of all drills."""
    with np.errstate(divide="ignore"):
        return np.sqrt(0.5 * math.log(tests / ALPHA) * (1.0 / n + 1.0 / m))


def _usual_ratio(n: Floats, m: Floats) -> float:
    """Rows now for each row before, in the value that stands in the middle of the rows before."""
    known = n > 0
    if not known.any():
        return 1.0
    ratios, weights = m[known] / n[known], n[known]
    order = np.argsort(ratios)
    middle = np.searchsorted(np.cumsum(weights[order]), 0.5 * weights.sum())
    return float(ratios[order][min(middle, len(order) - 1)])


def _stands_out(values: Floats, known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which values are far from the middle of the others, as those are spread; all, where there are too few to tell.

    Where the middle is near to 1, which none can exceed, what it leaves takes the place of the spread.
    """
    others = values[known]
    if len(others) < 5:
        return np.ones(len(values), dtype=bool)
    middle = np.median(others)
    spread = 1.4826 * np.median(np.abs(others - middle))
    return np.asarray(values >= min(middle + _BEYOND * spread, 1.0 - (1.0 - middle) / _BEYOND))

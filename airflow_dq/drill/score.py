"""How much each slice of one attribute has changed beyond the rest, and how much of the whole change it carries."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airflow_dq.drill.code import Coded

Floats = NDArray[np.float64]
ALPHA = 0.01
"""Chance that any slice at all is named by sampling alone, over everything that is tried."""
LEAST_CHANGE = 0.15
"""A slice in which less has changed beyond the rest is not named, however sure: days differ by as much."""
LEAST_CARRIED = 0.3
"""A slice that carries less of the change does not explain it; two or three of them may do so together."""
TIMES_USUAL = 2.0
"""How many times as much as between the two partitions before it a slice must have changed."""
LEAST_ROWS = 20
"""A slice with fewer rows on either side has no distribution to compare."""
LEAST_ROW_CHANGE = 0.35
"""The same as :data:`LEAST_CHANGE` for the number of rows, which weekdays move as well."""
LEAST_MOVED_ROWS = 0.01
"""Rows that came or went, as a share of all, below which nobody is to be told of a slice."""
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


def value_scores(attribute: Coded, target: Coded, tests: int) -> Scores:
    """Slices by how much the distribution of another column has changed in them.

    The total variation distance of two samples exceeds its mean by t with a probability of at most
    exp(-2 t^2 / (1/n + 1/m)) (McDiarmid), whatever the distribution: that, shared by all tests, bounds chance.  A rest
    of few rows is no measure for a slice, by the same bound.  Days differ by more than chance, though, so that a slice
    must differ from the rest by enough, from its siblings, and from what it was like even earlier.

    :param tests: number of slices and columns that are tried in all
    """
    counts = [_table(attribute, target, side) for side in range(len(attribute.sides))]
    before, now = (side[:-1] for side in counts[:2])
    rest = [side.sum(axis=0) - side[:-1] for side in counts[:2]]
    inside, outside = distance(before, now), distance(rest[0], rest[1])
    usual = _usual_distance(counts[2][:-1], before) if len(counts) > 2 else 0.0
    n, m = before.sum(axis=1), now.sum(axis=1)
    by_chance = _by_chance(n, m, tests)
    by_chance_outside = _by_chance(rest[0].sum(axis=1), rest[1].sum(axis=1), tests)
    changed = inside - np.maximum(outside, usual)
    moved = m * inside
    total = moved + rest[1].sum(axis=1) * outside
    carried = np.divide(moved, total, out=np.zeros_like(moved), where=total > 0.0)
    enough = (n >= LEAST_ROWS) & (m >= LEAST_ROWS)
    named = (
        enough
        & (inside >= np.maximum(by_chance, TIMES_USUAL * usual))
        & (changed >= np.maximum(LEAST_CHANGE, by_chance_outside))
        & (carried >= LEAST_CARRIED)
        & _stands_out(inside, enough)
    )
    return Scores(np.where(named, changed, 0.0), np.where(named, carried, 0.0))


def row_scores(attribute: Coded, tests: int) -> Scores:
    """Slices by how many rows have come or gone, beside what became of the others.

    :param tests: as for :func:`value_scores`
    """
    counts = [np.bincount(side, minlength=attribute.size).astype(float) for side in attribute.sides]
    n, m = counts[:2]
    relative, change, expected = _row_change(n, m)
    usual = _usual_row_change(counts[2], n) if len(counts) > 2 else 0.0
    deviation = np.sqrt(m + np.square(expected) / np.maximum(n, 1.0))
    # Of many values with few rows each, chance alone moves more rows than an accident does in one.
    beyond = np.maximum(0.0, change - math.sqrt(2.0 / math.pi) * deviation)
    carried = beyond / max(1.0, beyond.sum())
    chance = math.sqrt(2.0 * math.log(tests / ALPHA)) * deviation
    named = (
        (min(n.sum(), m.sum()) >= LEAST_ROWS)
        & (change >= chance)
        & (relative >= np.maximum(LEAST_ROW_CHANGE, TIMES_USUAL * usual))
        & (change >= LEAST_MOVED_ROWS * max(m.sum(), expected.sum()))
        & (carried >= LEAST_CARRIED)
        & _stands_out(relative, n + m >= LEAST_ROWS)
    )[:-1]
    return Scores(np.where(named, relative[:-1], 0.0), np.where(named, carried[:-1], 0.0))


def _usual_distance(earlier: Floats, before: Floats) -> float:
    """How much any slice of the attribute changed between the two partitions before."""
    enough = np.minimum(earlier.sum(axis=1), before.sum(axis=1)) >= LEAST_ROWS
    return float(distance(earlier[enough], before[enough]).max(initial=0.0))


def _usual_row_change(earlier: Floats, before: Floats) -> float:
    """The largest relative change of any value's rows between the two partitions before, of those with rows enough."""
    relative, change, _ = _row_change(earlier, before)
    return float(relative[change >= np.maximum(LEAST_ROWS, LEAST_MOVED_ROWS * before.sum())].max(initial=0.0))


def _row_change(n: Floats, m: Floats) -> tuple[Floats, Floats, Floats]:
    """By value: the change relative to the larger number, in rows, and the rows that were to be expected."""
    expected = _usual_ratio(n, m) * n
    change = np.abs(m - expected)
    larger = np.maximum(m, expected)
    return np.divide(change, larger, out=np.zeros_like(change), where=larger > 0.0), change, expected


def _by_chance(n: Floats, m: Floats, tests: int) -> Floats:
    """What the distance of samples of these sizes exceeds by chance in no more than :data:`ALPHA` of all drills."""
    with np.errstate(divide="ignore"):
        return np.sqrt(0.5 * math.log(tests / ALPHA) * (1.0 / n + 1.0 / m))


def _table(attribute: Coded, target: Coded, side: int) -> Floats:
    rows, cells = attribute.sides[side], target.sides[side]
    size = attribute.size * target.size
    return np.bincount(rows * target.size + cells, minlength=size).reshape(attribute.size, target.size).astype(float)


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
    """Which values are far from the middle of the others, as those are spread; all, where there are too few to tell."""
    others = values[known]
    if len(others) < 5:
        return np.ones(len(values), dtype=bool)
    middle = np.median(others)
    spread = 1.4826 * np.median(np.abs(others - middle))
    return np.asarray(values >= middle + _BEYOND * spread)

"""How probable it is that a relation holds by chance: each row counts by the chance that it had to break it.

Were one of its columns independent of the others, a row would keep a relation with the probability that a value drawn
from that column keeps it there.  The product over rows is the chance of all of them keeping it.  Rows that say the
same in all columns of a relation are one row: a thousand copies of it are no evidence.  The column by which a
relation looks most like chance decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airflow_dq.relation.arithmetic import SLACK, UNITS, Arithmetic, Duration, Floats, Linear, Product, Sum
from airflow_dq.relation.base import Columns, Flags

ACCEPTED = 1e-3
"""Chance that among all relations that could have been found in a table any holds by chance: the sum of the chances of
all of them (Bonferroni), which bounds the share of false ones as well.  A stricter bound costs nothing, for the chances
of those that do hold are far below."""


def log_chance(kept: Floats, broken: int) -> float:
    """Logarithm of an upper bound of the chance that at most so many rows break a relation.

    Of two bounds the smaller one: the product over the rows, times the number of ways in which the broken ones can be
    chosen; and Chernoff's, by how many were to be expected.

    :param kept: of each row the probability that it keeps the relation, those included that break it
    """
    rows = len(kept)
    if rows <= broken:
        return 0.0
    # The rows that break it may be any: the least probable ones are left out.
    logs = np.sort(np.log(np.clip(kept, 1e-300, 1.0)))[broken:]
    ways = math.lgamma(rows + 1) - math.lgamma(broken + 1) - math.lgamma(rows - broken + 1)
    product = ways + float(logs.sum())
    expected = float((1.0 - kept).sum())
    if expected <= broken:
        return min(0.0, product)
    chernoff = broken - expected + (broken * math.log(expected / broken) if broken else 0.0)
    return min(0.0, product, chernoff)


def distinct_rows(values: Sequence[NDArray[Any]]) -> NDArray[np.intp]:
    """Places of the first row of each combination of values; floats, or hashes of 64 bits."""
    mixed = np.zeros(len(values[0]), np.uint64)
    with np.errstate(over="ignore"):
        for one in values:
            bits = (one + 0.0).view(np.uint64) if one.dtype == np.float64 else one.astype(np.uint64)
            mixed = (mixed ^ bits) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
    return np.unique(mixed, return_index=True)[1]


def arithmetic_chance(relation: Arithmetic, rows: Columns, speaks: Flags, breaks: Flags) -> float:
    """Logarithm of the chance that numbers keep a relation, by the column for which it is largest."""
    values = [rows[name].numbers[speaks] for name in relation.columns]
    if not len(values[0]):
        return 0.0
    distinct = distinct_rows(values)
    broken = int(np.count_nonzero(breaks[speaks][distinct]))
    chosen = [one[distinct] for one in values]
    return max(
        log_chance(_share_between(*_needed(relation, place, chosen), values[place]), broken)
        for place in range(len(values))
    )


def equal_chance(left: NDArray[np.generic], right: NDArray[np.generic]) -> float:
    """The same for two columns that are equal in most rows, by their values or hashes where both have one."""
    if not len(left):
        return 0.0
    distinct = distinct_rows([left, right])
    broken = int(np.count_nonzero((left != right)[distinct]))
    return max(log_chance(_share_of(one[distinct], other), broken) for one, other in ((left, right), (right, left)))


def order_chance(lower: Floats, upper: Floats) -> float:
    """The same for ``lower <= upper``, by finite numbers of the same rows."""
    if not len(lower):
        return 0.0
    distinct = distinct_rows([lower, upper])
    broken = int(np.count_nonzero((lower > upper)[distinct]))
    uppers, lowers = np.sort(upper), np.sort(lower)
    above = 1.0 - np.searchsorted(uppers, lower[distinct], "left") / len(uppers)
    below = np.searchsorted(lowers, upper[distinct], "right") / len(lowers)
    return max(log_chance(above, broken), log_chance(below, broken))


def _share_of(wanted: NDArray[np.generic], values: NDArray[np.generic]) -> Floats:
    ordered = np.sort(values)
    found = np.searchsorted(ordered, wanted, "right") - np.searchsorted(ordered, wanted, "left")
    return found.astype(np.float64) / len(values)


def _share_between(low: Floats, high: Floats, values: Floats) -> Floats:
    ordered = np.sort(values)
    found = np.searchsorted(ordered, high, "right") - np.searchsorted(ordered, low, "left")
    return np.asarray(np.maximum(found, 0) / len(values))


def _needed(relation: Arithmetic, place: int, values: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Of each row the range in which one column's value keeps the relation, given the others."""
    absolute, relative = relation.tolerances()
    with np.errstate(all="ignore"):
        if isinstance(relation, Product):
            others = np.prod([one for at, one in enumerate(values[1:], 1) if at != place], axis=0)
            centre = others if place == 0 else values[0] / others
            scale = np.abs(np.prod(values[1:], axis=0))
            spread = (absolute * SLACK + relative * scale) / (1.0 if place == 0 else np.abs(others))
        else:
            factors, constant = coefficients(relation)
            rest = sum(
                factor * one for at, (factor, one) in enumerate(zip(factors, values, strict=True)) if at != place
            )
            centre = (constant - rest) / factors[place]
            scale = np.max(np.abs(values), axis=0)
            spread = (absolute * SLACK * _unit(relation) + relative * scale) / abs(factors[place])
    # Where nothing is needed, for the others say it all (a factor of 0), any value will do.
    free = ~np.isfinite(centre) | ~np.isfinite(spread)
    return np.where(free, -np.inf, centre - spread), np.where(free, np.inf, centre + spread)


def _unit(relation: Arithmetic) -> float:
    return UNITS[relation.unit] if isinstance(relation, Duration) else 1.0


def coefficients(relation: Arithmetic) -> tuple[tuple[float, ...], float]:
    """The factors of a relation's columns that add up to a constant, and the constant.

    :raises TypeError: of one that is no sum
    """
    if isinstance(relation, Sum):
        return (1.0, *(-1.0 for _ in relation.parts)), 0.0
    if isinstance(relation, Linear):
        return (1.0, -relation.factor), relation.constant
    if isinstance(relation, Duration):
        return (1.0, -1.0, -UNITS[relation.unit]), 0.0
    raise TypeError(f"{relation} is no sum")

"""Choosing the constraints that catch most within a false-positive budget (AVH, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from airflow_dq.program.array import BoolArray, FloatArray


def select(
    cost: FloatArray,
    coverage: BoolArray,
    budget: float,
    *,
    groups: NDArray[np.int64] | None = None,
    max_groups: int | None = None,
) -> list[int]:
    """Greedy budgeted maximum coverage.

    Repeatedly takes the constraint with the most newly covered errors per cost (ties: the larger coverage, then
    the earlier one), compares the result with the best single constraint, and returns the better one.  At
    least ``1/2 - 1/(2e)`` of the optimum is covered (Proposition 4).

    :param cost: bound on the false-positive rate of each constraint, > 0
    :param coverage: constraints x errors: which constraint catches which error
    :param budget: the costs of the chosen never add up to more
    :param groups: group of each constraint (one metric's constraints, say)
    :param max_groups: choose from at most so many groups
    :return: indices of the chosen, in the order of choice; empty when nothing affordable catches anything
    """
    group = np.arange(len(cost)) if groups is None else groups
    size = coverage.sum(axis=1)
    # What does not fit now never fits later: the money left only shrinks.
    open_ = (cost <= budget) & (size > 0)
    affordable = np.flatnonzero(open_)
    chosen: list[int] = []
    spent, covered = 0.0, np.zeros(coverage.shape[1], dtype=bool)
    while open_.any():
        rows = np.flatnonzero(open_)
        gain = (coverage[rows] & ~covered).sum(axis=1)
        if not gain.any():
            break
        ratio = gain / cost[rows]
        best = int(rows[np.lexsort((rows, -size[rows], -ratio))[0]])
        chosen.append(best)
        spent += float(cost[best])
        covered |= coverage[best]
        open_[best] = False
        open_ &= spent + cost <= budget
        if max_groups is not None and len(set(group[chosen])) >= max_groups:
            open_ &= np.isin(group, group[chosen])
    if len(affordable):
        single = int(affordable[np.argmax(size[affordable])])
        if size[single] > covered.sum():
            return [single]
    return chosen


def tightest(chosen: Sequence[int], groups: NDArray[np.int64]) -> list[int]:
    """Of several chosen constraints of one group only the first in the group's order, tightest first.

    The constraints of a group share their center, so the tightest is violated whenever a wider one is: leaving the
    wider ones out changes no verdict and lowers the sum of the bounds.
    """
    first: dict[int, int] = {}
    for index in chosen:
        key = int(groups[index])
        first[key] = min(first.get(key, index), index)
    return list(first.values())


def tightened(chosen: Sequence[int], cost: FloatArray, groups: NDArray[np.int64], budget: float) -> list[int]:
    """The chosen, each replaced by the tightest constraint of its group that an equal part of the rest can pay for.

    A choice ends when all known errors are caught, most often with most of the budget left: the next error may be a
    smaller one.

    :param chosen: at most one constraint of each group; the groups are in order, tightest first
    :param budget: the costs of the result do not add up to more, if those of the chosen do not
    """
    if not chosen:
        return []
    part = max(0.0, budget - float(cost[list(chosen)].sum())) / len(chosen)
    return [
        int(np.flatnonzero((groups == groups[i]) & ((cost <= cost[i]) | (cost < cost[i] + part)))[0]) for i in chosen
    ]

"""Choosing the constraints that catch most within a false-positive budget (AVH, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airflow_dq.learn.array import BoolArray, FloatArray


@dataclass(frozen=True, slots=True)
class CoverageProblem:
    """Budgeted maximum coverage: which constraints to buy, so that most errors are caught.

    A choice is a list of indices of constraints.
    """

    cost: FloatArray
    """Bound on the false-positive rate of each constraint, > 0."""
    coverage: BoolArray
    """Constraints x errors: which constraint catches which error."""
    budget: float
    """The costs of a choice may not add up to more."""
    group: NDArray[np.int64]
    """Group of each constraint: one metric's constraints, tightest first, are a group."""
    max_groups: int | None = None
    """The chosen may come from at most this many groups."""

    def price(self, chosen: Sequence[int]) -> float:
        """What the chosen cost together."""
        return float(self.cost[list(chosen)].sum())


def select(problem: CoverageProblem) -> list[int]:
    """Choose greedily.

    Repeatedly takes the constraint with the most newly covered errors per cost (ties: the larger coverage, then
    the earlier one), compares the result with the best single constraint, and returns the better one.  At
    least ``1/2 - 1/(2e)`` of the optimum is covered (Proposition 4).

    :return: the chosen, in the order of choice; empty when nothing affordable catches anything
    """
    cost, coverage, group = problem.cost, problem.coverage, problem.group
    size = coverage.sum(axis=1)
    # What does not fit now never fits later: the money left only shrinks.
    open_ = (cost <= problem.budget) & (size > 0)
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
        open_ &= spent + cost <= problem.budget
        if problem.max_groups is not None and len(set(group[chosen])) >= problem.max_groups:
            open_ &= np.isin(group, group[chosen])
    if len(affordable):
        single = int(affordable[np.argmax(size[affordable])])
        if size[single] > covered.sum():
            return [single]
    return chosen


def guarded(problem: CoverageProblem, chosen: Sequence[int], guards: Sequence[int]) -> list[int]:
    """The chosen, and the cheapest constraint of each guard: a group that is watched even if it catches nothing known.

    :param guards: the groups; one that has no constraint among the chosen gets one, if it can be paid for
    """
    found, taken = list(chosen), set(problem.group[list(chosen)].tolist())
    # The sum of a choice that spends the whole budget may exceed it by a rounding error.
    left = problem.budget * (1.0 + 1e-9) - problem.price(chosen)
    for guard in guards:
        full = problem.max_groups is not None and len(taken) >= problem.max_groups
        if guard in taken or full:
            continue
        own = np.flatnonzero(problem.group == guard)
        cheapest = int(own[np.argmin(problem.cost[own])])
        if problem.cost[cheapest] <= left:
            found.append(cheapest)
            taken.add(guard)
            left -= float(problem.cost[cheapest])
    return found


def tightest(problem: CoverageProblem, chosen: Sequence[int]) -> list[int]:
    """Of several chosen constraints of one group only the tightest.

    The constraints of a group share their center, so the tightest is violated whenever a wider one is: leaving the
    wider ones out changes no verdict and lowers the sum of the bounds.
    """
    first: dict[int, int] = {}
    for index in chosen:
        group = int(problem.group[index])
        first[group] = min(first.get(group, index), index)
    return list(first.values())


def tightened(problem: CoverageProblem, chosen: Sequence[int]) -> list[int]:
    """The chosen, each replaced by the tightest constraint of its group that an equal part of the rest can pay for.

    A choice ends when all known errors are caught, most often with most of the budget left: the next error may be a
    smaller one.  If the chosen keep the budget, so does the result.

    :param chosen: at most one constraint of each group
    """
    if not chosen:
        return []
    part = max(0.0, problem.budget - problem.price(chosen)) / len(chosen)
    return [_tighter(problem, i, part) for i in chosen]


def _tighter(problem: CoverageProblem, index: int, extra: float) -> int:
    """The tightest constraint of the same group that costs no more, or less than that much more."""
    own = problem.cost[index]
    payable = (problem.cost <= own) | (problem.cost < own + extra)
    return int(np.flatnonzero((problem.group == problem.group[index]) & payable)[0])

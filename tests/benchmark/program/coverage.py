"""Budgeted maximum coverage without Algorithm 1's shortcut: what its greedy choice is compared with.

Each function takes what :func:`airflow_dq.program.selection.select` takes, and stands in for it.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, eye_array, hstack

from airflow_dq.program.array import BoolArray, FloatArray
from airflow_dq.program.selection import select

FRUGAL = 1e-4
"""Of two choices that catch the same errors the cheaper one: the whole budget is worth this share of one error."""


def exact(
    cost: FloatArray,
    coverage: BoolArray,
    budget: float,
    *,
    groups: NDArray[np.int64] | None = None,
    max_groups: int | None = None,
) -> list[int]:
    """The optimum, by integer programming.

    :raises ValueError: when the number of groups is limited: it is not compared for that
    """
    _unlimited(max_groups)
    open_ = np.flatnonzero((cost <= budget) & coverage.any(axis=1))
    if not len(open_):
        return []
    errors, weight = np.unique(coverage[open_], axis=1, return_counts=True)
    taken, caught = errors.shape
    share = cost[open_] / budget
    within = LinearConstraint(csr_array(np.append(share, np.zeros(caught))[None]), ub=1.0)
    by_one = LinearConstraint(hstack([csr_array(errors.T.astype(float)), -eye_array(caught)]).tocsr(), lb=0.0)
    found = milp(
        np.concatenate([FRUGAL * share, -weight.astype(float)]),
        constraints=[within, by_one],
        integrality=np.append(np.ones(taken), np.zeros(caught)),
        bounds=Bounds(0.0, 1.0),
    )
    if found.x is None:
        raise RuntimeError(f"The integer program was not solved: {found.message}")
    return [int(i) for i in open_[found.x[:taken] > 0.5]]


def enumerated(
    cost: FloatArray,
    coverage: BoolArray,
    budget: float,
    *,
    groups: NDArray[np.int64] | None = None,
    max_groups: int | None = None,
) -> list[int]:
    """The best greedy completion of any two constraints (partial enumeration; Khuller, Moss and Naor, 1999).

    :raises ValueError: when the number of groups is limited: it is not compared for that
    """
    _unlimited(max_groups)
    best = select(cost, coverage, budget)
    reachable = int(coverage[cost <= budget].any(axis=0).sum())
    rows = _cheapest_of_each_kind(cost, coverage, budget)
    for pair in itertools.combinations(rows, 2):
        if _caught(coverage, best) == reachable:
            break
        left = budget - float(cost[list(pair)].sum())
        if left < 0.0:
            continue
        known = coverage[list(pair)].any(axis=0)
        others = select(cost[rows], coverage[rows] & ~known, left)
        best = max(best, [*pair, *(rows[i] for i in others)], key=lambda one: _caught(coverage, one))
    return best


def _unlimited(max_groups: int | None) -> None:
    if max_groups is not None:
        raise ValueError("The number of metrics cannot be limited here; leave max_clauses at None.")


def _cheapest_of_each_kind(cost: FloatArray, coverage: BoolArray, budget: float) -> list[int]:
    """Of constraints that catch the same errors the cheapest one."""
    found: dict[bytes, int] = {}
    for index in np.argsort(cost, kind="stable").tolist():
        if cost[index] <= budget and coverage[index].any():
            found.setdefault(coverage[index].tobytes(), index)
    return list(found.values())


def _caught(coverage: BoolArray, chosen: list[int]) -> int:
    return int(coverage[chosen].any(axis=0).sum()) if chosen else 0

"""Budgeted maximum coverage without Algorithm 1's shortcut: what its greedy choice is compared with.

Each function can stand in for :func:`airflow_dq.learn.choose.greedy.select`.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, eye_array, hstack

from airflow_dq.learn.array import BoolArray
from airflow_dq.learn.choose.greedy import CoverageProblem, select

FRUGAL = 1e-4
"""Of two choices that catch the same errors the cheaper one: the whole budget is worth this share of one error."""


def exact(problem: CoverageProblem) -> list[int]:
    """The optimum, by integer programming.

    :raises ValueError: when the number of groups is limited: it is not compared for that
    """
    _check_unlimited(problem)
    cost, coverage, budget = problem.cost, problem.coverage, problem.budget
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


def enumerated(problem: CoverageProblem) -> list[int]:
    """The best greedy completion of any two constraints (partial enumeration; Khuller, Moss and Naor, 1999).

    :raises ValueError: when the number of groups is limited: it is not compared for that
    """
    _check_unlimited(problem)
    coverage = problem.coverage
    best = select(problem)
    reachable = int(coverage[problem.cost <= problem.budget].any(axis=0).sum())
    rows = _cheapest_of_each_kind(problem)
    for pair in itertools.combinations(rows, 2):
        if _caught(coverage, best) == reachable:
            break
        left = problem.budget - problem.price(pair)
        if left < 0.0:
            continue
        known = coverage[list(pair)].any(axis=0)
        others = select(CoverageProblem(problem.cost[rows], coverage[rows] & ~known, left, problem.group[rows]))
        best = max(best, [*pair, *(rows[i] for i in others)], key=lambda one: _caught(coverage, one))
    return best


def _check_unlimited(problem: CoverageProblem) -> None:
    if problem.max_groups is not None:
        raise ValueError("The number of metrics cannot be limited here; leave max_clauses at None.")


def _cheapest_of_each_kind(problem: CoverageProblem) -> list[int]:
    """Of constraints that catch the same errors the cheapest one."""
    found: dict[bytes, int] = {}
    coverage = problem.coverage
    for index in np.argsort(problem.cost, kind="stable").tolist():
        if problem.cost[index] <= problem.budget and coverage[index].any():
            found.setdefault(coverage[index].tobytes(), index)
    return list(found.values())


def _caught(coverage: BoolArray, chosen: list[int]) -> int:
    return int(coverage[chosen].any(axis=0).sum()) if chosen else 0

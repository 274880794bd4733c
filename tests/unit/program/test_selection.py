from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from airflow_dq.program.selection import select, tightened, tightest
from tests.benchmark.program.coverage import enumerated, exact


def _optimum(cost: np.ndarray, coverage: np.ndarray, budget: float) -> int:
    best = 0
    for size in range(len(cost) + 1):
        for subset in itertools.combinations(range(len(cost)), size):
            rows = list(subset)
            if cost[rows].sum() <= budget:
                best = max(best, int(coverage[rows].any(axis=0).sum()))
    return best


@pytest.mark.parametrize("seed", range(200))
def test_greedy_keeps_the_budget_and_the_guarantee_of_proposition_4(seed: int) -> None:
    rng = np.random.default_rng(seed)
    constraints, errors = int(rng.integers(1, 10)), int(rng.integers(1, 13))
    cost = rng.choice([rng.random(constraints), 10.0 ** -rng.uniform(0, 4, constraints)])
    coverage = rng.random((constraints, errors)) < rng.uniform(0.05, 0.6)
    budget = float(rng.uniform(0.05, 1.2))

    chosen = select(cost, coverage, budget)

    assert len(set(chosen)) == len(chosen)
    assert cost[chosen].sum() <= budget
    covered = coverage[chosen].any(axis=0).sum() if chosen else 0
    assert covered >= (1 / 2 - 1 / (2 * math.e)) * _optimum(cost, coverage, budget)


@pytest.mark.parametrize("seed", range(50))
def test_what_the_greedy_choice_is_compared_with_is_better_or_optimal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cost = 10.0 ** -rng.uniform(0, 2, 9)
    coverage = rng.random((9, 12)) < 0.3
    caught = {}
    for way in (select, enumerated, exact):
        chosen = way(cost, coverage, 0.6)
        assert cost[chosen].sum() <= 0.6 * (1 + 1e-6)
        caught[way] = int(coverage[chosen].any(axis=0).sum())
    assert caught[select] <= caught[enumerated] <= caught[exact] == _optimum(cost, coverage, 0.6)


def test_best_single_constraint_beats_a_cheap_greedy_choice() -> None:
    # The cheap constraint has the better ratio, and then leaves no budget for the one that catches everything.
    cost = np.array([0.001, 1.0])
    coverage = np.array([[True, False, False, False], [True, True, True, True]])
    assert select(cost, coverage, 1.0) == [1]


def test_ties_go_to_the_larger_coverage_then_to_the_earlier_constraint() -> None:
    coverage = np.array([[True, False, False], [True, True, False], [True, True, False]])
    assert select(np.array([0.1, 0.2, 0.2]), coverage, 1.0)[0] == 1
    assert select(np.array([0.2, 0.2, 0.2]), coverage, 1.0) == [1]


def test_nothing_affordable_or_nothing_caught_chooses_nothing() -> None:
    assert select(np.array([0.5]), np.array([[True]]), 0.1) == []
    assert select(np.array([0.05]), np.array([[False]]), 0.1) == []
    assert select(np.empty(0), np.empty((0, 4), dtype=bool), 0.1) == []


def test_at_most_so_many_groups() -> None:
    cost, coverage = np.full(4, 0.01), np.eye(4, dtype=bool)
    groups = np.array([0, 0, 1, 2])
    assert select(cost, coverage, 1.0, groups=groups, max_groups=1) == [0, 1]
    assert select(cost, coverage, 1.0, groups=groups, max_groups=2) == [0, 1, 2]


def test_tightest_of_each_group_in_the_order_of_choice() -> None:
    assert tightest([5, 1, 4, 0], np.array([0, 0, 0, 1, 1, 1])) == [4, 0]
    assert tightest([], np.array([0, 1])) == []


def test_what_is_left_of_the_budget_makes_the_chosen_tighter() -> None:
    # Two groups, tightest first; of a budget of 1 there is 0.6 left, 0.3 for each.
    cost, groups = np.array([0.5, 0.35, 0.1, 0.62, 0.3]), np.array([0, 0, 0, 1, 1])
    assert tightened([2, 4], cost, groups, 1.0) == [1, 4]
    assert tightened([2, 4], cost, groups, 1.1) == [1, 3]
    assert tightened([2, 4], cost, groups, 0.4) == [2, 4]
    assert tightened([], cost, groups, 1.0) == []


@pytest.mark.parametrize("seed", range(100))
def test_a_tighter_choice_keeps_the_budget_and_the_groups(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(5), 7)
    cost = np.tile(np.array([0.99, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01]), 5)
    chosen = [int(group * 7 + rng.integers(3, 7)) for group in rng.permutation(5)[: rng.integers(1, 6)]]
    tighter = tightened(chosen, cost, groups, 1.0)
    assert cost[tighter].sum() <= 1.0
    assert groups[tighter].tolist() == groups[chosen].tolist()
    assert all(new <= old for new, old in zip(tighter, chosen, strict=True))

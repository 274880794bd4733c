from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from airflow_dq.learn.choose.greedy import CoverageProblem, guarded, select, tightened, tightest
from tests.benchmark.program.coverage import enumerated, exact


def _problem(
    cost: np.ndarray,
    coverage: np.ndarray,
    budget: float,
    group: np.ndarray | None = None,
    max_groups: int | None = None,
) -> CoverageProblem:
    """Each constraint is a group of its own unless told otherwise."""
    return CoverageProblem(cost, coverage, budget, np.arange(len(cost)) if group is None else group, max_groups)


def _priced(cost: np.ndarray, group: np.ndarray, budget: float, max_groups: int | None = None) -> CoverageProblem:
    """Where only costs and groups matter."""
    return _problem(cost, np.zeros((len(cost), 0), dtype=bool), budget, group, max_groups)


def _caught(problem: CoverageProblem, chosen: list[int]) -> int:
    return int(problem.coverage[chosen].any(axis=0).sum()) if chosen else 0


def _optimum(problem: CoverageProblem) -> int:
    constraints = range(len(problem.cost))
    subsets = (list(rows) for size in constraints for rows in itertools.combinations(constraints, size + 1))
    return max((_caught(problem, rows) for rows in subsets if problem.price(rows) <= problem.budget), default=0)


@pytest.mark.parametrize("seed", range(200))
def test_greedy_keeps_the_budget_and_the_guarantee_of_proposition_4(seed: int) -> None:
    rng = np.random.default_rng(seed)
    constraints, errors = int(rng.integers(1, 10)), int(rng.integers(1, 13))
    cost = rng.choice([rng.random(constraints), 10.0 ** -rng.uniform(0, 4, constraints)])
    coverage = rng.random((constraints, errors)) < rng.uniform(0.05, 0.6)
    problem = _problem(cost, coverage, float(rng.uniform(0.05, 1.2)))

    chosen = select(problem)

    assert len(set(chosen)) == len(chosen)
    assert problem.price(chosen) <= problem.budget
    assert _caught(problem, chosen) >= (1 / 2 - 1 / (2 * math.e)) * _optimum(problem)


@pytest.mark.parametrize("seed", range(50))
def test_what_the_greedy_choice_is_compared_with_is_better_or_optimal(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = _problem(10.0 ** -rng.uniform(0, 2, 9), rng.random((9, 12)) < 0.3, 0.6)
    caught = {}
    for way in (select, enumerated, exact):
        chosen = way(problem)
        assert problem.price(chosen) <= 0.6 * (1 + 1e-6)
        caught[way] = _caught(problem, chosen)
    assert caught[select] <= caught[enumerated] <= caught[exact] == _optimum(problem)


@pytest.mark.parametrize("way", [enumerated, exact])
def test_what_the_greedy_choice_is_compared_with_refuses_a_limit_that_it_does_not_keep(
    way: Callable[[CoverageProblem], list[int]],
) -> None:
    with pytest.raises(ValueError, match="leave max_clauses at None"):
        way(_problem(np.array([0.1]), np.array([[True]]), 1.0, max_groups=1))


def test_best_single_constraint_beats_a_cheap_greedy_choice() -> None:
    # The cheap constraint has the better ratio, and then leaves no budget for the one that catches everything.
    cost = np.array([0.001, 1.0])
    coverage = np.array([[True, False, False, False], [True, True, True, True]])
    assert select(_problem(cost, coverage, 1.0)) == [1]


def test_ties_go_to_the_larger_coverage_then_to_the_earlier_constraint() -> None:
    coverage = np.array([[True, False, False], [True, True, False], [True, True, False]])
    assert select(_problem(np.array([0.1, 0.2, 0.2]), coverage, 1.0))[0] == 1
    assert select(_problem(np.array([0.2, 0.2, 0.2]), coverage, 1.0)) == [1]


def test_nothing_affordable_or_nothing_caught_chooses_nothing() -> None:
    assert select(_problem(np.array([0.5]), np.array([[True]]), 0.1)) == []
    assert select(_problem(np.array([0.05]), np.array([[False]]), 0.1)) == []
    assert select(_problem(np.empty(0), np.empty((0, 4), dtype=bool), 0.1)) == []


def test_at_most_so_many_groups() -> None:
    cost, coverage = np.full(4, 0.01), np.eye(4, dtype=bool)
    groups = np.array([0, 0, 1, 2])
    assert select(_problem(cost, coverage, 1.0, groups, max_groups=1)) == [0, 1]
    assert select(_problem(cost, coverage, 1.0, groups, max_groups=2)) == [0, 1, 2]


def test_a_guard_without_a_chosen_constraint_gets_its_cheapest_if_it_can_be_paid_for() -> None:
    # Three groups, tightest first.
    cost, groups = np.array([0.5, 0.4, 0.3, 0.2, 0.3, 0.1]), np.array([0, 0, 1, 1, 2, 2])
    assert guarded(_priced(cost, groups, 1.0), [1], [0, 1, 2]) == [1, 3, 5]
    assert guarded(_priced(cost, groups, 1.0), [1], [2]) == [1, 5]
    assert guarded(_priced(cost, groups, 0.55), [1], [0, 1, 2]) == [1, 5]
    assert guarded(_priced(cost, groups, 0.7), [1], [0, 1, 2]) == [1, 3, 5]
    assert guarded(_priced(cost, groups, 1.0, max_groups=2), [1], [0, 1, 2]) == [1, 3]


def test_tightest_of_each_group_in_the_order_of_choice() -> None:
    problem = _priced(np.full(6, 0.1), np.array([0, 0, 0, 1, 1, 1]), 1.0)
    assert tightest(problem, [5, 1, 4, 0]) == [4, 0]
    assert tightest(problem, []) == []


def test_what_is_left_of_the_budget_makes_the_chosen_tighter() -> None:
    # Two groups, tightest first; of a budget of 1 there is 0.6 left, 0.3 for each.
    cost, groups = np.array([0.5, 0.35, 0.1, 0.62, 0.3]), np.array([0, 0, 0, 1, 1])
    assert tightened(_priced(cost, groups, 1.0), [2, 4]) == [1, 4]
    assert tightened(_priced(cost, groups, 1.1), [2, 4]) == [1, 3]
    assert tightened(_priced(cost, groups, 0.4), [2, 4]) == [2, 4]
    assert tightened(_priced(cost, groups, 1.0), []) == []


@pytest.mark.parametrize("seed", range(100))
def test_a_tighter_choice_keeps_the_budget_and_the_groups(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(5), 7)
    cost = np.tile(np.array([0.99, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01]), 5)
    problem = _priced(cost, groups, 1.0)
    chosen = [int(group * 7 + rng.integers(3, 7)) for group in rng.permutation(5)[: rng.integers(1, 6)]]
    tighter = tightened(problem, chosen)
    assert problem.price(tighter) <= 1.0
    assert groups[tighter].tolist() == groups[chosen].tolist()
    assert all(new <= old for new, old in zip(tighter, chosen, strict=True))

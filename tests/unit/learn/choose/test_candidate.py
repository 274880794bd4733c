from __future__ import annotations

import numpy as np
import pytest
from airflow_dq.learn.choose.candidate import FPR_FLOOR, Candidates, Stationary
from airflow_dq.XX import Transform, TransformKind

from airflow_dq.metrics.descriptor import Bound, Metric, MetricValue, Scale
from airflow_dq.states.base import Kind


def _metric(bound: Bound, pair: bool = False) -> Metric:
    def never() -> MetricValue:
        raise AssertionError("constraints are made from values, not from states")

    return Metric(
        name="example",
        states=(),
        kinds=frozenset({Kind.NUMERIC}),
        pair=pair,
        bound=bound,
        scale=Scale.DISTANCE if pair else Scale.AMOUNT,
        min_effect=0.0,
        paper=True,
        function=never,
    )


def _found(bound: Bound, values: np.ndarray, budget: float = 1e-3, pair: bool = False) -> Candidates:
    learned = Stationary.of(_metric(bound, pair), values)
    assert isinstance(learned, Stationary)
    return learned.constraints(budget)


STABLE = np.random.default_rng(3).normal(0.9, 0.01, 30)


def test_grid_of_algorithm_3() -> None:
    found = _found(Bound.CHEBYSHEV, STABLE)
    multiples = (found.upper - found.center) / found.spread
    assert multiples == pytest.approx(np.arange(1.0, 40.5, 0.5))
    assert found.center - found.lower == pytest.approx(found.upper - found.center)
    assert found.fpr == pytest.approx(1 / np.arange(1.0, 40.5, 0.5) ** 2)
    assert found.center == pytest.approx(STABLE.mean())
    assert found.spread == pytest.approx(np.std(STABLE, ddof=1))
    assert found.samples == 30


def test_small_budget_continues_the_grid_to_where_it_can_be_paid() -> None:
    budget = 1e-3 / 19
    for bound in (Bound.CHEBYSHEV, Bound.CANTELLI, Bound.CLT):
        found = _found(bound, STABLE, budget)
        assert (np.diff(found.upper) > 0).all()
        assert found.fpr.min() <= budget / 1.5


def test_distances_are_bounded_above_only_and_not_differenced() -> None:
    trend = np.arange(30.0)
    found = _found(Bound.CANTELLI, trend, pair=True)
    assert found.transform == Transform()
    assert np.isneginf(found.lower).all()
    assert found.clause(0, "c", ()).lower is None
    assert found.fpr == pytest.approx(1 / (1 + np.arange(1.0, 40.5, 0.5) ** 2))


def test_a_metric_that_never_changed_must_stay_equal() -> None:
    found = _found(Bound.CLT, np.full(30, 50.0))
    clause = found.clause(0, "state", ("nulls 1%",))
    assert (clause.lower, clause.upper) == pytest.approx((50.0, 50.0), abs=1e-7)
    assert clause.lower is not None
    assert clause.lower < 50.0 < (clause.upper or 0.0)
    assert (clause.spread, clause.fpr, clause.catches) == (0.0, FPR_FLOOR, ("nulls 1%",))
    assert found.violations(np.array([50.0, 51.0, np.nan]), 0.0).tolist() == [[False, True, True]]


@pytest.mark.parametrize("pair", [False, True])
def test_a_wider_constraint_keeps_its_center_and_its_open_side(pair: bool) -> None:
    found = _found(Bound.CANTELLI if pair else Bound.CLT, STABLE, pair=pair)
    wider = found.widened(0.5)
    assert wider.upper - wider.center == pytest.approx(1.5 * (found.upper - found.center))
    assert np.isneginf(wider.lower).all() if pair else (wider.lower < found.lower).all()
    assert (wider.center, wider.fpr.tolist()) == (found.center, found.fpr.tolist())


def test_no_rate_below_the_floor_is_claimed() -> None:
    assert _found(Bound.CLT, STABLE).fpr.min() == FPR_FLOOR


def test_growth_is_bounded_by_its_difference() -> None:
    values = 1000 + 5 * np.arange(30) + np.random.default_rng(0).normal(0, 1, 30)
    found = _found(Bound.CLT, values)
    assert found.transform.kind is TransformKind.DIFF
    assert found.samples == 30 - found.transform.lag
    base = values[-found.transform.lag]
    usual, unusual = base + found.center, base + found.center + 100 * found.spread
    assert not found.violations(np.array([usual]), base).any()
    assert found.violations(np.array([unusual]), base).all()


def test_tighter_constraints_catch_what_wider_ones_catch() -> None:
    caught = _found(Bound.CHEBYSHEV, STABLE).violations(np.linspace(0, 2, 50), 0.0)
    assert (caught[:-1] >= caught[1:]).all()


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.array([1.0, 2.0]), "only 2 values in the history, 3 are needed"),
        (np.r_[np.zeros(29), 1.0], "not stationary"),
        (np.array([1e308, 1.7e308, 1e308, 1.7e308, 1e308]), "values too large to be averaged"),
    ],
)
def test_what_cannot_be_bounded_has_a_reason(values: np.ndarray, reason: str) -> None:
    assert Stationary.of(_metric(Bound.CLT), values) == reason


def test_stationarity_can_be_switched_off() -> None:
    learned = Stationary.of(_metric(Bound.CLT), np.arange(30.0), stationary=False)
    assert isinstance(learned, Stationary)
    assert learned.constraints(1e-3).transform == Transform()

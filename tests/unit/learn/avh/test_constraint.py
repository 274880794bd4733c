from __future__ import annotations

import numpy as np
import pytest

from airflow_dq.learn.avh.constraint import FPR_FLOOR, Stationary
from airflow_dq.learn.expect.candidate import Candidates
from airflow_dq.learn.expect.expectation import Expectation, Forecast
from airflow_dq.metrics.descriptor import Bound, Metric, MetricValue, Reason, Scale
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
    return learned.candidates(budget)


NOTHING = np.empty(0)
STABLE = np.random.default_rng(3).normal(0.9, 0.01, 30)


def test_grid_of_algorithm_3() -> None:
    found = _found(Bound.CHEBYSHEV, STABLE)
    assert found.above / found.spread == pytest.approx(np.arange(1.0, 40.5, 0.5))
    assert found.below == pytest.approx(found.above)
    assert found.fpr == pytest.approx(1 / np.arange(1.0, 40.5, 0.5) ** 2)
    assert found.expectation.center == pytest.approx(STABLE.mean())
    assert found.spread == pytest.approx(np.std(STABLE, ddof=1))
    assert found.samples == 30


def test_small_budget_continues_the_grid_to_where_it_can_be_paid() -> None:
    budget = 1e-3 / 19
    for bound in (Bound.CHEBYSHEV, Bound.CANTELLI, Bound.CLT):
        found = _found(bound, STABLE, budget)
        assert (np.diff(found.above) > 0).all()
        assert found.fpr.min() <= budget / 1.5


def test_distances_are_bounded_above_only_and_not_differenced() -> None:
    trend = np.arange(30.0)
    found = _found(Bound.CANTELLI, trend, pair=True)
    assert found.expectation == Expectation(center=trend.mean())
    assert np.isinf(found.below).all()
    assert np.isneginf(found.bounds(0.0)[0]).all()
    assert found.fpr == pytest.approx(1 / (1 + np.arange(1.0, 40.5, 0.5) ** 2))


def test_a_metric_that_never_changed_must_stay_equal() -> None:
    found = _found(Bound.CLT, np.full(30, 50.0))
    (lower,), (upper,) = found.bounds(found.expectation.center)
    assert (lower, upper) == pytest.approx((50.0, 50.0), abs=1e-7)
    assert lower < 50.0 < upper
    assert (found.spread, found.worst, found.fpr.tolist()) == (0.0, 0.0, [FPR_FLOOR])
    assert found.violations([50.0, 51.0, Reason.NO_VALUES], NOTHING).tolist() == [[False, True, True]]
    # What could not be measured is no violation, and neither is what was absent before.
    assert found.violations([Reason.ENGINE_ERROR, None], NOTHING).tolist() == [[False, False]]
    assert found.violations([Reason.NO_VALUES], NOTHING, may_be_absent=True).tolist() == [[False]]


@pytest.mark.parametrize("pair", [False, True])
def test_a_wider_constraint_keeps_its_center_and_its_open_side(pair: bool) -> None:
    found = _found(Bound.CANTELLI if pair else Bound.CLT, STABLE, pair=pair)
    wider = found.widened(0.5)
    assert wider.above == pytest.approx(1.5 * found.above)
    assert np.isinf(wider.below).all() if pair else (wider.below > found.below).all()
    assert (wider.expectation, wider.fpr.tolist()) == (found.expectation, found.fpr.tolist())


def test_no_rate_below_the_floor_is_claimed() -> None:
    assert _found(Bound.CLT, STABLE).fpr.min() == FPR_FLOOR


def test_growth_is_bounded_by_its_difference() -> None:
    values = 1000 + 5 * np.arange(30) + np.random.default_rng(0).normal(0, 1, 30)
    found = _found(Bound.CLT, values)
    assert found.expectation.forecast is Forecast.DIFFERENCE
    assert found.samples == 30 - found.expectation.cycle
    usual = found.expectation.centre(values)
    assert usual == pytest.approx(values[-found.expectation.cycle] + found.expectation.center)
    assert not found.violations([usual], values).any()
    assert found.violations([usual + 100 * found.spread], values).all()
    # Without the value that it is compared with nothing is expected, and nothing violated.
    assert not found.violations([1e9], NOTHING).any()


def test_tighter_constraints_catch_what_wider_ones_catch() -> None:
    caught = _found(Bound.CHEBYSHEV, STABLE).violations(np.linspace(0, 2, 50).tolist(), NOTHING)
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
    assert learned.candidates(1e-3).expectation.is_fixed

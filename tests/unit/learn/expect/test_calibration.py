"""Calibrated constraints: as wide as the history warrants, never narrower than what is material."""

from __future__ import annotations

import math

import numpy as np
import pytest
from airflow_dq.learn.choose.candidate import Candidates
from airflow_dq.learn.expect.calibration import REACH, SPENDING, Calibration, Size
from airflow_dq.XX import Transform, TransformKind
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from airflow_dq.metrics.descriptor import Bound
from airflow_dq.metrics.registry import get_metric
from airflow_dq.states.base import Kind

NORMAL = np.random.default_rng(0).normal(100.0, 1.0, 30)


def constraints(
    name: str, values: np.ndarray, *, kind: Kind = Kind.NUMERIC, size: Size | None = None, budget: float = 1e-3
) -> Candidates:
    metric = get_metric(name, kind)
    assert metric is not None
    learned = Calibration.of(metric, np.asarray(values, float), size or Size(1000.0))
    assert isinstance(learned, Calibration)
    return learned.constraints(budget)


def test_width_is_students_prediction_interval_and_the_material_change() -> None:
    found = constraints("mean", NORMAL)
    assert found.fpr == pytest.approx(1e-3 * np.array(SPENDING))
    quantile = stats.t.isf(0.5e-3, 29)
    noise = quantile * NORMAL.std(ddof=1) * math.sqrt(1 + 1 / 30)
    worst = REACH * np.abs(NORMAL - NORMAL.mean()).max()
    assert (found.upper[0] - found.lower[0]) / 2 == pytest.approx(max(noise, worst) + 0.004 * np.median(NORMAL))
    assert found.clause(0, "c", ()).bound is Bound.STUDENT_T


def test_no_constraint_would_have_been_violated_by_its_own_history() -> None:
    heavy = np.random.default_rng(3).standard_t(2, 30) + 50
    assert not constraints("mean", heavy).violations(heavy, 0.0).any()


def test_a_share_that_was_constant_is_not_violated_by_one_row_in_500() -> None:
    found = constraints("complete_ratio", np.ones(30), size=Size(500.0))
    assert not found.violations(np.array([1.0 - 1 / 500]), 0.0).any()
    assert found.violations(np.array([1.0 - 10 / 500]), 0.0).all()


def test_a_constant_count_may_change_by_one() -> None:
    found = constraints("dist_val_count", np.full(30, 14.0), kind=Kind.STRING)
    assert not found.violations(np.array([13.0, 15.0]), 0.0).any()
    assert found.violations(np.array([10.0, 20.0]), 0.0).all()


def test_tiny_distances_that_become_less_tiny_page_nobody() -> None:
    found = constraints("js_div", np.full(29, 0.00009585))
    assert not found.violations(np.array([0.00009771]), 0.0).any()
    assert np.isneginf(found.lower).all()


def test_counts_are_bounded_by_factors() -> None:
    rows = np.exp(np.random.default_rng(4).normal(8, 0.2, 30))
    found = constraints("row_count", rows)
    assert (found.lower > 0).all()
    assert found.upper[0] / found.center == pytest.approx(found.center / found.lower[0])


def test_a_weekly_cycle_is_judged_against_a_week_before() -> None:
    rows = np.tile([900.0, 910, 905, 920, 930, 300, 310], 5)[:30]
    found = constraints("row_count", rows)
    assert found.transform == Transform(TransformKind.LOG_DIFF, 7, cycles=4)
    saturday, friday = rows[5], rows[4]
    assert found.violations(np.array([friday]), saturday).all()
    assert not found.violations(np.array([saturday]), saturday).any()


def test_moments_in_time_are_compared_with_their_spread() -> None:
    day = 86_400.0
    found = constraints("mean", np.full(30, 1.7e9), kind=Kind.TIMESTAMP, size=Size(1000.0, std=day / 4))
    assert found.violations(np.array([1.7e9 + day]), 0.0).all()


def test_too_few_or_too_large_values_have_a_reason() -> None:
    metric = get_metric("sum", Kind.NUMERIC)
    assert metric is not None
    few, large = np.array([1.0, 2.0]), np.array([1e308, 1.7e308, 1.7e308])
    assert Calibration.of(metric, few, Size(10.0)) == "only 2 values in the history, 3 are needed"
    assert Calibration.of(metric, large, Size(10.0)) == "values too large to be averaged"


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=40), st.sampled_from(["mean", "min", "sum", "std", "emd"]))
@example([1.0, 20.0, 0.5], "std")
@example([1.0, 79.0, 0.5], "std")
def test_cheaper_constraints_are_wider(values: list[float], name: str) -> None:
    found = constraints(name, np.array(values))
    assert (found.upper[1:] >= found.upper[:-1]).all()
    assert (np.diff(found.lower[np.isfinite(found.lower)]) <= 0).all()
    assert (found.fpr > 0).all()
    assert found.fpr.max() <= 1e-3


def test_a_short_history_reaches_further() -> None:
    widths = []
    for count in (7, 14, 30):
        values = np.array([100.0 + (-1) ** i for i in range(count)])
        found = constraints("mean", values, budget=0.5)
        widths.append((found.upper[-1] - found.center) - 0.004 * 100)
    assert widths[0] > 4.0
    assert widths[0] > widths[1] > widths[2] > 1.7


def test_with_few_values_a_positive_amount_may_grow_by_a_factor() -> None:
    values = np.array([1.0, 20.0, 2.0, 90.0, 3.0, 8.0, 40.0])
    found = constraints("mean", values)
    assert found.upper[-1] > 90.0 * 90.0 / values.mean()
    many = constraints("mean", np.tile(values, 4)[:28])
    assert many.upper[-1] < found.upper[-1] / 10


def test_a_quantile_may_move_as_far_as_its_rank_may_err() -> None:
    zeros = np.zeros(30)
    exact = constraints("median", zeros, size=Size(55.0, 3.0))
    assert exact.violations(np.array([1.0]), 0.0).all()
    noisy = constraints("median", zeros, size=Size(55.0, 3.0, below=0.0, above=2.0))
    assert not noisy.violations(np.array([1.0, 2.0]), 0.0).any()
    assert noisy.violations(np.array([-0.5, 2.5]), 0.0).all()

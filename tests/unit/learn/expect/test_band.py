"""Calibrated constraints: as wide as the history warrants, never narrower than what is material."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from airflow_dq.learn.expect.band import SPENDING, UNLIKELY, Band
from airflow_dq.learn.expect.candidate import Candidates
from airflow_dq.learn.expect.expectation import Expectation, Forecast
from airflow_dq.learn.expect.sampling import SamplingError
from airflow_dq.learn.expect.surprise import LEAST, largest_surprise
from airflow_dq.metrics.descriptor import Bound
from airflow_dq.metrics.registry import get_metric
from airflow_dq.states.base import Kind

NOTHING = np.empty(0)
NORMAL = np.random.default_rng(0).normal(100.0, 1.0, 30)


def constraints(
    name: str, values: np.ndarray, *, kind: Kind = Kind.NUMERIC, size: SamplingError | None = None, budget: float = 1e-3
) -> Candidates:
    metric = get_metric(name, kind)
    assert metric is not None
    learned = Band.of(metric, np.asarray(values, float), size or SamplingError(1000.0))
    assert isinstance(learned, Band)
    return learned.candidates(budget)


def test_width_is_pooled_times_the_largest_error_and_the_material_change() -> None:
    found = constraints("mean", NORMAL)
    assert found.fpr == pytest.approx(1e-3 * np.array(SPENDING))
    worst = np.abs(NORMAL - NORMAL.mean()).max()
    times = largest_surprise("mean", 30, found.fpr)
    assert (found.above + found.below) / 2 == pytest.approx(times * worst + 0.004 * np.median(NORMAL))
    assert found.bound is Bound.POOLED


def test_no_constraint_would_have_been_violated_by_its_own_history() -> None:
    heavy = np.random.default_rng(3).standard_t(2, 30) + 50
    assert not constraints("mean", heavy).violations(heavy.tolist(), NOTHING).any()


def test_a_share_that_was_constant_is_not_violated_by_one_row_in_500() -> None:
    found = constraints("complete_ratio", np.ones(30), size=SamplingError(500.0))
    assert not found.violations([1.0 - 1 / 500], NOTHING).any()
    assert found.violations([1.0 - 10 / 500], NOTHING).all()


@pytest.mark.parametrize("length", [20, 29])
def test_a_share_that_has_fallen_once_may_stay_there(length: int) -> None:
    """A country's figures come with one decimal instead of two from a year on: that is one change, not two."""
    usual = 0.95 + 0.01 * np.sin(np.arange(length))
    fallen = constraints("unique_ratio", np.append(usual, 0.7), size=SamplingError(185.0))
    assert not fallen.violations([0.7, 0.702], NOTHING).any()
    assert fallen.violations([0.2], NOTHING)[0].all()
    back = constraints("unique_ratio", np.append(np.append(usual, 0.7), usual[:2]), size=SamplingError(185.0))
    assert back.violations([0.4], NOTHING)[0].all()


def test_a_constant_count_may_change_by_one() -> None:
    found = constraints("dist_val_count", np.full(30, 14.0), kind=Kind.STRING)
    assert not found.violations([13.0, 15.0], NOTHING).any()
    assert found.violations([10.0, 20.0], NOTHING).all()


def test_tiny_distances_that_become_less_tiny_page_nobody() -> None:
    found = constraints("js_div", np.full(29, 0.00009585))
    assert not found.violations([0.00009771], NOTHING).any()
    assert np.isinf(found.below).all()


def test_counts_are_bounded_by_factors() -> None:
    rows = np.exp(np.random.default_rng(4).normal(8, 0.2, 30))
    found = constraints("row_count", rows)
    center = found.expectation.center
    lower, upper = found.bounds(center)
    factors = math.exp(center) / lower
    # A fall by fifty-fold is found at any rate: nothing near it has been seen.
    assert factors == pytest.approx(np.minimum(upper / math.exp(center), 50.0))


def test_a_weekly_cycle_is_judged_against_a_week_before() -> None:
    rows = np.tile([900.0, 910, 905, 920, 930, 300, 310], 5)[:30]
    found = constraints("row_count", rows)
    assert found.expectation == Expectation(Forecast.SEASON, logarithmic=True, cycle=7)
    saturday, friday, before = rows[5], rows[4], rows[:26]
    assert found.violations([friday], before).all()
    assert not found.violations([saturday], before).any()


def test_moments_in_time_are_compared_with_their_spread() -> None:
    day = 86_400.0
    found = constraints("mean", np.full(30, 1.7e9), kind=Kind.TIMESTAMP, size=SamplingError(1000.0, std=day / 4))
    assert found.violations([1.7e9 + day], NOTHING).all()


def test_too_few_or_too_large_values_have_a_reason() -> None:
    metric = get_metric("sum", Kind.NUMERIC)
    assert metric is not None
    few, large = np.array([1.0, 2.0]), np.array([1e308, 1.7e308, 1.7e308])
    assert Band.of(metric, few, SamplingError(10.0)) == "only 2 values in the history, 3 are needed"
    assert Band.of(metric, large, SamplingError(10.0)) == "values too large to be averaged"


@given(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=40), st.sampled_from(["mean", "min", "sum", "std", "emd"]))
@example([1.0, 20.0, 0.5], "std")
@example([1.0, 79.0, 0.5], "std")
def test_cheaper_constraints_are_wider(values: list[float], name: str) -> None:
    found = constraints(name, np.array(values))
    assert (found.above[1:] >= found.above[:-1]).all()
    assert (np.diff(found.below[np.isfinite(found.below)]) >= 0).all()
    assert (found.fpr > 0).all()
    assert found.fpr.max() <= 1e-3


@pytest.mark.parametrize("count", [7, 14, 30])
@pytest.mark.parametrize("zero", [-1e6, 0.0, 3.0, 1e6])
def test_a_settled_level_leaps_wherever_its_zero_lies(count: int, zero: float) -> None:
    values = zero + 0.05 * (-1.0) ** np.arange(count)
    found = constraints("mean", values, size=SamplingError(2000.0, std=1.0), budget=1e-6)
    assert found.violations([zero - 1.3, zero + 1.3, zero + 5.0, zero - 100.0], NOTHING).all()
    assert not found.violations([zero - 0.06, zero + 0.06], NOTHING).any()


@pytest.mark.parametrize("name", ["p05", "median"])
@pytest.mark.parametrize("count", [7, 14, 30])
def test_what_has_moved_by_chance_alone_ends_where_chance_does(name: str, count: int) -> None:
    values = 100.0 + 2.0 * (-1.0) ** np.arange(count)
    size = SamplingError(400.0, std=20.0, error=1.0)
    by_chance = constraints(name, values, size=size, budget=1e-6)
    further = constraints(name, values, size=replace(size, error=0.1), budget=1e-6)
    limit = UNLIKELY * max(1.0, math.sqrt(30 / count))
    assert by_chance.violations([100.0 - limit - 1.5, 100.0 + limit + 1.5], NOTHING).all()
    assert not by_chance.violations([96.0, 104.0], NOTHING).any()
    assert (further.above >= by_chance.above).all()
    assert further.above.max() > by_chance.above.max()
    assert (further.below >= by_chance.below).all()


def test_a_level_that_never_settled_does_not_leap() -> None:
    values = 0.5 * (-1.0) ** np.arange(7)
    found = constraints("mean", values, size=SamplingError(2000.0, std=1.0), budget=1e-6)
    assert not found.violations([-5.0, 5.0], NOTHING).any()


@pytest.mark.parametrize("count", [7, 14, 30])
@pytest.mark.parametrize("name", ["ks_dist", "js_div"])
def test_distributions_that_were_alike_are_told_when_they_are_others(name: str, count: int) -> None:
    near = np.where(np.arange(count) % 2, 0.02, 0.05)
    found = constraints(name, near, size=SamplingError(2000.0, std=1.0), budget=1e-6)
    assert found.violations([0.6, math.log(2.0)], NOTHING).all()
    far = constraints(name, 6.0 * near, size=SamplingError(2000.0, std=1.0), budget=1e-6)
    assert (far.above >= found.above).all()


def test_a_short_history_reaches_further() -> None:
    widths = []
    for count in (7, 14, 30):
        values = np.array([100.0 + (-1) ** i for i in range(count)])
        widths.append(constraints("mean", values).above[-1] - 0.004 * 100)
    assert widths[0] > 2.0 * widths[1] > 4.0 * widths[2] > 4.0 * LEAST


def test_a_quantile_may_move_as_far_as_its_rank_may_err() -> None:
    zeros = np.zeros(30)
    exact = constraints("median", zeros, size=SamplingError(55.0, 3.0))
    assert exact.violations([1.0], NOTHING).all()
    noisy = constraints("median", zeros, size=SamplingError(55.0, 3.0, below=0.0, above=2.0))
    assert not noisy.violations([1.0, 2.0], NOTHING).any()
    assert noisy.violations([-0.5, 2.5], NOTHING).all()


@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("zero", [-1e6, -3.0, 0.0, 5.0, 1e6])
def test_what_an_extreme_may_do_hangs_on_the_columns_spread_and_not_on_where_its_zero_lies(
    name: str, zero: float
) -> None:
    beyond = 1.0 if name == "max" else -1.0
    found = constraints(name, np.full(24, zero), size=SamplingError(900.0, std=500.0))
    assert not found.violations([zero + beyond, zero + beyond * 100.0], NOTHING).any()
    assert found.violations([zero + beyond * 130.0], NOTHING).all()


@pytest.mark.parametrize(("name", "values"), [("p05", 19.0), ("p95", 8.0), ("p05", 8.0)])
def test_a_quantile_of_so_few_values_that_none_lies_behind_it_is_an_extreme(name: str, values: float) -> None:
    """Of eight numbers the 5th percentile is the smallest: eight earthquakes that were felt by one, then by nobody."""
    few = constraints(name, np.ones(7), size=SamplingError(values, std=4.0))
    assert few.below == pytest.approx(np.full(len(SPENDING), 0.25 * 4.0))
    many = constraints(name, np.ones(7), size=SamplingError(100.0, std=4.0))
    assert many.below == pytest.approx(np.full(len(SPENDING), 1.01 / 100.0))


@given(st.integers(1, 400), st.integers(7, 40))
def test_an_entropy_may_change_by_one_value(values: int, partitions: int) -> None:
    """All alike and one that is not, after partitions that were all alike; and the other way round."""
    share = 1.0 / (values + 1)
    one = -share * math.log(share) - (1.0 - share) * math.log1p(-share)
    size = SamplingError(float(values + 1))
    assert (
        not constraints("entropy", np.zeros(partitions), kind=Kind.STRING, size=size).violations([one], NOTHING).any()
    )
    known = constraints("entropy", np.full(partitions, one), kind=Kind.STRING, size=size)
    assert not known.violations([0.0], NOTHING).any()


def test_an_entropy_of_many_values_may_not_change_by_as_much() -> None:
    found = constraints("entropy", np.full(30, math.log(2.0)), kind=Kind.STRING, size=SamplingError(2000.0))
    assert found.violations([0.0], NOTHING).all()


@given(st.integers(7, 40), st.integers(1, 5000))
def test_a_column_without_a_value_may_come_into_use_as_a_value_does(partitions: int, rows: int) -> None:
    found = constraints("complete_ratio", np.zeros(partitions), size=SamplingError(float(rows)))
    assert not found.violations([0.4 / partitions, 1.0 / rows], NOTHING).any()
    assert rows < 10 or found.violations([0.5], NOTHING).all()


def test_a_column_with_all_its_values_may_lose_none_by_the_same_rule() -> None:
    assert constraints("complete_ratio", np.ones(7)).violations([0.97], NOTHING).all()


def test_the_spread_of_values_that_are_nearly_all_alike_may_be_nothing() -> None:
    """A week without rain; but a spread that has varied as much says nothing of numbers that are not alike."""
    weeks = np.array([1.0, 0.4, 1.6, 0.7, 2.0, 1.2, 0.5])
    dry, wet = SamplingError(1000.0, alike=True), SamplingError(1000.0)
    assert not constraints("std", weeks, size=dry, budget=1e-5).violations([0.0], NOTHING).any()
    assert constraints("std", weeks, size=wet, budget=1e-5).violations([0.0], NOTHING).all()
    assert constraints("mean", weeks + 50.0, size=dry, budget=1e-5).violations([0.0], NOTHING).all()


@pytest.mark.parametrize("name", ["mean", "complete_ratio", "max", "std", "ks_dist", "row_count", "p95"])
def test_ranges_come_tightest_first(name: str) -> None:
    rng = np.random.default_rng(5)
    for values in (NORMAL, np.zeros(30), rng.pareto(1.5, 30), np.full(9, 3.0), rng.random(14), np.cumsum(NORMAL)):
        found = constraints(name, values, budget=0.01)
        for widths in (found.below, found.above):
            assert all(narrow <= wide for narrow, wide in pairwise(widths.tolist()))


@pytest.mark.parametrize("count", [12, 21, 200])
def test_one_more_row_of_a_table_that_never_changed_is_no_news(count: int) -> None:
    """Whatever it holds within reason: a list of shops grows by one, three standard deviations from the others."""
    size = SamplingError(float(count), std=1.0)
    spread = math.sqrt((1.0 + 9.0 / (count + 1)) * count / (count + 1))
    moved = {"l1": 2.0 / (count + 1), "emd": 3.0 / (count + 1), "std": spread}
    for name, value in moved.items():
        never = np.zeros(20) if name != "std" else np.ones(20)
        found = constraints(name, never, size=size)
        assert not found.violations([value], NOTHING).any(), name
        assert found.violations([8.0 * value], NOTHING).all(), name


def test_a_spread_that_moves_by_such_factors_may_vanish() -> None:
    """A range whose lower end is 1e-69 excludes nothing but 0, which is where it would go next."""
    tossed = np.exp(np.random.default_rng(0).normal(0.0, 1.5, 30).cumsum())
    found = constraints("std", tossed)
    assert not found.expectation.is_fixed
    assert not found.violations([0.0], tossed).any()


def test_single_values_say_not_how_far_is_far() -> None:
    found = constraints("emd", np.zeros(20), size=SamplingError(1.0))
    assert not found.violations([1e9], NOTHING).any()


def test_a_distance_that_was_odd_once_is_odd_again_on_the_day_after() -> None:
    """Late rows of the day before: the next day is further from that one by as much as it was nearer."""
    usual = np.full(30, 86_400.0)
    usual[-1] -= 4_000.0
    size = SamplingError(600.0, std=1.0)
    found = constraints("emd", usual, kind=Kind.TIMESTAMP, size=size)
    assert not found.violations([90_400.0], NOTHING).any()
    assert found.violations([200_000.0], NOTHING).any()


@pytest.mark.parametrize("length", [7, 14, 30])
def test_most_rows_are_not_lost_unseen_where_their_number_varies(length: int) -> None:
    """Around 200 rows of independent events some days are off by more than a tenth: no level that is steady."""
    rows = np.random.default_rng(0).permuted(np.resize([176.0, 204.0, 228.0, 199.0, 190.0, 212.0, 207.0], length))
    found = constraints("row_count", rows, budget=1e-5)
    assert found.violations([60.0, 600.0], NOTHING).all()
    assert not found.violations([120.0, 330.0], NOTHING).any()


@given(st.floats(1e-3, 1e3), st.integers(7, 30))
def test_a_step_of_every_day_is_the_same_but_for_rounding(step: float, partitions: int) -> None:
    """A year with a fraction, 2016.6612, moves by 1 / 366 each day, and single values have no spread."""
    past = np.full(partitions, step)
    found = constraints("emd", past, size=SamplingError(40.0))
    assert not found.violations([step * (1.0 + 1e-9)], past).any()
    assert found.violations([step * 2.0], past).all()

"""The sizes behind a column's metrics: how much data, and what another draw of it may do."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.learn.expect.sampling import RANK_ERRORS, SamplingError
from airflow_dq.learn.history.column import ColumnHistory
from airflow_dq.metrics.registry import get_metric
from airflow_dq.profile import Profile, profile_table
from airflow_dq.states.base import Kind

VALUES = np.random.default_rng(5).normal(10.0, 2.0, 400)
HISTORY = [profile_table(pa.table({"x": pa.array(VALUES)}), partition="a")]


def _size(name: str):
    metric = get_metric(name, Kind.NUMERIC)
    assert metric is not None
    return SamplingError.of(ColumnHistory(HISTORY, "x"), metric)


@pytest.mark.parametrize(("name", "level"), [("p05", 0.05), ("median", 0.5), ("p95", 0.95)])
def test_a_quantile_may_move_by_the_error_of_its_rank(name: str, level: float) -> None:
    error = RANK_ERRORS * math.sqrt(level * (1 - level) / 400)
    low, middle, high = np.quantile(VALUES, [max(0.0, level - error), level, min(1.0, level + error)])
    size = _size(name)
    assert (size.below, size.above) == pytest.approx((middle - low, high - middle))


@pytest.mark.parametrize(("name", "level"), [("p25", 0.25), ("median", 0.5)])
def test_standard_errors_are_those_of_samples_drawn_anew(name: str, level: float) -> None:
    drawn = np.random.default_rng(6).choice(VALUES, (2000, 400))
    assert _size(name).error == pytest.approx(float(np.quantile(drawn, level, axis=1).std()), rel=0.2)


@pytest.mark.parametrize("name", ["mean", "std", "max"])
def test_of_other_metrics_no_standard_error_is_used(name: str) -> None:
    assert math.isinf(_size(name).error)


def test_a_quantile_of_few_numbers_stands_still_whatever_rows_do() -> None:
    scores = [profile_table(pa.table({"x": np.random.default_rng(5).poisson(1.4, 400)}), partition="a")]
    metric = get_metric("median", Kind.NUMERIC)
    assert metric is not None
    assert math.isinf(SamplingError.of(ColumnHistory(scores, "x"), metric).error)


def test_extremes_may_fall_short_by_a_standard_deviation() -> None:
    spread = VALUES.std()
    low, high = _size("min"), _size("max")
    assert (low.below, low.above) == pytest.approx((0.0, spread))
    assert high.below == pytest.approx(spread)


@pytest.mark.parametrize(
    ("highs", "room"), [([20.0] * 5, 0.8 * 20.0), ([20.0] * 4 + [21.0], 0.0), ([0.0] * 5, 0.0), ([-3.0] * 5, 0.0)]
)
def test_only_a_positive_maximum_that_never_moved_has_room_above(highs: list[float], room: float) -> None:
    history = [profile_table(pa.table({"x": np.append(np.arange(-9.0, -3.0), high)}), str(high)) for high in highs]
    metric = get_metric("max", Kind.NUMERIC)
    assert metric is not None
    assert SamplingError.of(ColumnHistory(history, "x"), metric).above == pytest.approx(room)


def test_a_latest_moment_has_no_room_above() -> None:
    moments = pa.array([0, 86_400_000_000], pa.timestamp("us"))
    metric = get_metric("max", Kind.TIMESTAMP)
    assert metric is not None
    history = [profile_table(pa.table({"x": moments}), partition=name) for name in "ab"]
    assert SamplingError.of(ColumnHistory(history, "x"), metric).above == 0.0


def test_other_metrics_move_by_nothing_of_their_own() -> None:
    size = _size("mean")
    assert (size.values, size.below, size.above) == (400.0, 0.0, 0.0)


def test_a_distribution_that_is_not_kept_says_nothing() -> None:
    column = HISTORY[0].columns["x"]
    bare = replace(HISTORY[0], columns={"x": replace(column, states={})})
    metric = get_metric("median", Kind.NUMERIC)
    assert metric is not None
    size = SamplingError.of(ColumnHistory([bare], "x"), metric)
    assert (size.below, size.above) == (0.0, 0.0)


def test_a_quantile_on_the_most_frequent_value_moves_when_that_loses_the_share_that_it_has_lost_before() -> None:
    """Visibility of ten miles, with some fog in every week and much of it in some."""
    metric = get_metric("p25", Kind.NUMERIC)
    assert metric is not None

    def size(shares: list[float]) -> SamplingError:
        weeks = [np.where(np.arange(500) < share * 500, 10.0, np.linspace(1.0, 9.0, 500)) for share in shares]
        profiles = [profile_table(pa.table({"x": week}), partition=str(place)) for place, week in enumerate(weeks)]
        return SamplingError.of(ColumnHistory(profiles, "x"), metric)

    assert size([0.9, 0.9, 0.9]).below == 0.0
    varied = size([0.9, 0.8, 0.98, 0.78, 0.9])
    assert varied.below > 0.0
    assert varied.above == 0.0


@pytest.mark.parametrize(("wet", "alike"), [([20, 5, 40, 10], True), ([200, 190, 210, 205], False)])
def test_values_may_all_be_alike_where_nearly_all_of_them_are(wet: list[int], alike: bool) -> None:
    weeks = [np.where(np.arange(500) < hours, np.arange(500) / 7.0 + 1.0, 0.0) for hours in wet]
    profiles = [profile_table(pa.table({"x": week}), partition=str(place)) for place, week in enumerate(weeks)]
    metric = get_metric("std", Kind.NUMERIC)
    assert metric is not None
    assert SamplingError.of(ColumnHistory(profiles, "x"), metric).alike is alike


@pytest.mark.parametrize(("shares", "moves"), [((0.79, 0.92, 0.81, 0.97), True), ((0.9, 0.91, 0.9, 0.89), False)])
def test_a_quantile_of_counts_becomes_the_next_count_where_shares_have_varied_by_as_much(
    shares: tuple[float, ...], moves: bool
) -> None:
    def of(share: float) -> Profile:
        few = round(400 * share)
        return profile_table(pa.table({"x": [2] * few + [3] * (400 - few)}), partition=str(share))

    metric = get_metric("p75", Kind.NUMERIC)
    assert metric is not None
    size = SamplingError.of(ColumnHistory([of(share) for share in shares], "x"), metric)
    assert (size.above >= 1.0) is moves
    assert size.below == 0.0


@pytest.mark.parametrize(("rows", "step"), [(4, True), (40, False)])
def test_an_extreme_that_few_rows_have_may_be_the_value_next_to_it(rows: int, step: bool) -> None:
    history = [profile_table(pa.table({"x": [1, 2] * 200 + [3] * rows}), partition="a")]
    metric = get_metric("max", Kind.NUMERIC)
    assert metric is not None
    size = SamplingError.of(ColumnHistory(history, "x"), metric)
    assert (size.below == 1.0) is step
    assert size.above == pytest.approx(0.8 * 3.0)


@pytest.mark.parametrize(("step", "allowed"), [(0.01, 0.01), (1.0, 0.0)])
def test_a_quantile_on_a_grid_may_move_by_a_step_that_is_fine(step: float, allowed: float) -> None:
    grid = np.concatenate(
        [np.linspace(1.0, 2.4 - step, 3_000), np.full(4_000, 2.4), np.linspace(2.4 + step, 4.0, 3_000)]
    )
    metric = get_metric("median", Kind.NUMERIC)
    assert metric is not None
    history = [profile_table(pa.table({"x": np.round(grid, 2)}), partition=name) for name in "ab"]
    size = SamplingError.of(ColumnHistory(history, "x"), metric)
    assert (size.below, size.above) == pytest.approx((allowed, allowed))

"""The expectation of a metric's next value."""

from __future__ import annotations

import numpy as np
import pytest

from airflow_dq.learn.expect.expectation import Forecast
from airflow_dq.learn.expect.forecast import expect, expect_each


def test_a_series_without_movement_is_expected_at_its_mean() -> None:
    values = np.random.default_rng(0).normal(10, 1, 30)
    found = expect(values)
    assert (found.is_fixed, found.samples) == (True, 30)
    assert found.expectation.center == pytest.approx(values.mean())
    assert found.spread == pytest.approx(values.std(ddof=1))
    assert found.worst == pytest.approx(np.abs(values - values.mean()).max())


def test_a_weekly_cycle_is_followed() -> None:
    week = np.array([10.0, 12, 11, 13, 15, 3, 2])
    values = np.tile(week, 5)[:30] + np.random.default_rng(1).normal(0, 0.1, 30)
    found = expect(values)
    assert (found.expectation.forecast, found.expectation.cycle, found.samples) == (Forecast.SEASON, 7, 23)
    assert found.expectation.centre(values) == pytest.approx(np.median(values[[2, 9, 16, 23]]))
    assert found.spread < 0.5


def test_a_growing_series_is_expected_above_its_last_value() -> None:
    values = 100.0 + 5.0 * np.arange(30) + np.random.default_rng(2).normal(0, 0.2, 30)
    found = expect(values)
    assert found.expectation.forecast is Forecast.TREND
    assert found.expectation.centre(values) == pytest.approx(250.0, abs=1.0)


def test_a_walk_is_expected_at_its_last_value() -> None:
    values = np.cumsum(np.random.default_rng(5).normal(0, 1, 40))
    found = expect(values).expectation
    assert found.forecast in (Forecast.LAST, Forecast.TREND)
    assert found.centre(values) == pytest.approx(values[-1], abs=1.0)


@pytest.mark.parametrize("count", [3, 7, 11])
def test_a_short_history_keeps_the_mean(count: int) -> None:
    assert expect(100.0 + 5.0 * np.arange(count)).is_fixed


@pytest.mark.parametrize("constant", [0.0, 0.1, -3.0, 1.7e9])
def test_what_never_changed_has_no_spread(constant: float) -> None:
    found = expect(np.full(30, constant))
    assert (found.is_fixed, found.spread, found.worst) == (True, 0.0, 0.0)
    assert found.expectation.center == pytest.approx(constant)


def test_an_odd_day_is_no_scale_for_the_other_side() -> None:
    usual = np.random.default_rng(1).normal(100.0, 1.0, 29)
    promotion = expect(np.insert(usual, 12, 250.0))
    assert promotion.seen(above=True) == promotion.worst
    assert promotion.seen(above=False) < 10.0 < promotion.worst
    assert promotion.seen(above=True, forgiving=True) < 10.0
    accident = expect(np.insert(usual, 12, 10.0))
    assert accident.seen(above=False) == accident.worst
    assert accident.seen(above=True) < 10.0


@pytest.mark.parametrize(("place", "follows"), [(12, False), (29, True)])
def test_only_the_newest_odd_day_is_followed(place: int, follows: bool) -> None:
    usual = np.random.default_rng(1).normal(100.0, 1.0, 29)
    assert expect(np.insert(usual, place, 10.0)).follows_odd_day is follows
    assert not expect(usual).follows_odd_day


def test_two_odd_days_are_a_scale() -> None:
    usual = np.random.default_rng(1).normal(100.0, 1.0, 29)
    twice = expect(np.insert(usual, [5, 12], 250.0))
    assert twice.seen(above=False, forgiving=True) == twice.worst


def test_growth_is_followed_by_a_line_and_growth_with_a_week_by_the_level_of_it() -> None:
    noise = np.random.default_rng(3).normal(0.0, 0.02, 60)
    growing = np.exp(np.log(1000.0) + 0.006 * np.arange(60) + noise)
    steady = expect(growing[:30], logarithmic=True)
    assert steady.expectation.forecast is Forecast.LINE
    assert steady.worst < 0.1
    weekly = growing * np.array([1.0, 1.1, 1.0, 0.9, 1.2, 0.5, 0.3] * 9)[:60]
    found = expect(weekly, logarithmic=True)
    assert found.expectation.forecast is Forecast.SEASON_OF_LEVEL
    assert abs(float(np.median(found.errors))) < 0.01


def test_several_histories_at_once_are_expected_as_each_by_itself() -> None:
    rng = np.random.default_rng(7)
    weekly = np.where(np.arange(40) % 7 < 2, 30.0, 100.0)
    shapes = (np.full(40, 5.0), np.full(40, 100.0), weekly, np.cumsum(rng.normal(size=40)) + 50.0, 10.0 + np.arange(40))
    several = [shape + rng.normal(0.0, spread, 40) for shape in shapes for spread in (0.0, 0.5, 3.0)]
    # Some begin later than others, and some have no value in some slots.
    several += [values[7:] for values in several] + [np.where(rng.random(40) < 0.2, np.nan, one) for one in several]
    logarithmic = [bool(np.nanmin(values) > 0.0 and place % 2) for place, values in enumerate(several)]
    found = expect_each(several, logarithmic)
    assert {one.expectation.forecast for one in found} >= {Forecast.LEVEL, Forecast.LAST, Forecast.SEASON}
    for values, is_logarithmic, one in zip(several, logarithmic, found, strict=True):
        alone = expect(values, logarithmic=is_logarithmic)
        assert alone.expectation == one.expectation
        np.testing.assert_array_equal(alone.errors, one.errors)


def test_a_cycle_is_not_known_by_a_few_slots_that_are_all_alike() -> None:
    """Hours: the last ones of 30 are those of a night, in which nothing ever moves, and the next is noon."""
    hours = np.arange(30) % 24
    busy = np.where((hours >= 8) & (hours < 20), np.random.default_rng(0).normal(5.0, 2.0, 30), 1.0)
    assert expect(busy, week=24).expectation.forecast is not Forecast.SEASON


def test_a_cycle_that_is_not_whole_is_known_where_its_values_move() -> None:
    hours = np.arange(32) % 24
    assert expect(100.0 + 40.0 * (hours % 12), week=24).expectation.forecast is Forecast.SEASON

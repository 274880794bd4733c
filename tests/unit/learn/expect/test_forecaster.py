"""What is expected at every slot at once is what is expected at each one alone, of nothing but the values before it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.expect import forecaster


def _last(values: FloatArray, cycle: int) -> float:
    known = values[~np.isnan(values)]
    return float(known[-1]) if len(known) else np.nan


def _trend(values: FloatArray, cycle: int) -> float:
    places = np.flatnonzero(~np.isnan(values))
    if not len(places):
        return np.nan
    first, last = values[places[0]], values[places[-1]]
    return float(last + (last - first) / max(1, places[-1] - places[0]) * (len(values) - places[-1]))


def _difference(values: FloatArray, cycle: int) -> float:
    return float(values[-cycle]) if len(values) >= cycle else np.nan


def _season(values: FloatArray, cycle: int) -> float:
    same = values[::-1][cycle - 1 :: cycle][: forecaster.CYCLES]
    return float(np.nanmedian(same)) if _any(same) else _last(values, cycle)


def _line(values: FloatArray, cycle: int) -> float:
    places = np.flatnonzero(~np.isnan(values))
    if len(places) < 2:
        return np.nan
    return float(np.polyval(np.polyfit(places, values[places], 1), len(values)))


def _season_of_level(values: FloatArray, cycle: int) -> float:
    places = [place for place in range(len(values) - cycle, cycle - 1, -cycle) if not np.isnan(values[place])]
    newest = places[: forecaster.CYCLES]
    found = np.array([values[place] - _mean(values[place - cycle : place]) for place in newest])
    expected = _mean(values[-cycle:]) + float(np.nanmedian(found)) if _any(found) else np.nan
    return _last(values, cycle) if np.isnan(expected) else expected


def _mean(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) and 2 * len(known) >= len(values) else np.nan


def _any(values: FloatArray) -> bool:
    return bool((~np.isnan(values)).any())


_ALONE = {
    forecaster.last: _last,
    forecaster.trend: _trend,
    forecaster.difference: _difference,
    forecaster.season: _season,
    forecaster.line: _line,
    forecaster.season_of_level: _season_of_level,
}


@pytest.mark.filterwarnings("ignore:Polyfit may be poorly conditioned")
@pytest.mark.parametrize(("together", "alone"), _ALONE.items(), ids=lambda one: one.__name__)
def test_all_slots_at_once_are_as_each_one_alone(
    together: forecaster.Forecaster, alone: Callable[[FloatArray, int], float]
) -> None:
    rng = np.random.default_rng(0)
    for length in (0, 1, 2, 7, 8, 15, 40, 61):
        for missing in (0.0, 0.1, 0.6, 1.0):
            for cycle in (1, 5, 7):
                values = 100.0 + np.cumsum(rng.normal(0.5, 1.0, length))
                values[rng.random(length) < missing] = np.nan
                each = [alone(values[:end], cycle) for end in range(length + 1)]
                assert together(values, cycle) == pytest.approx(each, rel=1e-9, nan_ok=True), (length, missing, cycle)


@pytest.mark.parametrize("together", _ALONE, ids=lambda one: one.__name__)
def test_what_comes_later_changes_nothing_that_was_expected_before(together: forecaster.Forecaster) -> None:
    values = np.random.default_rng(1).normal(100.0, 1.0, 60)
    later = np.append(values[:40], 1e9 * values[40:])
    np.testing.assert_array_equal(together(values, 7)[:41], together(later, 7)[:41])


@pytest.mark.parametrize("together", _ALONE, ids=lambda one: one.__name__)
def test_several_series_in_rows_are_as_each_by_itself(together: forecaster.Forecaster) -> None:
    rng = np.random.default_rng(2)
    for length in (0, 1, 8, 40):
        rows = rng.normal(100.0, 1.0, (5, length))
        rows[rng.random(rows.shape) < np.array([[0.0], [0.0], [0.1], [0.6], [1.0]])] = np.nan
        np.testing.assert_array_equal(together(rows, 7), np.array([together(row, 7) for row in rows]))

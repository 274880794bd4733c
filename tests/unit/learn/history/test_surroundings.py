"""The days around a day."""

from __future__ import annotations

import numpy as np
import pytest

from airflow_dq.learn.history.surroundings import middles


@pytest.mark.parametrize("width", [1, 2, 4, 7])
def test_the_middle_of_the_days_around_is_the_median_of_those_that_are_known(width: int) -> None:
    rng = np.random.default_rng(width)
    series = rng.normal(size=(3, 40))
    series[rng.random(series.shape) < 0.3] = np.nan
    days = rng.integers(-1, 40, (25, width))
    days[0] = -1
    found = middles(series, days)
    for row, values in enumerate(series):
        for place, around in enumerate(days):
            known = [values[day] for day in around if day >= 0 and not np.isnan(values[day])]
            assert found[row, place] == pytest.approx(np.median(known) if known else np.nan, nan_ok=True)

"""The number of rows, held against what the partitions before foretell."""

from __future__ import annotations

import math

import numpy as np
import pytest

from airflow_dq.novelty import detect_novelty
from airflow_dq.novelty.size import LEAST_PAST, NARROWEST, foretold
from tests.unit.novelty.table import profile


def weekly(partitions: int) -> list[float]:
    """Rows of days, of which Saturdays and Sundays have two fifths."""
    rng = np.random.default_rng(3)
    return [1000.0 * (0.4 if day % 7 > 4 else 1.0) * (1 + rng.normal() / 50) for day in range(partitions)]


def growing(partitions: int) -> list[float]:
    """Rows of a table that grows by a thirtieth each time."""
    return [400.0 * (31 / 30) ** month for month in range(partitions)]


def scores(rows: list[float], *then: float) -> list[float]:
    past = [profile(place, rows=round(count)) for place, count in enumerate(rows)]
    return [detect_novelty(past, profile(1000, rows=round(count))).score or 0.0 for count in then]


@pytest.mark.parametrize("rows", [weekly(60), growing(60)], ids=["a week", "growth"])
def test_half_of_the_rows_lost_is_novel_though_the_history_has_had_fewer(rows: list[float]) -> None:
    *past, now = rows
    usual, lost = scores(past, now, now / 2)
    assert min(past) < now / 2
    assert usual < 1.0 < lost


def test_sizes_without_order_are_held_against_their_mean() -> None:
    rows = np.log(np.random.default_rng(5).uniform(500, 2000, 60))
    off, narrowest = foretold(rows)
    assert not off.any()
    assert narrowest == 0.0


def test_each_size_is_foretold_by_those_before_it_alone() -> None:
    rows = np.log(growing(40))
    off, narrowest = foretold(rows)
    assert math.isnan(off[0])
    assert off[2:] + rows.mean() == pytest.approx((np.append(rows, np.nan)[1:-1] + rows[:-1]) / 2)
    assert narrowest == pytest.approx(NARROWEST * rows.std())
    assert foretold(rows[:20])[0][1:20] + rows[:20].mean() == pytest.approx(off[1:20] + rows.mean())


def test_a_short_history_foretells_nothing() -> None:
    off, narrowest = foretold(np.log(growing(LEAST_PAST - 1)))
    assert not off.any()
    assert narrowest == 0.0

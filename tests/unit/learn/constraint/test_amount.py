"""How much data a partition has: what is too little varies more, and none is excused for having lost more than ever."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.learn.constraint.amount import Amount
from airflow_dq.metrics.descriptor import Metric
from airflow_dq.metrics.registry import get_metric
from airflow_dq.states.base import Kind

PAST = np.array([900.0, 1_000.0, 1_100.0, 400.0, 1_000.0])
VALUES = st.floats(0.0, 1e6)


def metric(name: str, kind: Kind = Kind.NUMERIC) -> Metric:
    found = get_metric(name, kind)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["mean", "ks_dist", "js_div"])
@given(now=VALUES)
def test_a_loss_beyond_any_before_excuses_no_more_than_the_largest_so_far(name: str, now: float) -> None:
    least = Amount.of(400.0, PAST).noise(metric(name))
    assert 1.0 <= Amount.of(now, PAST).noise(metric(name)) <= least
    assert Amount.of(0.0, PAST).noise(metric(name)) == least


@given(VALUES, st.floats(0.01, 1.0), st.floats(0.0, 1.0))
def test_bounds_move_outwards_only(now: float, centre: float, width: float) -> None:
    lower, upper = Amount.of(now, PAST).moved(metric("unique_ratio"), centre, centre - width, centre + width)
    assert lower is not None
    assert upper is not None
    assert lower <= centre - width
    assert upper >= centre + width


@given(st.floats(1.0, 1e4), st.floats(1.0, 1e3), st.floats(0.01, 1.0))
def test_more_copies_of_each_row_are_never_easier_to_miss(first: float, more: float, centre: float) -> None:
    def share_of_bound(times: float) -> float:
        lower, _ = Amount.of(1_000.0 * times, PAST).moved(metric("unique_ratio"), centre, 0.9 * centre, None)
        assert lower is not None
        return centre / times / lower

    assert share_of_bound(first * more) <= share_of_bound(first) * (1.0 + 1e-9)


def test_a_history_without_values_says_nothing() -> None:
    amount = Amount.of(5.0, np.zeros(3))
    assert (amount.share, amount.noise(metric("mean"))) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("name", "kind", "mute"),
    [
        ("std", Kind.NUMERIC, True),
        ("entropy", Kind.STRING, True),
        ("mean", Kind.NUMERIC, False),
        ("emd", Kind.NUMERIC, False),
    ],
)
def test_a_single_value_differs_from_none(name: str, kind: Kind, mute: bool) -> None:
    assert Amount.of(1.0, PAST).is_mute(metric(name, kind)) is mute
    assert not Amount.of(2.0, PAST).is_mute(metric(name, kind))
    assert not Amount.of(1.0, np.ones(5)).is_mute(metric(name, kind))


@given(st.integers(2, 400), st.integers(1, 400))
def test_one_odd_value_is_no_entropy_to_speak_of_however_thin_the_partition(now: int, fewer: int) -> None:
    """A Sunday of 133 rows with one value that looks otherwise, where weekdays have 220 and one as well."""
    past = np.full(10, float(now + fewer))
    share = 1.0 / now
    alone = -share * math.log(share) - (1.0 - share) * math.log1p(-share)
    assert Amount.of(float(now), past).least(metric("entropy", Kind.STRING), 0.0)[0] >= alone
    assert Amount.of(float(now), past).least(metric("entropy", Kind.STRING), math.log(now + 2.0)) == (0.0, 0.0)

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.evaluate import compare, measure
from airflow_dq.metrics.moment import NO_SPREAD, cohen_d
from airflow_dq.states.base import Kind, states_for
from airflow_dq.states.moment import Moments


def measured(*values: float | None) -> dict:
    array = pa.array(values, pa.float64())
    return measure(Kind.NUMERIC, {state.key: state.of(array) for state in states_for(Kind.NUMERIC)})


def moments(*values: float) -> Moments:
    return Moments.of(pa.array(values, pa.float64()))


def test_what_exceeds_a_float_is_called_overflow() -> None:
    metrics = measured(-1.7e308, 1.7e308)
    assert metrics["range"] is Reason.OVERFLOW
    assert (metrics["sum"], metrics["mean"], metrics["median"]) == (0.0, 0.0, 0.0)
    assert measured(1.7e308, 1.7e308)["sum"] is Reason.OVERFLOW
    assert measured(1.7e308, 1.7e308)["mean"] == 1.7e308


def test_infinities_are_present_but_not_in_the_moments() -> None:
    metrics = measured(1.0, 3.0, float("inf"), float("-inf"))
    assert (metrics["mean"], metrics["max"], metrics["complete_ratio"]) == (2.0, 3.0, 1.0)


def test_only_infinities_is_no_values() -> None:
    metrics = measured(float("inf"), float("nan"))
    assert metrics["mean"] is metrics["median"] is metrics["unique_ratio"] is Reason.NO_VALUES
    assert metrics["complete_ratio"] == 0.5


def test_cohens_d_by_hand() -> None:
    # Means 2 and 5, both with a standard deviation of 1.
    assert cohen_d(moments(1, 3), moments(4, 6)) == 3.0
    assert cohen_d(moments(1, 1), moments(4, 6)) == pytest.approx(4 / (0.5**0.5))


def test_a_constant_that_changes_does_not_go_unseen() -> None:
    assert cohen_d(moments(5, 5), moments(5)) == 0.0
    assert cohen_d(moments(5, 5), moments(7, 7)) == NO_SPREAD
    assert cohen_d(moments(0.3, 0.3), moments(0.1 + 0.2)) == 0.0
    assert cohen_d(moments(0.3, 0.3), moments(0.3 + 1e-12)) == NO_SPREAD
    assert cohen_d(moments(1e15, 1e15 + 1e-1), moments(0, 5e-324)) == NO_SPREAD


def test_means_of_whole_numbers_differ_in_earnest_whatever_their_bounds() -> None:
    # The smallest and the largest are floats, and those between them are not.
    before = Moments.of(pa.array([2**60, 2**60 + 256, 2**60 + 513, 2**60 + 1024]))
    now = Moments.of(pa.array([2**60, 2**60 + 300, 2**60 + 513, 2**60 + 1024]))
    assert not now.long
    small = moments(0, 300, 513, 1024), moments(0, 256, 513, 1024)
    assert cohen_d(now, before) == pytest.approx(cohen_d(*small)) != 0.0


@pytest.mark.parametrize("shift", [0, 1, 3, 60])
def test_no_metric_depends_on_where_zero_lies_for_whole_numbers_beyond_floats(shift: int) -> None:
    base = np.array([3, 5, 5, 6, 40, 41, 41, 90, 250, 251])
    sides = []
    for zero in (0, 2**60 + 1):
        values = [pa.array(base + zero), pa.array(np.append(base + shift, [300, 301]) + zero)]
        before, now = ({state.key: state.of(one) for state in states_for(Kind.NUMERIC)} for one in values)
        sides.append(measure(Kind.NUMERIC, now) | compare(Kind.NUMERIC, now, before))
    small, large = sides
    placed = {"min", "max", "mean", "sum", "median", "p05", "p25", "p75", "p95", "zero_ratio"}
    for name in small.keys() - placed:
        assert large[name] == pytest.approx(small[name], rel=1e-12, abs=1e-12), name


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1.0, 4e307])
def test_cohens_d_does_not_depend_on_the_unit(scale: float) -> None:
    assert cohen_d(moments(scale, 3 * scale), moments(2 * scale, 4 * scale)) == pytest.approx(1.0)

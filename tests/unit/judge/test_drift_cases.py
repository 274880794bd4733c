"""Histories on which detectors go wrong elsewhere: constant, straight, nearly constant, and days with nothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.exceptions import SynthesisError
from airflow_dq.learn.avh.adf import adf_pvalue
from airflow_dq.learn.avh.constraint import Stationary
from airflow_dq.learn.avh.stationarity import SIGNIFICANCE, stationary_expectation
from airflow_dq.learn.expect.band import Band
from airflow_dq.learn.expect.candidate import Learned
from airflow_dq.learn.expect.expectation import Forecast
from airflow_dq.learn.expect.sampling import SamplingError
from airflow_dq.metrics.descriptor import Metric
from airflow_dq.metrics.registry import get_metric
from airflow_dq.options.learning import ColumnOptions
from airflow_dq.profile import Profile, profile_table
from airflow_dq.program import Status, SynthesisOptions, evaluate, synthesize
from airflow_dq.states.base import Kind

DAYS = 21
MODES = ("calibrated", "paper")
ROWS = {"calibrated": {None}, "paper": set()}
"""Whose alert it is when there are more rows: the table's, or each column's."""

_Learn = Callable[[np.ndarray], Learned | str]


def _calibrated(values: np.ndarray) -> Learned | str:
    return Band.of(_metric(), values, SamplingError(100.0, std=1.0), moving=False)


def _paper(values: np.ndarray) -> Learned | str:
    return Stationary.of(_metric(), values, stationary=False)


def _metric() -> Metric:
    found = get_metric("mean", Kind.NUMERIC)
    assert found is not None
    return found


def _days(table: Callable[[int], pa.Table], count: int = DAYS) -> list[Profile]:
    return [profile_table(table(index), partition=f"day {index:03d}") for index in range(count)]


def _judge(mode: str, history: list[Profile], table: pa.Table) -> tuple[Status, set[str | None]]:
    program = synthesize(history, SynthesisOptions(mode=mode))
    verdict = evaluate(program, profile_table(table, partition="day 999"), history)
    return verdict.status, {alert.column for alert in verdict.alerts}


def _numbers(rows: int, shift: float = 0.0) -> pa.Table:
    return pa.table({"x": np.arange(rows, dtype=float) % 40 + shift})


@pytest.mark.parametrize("mode", MODES)
def test_a_history_that_never_changed_accepts_itself_and_nothing_far(mode: str) -> None:
    history = _days(lambda index: _numbers(80))
    assert _judge(mode, history, _numbers(80))[0] is Status.PASS
    assert _judge(mode, history, _numbers(0))[0] is Status.FAIL
    assert _judge(mode, history, _numbers(800))[0] is Status.FAIL
    assert _judge(mode, history, _numbers(80, shift=1_000.0)) == (Status.FAIL, {"x"})


@pytest.mark.parametrize("mode", MODES)
def test_a_constant_computed_in_two_ways_is_constant(mode: str) -> None:
    two = (0.1 + 0.2, 0.3)
    assert two[0] != two[1]
    series = np.array([two[index % 2] for index in range(DAYS)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert adf_pvalue(series) == 0.0
    history = _days(lambda index: pa.table({"x": [two[index % 2]] * 50}))
    for value in two:
        assert _judge(mode, history, pa.table({"x": [value] * 50}))[0] is Status.PASS
    assert _judge(mode, history, pa.table({"x": [0.4] * 50})) == (Status.FAIL, {"x"})


@pytest.mark.parametrize("offset", [0.0, 1e-8, -1e9])
@pytest.mark.parametrize("length", range(94, 104))
def test_a_straight_line_is_never_stationary_whatever_its_length(length: int, offset: float) -> None:
    line = offset + 1.0 + 2.0 * np.arange(length)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert adf_pvalue(line) > SIGNIFICANCE
    found = stationary_expectation(line)
    assert (found.forecast, found.logarithmic, found.cycle) == (Forecast.DIFFERENCE, False, 1)
    assert set(np.diff(line).round(6)) == {2.0}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("length", [28, 29, 30])
def test_steady_growth_accepts_its_next_step_and_no_leap(mode: str, length: int) -> None:
    history = _days(lambda index: _numbers(101 + 2 * index), length)
    following = 101 + 2 * length
    assert _judge(mode, history, _numbers(following))[0] is Status.PASS
    assert _judge(mode, history, _numbers(3 * following))[0] is Status.FAIL
    assert _judge(mode, history, _numbers(following // 3))[0] is Status.FAIL


@pytest.mark.parametrize("mode", MODES)
def test_a_value_never_seen_before_fails_where_its_divergence_would_be_infinite(mode: str) -> None:
    known = ["1", "2", "3"] * 90
    history = _days(lambda index: pa.table({"x": known}))
    assert _judge(mode, history, pa.table({"x": known}))[0] is Status.PASS
    assert _judge(mode, history, pa.table({"x": [*known, *["4"] * 30]})) == (Status.FAIL, {"x"} | ROWS[mode])


@pytest.mark.parametrize("learn", [_calibrated, _paper])
@pytest.mark.parametrize(("ties", "more"), [(95, 5), (100, 0), (20, 1), (30, 0)])
def test_values_that_tie_with_most_of_the_history_are_never_flagged(learn: _Learn, ties: int, more: int) -> None:
    rng = np.random.default_rng(0)
    values = rng.permutation([1.0] * ties + [2.0] * more)
    learned = learn(values)
    assert not isinstance(learned, str)
    flagged = learned.candidates(0.001).violations(values.tolist(), values)
    assert not flagged[:, values == 1.0].any()
    # What is flagged of the history itself is no more than what stands out of it.
    assert flagged.sum(axis=1).max() <= more


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("metric", ["l_inf", "chi_squared", "str_len"])
def test_a_distance_of_texts_asked_of_a_number_is_refused_and_not_zero(mode: str, metric: str) -> None:
    history = _days(lambda index: pa.table({"salary": np.arange(1_000.0, 1_100.0)}))
    for own in (ColumnOptions(metrics=(metric,)), ColumnOptions(direction={metric: "rises"})):
        options = SynthesisOptions(mode=mode, overrides={"salary": own})
        with pytest.raises(SynthesisError, match=f"names '{metric}' for column 'salary', which is numeric; .* 'emd'"):
            synthesize(history, options)


@pytest.mark.parametrize("mode", MODES)
def test_lost_values_fail_though_the_rest_is_distributed_as_ever(mode: str) -> None:
    whole = [float(index % 10) for index in range(100)]
    history = _days(lambda index: pa.table({"x": whole}))
    lost = pa.table({"x": [value if index < 60 else None for index, value in enumerate(whole)]})
    assert _judge(mode, history, lost) == (Status.FAIL, {"x"})


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", [pa.int64(), pa.string(), pa.bool_(), pa.date32(), pa.decimal128(9, 2)])
def test_nothing_is_never_a_pass(mode: str, kind: pa.DataType) -> None:
    values = pa.array([str(index % 9) for index in range(60)])
    if kind in (pa.bool_(), pa.date32()):
        values = pa.array(range(60), pa.int32())
    table = pa.table({"x": values.cast(kind)})
    history = _days(lambda index: table)
    assert _judge(mode, history, table)[0] is Status.PASS
    # Neither no rows nor no values stands for a value that lies within bounds.
    assert _judge(mode, history, table.slice(0, 0))[0] is Status.FAIL
    assert _judge(mode, history, pa.table({"x": pa.nulls(60, kind)})) == (Status.FAIL, {"x"})

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.explain.alert import Alert
from airflow_dq.judge.evaluation import evaluate
from airflow_dq.judge.verdict import Verdict
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.expect.expectation import Expectation, Forecast
from airflow_dq.learn.pipeline import synthesize
from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind
from tests.unit.learn.builder import a_program, a_range, column, day, flights, profile, with_metric, without_states

HISTORY = [flights(i) for i in range(12)]


def _alert(clause: Range, value: MetricValue, kind: Kind = Kind.NUMERIC, history: Sequence[Profile] = HISTORY) -> Alert:
    name = clause.column
    assert name is not None
    program = a_program(history, replace(clause, kind=kind))
    (alert,) = evaluate(program, with_metric(flights(12), name, {clause.metric: value}), history, [name]).alerts
    return alert


def _clause(metric: str = "mean", lower: float | None = 148.234, upper: float | None = 156.91, **changes: Any) -> Range:
    return a_range(metric, lower, upper, **{"partitions": 44, "worst": 4.0, **changes})


def test_sentence_of_a_violated_clause() -> None:
    assert _alert(_clause(), 9061.0).message == (
        "air_time: mean was 9,061; expected 148.2 to 156.9 (44 past partitions); "
        "2,220 times the largest deviation in 44 partitions."
    )


def test_alert_carries_the_numbers_and_the_history() -> None:
    alert = _alert(_clause(), 9061.0)
    assert (alert.rule, alert.column, alert.metric, alert.observed) == ("range", "air_time", "mean", 9061.0)
    assert (alert.lower, alert.upper) == pytest.approx((148.234, 156.91))
    assert (alert.moving, alert.partitions) == (False, 44)
    assert alert.evidence is not None
    assert (alert.evidence.worst, alert.evidence.rank) == (4.0, 1)
    assert alert.history == tuple((p.partition, p.columns["air_time"].metrics["mean"]) for p in HISTORY)


def test_sentence_of_a_moving_range_says_what_it_follows_from() -> None:
    history = [with_metric(p, "air_time", {"mean": 100.0 + i}) for i, p in enumerate(HISTORY)]
    clause = _clause(lower=-2.0, upper=3.5, expectation=Expectation(Forecast.DIFFERENCE, cycle=7), worst=1.0)
    alert = _alert(clause, 150.0, history=history)
    assert alert.message == (
        "air_time: mean was 150; expected 103 to 108.5 (44 past partitions); "
        "45 times the largest deviation in 44 partitions."
    )
    assert [change.words for change in alert.changes if change.aspect == "history"] == [
        "before, mean was 109, 110, 111",
        "expected around 105: the value of 7 partitions before, moved on by the usual difference",
    ]
    assert (alert.lower, alert.upper, alert.moving) == (103.0, 108.5, True)


def test_sentence_of_a_constant_metric() -> None:
    clause = _clause("row_count", lower=50 - 5e-11, upper=50 + 5e-11, spread=0.0, worst=0.0)
    assert _alert(clause, 51.0).message.startswith(
        "air_time: number of rows was 51; expected exactly 50 (44 past partitions); it never changed in 44 partitions."
    )


def test_bounds_beyond_what_a_metric_can_be_are_not_mentioned() -> None:
    clause = _clause("complete_ratio", lower=0.95, upper=1.02)
    assert "share of complete values was 40%; expected at least 95% (" in _alert(clause, 0.4).message
    rows = _clause("row_count", lower=-5.0, upper=900.0)
    assert "number of rows was 4,000; expected at most 900 (" in _alert(rows, 4000.0).message


def test_a_near_miss_is_written_with_enough_digits_to_be_seen() -> None:
    assert "mean was 156.92; expected 148.23 to 156.91 " in _alert(_clause(), 156.92).message


def test_sentence_of_a_distance() -> None:
    clause = _clause("l1", column="carrier", pair=True, lower=None, upper=0.01, below=None, partitions=45)
    message = _alert(clause, 0.0, Kind.STRING).message
    assert "carrier: L1 distance from the partition before was " in message
    # One value of the partition more than the clause says: it takes its share from another, and both count.
    assert "; expected at most 0.01505" in message
    assert " (45 past partitions); " in message


def test_chart_of_a_distance_has_the_first_partition_without_a_value() -> None:
    clause = _clause("l1", column="carrier", pair=True, lower=None, upper=1e-6)
    history = _alert(clause, 0.0, Kind.STRING).history
    assert [partition for partition, _ in history] == [p.partition for p in HISTORY]
    assert [value is None for _, value in history] == [True] + [False] * 11


def test_details_quote_the_last_values_and_say_how_often_it_was_the_same() -> None:
    alert = _alert(_clause("row_count", lower=390.0, upper=410.0), 51.0)
    assert [change.words for change in alert.changes if change.aspect == "history"] == [
        "before, number of rows has always been 400 lately"
    ]


def test_a_factor_of_sixty_is_named_and_what_moved_is_listed() -> None:
    alert = _judged(flights(12, factor=60.0)).alerts[0]
    assert alert.cause == "change of unit, x60: median 149.2 -> 8,973; undone, its metrics are as usual"
    assert alert.message.endswith(f" Looks like: {alert.cause}.")
    assert "median 149.2 -> 8,973 (x60.1)" in [change.words for change in alert.changes]


def test_only_the_first_alert_of_a_column_names_the_cause_in_its_sentence() -> None:
    first, second = _judged(flights(12, factor=60.0), _clause(), _clause("max", lower=0.0, upper=300.0)).alerts
    assert "Looks like" in first.message
    assert "Looks like" not in second.message
    assert (second.cause, second.root, second.group) == (first.cause, False, first.group)


@pytest.mark.parametrize(("times", "cause"), [(2, "every row arrived 2 times"), (1, None)])
def test_a_table_that_came_twice_says_so_where_no_column_is_wrong(times: int, cause: str | None) -> None:
    def rows(index: int, count: int = 100) -> pa.Table:
        rng = np.random.default_rng(index)
        return pa.table({"id": np.arange(count) + 100 * index, "city": rng.choice(list("abcdefgh"), count)})

    history = [profile_table(rows(i), day(i)) for i in range(8)]
    program = a_program(
        history,
        _clause("row_count", column=None, lower=90.0, upper=110.0),
        _clause("complete_ratio", column="id", lower=0.9, upper=None),
    )
    now = profile_table(pa.concat_tables([rows(8, 200 // times)] * times), day(8))
    (alert,) = evaluate(program, now, history, ["id"]).alerts
    assert alert.cause == cause
    assert ("Looks like: every row arrived 2 times." in alert.message) is (cause is not None)


def test_a_distance_comes_after_what_a_reader_knows() -> None:
    distance = _clause("emd", pair=True, lower=None, upper=1.0)
    alerts = _judged(flights(12, factor=60.0), distance, _clause()).alerts
    assert [alert.metric for alert in alerts] == ["mean", "emd"]


def test_without_the_states_of_the_partition_before_the_sentence_is_there_all_the_same() -> None:
    history = [without_states(p) for p in HISTORY]
    (alert,) = _judged(flights(12, factor=60.0), history=history).alerts
    assert alert.message.startswith("air_time: mean was ")
    assert next(change.aspect for change in alert.changes) == "history"
    assert {change.subject for change in alert.changes if change.aspect == "quantile"} >= {"median", "p95"}


def _judged(now: Profile, *clauses: Range, history: Sequence[Profile] = HISTORY) -> Verdict:
    return evaluate(a_program(history, *(clauses or (_clause(),))), now, history, ["air_time"])


def test_a_range_of_next_to_nothing_is_one_number() -> None:
    history = [profile(day(index), column("rate", Kind.NUMERIC, [5.0] * 50)) for index in range(8)]
    now = profile(day(8), column("rate", Kind.NUMERIC, [5.0] * 25 + [7.5] * 25))
    program = synthesize(history, SynthesisOptions(metrics=("std",)))
    (alert,) = evaluate(program, now, history).alerts
    assert alert.message.startswith(
        "rate: standard deviation was 1.25; expected exactly 0 (8 past partitions); it never changed"
    )


@pytest.mark.parametrize("odd", [5, 50])
def test_a_cause_never_denies_what_was_found(odd: int) -> None:
    """Fewer rows beside values a million times as large are not distributed as before."""

    def table(index: int, rows: int, large: int = 0) -> Profile:
        rng = np.random.default_rng(index)
        amount = rng.gamma(4.0, 10.0, rows + index % 7).round(2)
        amount[:large] *= 1e6
        code = rng.choice(list("abcdefg"), len(amount))
        return profile_table(pa.table({"amount": amount, "code": code}), day(index))

    history = [table(index, 2_000) for index in range(20)]
    program = synthesize(history)
    fewer = evaluate(program, table(20, 1_000), history).alerts
    assert not [alert for alert in fewer if alert.cause and "as before" in alert.cause and alert.metric == "l1"]
    found = evaluate(program, table(20, 1_000, odd), history).alerts
    assert {alert.column for alert in found} >= {None, "amount"}
    causes = {alert.cause for alert in found if alert.column in (None, "amount")}
    assert not [cause for cause in causes if cause is not None and "as before" in cause]


def test_two_columns_that_were_swapped_are_one_accident() -> None:
    def rows(index: int, swapped: bool = False) -> pa.Table:
        rng = np.random.default_rng(index)
        one, other = rng.choice(["Rome", "Oslo", "Bonn"], 200), rng.choice(["IT", "NO", "DE"], 200)
        return pa.table({"city": other if swapped else one, "country": one if swapped else other})

    history = [profile_table(rows(index), day(index)) for index in range(10)]
    verdict = evaluate(synthesize(history, SynthesisOptions()), profile_table(rows(10, swapped=True), day(10)), history)
    assert {alert.cause for alert in verdict.alerts} == {"columns 'city' and 'country' were swapped"}
    assert verdict.alerts[0].moved_with in (("city",), ("country",))


def test_where_nothing_came_that_alone_is_said() -> None:
    nothing, no_values = flights(12), flights(12)
    history = [flights(index) for index in range(12)]
    program = synthesize(history, SynthesisOptions(scope="column"))
    empty = profile_table(pa.table({"air_time": pa.array([], pa.float64()), "carrier": pa.array([], pa.string())}))
    (alert,) = evaluate(program, replace(empty, partition=nothing.partition), history).alerts
    assert (alert.column, alert.metric, alert.observed) == (None, "row_count", 0.0)
    null = column("air_time", Kind.NUMERIC, [None] * no_values.row_count)
    verdict = evaluate(program, replace(no_values, columns={**no_values.columns, "air_time": null}), history)
    assert [(one.column, one.metric) for one in verdict.alerts] == [("air_time", "complete_ratio")]
    # The findings stay as they are: what is judged does not hang on what is told.
    assert len([one for one in verdict.findings if one.scope.column == "air_time"]) > 1


def test_a_few_values_do_not_look_like_a_part_of_the_alphabet() -> None:
    history = [profile_table(pa.table({"city": list("abcdefgh") * 50}), day(i)) for i in range(10)]
    verdict = evaluate(
        synthesize(history, SynthesisOptions(scope="column")),
        profile_table(pa.table({"city": ["a"]}), day(10)),
        history,
    )
    assert verdict.alerts
    assert not any("alphabetical" in (alert.cause or "") for alert in verdict.alerts)

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.judge.verdict import Status, Verdict
from airflow_dq.judge.wording import held_words
from airflow_dq.learn.constraint.base import ColumnReport, Finding
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.expect.expectation import Expectation, Forecast
from airflow_dq.learn.history.distance import Distances
from airflow_dq.learn.history.history import History
from airflow_dq.learn.program import Program
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.profile.model import Profile
from airflow_dq.program import SynthesisOptions, evaluate, synthesize
from airflow_dq.states.base import Kind
from tests.unit.learn.builder import a_program, a_range, column, day, flights, profile, with_metric, without_states

HISTORY = [flights(i) for i in range(12)]
PROGRAM = synthesize(HISTORY, SynthesisOptions(scope="column", mode="paper"))
GOOD = flights(12)


def _program(*ranges: Range) -> Program:
    schema = {"air_time": Kind.NUMERIC, "carrier": Kind.STRING}
    return a_program(HISTORY, *ranges, schema=schema, options=SynthesisOptions(scope="column", mode="paper"))


def _findings(verdict: Verdict) -> list[Finding]:
    return [finding for finding in verdict.findings if finding.rule == "range"]


def test_a_usual_partition_passes() -> None:
    verdict = evaluate(PROGRAM, GOOD, HISTORY)
    assert verdict.status is Status.PASS
    assert (verdict.partition, verdict.reason, verdict.alerts) == (day(12), None, ())
    assert verdict.table.status is Status.PASS
    assert {name: scope.status for name, scope in verdict.columns.items()} == dict.fromkeys(
        ("air_time", "carrier"), Status.PASS
    )
    assert verdict.findings == verdict.not_evaluated == ()
    assert all(scope.checked for scope in verdict.columns.values())


def test_a_changed_unit_fails_its_column_only() -> None:
    verdict = evaluate(PROGRAM, flights(12, factor=60.0), HISTORY)
    assert verdict.status is Status.FAIL
    assert verdict.table.status is Status.PASS
    assert (verdict.columns["air_time"].status, verdict.columns["carrier"].status) == (Status.FAIL, Status.PASS)
    assert {alert.column for alert in verdict.alerts} == {"air_time"}
    assert {alert.metric for alert in verdict.alerts} == {finding.metric for finding in verdict.findings}


def test_verdict_does_not_depend_on_the_partitions_own_presence_in_the_history() -> None:
    verdict = evaluate(PROGRAM, HISTORY[-1], HISTORY)
    assert verdict.columns["carrier"].status is Status.PASS


@pytest.mark.parametrize(("have", "more"), [(0, 7), (6, 1)])
def test_warming_up_says_how_many_partitions_are_missing(have: int, more: int) -> None:
    verdict = evaluate(synthesize(HISTORY[:have]), GOOD, HISTORY[:have])
    assert verdict.status is Status.WARMING_UP
    early = ". Until then the schema and 1 pattern are judged, and nothing is broken" if have else ""
    assert verdict.reason == f"{have} of 7 partitions; {more} more {'is' if more == 1 else 'are'} needed{early}"
    assert verdict.table.status is Status.WARMING_UP
    assert {scope.status for scope in verdict.columns.values()} == {Status.WARMING_UP}


def test_an_all_null_column_fails() -> None:
    nulls = profile(day(12), column("air_time", Kind.NUMERIC, [None] * 400), GOOD.columns["carrier"])
    program = _program(a_range("mean", 140.0, 160.0), a_range("emd", None, 10.0))
    verdict = evaluate(program, nulls, HISTORY)
    assert verdict.status is Status.FAIL
    assert [finding.observed for finding in _findings(verdict)] == [Reason.NO_VALUES] * 2
    assert "air_time: mean has no value (there is no usable value in it)" in verdict.alerts[0].message


def test_an_all_null_column_without_a_type_fails_by_its_values_not_by_its_schema() -> None:
    untyped = profile(day(12), column("air_time", Kind.NULL, [None] * 400), GOOD.columns["carrier"])
    verdict = evaluate(_program(a_range("mean", 140.0, 160.0), a_range("ks_dist", None, 1.0)), untyped, HISTORY)
    assert (verdict.status, verdict.table.status) == (Status.FAIL, Status.PASS)
    assert [alert.rule for alert in verdict.alerts] == ["range", "range"]


def test_an_error_of_the_engine_is_no_violation_and_no_pass() -> None:
    broken = with_metric(GOOD, "air_time", {"mean": Reason.ENGINE_ERROR})
    verdict = evaluate(_program(a_range("mean", 0.0, 1e6), a_range("row_count", 0.0, 1e6)), broken, HISTORY)
    assert (verdict.status, verdict.alerts) == (Status.NOT_EVALUATED, ())
    assert verdict.reason == "air_time: mean: engine error"


def test_a_pair_clause_without_states_is_not_evaluated() -> None:
    # What other tests have measured of the same profiles is not known to it.
    bare = History.of([without_states(p) for p in HISTORY], distances=Distances())
    fresh = flights(12)
    verdict = evaluate(_program(a_range("ks_dist", None, 1.0)), fresh, bare)
    assert verdict.status is Status.NOT_EVALUATED
    assert "ks_dist: the statistics it is measured from are not kept; profile the partition again" in str(
        verdict.reason
    )
    assert evaluate(_program(a_range("ks_dist", None, 1.0)), fresh, []).status is Status.NOT_EVALUATED


def test_a_violation_outweighs_what_could_not_be_evaluated() -> None:
    bare = [without_states(p) for p in HISTORY]
    verdict = evaluate(_program(a_range("ks_dist", None, 1.0), a_range("mean", 0.0, 1.0)), flights(12), bare)
    assert verdict.status is Status.FAIL


@pytest.mark.parametrize(("logarithmic", "lower", "upper"), [(False, -5.0, 5.0), (True, -0.1, 0.1)])
def test_a_difference_compares_with_the_partition_at_its_lag(logarithmic: bool, lower: float, upper: float) -> None:
    history = [with_metric(p, "air_time", {"mean": 100.0 + i}) for i, p in enumerate(HISTORY)]
    weekly = Expectation(Forecast.DIFFERENCE, logarithmic, cycle=7)
    program = _program(a_range("mean", lower, upper, expectation=weekly))
    base = 100.0 + 12 - 7
    expected = (base * np.exp(lower), base * np.exp(upper)) if logarithmic else (base + lower, base + upper)
    assert evaluate(program, with_metric(GOOD, "air_time", {"mean": expected[0] * 1.001}), history).findings == ()
    value = expected[1] * 1.001
    (finding,) = evaluate(program, with_metric(GOOD, "air_time", {"mean": value}), history).findings
    assert finding.observed == value
    assert (finding.lower, finding.upper) == pytest.approx(expected)


def test_value_that_has_no_logarithm_fails() -> None:
    program = _program(a_range("mean", -0.1, 0.1, expectation=Expectation(Forecast.DIFFERENCE, True)))
    (finding,) = evaluate(program, with_metric(GOOD, "air_time", {"mean": 0.0}), HISTORY).findings
    assert (finding.observed, finding.evidence) == (0.0, None)


def test_a_difference_without_the_partition_at_its_lag_is_not_evaluated() -> None:
    program = _program(a_range("mean", -5.0, 5.0, expectation=Expectation(Forecast.DIFFERENCE, cycle=7)))
    short = evaluate(program, GOOD, HISTORY[-3:])
    gone = evaluate(program, GOOD, [with_metric(p, "air_time", {"mean": Reason.NO_VALUES}) for p in HISTORY])
    assert short.status is gone.status is Status.NOT_EVALUATED
    assert short.reason == "air_time: mean: none of the values that it is compared with is known"


def test_a_season_without_a_value_at_its_lags_falls_back_to_the_newest() -> None:
    history = [with_metric(p, "air_time", {"mean": 100.0 + i}) for i, p in enumerate(HISTORY[-3:])]
    program = _program(a_range("mean", -5.0, 5.0, expectation=Expectation(Forecast.SEASON, cycle=7)))
    assert evaluate(program, with_metric(GOOD, "air_time", {"mean": 104.0}), history).status is Status.PASS
    assert evaluate(program, with_metric(GOOD, "air_time", {"mean": 110.0}), history).status is Status.FAIL


def test_bounds_are_inclusive() -> None:
    program = _program(a_range("mean", 1.0, 2.0))
    for value, status in ((1.0, Status.PASS), (2.0, Status.PASS), (np.nextafter(2.0, 3.0), Status.FAIL)):
        assert evaluate(program, with_metric(GOOD, "air_time", {"mean": float(value)}), HISTORY).status is status


def test_missing_new_and_retyped_columns_are_alerts_of_their_own() -> None:
    text = column("air_time", Kind.STRING, ["150"] * 400)
    gate = column("gate", Kind.NUMERIC, np.ones(400))
    verdict = evaluate(PROGRAM, profile(day(12), text, gate), HISTORY)
    assert (verdict.status, verdict.table.status) == (Status.FAIL, Status.FAIL)
    assert [(alert.rule, alert.column) for alert in verdict.alerts] == [
        ("column_retyped", "air_time"),
        ("column_missing", "carrier"),
        ("column_added", "gate"),
    ]
    assert verdict.alerts[0].message == (
        "air_time: the column is now string (large_string); it was numeric in the 12 past partitions."
    )
    assert {scope.status for scope in verdict.columns.values()} == {Status.NOT_EVALUATED}


def test_given_columns_only_are_judged() -> None:
    only = profile(day(12), GOOD.columns["carrier"])
    verdict = evaluate(PROGRAM, only, HISTORY, columns=["carrier"])
    assert (verdict.status, list(verdict.columns)) == (Status.PASS, ["carrier"])
    missing = evaluate(PROGRAM, only, HISTORY, columns=["air_time", "carrier"])
    assert (missing.status, missing.alerts[0].rule) == (Status.FAIL, "column_missing")
    gate = profile(day(12), GOOD.columns["carrier"], column("gate", Kind.NUMERIC, np.ones(400)))
    assert evaluate(PROGRAM, gate, HISTORY, columns=["carrier"]).alerts == ()


def test_asked_for_column_without_a_program_is_not_evaluated() -> None:
    gate = profile(day(12), GOOD.columns["carrier"], column("gate", Kind.NUMERIC, np.ones(400)))
    verdict = evaluate(PROGRAM, gate, HISTORY, columns=["carrier", "gate"])
    assert (verdict.status, verdict.columns["gate"].status) == (Status.NOT_EVALUATED, Status.NOT_EVALUATED)
    assert verdict.reason == "gate: no program: the history does not have this column"


def test_unknown_asked_for_column_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"2013-01-13.*'gate'.*'air_time', 'carrier'"):
        evaluate(PROGRAM, GOOD, HISTORY, columns=["gate"])


def test_column_without_clauses_does_not_decide_unless_it_is_alone() -> None:
    none = ColumnReport(Kind.STRING, 3, reason="no metric could be bounded")
    kept = tuple(one for one in PROGRAM.constraints if not (isinstance(one, Range) and one.column == "carrier"))
    both = replace(PROGRAM, constraints=kept, reports={**PROGRAM.reports, "carrier": none})
    verdict = evaluate(both, GOOD, HISTORY)
    assert verdict.status is Status.PASS
    assert verdict.columns["carrier"].status is Status.NOT_EVALUATED
    assert verdict.columns["carrier"].reason == "no metric could be bounded"
    alone = evaluate(replace(both, constraints=(), reports={"carrier": none}), GOOD, HISTORY)
    assert alone.status is Status.NOT_EVALUATED
    assert "carrier: no metric could be bounded" in str(alone.reason)


def test_excluded_columns_are_not_part_of_the_schema() -> None:
    program = synthesize(HISTORY, SynthesisOptions(scope="column", mode="paper", exclude=("carrier",)))
    only: Profile = profile(day(12), GOOD.columns["air_time"])
    assert evaluate(program, only, HISTORY).status is Status.PASS
    assert evaluate(program, GOOD, HISTORY).status is Status.PASS


def test_the_same_call_gives_the_same_verdict() -> None:
    assert evaluate(PROGRAM, GOOD, HISTORY) == evaluate(PROGRAM, flights(12), [flights(i) for i in range(12)])


def _shop(index: int, rows: int) -> Profile:
    random = np.random.default_rng(index)
    return profile(day(index), column("amount", Kind.NUMERIC, random.normal(10.0, 1.0, rows)))


@pytest.mark.parametrize("empty", [(5,), (11,), (5, 6, 10, 11)])
def test_days_without_rows_do_not_blind_the_gate(empty: tuple[int, ...]) -> None:
    history = [_shop(i, 0 if i in empty else 300) for i in range(12)]
    program = synthesize(history)
    assert evaluate(program, _shop(12, 300), history).status is Status.PASS
    wrong = profile(day(12), column("amount", Kind.NUMERIC, np.random.default_rng(12).normal(100.0, 10.0, 300)))
    assert evaluate(program, wrong, history).columns["amount"].status is Status.FAIL


def test_a_day_without_rows_where_there_have_been_such_is_for_the_number_of_rows_to_judge() -> None:
    usual = [_shop(i, 0 if i % 3 == 2 else 300) for i in range(12)]
    verdict = evaluate(synthesize(usual), _shop(12, 0), usual)
    assert (verdict.status, verdict.alerts) == (Status.PASS, ())
    never = [_shop(i, 300) for i in range(12)]
    assert evaluate(synthesize(never), _shop(12, 0), never).columns["amount"].status is Status.FAIL


def test_a_table_that_never_had_a_row_was_not_checked_unless_a_check_says_so() -> None:
    # A filter that is wrong from the first day on chooses nothing for ever.
    history = [_shop(i, 0) for i in range(12)]
    program = synthesize(history)
    verdict = evaluate(program, _shop(12, 0), history)
    assert verdict.status is Status.NOT_EVALUATED
    assert verdict.reason is not None
    assert "neither it nor any of the 12 past partitions that it is judged by has a row" in verdict.reason
    assert evaluate(program, _shop(12, 300), history).table.status is Status.FAIL


def test_an_error_of_the_engine_is_no_pass_where_no_range_looks_at_it() -> None:
    broken = with_metric(GOOD, "air_time", {"median": Reason.ENGINE_ERROR})
    verdict = evaluate(_program(a_range("mean", 0.0, 1e6), a_range("row_count", 0.0, 1e6)), broken, HISTORY)
    assert (verdict.status, verdict.reason) == (Status.NOT_EVALUATED, "air_time: measuring it failed (engine error)")


def test_a_column_without_a_range_is_named_as_not_judged() -> None:
    program = _program(a_range("mean", 0.0, 1e6))
    unjudged = ColumnReport(Kind.STRING, reason="it was all null")
    verdict = evaluate(replace(program, reports={**program.reports, "carrier": unjudged}), GOOD, HISTORY)
    assert (verdict.status, verdict.not_judged) == (Status.PASS, {"carrier": "it was all null"})


def _sometimes_null(index: int, nulls: bool) -> Profile:
    random = np.random.default_rng(index)
    amount = [None] * 200 if nulls else random.normal(10.0, 1.0, 200)
    return replace(
        profile(
            day(0), column("amount", Kind.NUMERIC, amount), column("other", Kind.NUMERIC, random.normal(5.0, 1.0, 200))
        ),
        partition=f"2013-{1 + index // 28:02d}-{1 + index % 28:02d}",
    )


def test_a_column_without_values_does_not_pass_because_it_had_none_once() -> None:
    history = [_sometimes_null(i, i == 12) for i in range(30)]
    verdict = evaluate(synthesize(history), _sometimes_null(30, True), history)
    assert (verdict.status, verdict.columns["amount"].status) == (Status.FAIL, Status.FAIL)
    assert all("-110" not in alert.message for alert in verdict.alerts)


def test_a_column_that_often_has_no_values_is_named_as_not_judged_when_it_has_none() -> None:
    history = [_sometimes_null(i, i % 3 == 1) for i in range(30)]
    verdict = evaluate(synthesize(history), _sometimes_null(31, True), history)
    assert (verdict.status, verdict.judged, list(verdict.not_judged)) == (Status.PASS, ("other",), ["amount"])
    assert "no values, as in some past partitions" in verdict.not_judged["amount"]
    assert held_words(verdict).endswith(f"on 1 column hold; not judged: amount ({verdict.not_judged['amount']})")
    assert verdict.checked == verdict.table.checked + verdict.columns["other"].checked

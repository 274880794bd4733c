"""Declared checks in a verdict: what fails, what only warns, what was not looked at, with and without a history."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq import ProfileOptions, SynthesisOptions, evaluate, from_json, profile_table, synthesize, to_json
from airflow_dq.backtest.walk import backtest
from airflow_dq.check import Checks
from airflow_dq.gate.conclusion import conclude
from airflow_dq.judge.severity import graded
from airflow_dq.judge.verdict import Status, Verdict
from airflow_dq.learn.program import Program
from airflow_dq.profile import Profile

ROWS = 200
FIRST = date(2026, 1, 1)


def day(index: int, checks: Checks | None = None, **changed: pa.Array) -> Profile:
    rng = np.random.default_rng(index)
    columns = {
        "price": pa.array(10.0 + rng.random(ROWS)),
        "discount": pa.array(rng.random(ROWS)),
        "status": pa.array(["new", "paid"] * (ROWS // 2)),
    }
    declared = () if checks is None else tuple(checks)
    key = str(FIRST + timedelta(index))
    return profile_table(pa.table(columns | changed), key, ProfileOptions(sample_rows=0, checks=declared))


@pytest.fixture(scope="module")
def past() -> list[Profile]:
    return [day(index) for index in range(10)]


def judged(checks: Checks, profile: Profile, past: list[Profile], columns: list[str] | None = None) -> Verdict:
    options = SynthesisOptions(checks=checks)
    verdict = evaluate(synthesize(past, options), profile, past, columns)
    assert from_json(Verdict, to_json(verdict)) == verdict
    return verdict


def rule(**given: str) -> Checks:
    checks = Checks("orders", owner="finance")
    checks.rule("discount <= price", **given)  # type: ignore[arg-type]
    return checks


TOO_HIGH = {"discount": pa.array([99.0] + [0.5] * (ROWS - 1))}


def test_a_check_that_holds_adds_nothing_but_its_count(past: list[Profile]) -> None:
    plain, checks = evaluate(synthesize(past), day(10), past), rule()
    verdict = judged(checks, day(10, checks), past)
    assert (plain.status, verdict.status, verdict.alerts) == (Status.PASS, Status.PASS, ())
    assert verdict.checked == plain.checked + 1


def test_a_violated_check_fails_and_says_how_many_rows_what_was_asked_and_by_whom(past: list[Profile]) -> None:
    checks = rule(error=">=0.999")
    verdict = judged(checks, day(10, checks, **TOO_HIGH), past)
    assert verdict.status is Status.FAIL
    (alert,) = [one for one in verdict.alerts if one.rule == "check"]
    (check,) = checks
    assert (alert.metric, alert.observed, alert.severity) == (check.id, 199 / 200, "fail")
    assert alert.sentence == (
        "the table: share of rows that follow the rule 'discount <= price' is 99.5% (199 of 200); asked: >= 0.999 "
        f"(check {check.id}, owner finance)."
    )
    assert [one.rows for one in verdict.findings if one.rule == "check"] == [1]


def test_words_of_one_s_own_are_said_in_place_of_ours(past: list[Profile]) -> None:
    checks = rule(message="{numerator} of {denominator} discounts are fine, {value}; we want {bounds}", id="d")
    verdict = judged(checks, day(10, checks, **TOO_HIGH), [])
    assert (
        verdict.alerts[0].statement
        == "199 of 200 discounts are fine, 99.5%; we want exactly 1 (check d, owner finance)."
    )


def test_a_check_judges_however_short_the_history_is() -> None:
    checks = rule()
    held = judged(checks, day(0, checks), [])
    assert (held.status, held.alerts) == (Status.WARMING_UP, ())
    assert held.reason == "0 of 7 partitions; 7 more are needed. Of 1 declared check 1 holds"
    broken = judged(checks, day(0, checks, **TOO_HIGH), [])
    assert (broken.status, broken.table.status) == (Status.FAIL, Status.FAIL)
    assert conclude("orders", broken, "fail").outcome == "fail"
    assert "1 fail" in str(broken.reason)
    unknown = judged(checks, day(0), [])
    assert unknown.status is Status.NOT_EVALUATED
    assert "profile the partition again" in str(unknown.reason)
    assert conclude("orders", unknown, "warn").outcome == "fail"


def test_what_only_warns_never_fails_the_gate_and_never_hides(past: list[Profile]) -> None:
    checks = Checks("orders")
    checks.col("status").isin(["new"], warn=">=0.9", id="status")
    for history, status in (([], Status.WARMING_UP), (past, Status.FAIL)):
        verdict = judged(checks, day(10, checks), history)
        assert verdict.status is status
        assert [(alert.metric, alert.severity) for alert in verdict.alerts] == [("status", "warn")]
        assert conclude("orders", graded(verdict, {}), "fail").outcome in ("warn", "warming_up")
    assert verdict.only_warns
    assert conclude("orders", graded(verdict, {"rule:check": "fail"}), "fail").outcome == "fail"


def test_a_warning_does_not_let_pass_what_was_not_looked_at(past: list[Profile]) -> None:
    checks = Checks("orders")
    checks.col("status").isin(["new"], warn=">=0.9")
    checks.rule("nothing > 0")
    verdict = judged(checks, day(10, checks), past)
    assert verdict.status is Status.NOT_EVALUATED
    assert "no column 'nothing'" in str(verdict.reason)
    assert verdict.alerts
    assert not verdict.only_warns


def test_an_error_s_bounds_come_before_a_warning_s(past: list[Profile]) -> None:
    checks = rule(error=">=0.5", warn=">=0.999")
    assert [alert.severity for alert in judged(checks, day(10, checks, **TOO_HIGH), []).alerts] == ["warn"]
    checks = rule(error=">=0.999", warn="==1")
    assert [alert.severity for alert in judged(checks, day(10, checks, **TOO_HIGH), []).alerts] == ["fail"]


def test_a_check_that_only_warns_and_cannot_be_computed_stops_nothing(past: list[Profile]) -> None:
    checks = rule(level="warn")
    verdict = judged(checks, day(10), past)
    assert verdict.status is Status.PASS
    assert [one.metric for one in verdict.not_evaluated if one.rule == "check"] == [next(iter(checks)).id]


def test_no_row_in_scope_is_neither_right_nor_wrong(past: list[Profile]) -> None:
    checks = Checks("orders")
    checks.col("status").complete(where="price > 1000")
    verdict = judged(checks, day(10, checks), past)
    assert verdict.status is Status.PASS
    assert [(one.reason, one.applies) for one in verdict.not_evaluated if one.rule == "check"] == [
        ("no row is in scope", False)
    ]


@pytest.mark.parametrize("history", [0, 10])
def test_a_check_on_a_column_that_the_history_lacks_is_judged(past: list[Profile], history: int) -> None:
    checks = Checks("orders")
    checks.col("new").complete()
    empty = judged(checks, day(10, checks, new=pa.array([None] * ROWS, pa.string())), past[:history])
    assert empty.status is Status.FAIL
    assert empty.columns["new"].status is Status.FAIL
    lacking = judged(checks, day(10, checks), past[:history])
    assert lacking.status is Status.NOT_EVALUATED
    assert "no column 'new'" in str(lacking.reason)


def test_a_check_judges_a_column_that_is_not_learned_from(past: list[Profile]) -> None:
    checks = Checks("orders")
    checks.col("status").isin(["new", "paid"])
    checks.col("status").complete(where="price > 1000", id="idle")
    options = SynthesisOptions(checks=checks, exclude=("status",))
    verdict = evaluate(synthesize(past, options), day(10, checks), past)
    assert (verdict.status, verdict.columns["status"].status) == (Status.PASS, Status.PASS)
    idle = SynthesisOptions(checks=[tuple(checks)[1]], exclude=("status",))  # type: ignore[arg-type]
    verdict = evaluate(synthesize(past, idle), day(10, checks), past)
    assert (verdict.status, verdict.columns.get("status")) == (Status.PASS, None)
    verdict = evaluate(synthesize(past, options), day(10, checks, status=pa.array(["x"] * ROWS)), past)
    assert verdict.columns["status"].status is Status.FAIL


def test_only_the_checks_on_what_is_asked_for_are_judged(past: list[Profile]) -> None:
    checks = rule()
    checks.col("status").isin(["new"])
    verdict = judged(checks, day(10, checks, **TOO_HIGH), past, ["price"])
    assert verdict.status is Status.PASS
    assert judged(checks, day(10, checks), past, ["status"]).columns["status"].status is Status.FAIL


def test_a_declared_alert_stands_by_itself_among_those_of_one_accident(past: list[Profile]) -> None:
    checks = Checks("orders")
    checks.rows(error=">=150", id="many")
    short = profile_table(pa.table({"price": [10.5], "discount": [0.5], "status": ["new"]}), "2026-01-11")
    verdict = judged(checks, short, past)
    (alert,) = [one for one in verdict.alerts if one.metric == "many"]
    assert (alert.root, alert.group, alert.moved_with) == (True, None, ())
    assert alert.statement.startswith("number of rows is 1; asked: >= 150")


def test_a_program_of_checks_survives_its_json_and_says_what_it_needs() -> None:
    program = synthesize([], SynthesisOptions(checks=rule()))
    assert from_json(Program, to_json(program)) == program
    assert (program.missing, len(program.constraints)) == (7, 1)


def test_a_backtest_tells_when_a_check_would_have_fired_and_learns_from_what_only_warned() -> None:
    checks = rule(error=">=0.5", warn=">=0.999")
    days = [day(index, checks, **(TOO_HIGH if index == 9 else {})) for index in range(12)]
    result = backtest(days, SynthesisOptions(checks=checks), targets=())
    alarms = [one for one in result.partitions if any(alert.rule == "check" for alert in one.alerts)]
    assert [one.partition for one in alarms] == [days[9].partition]


def test_a_metric_of_one_s_own_is_learned_from_its_history_and_its_alert_shows_it() -> None:
    checks = Checks("orders")
    checks.metric("revenue", "sum(price - discount)")
    days = [day(index, checks) for index in range(11)]
    assert judged(checks, days[10], days[:10]).status is Status.PASS
    verdict = judged(checks, day(10, checks, **TOO_HIGH), days[:10])
    assert verdict.status is Status.PASS or verdict.alerts  # one odd row in 200 is no news to a sum
    doubled = day(10, checks, price=pa.array([30.0] * ROWS))
    (alert,) = [one for one in judged(checks, doubled, days[:10]).alerts if one.metric == "metric.revenue"]
    assert alert.lower is not None
    assert alert.upper is not None
    assert (len(alert.history), alert.partitions) == (10, 10)
    assert "by learned (target_fpr 0.001) of 10 past values" in alert.message
    young = judged(checks, doubled, days[:3])
    assert (young.status, young.alerts) == (Status.WARMING_UP, ())
    assert "1 had nothing to look at" in str(young.reason)


def test_an_anomaly_that_only_warns_does_not_fail(past: list[Profile]) -> None:
    checks = Checks("orders")
    checks.rows(anomaly={"relative_change": {"lower": 0.9, "upper": 1.1}}, level="warn", id="volume")
    few = profile_table(pa.table({"price": [10.5] * 5, "discount": [0.5] * 5, "status": ["new"] * 5}), "2026-01-11")
    (alert,) = [one for one in judged(checks, few, past).alerts if one.metric == "volume"]
    assert (alert.severity, alert.lower, alert.upper) == ("warn", 180.0, pytest.approx(220.0))
    assert "asked: 180 to 220" in alert.message


def test_of_the_values_of_a_column_the_worst_is_told(past: list[Profile]) -> None:
    checks = Checks("orders")
    checks.col("price").mean(by="status", error="<=10.4", warn="<=10.3", id="mean")
    checks.rows(by="status", error=">=100", id="rows")
    checks.col("price").min_length(by="status", error=">0", id="text")
    prices = np.where(np.arange(ROWS) % 2, 20.0, 10.35)
    verdict = judged(checks, day(10, checks, price=pa.array(prices)), past)
    found = {alert.metric: alert for alert in verdict.alerts if alert.rule == "check"}
    assert found.keys() == {"mean"}
    assert found["mean"].observed == 20.0
    assert found["mean"].statement.startswith("mean for each status is 20 (status 'paid'; 1 of 2 values break it);")
    (lost,) = [one for one in verdict.not_evaluated if one.metric == "text"]
    assert lost.reason == "column 'price' is double, and has no length in characters"
    assert verdict.status is not Status.PASS
    soft = Checks("orders")
    soft.col("price").mean(by="status", error="<=30", warn="<=10.3", id="mean")
    (alert,) = judged(soft, day(10, soft, price=pa.array(prices)), []).alerts
    assert (alert.severity, alert.observed) == ("warn", 20.0)


def test_a_table_that_is_meant_to_be_empty_passes_by_its_check() -> None:
    checks = Checks("rejected", owner="finance")
    checks.rows().between(0, 0)

    def empty(index: int) -> Profile:
        none = {name: pa.array([], pa.float64()) for name in ("price", "discount")}
        options = ProfileOptions(sample_rows=0, checks=tuple(checks))
        return profile_table(pa.table(none), str(FIRST + timedelta(index)), options)

    history = [empty(index) for index in range(10)]
    assert judged(checks, empty(10), history).status is Status.PASS
    assert evaluate(synthesize(history), empty(10), history).status is Status.NOT_EVALUATED

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.fact import Fact
from airflow_dq.explain.record import Record
from airflow_dq.gate.conclusion import SHOWN, conclude, unjudged
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.learn.constraint.base import Severity
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.store.review_model import Review


def verdict(status: Status, alerts: int = 0, reason: str | None = None, severity: Severity = "fail") -> Verdict:
    said = tuple(Alert("range", "a", f"mean was {n}.", severity=severity) for n in range(alerts))
    column = ScopeVerdict(status, 3)
    return Verdict("2013-02-15", status, ScopeVerdict(Status.PASS), {"a": column}, alerts=said, reason=reason)


@pytest.mark.parametrize("on_violation", ["fail", "skip", "warn"])
def test_a_pass_passes_and_says_how_much_was_checked(on_violation) -> None:  # type: ignore[no-untyped-def]
    result = conclude("flights", verdict(Status.PASS), on_violation)
    assert result.to_dict() == {
        "dataset": "flights",
        "partition": "2013-02-15",
        "outcome": "pass",
        "status": "pass",
        "reason": None,
        "headline": None,
        "problems": [],
        "problem_count": 0,
        "alert_count": 0,
        "not_judged": {},
        "notes": [],
        "record": None,
        "decision": None,
        "decided_by": None,
    }
    assert type(result.status) is str  # an enumeration would need this package to be read back
    assert result.message.endswith("pass; 3 constraints on 1 column hold.")


def test_a_violation_fails_with_every_problem_once() -> None:
    result = conclude("flights", verdict(Status.FAIL, alerts=2), "fail")
    assert result.outcome == "fail"
    assert result.message.splitlines() == [
        "Dataset 'flights', partition '2013-02-15': fail; 2 problems:",
        "- a: mean was 0",
        "- a: mean was 1",
    ]
    assert result.line == "Dataset 'flights', partition '2013-02-15': fail; a: mean was 0; and 1 more problem"


def test_one_problem_is_one_line_and_its_findings_are_below_it() -> None:
    fact = Fact("unit_change a", "a is 10 times too large", ("a",), 400, "Ask for the unit.")
    alerts = [Alert("range", "a", f"mean was {n}.", group="x10", root=not n) for n in range(5)]
    found = replace(verdict(Status.FAIL), alerts=(replace(alerts[0], fact=fact), *alerts[1:]))
    result = conclude("flights", found, "fail")
    assert result.message.splitlines() == [
        "Dataset 'flights', partition '2013-02-15': fail; 1 problem:",
        "- a is 10 times too large",
        "    what to do: Ask for the unit.",
        "    a: mean was 0.",
        "    a: mean was 1.",
        "    a: mean was 2.",
        "    and 2 more findings",
    ]
    assert result.line.endswith("fail; a is 10 times too large")
    told = result.to_dict()
    assert told["problems"] == [
        {
            "key": "unit_change a",
            "headline": "a is 10 times too large",
            "columns": ["a"],
            "rows": 400,
            "severity": "fail",
        }
    ]
    assert (told["headline"], told["problem_count"], told["alert_count"]) == ("a is 10 times too large", 1, 5)


@pytest.mark.parametrize(
    ("on_violation", "words"),
    [("warn", "fail, goes on all the same (on_violation='warn'); 1 problem:"), ("skip", "what follows is")],
)
def test_a_violation_does_what_it_is_told_to(on_violation, words) -> None:  # type: ignore[no-untyped-def]
    result = conclude("flights", verdict(Status.FAIL, alerts=1), on_violation)
    assert (result.outcome, result.status, result.to_dict()["headline"]) == (on_violation, "fail", "a: mean was 0")
    assert words in result.message


@pytest.mark.parametrize("on_violation", ["fail", "skip"])
def test_alerts_that_only_warn_stop_nothing(on_violation) -> None:  # type: ignore[no-untyped-def]
    soft = verdict(Status.FAIL, alerts=2, severity="warn")
    assert conclude("flights", soft, on_violation).outcome == "warn"
    assert conclude("flights", soft, on_violation).message.splitlines()[:2] == [
        "Dataset 'flights', partition '2013-02-15': warning, goes on; 2 problems:",
        "- (warning) a: mean was 0",
    ]
    hard = verdict(Status.FAIL, alerts=1)
    mixed = Verdict("1", Status.FAIL, hard.table, hard.columns, alerts=(*soft.alerts, *hard.alerts))
    assert conclude("flights", mixed, on_violation).outcome == on_violation
    # A violation that nothing explains is no case of warnings only.
    assert conclude("flights", verdict(Status.FAIL), on_violation).outcome == on_violation


def test_a_hundred_alerts_stay_small_and_end_with_the_command_that_shows_them() -> None:
    result = conclude("flights", verdict(Status.FAIL, alerts=100), "fail")
    lines = result.message.splitlines()
    assert len(lines) == SHOWN + 2
    assert lines[-1] == "- and 80 more: airflow dq explain flights 2013-02-15"
    odd = conclude("my flights", verdict(Status.FAIL, alerts=100), "fail").message
    assert odd.endswith("airflow dq explain 'my flights' 2013-02-15")
    told = result.to_dict()
    assert (len(told["problems"]), told["problem_count"], told["alert_count"]) == (SHOWN, 100, 100)
    assert len(json.dumps(told)) < 4000


def test_metrics_without_a_value_are_counted_and_not_spelt_out_behind_what_explains_them() -> None:
    empty = Alert("range", None, "number of rows was 0.", observed=0.0, group="rows")
    silent = (replace(empty, column=name, statement=name, observed=Reason.EMPTY_BATCH, root=False) for name in "abc")
    found = replace(verdict(Status.FAIL), alerts=(empty, *silent))
    result = conclude("flights", found, "fail")
    assert result.message.splitlines()[1:] == [
        "- the table: number of rows was 0",
        "    and 3 more findings",
    ]
    assert (len(result.problems), result.to_dict()["alert_count"]) == (1, 4)


def test_warming_up_passes_with_its_reason_or_fails() -> None:
    warm = verdict(Status.WARMING_UP, reason="3 of 7 partitions.")
    assert conclude("flights", warm, "fail").outcome == "warming_up"
    assert "passes unjudged; 3 of 7 partitions." in conclude("flights", warm, "fail").message
    assert conclude("flights", warm, "warn", "fail").outcome == "fail"


@pytest.mark.parametrize("on_violation", ["fail", "skip", "warn"])
@pytest.mark.parametrize("status", [Status.NOT_EVALUATED, Status.ERROR])
def test_what_was_not_judged_never_passes(status: Status, on_violation) -> None:  # type: ignore[no-untyped-def]
    result = conclude("flights", verdict(status, reason="states are gone"), on_violation)
    assert result.outcome == "fail"
    assert "does not pass; states are gone" in result.message


def test_unjudged_says_so() -> None:
    result = unjudged("flights", "1", "a backfill.")
    assert (result.outcome, result.status) == ("unjudged", "not_evaluated")
    assert result.message == "Dataset 'flights', partition '1': not judged, goes on unchecked; a backfill."


ANN = Review("accepted", "ann", datetime(2026, 1, 1, tzinfo=UTC), "seen it")


@pytest.mark.parametrize("status", [Status.FAIL, Status.WARMING_UP, Status.ERROR])
@pytest.mark.parametrize("on_violation", ["fail", "skip", "warn", "review"])
def test_what_a_person_accepted_passes(status: Status, on_violation) -> None:  # type: ignore[no-untyped-def]
    judged = verdict(status, alerts=1 if status is Status.FAIL else 0, reason="because")
    result = conclude("flights", judged, on_violation, "fail", ANN)
    assert (result.outcome, result.is_right) == ("accepted", True)
    assert "passes, accepted by ann: seen it" in result.message.splitlines()[0]
    assert (result.to_dict()["decision"], result.to_dict()["decided_by"]) == ("accepted", "ann")
    normal = replace(ANN, decision="new_normal", comment=None)
    result = conclude("flights", judged, on_violation, "fail", normal)
    assert (result.outcome, result.is_right) == ("new_normal", True)
    assert "passes, accepted as the new normal by ann" in result.message


@pytest.mark.parametrize(
    ("on_violation", "outcome"), [("fail", "fail"), ("warn", "fail"), ("review", "fail"), ("skip", "skip")]
)
def test_what_a_person_rejected_does_not_pass(on_violation, outcome: str) -> None:  # type: ignore[no-untyped-def]
    bob = Review("rejected", "bob", datetime(2026, 1, 1, tzinfo=UTC), None)
    for judged in (verdict(Status.FAIL, alerts=1), verdict(Status.PASS)):
        result = conclude("flights", judged, on_violation, review=bob)
        assert (result.outcome, result.is_right) == (outcome, False)
        assert "rejected by bob" in result.message.splitlines()[0]


def test_a_violation_waits_for_a_person() -> None:
    result = conclude("flights", verdict(Status.FAIL, alerts=1), "review")
    assert (result.outcome, result.is_right) == ("review", False)
    assert "waits for a person; 1 problem:" in result.message
    soft = verdict(Status.FAIL, alerts=1, severity="warn")
    assert conclude("flights", soft, "review").outcome == "warn"
    assert conclude("flights", verdict(Status.ERROR, reason="broke"), "review").outcome == "fail"


def test_a_violation_tells_how_reliable_the_gate_has_been_in_words_and_as_data() -> None:
    found = replace(verdict(Status.FAIL, alerts=1), record=Record(45, accepted=1), notes=("A holiday.",))
    result = conclude("flights", found, "fail")
    words = "Of the last 45 partitions judged, 1 alarmed and was accepted as right (95% interval 0-12%)."
    # A bullet below "1 problem:" is a problem, and nothing else is one.
    assert result.message.splitlines()[1:] == [
        "- a: mean was 0",
        "A holiday.",
        f"How reliable this gate has been: {words}",
    ]
    told = json.loads(json.dumps(result.to_dict()))["record"]
    assert (told["judged"], told["accepted"], told["words"]) == (45, 1, words)

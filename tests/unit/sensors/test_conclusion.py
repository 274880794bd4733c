from __future__ import annotations

import logging

import pytest

from airflow_dq.metrics.registry import Bound
from airflow_dq.program.model import Alert, Clause, ClauseResult, ScopeVerdict, Status, Transform, Verdict
from airflow_dq.sensors.conclusion import SHOWN, conclude, summarize
from airflow_dq.version_compat import AirflowFailException

LOG = logging.getLogger("gate")


def verdict(status: Status, alerts: int = 0, reason: str | None = None, clauses: int = 0) -> Verdict:
    clause = Clause("mean", "a", False, Transform(), 0.0, 1.0, 1e-3, Bound.CLT, 0.5, 0.1, 30)
    results = (ClauseResult(clause, status, 0.5, 0.5, (0.0, 1.0)),) * clauses
    said = tuple(Alert("metric", "a", f"sentence {n}.") for n in range(alerts))
    column = ScopeVerdict(status, results)
    return Verdict("2013-02-15", status, ScopeVerdict(Status.PASS), {"a": column}, said, reason)


@pytest.mark.parametrize("on_violation", ["fail", "warn"])
def test_a_pass_passes_and_says_how_much_was_checked(on_violation, caplog: pytest.LogCaptureFixture) -> None:  # type: ignore[no-untyped-def]
    caplog.set_level(logging.INFO)
    result = conclude("flights", verdict(Status.PASS, clauses=3), on_violation, LOG)
    assert result == {
        "dataset": "flights",
        "partition": "2013-02-15",
        "status": "pass",
        "reason": None,
        "alerts": [],
    }
    assert type(result["status"]) is str  # an enumeration would need this package to be read back
    assert "3 constraints on 1 columns hold" in caplog.text


def test_a_violation_fails_with_every_sentence() -> None:
    with pytest.raises(AirflowFailException) as raised:
        conclude("flights", verdict(Status.FAIL, alerts=2), "fail", LOG)
    assert str(raised.value).splitlines() == [
        "Dataset 'flights', partition '2013-02-15': fail; 2 alerts:",
        "- sentence 0.",
        "- sentence 1.",
    ]


def test_a_violation_can_be_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    result = conclude("flights", verdict(Status.FAIL, alerts=1), "warn", LOG)
    assert (result["status"], result["alerts"]) == ("fail", ["sentence 0."])
    assert caplog.records[0].levelname == "WARNING"
    assert "sentence 0." in caplog.text


def test_a_hundred_alerts_end_with_the_command_that_shows_them() -> None:
    lines = summarize("flights", verdict(Status.FAIL, alerts=100)).splitlines()
    assert len(lines) == SHOWN + 2
    assert lines[-1] == "- and 80 more: airflow dq explain flights 2013-02-15"


def test_warming_up_passes_with_its_reason(caplog: pytest.LogCaptureFixture) -> None:
    result = conclude("flights", verdict(Status.WARMING_UP, reason="3 of 7 partitions."), "fail", LOG)
    assert result["status"] == "warming_up"
    assert "3 of 7 partitions." in caplog.text


@pytest.mark.parametrize("on_violation", ["fail", "warn"])
@pytest.mark.parametrize("status", [Status.NOT_EVALUATED, Status.ERROR])
def test_what_was_not_judged_never_passes(status: Status, on_violation) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(AirflowFailException, match="does not pass; states are gone"):
        conclude("flights", verdict(status, reason="states are gone"), on_violation, LOG)

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk import BaseNotifier, TaskInstanceState

from airflow_dq.explain.problem import Problem
from airflow_dq.explain.record import Record
from airflow_dq.gate.conclusion import Conclusion, Outcome
from airflow_dq.notifications.alert import DQAlertNotifier
from airflow_dq.notifications.text import TITLE, alert_text

SENTENCE = "price: mean was <9> & rising; expected 1 to 2"
PROBLEM = Problem("column price", SENTENCE, ("price",), ())


class Sender(BaseNotifier):
    """Keeps what it would have sent."""

    template_fields: Sequence[str] = ("message",)

    def __init__(self, message: str, sent: list[str]) -> None:
        super().__init__()
        self.message = message
        self.sent = sent

    def notify(self, context: Any) -> None:
        self.sent.append(self.message)


class Broken(BaseNotifier):
    def notify(self, context: Any) -> None:
        raise ConnectionError("no route")


def context(outcome: Outcome | None) -> dict[str, Any]:
    made = None
    if outcome is not None:
        made = Conclusion("sales", "2026-01-01", outcome, "fail", "m", None, (PROBLEM,))
    task = SimpleNamespace(dataset="sales", partition="2026-01-01", conclusion=made)
    ti = SimpleNamespace(dag_id="d", run_id="r", task_id="gate", log_url="http://a/log?x=1&y=2")
    return {"ti": ti, "task": task, "dag": None}


def test_the_text_in_every_spelling() -> None:
    alert = alert_text(context("fail"))  # type: ignore[arg-type]
    assert alert.title == f"Data quality: sales 2026-01-01: fail, {SENTENCE}"
    assert alert.text.splitlines() == [
        alert.title,
        "dag d, run r, task gate",
        "http://a/log?x=1&y=2",
    ]
    assert (
        alert.slack.splitlines()[0]
        == "*Data quality: sales 2026-01-01: fail, price: mean was &lt;9&gt; &amp; rising; expected 1 to 2*"
    )
    assert "<http://a/log?x=1&amp;y=2|Open in Airflow>" in alert.slack
    assert "price: mean was &lt;9&gt; &amp; rising; expected 1 to 2</h3><p>dag d" in alert.html
    payload = json.loads(json.dumps(dict(alert.payload)))
    assert (payload["outcome"], payload["lines"], payload["dag_id"]) == ("fail", [SENTENCE], "d")


def test_any_other_failed_task_is_told_by_its_exception() -> None:
    failed = {**context(None), "exception": RuntimeError("The folder x is missing.")}
    alert = alert_text(failed)  # type: ignore[arg-type]
    assert (alert.title, alert.lines) == ("Data quality: sales 2026-01-01: fail", ("The folder x is missing.",))
    bare = alert_text({"exception": ValueError("a\n- b")})  # type: ignore[typeddict-item]
    assert bare.lines == ("a", "b")


@pytest.mark.parametrize(
    ("state", "error", "outcome", "told"),
    [
        (TaskInstanceState.SUCCESS, None, "done", 0),
        ("skipped", None, "skip", 1),
        ("failed", RuntimeError("gone"), "fail", 1),
        ("up_for_retry", RuntimeError("gone"), "fail", 1),
        (None, None, "fail", 1),  # killed: Airflow's callback knows no state and no exception
    ],
)
def test_a_task_that_is_no_gate_is_told_as_it_ended(
    state: str | None, error: Exception | None, outcome: str, told: int
) -> None:
    ended = context(None)
    ended["ti"].state = state
    ended |= {} if error is None else {"exception": error}
    alert = alert_text(ended)  # type: ignore[arg-type]
    assert (alert.payload["outcome"], alert.title.rpartition(": ")[2]) == (outcome, outcome)
    sent: list[str] = []
    DQAlertNotifier(Sender("x", sent))(ended)
    assert len(sent) == told


def test_a_title_is_one_short_line_and_alerts_left_out_are_counted() -> None:
    many = context("fail")
    many["task"].conclusion = Conclusion("d\n" * 200, "1", "fail", "fail", "m", None, (PROBLEM,) * 30)
    alert = alert_text(many)  # type: ignore[arg-type]
    assert (len(alert.title), "\n" in alert.title) == (TITLE, False)
    assert alert.lines[-1] == "and 10 more"


def test_other_notifiers_send_it_in_their_own_templates() -> None:
    sent: list[str] = []
    tell = DQAlertNotifier(
        Sender("{{ dq_alert.title }}", sent), Sender("{{ dq_alert.payload | tojson }} in {{ ti.dag_id }}", sent)
    )
    tell(context("fail"))
    tell(context("warn"))  # the same notifier, for another task of the process
    assert sent[0] == f"Data quality: sales 2026-01-01: fail, {SENTENCE}"
    assert sent[1].endswith(" in d")
    assert json.loads(sent[1].removesuffix(" in d"))["status"] == "fail"
    assert sent[2] == f"Data quality: sales 2026-01-01: warn, {SENTENCE}"


@pytest.mark.parametrize(("outcome", "told"), [("pass", 0), ("warn", 1), ("skip", 1), ("fail", 1), ("warming_up", 1)])
def test_only_a_pass_is_nothing_to_tell(outcome: Outcome, told: int) -> None:
    sent: list[str] = []
    DQAlertNotifier(Sender("x", sent))(context(outcome))
    assert len(sent) == told
    DQAlertNotifier(Sender("x", sent), passes=True)(context(outcome))
    assert len(sent) == told + 1


def test_one_that_fails_does_not_silence_the_others() -> None:
    sent: list[str] = []
    with pytest.raises(ConnectionError, match="no route"):
        DQAlertNotifier(Broken(), Sender("x", sent))(context("fail"))
    assert sent == ["x"]


def test_how_reliable_the_gate_has_been_is_said_below_the_alerts() -> None:
    record = Record(judged=45, accepted=1)
    made = Conclusion("sales", "2026-01-01", "fail", "fail", "m", None, (PROBLEM,), record=record)
    given = context(None)
    given["task"].conclusion = made
    alert = alert_text(given)  # type: ignore[arg-type]
    assert alert.lines == (
        SENTENCE,
        "Of the last 45 partitions judged, 1 alarmed and was accepted as right (95% interval 0-12%).",
    )
    payload = json.loads(json.dumps(dict(alert.payload)))
    assert payload["lines"] == [SENTENCE]
    assert (payload["record"]["judged"], payload["record"]["accepted"]) == (45, 1)

"""``on_violation="review"``: the gate asks a person, and does what the person has decided."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk import DAG, Asset, BaseNotifier

from airflow_dq.hooks import required_action as parked
from airflow_dq.judge.verdict import Status
from airflow_dq.sensors.gate import DQGateSensor
from airflow_dq.store.review_model import Origin, Review
from airflow_dq.version_compat import AirflowException, AirflowFailException
from tests.unit.sensors.test_gate import MODES, NOW, EventOf, FirstTry, Mode, World, gate, run, verdict, world

__all__ = ["world"]


class Parked(BaseException):
    """What parking raises in place of Airflow's own."""

    def __init__(self, **asked: Any) -> None:
        super().__init__()
        self.asked = asked


@pytest.fixture(autouse=True)
def parking(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The questions that reach Airflow."""
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr("airflow.sdk.execution_time.hitl.upsert_hitl_detail", lambda **detail: asked.append(detail))
    monkeypatch.setattr(parked, "TaskAwaitingInput", Parked)
    return asked


def reviewing(mode: Mode = "poke", **arguments: Any) -> DQGateSensor:
    return gate(mode, on_violation="review", **arguments)


def answer(option: str = "Accept and go on", comment: str = "seen it") -> dict[str, Any]:
    return {
        "chosen_options": [option],
        "params_input": {"comment": comment},
        "responded_at": NOW,
        "responded_by_user": {"id": "7", "name": "ann"},
        "timedout": False,
    }


def resume(task: DQGateSensor, event: dict[str, Any], fingerprint: str = "f1", **context: Any) -> Any:
    return task.execute_review({"ti": FirstTry(), **context}, event=event, fingerprint=fingerprint)  # type: ignore[typeddict-item]


@pytest.mark.parametrize("mode", MODES)
def test_a_violation_parks_and_asks(mode: Mode, world: World, parking: list[dict[str, Any]]) -> None:
    world.verdict = verdict(Status.FAIL)
    ti = FirstTry()
    with pytest.raises(Parked) as waits:
        run(reviewing(mode, response_timeout=timedelta(hours=2)), ti=ti)
    assert waits.value.asked == {
        "method_name": "execute_review",
        "kwargs": {"fingerprint": "f1"},
        "timeout": timedelta(hours=2),
    }
    (asked,) = parking
    assert asked["ti_id"] == "ti-1"
    assert asked["options"] == ["Accept and go on", "Reject: stay blocked", "New normal"]
    assert asked["subject"] == "a: mean was 3 (flights 1)"
    assert "](/dq-alerts/dags/flights_dag/alerts/17/chart.svg)" in asked["body"]
    assert list(asked["params"]) == ["comment"]
    assert ti.pushed == {"_link_DQAlertLink": "/dq-alerts/dags/flights_dag/alerts/17"}
    assert world.origin == Origin("flights_dag", "manual__1", "gate")


def test_nothing_but_a_violation_parks(world: World) -> None:
    for status in (Status.PASS, Status.WARMING_UP):
        world.verdict = verdict(status)
        assert run(reviewing())["status"] == str(status)
    world.verdict = verdict(Status.ERROR)
    with pytest.raises(AirflowFailException, match="not judged"):
        run(reviewing())


def test_a_backfill_never_parks(world: World) -> None:
    world.verdict = verdict(Status.FAIL)
    backfill = SimpleNamespace(run_type="backfill")
    assert run(reviewing(), dag_run=backfill)["outcome"] == "unjudged"
    with pytest.raises(AirflowFailException, match="fail; a: mean was 3"):
        run(reviewing(judge_backfills=True), dag_run=backfill)


@pytest.mark.parametrize(("option", "outcome"), [("Accept and go on", "accepted"), ("New normal", "new_normal")])
def test_accepted_goes_on_with_an_event(option: str, outcome: str, world: World) -> None:
    world.verdict = verdict(Status.FAIL)
    asset = Asset("flights")
    event = SimpleNamespace(extra={})
    result = resume(reviewing(outlets=[asset]), answer(option), outlet_events=EventOf(asset, event))
    assert (result["outcome"], result["decision"], result["decided_by"]) == (outcome, outcome, "ann")
    assert event.extra == result
    assert world.decided == [("flights", "1", outcome, "ann", "seen it")]


def test_rejected_fails_without_a_retry(world: World) -> None:
    world.verdict = verdict(Status.FAIL)
    with pytest.raises(AirflowFailException, match="fail, rejected by ann: seen it; a: mean was 3"):
        resume(reviewing(), answer("Reject: stay blocked"))
    assert world.decided == [("flights", "1", "rejected", "ann", "seen it")]


def test_the_stored_decision_wins(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.verdict = verdict(Status.FAIL)
    world.review = Review("rejected", "bob", NOW, None)
    task = reviewing()
    with pytest.raises(AirflowFailException, match="rejected by bob"):
        resume(task, answer("Accept and go on"))
    world.review = Review("accepted", "bob", NOW, None)
    assert resume(reviewing(), answer("Reject: stay blocked"))["decided_by"] == "bob"


def test_an_answer_outlives_an_outage_of_the_store(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.verdict = verdict(Status.FAIL)
    world.away = [True, True, False]
    assert resume(reviewing(), answer("Accept and go on"))["decided_by"] == "ann"
    assert len(world.decided) == 1
    world.away = [True]
    monkeypatch.setattr("airflow_dq.gate.patience.ANSWER_SECONDS", 0)
    with pytest.raises(AirflowException, match="down"):
        resume(reviewing(), answer("Accept and go on"))


def test_no_answer_in_time_fails(world: World) -> None:
    world.verdict = verdict(Status.FAIL)
    late = {"error": "The response timeout has passed.", "error_type": "timeout"}
    with pytest.raises(AirflowFailException, match=r"nobody has decided about it\. The response timeout has passed\."):
        resume(reviewing(), late)
    world.review = Review("accepted", "bob", NOW, None)
    assert resume(reviewing(), late)["outcome"] == "accepted"


def test_an_answer_about_other_content_is_not_used(world: World) -> None:
    world.verdict = verdict(Status.PASS)
    world.fingerprint = "f2"
    assert resume(reviewing(), answer("Reject: stay blocked"))["outcome"] == "pass"
    assert world.decided == []
    world.verdict = verdict(Status.FAIL)
    with pytest.raises(Parked) as again:
        resume(reviewing(), answer("Accept and go on"))
    assert again.value.asked["kwargs"] == {"fingerprint": "f2"}


@pytest.mark.parametrize("on_violation", ["fail", "review"])
def test_a_cleared_task_goes_by_the_decision(on_violation: Any, world: World) -> None:
    world.verdict = verdict(Status.FAIL)
    world.review = Review("accepted", "bob", NOW, "fine")
    assert run(gate("poke", on_violation=on_violation))["outcome"] == "accepted"
    world.review = Review("rejected", "bob", NOW, None)
    with pytest.raises(AirflowFailException, match="rejected by bob"):
        run(gate("poke", on_violation=on_violation))


def test_before_airflow_3_3_it_defers(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from airflow.providers.standard.triggers.hitl import HITLTrigger

    from tests.unit.sensors.test_gate import TaskDeferred

    monkeypatch.setattr(parked, "TaskAwaitingInput", None)
    world.verdict = verdict(Status.FAIL)
    with pytest.raises(TaskDeferred) as waits:
        run(reviewing(response_timeout=timedelta(hours=2)))
    trigger = waits.value.trigger
    assert isinstance(trigger, HITLTrigger)
    assert trigger.options == ["Accept and go on", "Reject: stay blocked", "New normal"]
    assert trigger.timeout_datetime is not None
    assert waits.value.method_name == "execute_review"
    assert waits.value.kwargs == {"fingerprint": "f1"}


class Told(BaseNotifier):
    """Remembers what it was told of, or breaks."""

    def __init__(self, told: list[Any], breaks: bool = False) -> None:
        super().__init__()
        self.told, self.breaks = told, breaks

    def notify(self, context: Any) -> None:
        self.told.append(context["ti"].task_id)
        if self.breaks:
            raise RuntimeError("no network")


def test_who_is_told_when_a_person_is_asked(world: World) -> None:
    world.verdict = verdict(Status.FAIL)
    told: list[Any] = []
    with pytest.raises(Parked):
        run(reviewing(notifiers=[Told(told, breaks=True), Told(told)]))
    assert told == ["gate", "gate"]
    world.verdict = verdict(Status.PASS)
    run(reviewing(notifiers=Told(told)))
    assert len(told) == 2


class Busy(FirstTry):
    """A task whose Airflow does not answer."""

    def xcom_push(self, key: str, value: Any) -> None:
        raise RuntimeError("API_SERVER_ERROR")


def test_a_link_that_airflow_does_not_take_loses_no_question(world: World, parking: list[dict[str, Any]]) -> None:
    world.verdict = verdict(Status.FAIL)
    with pytest.raises(Parked):
        run(reviewing(), ti=Busy())
    assert len(parking) == 1


def test_a_question_that_airflow_does_not_take_is_asked_by_the_next_try(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(**detail: Any) -> None:
        raise RuntimeError("API_SERVER_ERROR")

    monkeypatch.setattr("airflow.sdk.execution_time.hitl.upsert_hitl_detail", busy)
    world.verdict = verdict(Status.FAIL)
    with pytest.raises(RuntimeError, match="API_SERVER_ERROR"):  # whatever else is raised would end the task
        run(reviewing())
    assert reviewing().retries == 2


def test_what_a_dag_says_about_retries_counts() -> None:
    with DAG("busy", default_args={"retries": 0}):
        assert DQGateSensor(task_id="a", dataset="t", partition="1").retries == 0
        assert DQGateSensor(task_id="b", dataset="t", partition="1", retries=5).retries == 5
    with DAG("plain"):
        assert DQGateSensor(task_id="a", dataset="t", partition="1").retries == 2

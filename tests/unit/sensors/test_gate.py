from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from copy import copy
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, Literal

import pytest
from airflow.sdk import DAG, Asset

from airflow_dq.exceptions import (
    AlreadyDecidedError,
    ConfigurationError,
    NotJudgedError,
    StaleAttemptError,
    StoreUnreachableError,
    SynthesisError,
)
from airflow_dq.explain.alert import Alert
from airflow_dq.hooks.dq import DQHook
from airflow_dq.judge.verdict import Decision, ScopeVerdict, Status, Verdict
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.sensors.gate import DQGateSensor
from airflow_dq.store.review_model import Origin, Review, VerdictDetail, VerdictSummary
from airflow_dq.store.summary import AttemptState, AttemptStatus, PartitionSummary
from airflow_dq.version_compat import (
    AirflowException,
    AirflowFailException,
    AirflowSensorTimeout,
    AirflowSkipException,
    Stats,
)

try:
    from airflow.sdk.exceptions import AirflowRescheduleException, TaskDeferred
except ImportError:  # Airflow 3.1
    from airflow.exceptions import AirflowRescheduleException, TaskDeferred

NOW = datetime(2026, 1, 1, tzinfo=UTC)
Mode = Literal["poke", "reschedule", "deferrable"]
MODES: tuple[Mode, ...] = ("poke", "reschedule", "deferrable")


class World:
    """The store as the gate sees it: a list of attempt states to come, and a verdict."""

    def __init__(self) -> None:
        self.states: list[AttemptState | None] = ["succeeded"]
        self.verdict: Verdict | Exception = verdict(Status.PASS)
        self.judged: list[tuple[str, str, SynthesisOptions]] = []
        self.severity: object = None
        self.origin: Origin | None = None
        self.review: Review | None = None
        self.fingerprint = "f1"
        self.decided: list[tuple[object, ...]] = []
        self.away: list[bool] = []
        """Whether the store can be reached, look by look; always when there is no more."""

    def decision(self, dataset: str, partition: str) -> Review | None:
        return self.review

    def decide(
        self, dataset: str, partition: str, decision: Decision, by: str, comment: str | None, *, fingerprint: str
    ) -> None:
        if self.review is not None:
            raise AlreadyDecidedError("decided")
        if fingerprint != self.fingerprint:
            raise NotJudgedError("profiled anew")
        self.decided.append((dataset, partition, decision, by, comment))
        self.review = Review(decision, by, NOW, comment)

    def load_verdict(self, dataset: str, partition: str) -> Verdict | None:
        assert isinstance(self.verdict, Verdict)
        return self.verdict

    def verdict_of_partition(self, dataset: str, partition: str) -> VerdictDetail | None:
        assert isinstance(self.verdict, Verdict)
        line = VerdictSummary(
            verdict_id=1, dataset=dataset, partition=partition, status=self.verdict.status, judged_at=NOW, origin=None,
            decision=None, decided_by=None, decided_at=None, alert_count=1, open_count=1, severity="fail",
            first_alert_id=17, headline="a: mean was 3.", fingerprint=self.fingerprint,
        )  # fmt: skip
        return VerdictDetail(line, self.verdict, None, (), (), (), None)

    def partitions(self, dataset: str, limit: int) -> list[PartitionSummary]:
        return []

    def attempt_status(self, dataset: str, partition: str) -> AttemptStatus | None:
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        error = "No folder." if state == "failed" else None
        return state and AttemptStatus(1, state, error, datetime(2026, 1, 1, tzinfo=UTC), None, True, True)  # type: ignore[return-value]

    def judge(
        self,
        repository: object,
        dataset: str,
        partition: str,
        options: SynthesisOptions,
        severity: object,
        origin: Origin | None,
    ) -> Verdict:
        self.origin = origin
        self.judged.append((dataset, partition, options))
        self.severity = severity
        if isinstance(self.verdict, Exception):
            raise self.verdict
        return self.verdict


class EventOf:
    """``outlet_events`` with one asset (a dict would not do: before 3.2 an asset has no hash)."""

    def __init__(self, asset: Asset, event: SimpleNamespace) -> None:
        self.asset, self.event = asset, event

    def __getitem__(self, asset: Asset) -> SimpleNamespace:
        assert asset is self.asset
        return self.event


def verdict(status: Status) -> Verdict:
    alerts = (Alert("range", "a", "mean was 3."),) if status is Status.FAIL else ()
    return Verdict("1", status, ScopeVerdict(status), {"a": ScopeVerdict(status)}, alerts=alerts, reason="because")


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()

    @contextmanager
    def get_store(self: DQHook):  # type: ignore[no-untyped-def]
        if made.away and made.away.pop(0):
            raise StoreUnreachableError("down")
        yield made

    monkeypatch.setattr(DQHook, "get_store", get_store)
    monkeypatch.setattr("airflow_dq.gate.pipeline.judge", made.judge)
    return made


def gate(mode: Mode, **arguments: Any) -> DQGateSensor:
    how: dict[str, Any] = {"deferrable": True} if mode == "deferrable" else {"mode": mode, "deferrable": False}
    defaults: dict[str, Any] = {"task_id": "gate", "dataset": "flights", "partition": "1", "poke_interval": 0}
    return DQGateSensor(**{**defaults, **how, **arguments})


class FirstTry:
    """The task instance of a sensor that has never been rescheduled."""

    max_tries = 0
    id, dag_id, run_id, task_id, map_index = "ti-1", "flights_dag", "manual__1", "gate", -1

    def __init__(self) -> None:
        self.pushed: dict[str, Any] = {}

    def get_first_reschedule_date(self, context: object) -> datetime | None:
        return None

    def xcom_push(self, key: str, value: Any) -> None:
        self.pushed[key] = value


class Rescheduled(FirstTry):
    """The task instance of a sensor that was rescheduled, once ``first`` is set."""

    first: datetime | None = None

    def get_first_reschedule_date(self, context: object) -> datetime | None:
        return self.first


class TaskState(dict[str, Any]):
    """What Airflow keeps of a task from try to try."""

    def set(self, key: str, value: Any) -> None:
        self[key] = value


def run(task: DQGateSensor, **context: Any) -> Any:
    return task.execute({"ti": FirstTry(), **context})  # type: ignore[typeddict-item]


@pytest.mark.parametrize("mode", MODES)
def test_a_profile_that_is_there_is_judged_at_once(mode: Mode, world: World) -> None:
    result = run(gate(mode))
    assert (result["status"], result["partition"]) == ("pass", "1")
    assert world.judged == [("flights", "1", SynthesisOptions())]


@pytest.mark.parametrize("mode", MODES)
def test_a_violation_fails_without_a_retry(mode: Mode, world: World) -> None:
    world.verdict = verdict(Status.FAIL)
    with pytest.raises(AirflowFailException, match="a: mean was 3"):
        run(gate(mode))
    assert run(gate(mode, on_violation="warn"))["status"] == "fail"


@pytest.mark.parametrize("mode", MODES)
def test_warming_up_passes(mode: Mode, world: World) -> None:
    world.verdict = verdict(Status.WARMING_UP)
    assert run(gate(mode))["status"] == "warming_up"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("status", [Status.NOT_EVALUATED, Status.ERROR])
def test_what_was_not_judged_does_not_pass(mode: Mode, status: Status, world: World) -> None:
    world.verdict = verdict(status)
    with pytest.raises(AirflowFailException):
        run(gate(mode, on_violation="warn"))


@pytest.mark.parametrize("mode", MODES)
def test_a_failed_profile_is_not_waited_for(mode: Mode, world: World) -> None:
    world.states = ["failed"]
    with pytest.raises(AirflowFailException, match=r"profiling failed.*No folder"):
        run(gate(mode))
    assert world.judged == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rendered", ["", "None"])
def test_an_empty_partition_is_explained(mode: Mode, rendered: str, world: World) -> None:
    with pytest.raises(AirflowFailException, match="the argument partition rendered to"):
        run(gate(mode, partition=rendered))


@pytest.mark.parametrize("mode", MODES)
def test_a_problem_in_judging_is_one_sentence(mode: Mode, world: World) -> None:
    world.verdict = SynthesisError("no column b")
    with pytest.raises(AirflowFailException, match="no column b"):
        run(gate(mode))
    world.verdict = StaleAttemptError("profiled anew")
    with pytest.raises(AirflowException, match="profiled anew") as raised:
        run(gate(mode))
    assert not isinstance(raised.value, AirflowFailException)


@pytest.mark.parametrize("mode", MODES)
def test_a_store_that_cannot_be_reached_at_first_fails_the_try(mode: Mode, world: World) -> None:
    world.away = [True]
    with pytest.raises(AirflowException, match="down") as raised:
        run(gate(mode))
    assert not isinstance(raised.value, AirflowFailException)


def test_poke_waits_for_a_store_that_goes_away(world: World) -> None:
    world.states = [None, "succeeded"]
    world.away = [False, True, True, False]
    assert run(gate("poke"))["status"] == "pass"
    assert world.away == []


@pytest.mark.parametrize("mode", ["poke", "reschedule"])
def test_a_store_that_stays_away_is_waited_for_until_the_timeout(mode: Mode, world: World) -> None:
    world.states = [None]
    world.away = [False, *[True] * 10_000]
    waited = Rescheduled()

    def look_again_and_again() -> None:
        while True:
            with suppress(AirflowRescheduleException):
                run(gate(mode, timeout=0.2, poke_interval=0.01), ti=waited)
            waited.first = waited.first or datetime.now(UTC)

    with pytest.raises(AirflowSensorTimeout, match=r"No profile within 0\.2 s\. down"):
        look_again_and_again()


def test_reschedule_waits_for_a_store_that_goes_away(world: World) -> None:
    waited = Rescheduled()
    waited.first = datetime.now(UTC)
    world.away = [True, False]
    with pytest.raises(AirflowRescheduleException):
        run(gate("reschedule"), ti=waited)
    assert run(gate("reschedule"), ti=waited)["status"] == "pass"


def test_deferrable_defers_again_when_the_store_goes_away_while_judging(world: World) -> None:
    world.verdict = StoreUnreachableError("down")
    with pytest.raises(TaskDeferred):
        run(gate("deferrable"))
    world.away = [True]
    event = {"status": "ended", "message": "", "deadline": time.time() + 60}
    with pytest.raises(TaskDeferred):
        gate("deferrable").execute_complete({}, event)


@pytest.mark.parametrize("mode", MODES)
def test_soft_fail_skips_a_violation_in_every_mode(mode: Mode, world: World) -> None:
    world.verdict = verdict(Status.FAIL)
    ti = FirstTry()
    with pytest.raises(AirflowSkipException, match="a: mean was 3"):
        run(gate(mode, soft_fail=True), ti=ti)
    assert (ti.pushed["return_value"]["outcome"], ti.pushed["return_value"]["status"]) == ("skip", "fail")
    world.verdict = verdict(Status.PASS)
    assert run(gate(mode, soft_fail=True))["outcome"] == "pass"


@pytest.mark.parametrize("mode", MODES)
def test_soft_fail_skips_a_timeout_in_every_mode(mode: Mode, world: World) -> None:
    world.states = [None]
    task = gate(mode, soft_fail=True, timeout=0)
    event = {"status": "timeout", "message": "not profiled yet", "deadline": 0.0}

    def wait() -> None:
        if mode == "deferrable":
            task.resume_execution("execute_complete", {"event": event}, {})
        else:
            run(task)

    with pytest.raises(AirflowSkipException, match="No profile within 0 s"):
        wait()


def _arguments(**given: Any) -> dict[str, Any]:
    return given


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("world_has", "arguments"),
    [
        (_arguments(verdict=SynthesisError("no column b")), {}),
        (_arguments(verdict=verdict(Status.NOT_EVALUATED)), {}),
        (_arguments(verdict=verdict(Status.ERROR)), {}),
        (_arguments(verdict=verdict(Status.WARMING_UP)), {"warming_up": "fail"}),
        (_arguments(states=["failed"]), {}),
        (_arguments(away=[True]), {}),
        ({}, {"partition": "None"}),
        ({}, {"partition": "day=None"}),
    ],
)
def test_soft_fail_softens_nothing_else(
    mode: Mode, world_has: dict[str, Any], arguments: dict[str, Any], world: World
) -> None:
    for name, value in world_has.items():
        setattr(world, name, copy(value))
    with pytest.raises(AirflowException) as raised:
        run(gate(mode, soft_fail=True, **arguments))
    assert not isinstance(raised.value, AirflowSkipException)


@pytest.mark.parametrize("retry", [True, False])
def test_soft_fail_does_not_soften_what_the_trigger_met(retry: bool, world: World) -> None:
    event = {"status": "error", "message": "store is down", "retry": retry, "deadline": 0.0}
    with pytest.raises(AirflowException, match="store is down") as raised:
        gate("deferrable", soft_fail=True).resume_execution("execute_complete", {"event": event}, {})
    assert not isinstance(raised.value, AirflowSkipException)


@pytest.mark.parametrize(
    "given", ["2026-01-01T00:00:01", "2026-01-01 01:00:01+01:00", datetime(2026, 1, 2, tzinfo=UTC)]
)
def test_an_attempt_from_before_is_not_judged(given: str | datetime, world: World) -> None:
    with pytest.raises(TaskDeferred) as deferred:
        run(gate("deferrable", newer_than=given))
    assert datetime.fromisoformat(deferred.value.trigger.newer_than) > NOW
    assert world.judged == []
    assert run(gate("poke", newer_than="2026-01-01"))["outcome"] == "pass"


@pytest.mark.parametrize("given", ["None", "", "yesterday"])
def test_a_moment_that_rendered_to_nothing_is_explained(given: str, world: World) -> None:
    with pytest.raises(AirflowFailException, match="the argument newer_than rendered to"):
        run(gate("poke", newer_than=given))


@pytest.mark.parametrize("mode", ["poke", "reschedule"])
def test_the_timeout_ends_the_wait(mode: Mode, world: World) -> None:
    world.states = [None]
    with pytest.raises(AirflowSensorTimeout):
        run(gate(mode, timeout=0))


def test_poke_waits_until_the_profile_is_there(world: World) -> None:
    world.states = [None, "running", "succeeded"]
    assert run(gate("poke"))["status"] == "pass"


def test_deferrable_defers_with_one_deadline_over_all_deferrals(world: World) -> None:
    world.states = [None, "running", "succeeded"]
    task = gate("deferrable", timeout=100, poke_interval=5)
    before = time.time()
    with pytest.raises(TaskDeferred) as first:
        run(task)
    trigger = first.value.trigger
    assert before + 100 <= trigger.deadline <= time.time() + 100
    assert (trigger.dataset, trigger.partition, trigger.poke_interval) == ("flights", "1", 5)
    # A newer attempt has begun in between: it is waited for, against the same deadline.
    event = {"status": "ended", "message": "", "deadline": trigger.deadline}
    with pytest.raises(TaskDeferred) as second:
        task.execute_complete({}, event)
    assert second.value.trigger.deadline == trigger.deadline
    assert second.value.timeout.total_seconds() <= 105
    assert task.execute_complete({}, event)["status"] == "pass"


def test_deferrable_times_out_as_a_sensor_does(world: World) -> None:
    event = {"status": "timeout", "message": "not profiled yet", "deadline": 0.0}
    with pytest.raises(AirflowSensorTimeout, match=r"No profile within 30 s\. not profiled yet"):
        gate("deferrable", timeout=30).execute_complete({}, event)


@pytest.mark.parametrize("retry", [True, False])
def test_an_error_of_the_trigger_is_the_tasks(retry: bool, world: World) -> None:
    event = {"status": "error", "message": "store is down", "retry": retry, "deadline": 0.0}
    with pytest.raises(AirflowException, match="store is down") as raised:
        gate("deferrable").execute_complete({}, event)
    assert isinstance(raised.value, AirflowFailException) is not retry


@pytest.mark.parametrize("mode", MODES)
def test_a_violation_can_skip_what_follows(mode: Mode, world: World) -> None:
    world.verdict = verdict(Status.FAIL)
    ti = FirstTry()
    with pytest.raises(AirflowSkipException, match="a: mean was 3"):
        run(gate(mode, on_violation="skip"), ti=ti)
    assert (ti.pushed["return_value"]["outcome"], ti.pushed["return_value"]["status"]) == ("skip", "fail")


@pytest.mark.parametrize("mode", MODES)
def test_a_gate_that_fails_still_says_why_in_xcom(mode: Mode, world: World) -> None:
    world.verdict = verdict(Status.FAIL)
    ti = FirstTry()
    with pytest.raises(AirflowFailException):
        run(gate(mode), ti=ti)
    assert ti.pushed["return_value"]["headline"] == "a: mean was 3"
    silent = FirstTry()
    with pytest.raises(AirflowFailException):
        run(gate(mode, do_xcom_push=False), ti=silent)
    assert silent.pushed == {}


@pytest.mark.parametrize("mode", MODES)
def test_warming_up_can_be_told_to_fail(mode: Mode, world: World) -> None:
    world.verdict = verdict(Status.WARMING_UP)
    with pytest.raises(AirflowFailException, match="warming up, does not pass"):
        run(gate(mode, warming_up="fail"))


@pytest.mark.parametrize("mode", MODES)
def test_a_backfill_waits_for_the_profile_and_is_not_judged(mode: Mode, world: World) -> None:
    backfill = SimpleNamespace(run_type="backfill")
    result = run(gate(mode), dag_run=backfill)
    assert (result["outcome"], result["status"], world.judged) == ("unjudged", "not_evaluated", [])
    assert run(gate(mode, judge_backfills=True), dag_run=backfill)["outcome"] == "pass"
    world.states = ["failed"]
    with pytest.raises(AirflowFailException, match="profiling failed"):
        run(gate(mode), dag_run=backfill)


def test_severity_reaches_the_judge(world: World) -> None:
    run(gate("poke", severity={"column:a": "warn"}))
    assert world.severity == {"column:a": "warn"}


@pytest.mark.parametrize("mode", MODES)
def test_an_assets_event_has_the_verdict_and_there_is_none_without_a_pass(mode: Mode, world: World) -> None:
    asset = Asset("flights")
    event = SimpleNamespace(extra={})
    task = gate(mode, outlets=[asset])
    result = run(task, outlet_events=EventOf(asset, event))
    assert (event.extra, task.outlets) == (result, [asset])
    for status, arguments in ((Status.FAIL, {"on_violation": "warn"}), (Status.WARMING_UP, {})):
        world.verdict = verdict(status)
        task = gate(mode, outlets=[asset], **arguments)
        run(task, outlet_events=None)
        assert task.outlets == []


@pytest.mark.parametrize("mode", MODES)
def test_the_timeout_counts_from_the_first_try(mode: Mode, world: World) -> None:
    world.states = [None]
    kept = TaskState(dq_waiting_since_1=time.time() - 100)
    if mode == "deferrable":
        with pytest.raises(TaskDeferred) as deferred:
            run(gate(mode, timeout=60, retries=2), ti=retried(), task_state_store=kept)
        assert deferred.value.trigger.deadline == pytest.approx(time.time() - 40, abs=5)
        return
    with pytest.raises(AirflowSensorTimeout, match=r"No profile within 60 s\. .*not profiled yet"):
        run(gate(mode, timeout=60, retries=2), ti=retried(), task_state_store=kept)


def test_a_cleared_gate_starts_a_new_wait(world: World) -> None:
    world.states = [None]
    kept = TaskState(dq_waiting_since_1=time.time() - 100)
    cleared = FirstTry()
    cleared.max_tries = 4  # cleared after its second try, with two retries
    with pytest.raises(TaskDeferred) as deferred:
        run(gate("deferrable", timeout=60, retries=2), ti=cleared, task_state_store=kept)
    assert deferred.value.trigger.deadline == pytest.approx(time.time() + 60, abs=5)
    assert set(kept) == {"dq_waiting_since_1", "dq_waiting_since_3"}


def retried() -> FirstTry:
    ti = FirstTry()
    ti.max_tries = 2
    return ti


def test_counters_name_the_outcome(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[tuple[str, object]] = []
    timed: list[str] = []
    monkeypatch.setattr(Stats, "incr", lambda name, tags: counted.append((name, tags)))
    monkeypatch.setattr(Stats, "timing", lambda name, spent, tags: timed.append(name))
    run(gate("poke"))
    world.verdict = verdict(Status.FAIL)
    run(gate("poke", on_violation="warn"))
    with pytest.raises(AirflowSkipException):
        run(gate("poke", on_violation="skip"))
    with pytest.raises(AirflowFailException):
        run(gate("poke"))
    tags = {"dataset": "flights"}
    assert counted == [(f"dq.gate.{outcome}", tags) for outcome in ("pass", "warn", "skip", "fail")]
    assert timed == ["dq.gate.duration"] * 4


def test_a_value_that_the_run_lacks_is_explained(world: World) -> None:
    with DAG("d") as dag:
        task = gate("poke", partition="{{ ds }}")
    with pytest.raises(AirflowFailException, match=r"'ds' is undefined.*a run without a logical date"):
        task.render_template_fields({}, jinja_env=dag.get_template_env())


def test_options_come_as_an_object_or_as_plain_data() -> None:
    assert gate("poke").synthesis_options() == SynthesisOptions()
    given = SynthesisOptions(history=60, columns=("a",), target_fpr=0.5)
    assert gate("poke", options=given).synthesis_options() == given
    plain = {"history": 60, "columns": ["a"], "target_fpr": 0.5}
    assert gate("poke", options=plain).synthesis_options() == given
    assert gate("poke", options=plain, target_fpr=0.01).synthesis_options().target_fpr == 0.01


def test_misspelt_arguments_are_told_when_the_dag_is_parsed() -> None:
    with pytest.raises(ConfigurationError, match="options has no field histry; it has target_fpr"):
        gate("poke", options={"histry": 3})
    with pytest.raises(ConfigurationError, match="on_violation is 'stop'; allowed: fail, skip, warn"):
        gate("poke", on_violation="stop")
    with pytest.raises(ConfigurationError, match="warming_up is 'warn'; allowed: pass, fail"):
        gate("poke", warming_up="warn")
    with pytest.raises(ConfigurationError, match="severity has the key 'price'"):
        gate("poke", severity={"price": "warn"})


def test_templates_are_rendered() -> None:
    with DAG("d") as dag:
        task = gate("poke", partition="{{ ds }}")
    task.render_template_fields({"ds": "2013-02-01"}, jinja_env=dag.get_template_env())
    assert task.partition == "2013-02-01"

"""A job that another operator submits: its result is imported, or the task fails; no retry starts a second one."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from airflow.sdk import BaseOperator
from airflow.triggers.temporal import TimeDeltaTrigger

from airflow_dq.check import Checks
from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.exceptions import DQError
from airflow_dq.hooks import kill
from airflow_dq.hooks.dq import DQHook
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.job.result import JobResult
from airflow_dq.job.result_folder import ORDER, ResultFolder
from airflow_dq.job.result_writer import ResultWriter
from airflow_dq.operators.check import DQCheckOperator
from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.operators.submit import SparkJob
from airflow_dq.profile import JobSpec
from airflow_dq.version_compat import AirflowException, AirflowFailException, TaskDeferred


class FakeStore:
    """As much of the database as a task with an imported result asks for."""

    def __init__(self) -> None:
        self.attempts: list[str] = []
        self.failed: dict[int, str] = {}
        self.saved: dict[str, int] = {}

    def learn_rules(self, dataset: str, before: str) -> tuple[()]:
        return ()

    def seen_columns(self, dataset: str) -> list[Any]:
        return []

    def begin_attempts(self, dataset: str, partitions: list[str], **origin: Any) -> dict[str, int]:
        self.attempts += partitions
        return {key: len(self.attempts) - place for place, key in enumerate(reversed(partitions))}

    def begin_attempt(self, dataset: str, partition: str, **origin: Any) -> int:
        return self.begin_attempts(dataset, [partition])[partition]

    def fail_attempt(self, attempt: int, error: str) -> None:
        self.failed[attempt] = error

    def save_profiles(self, dataset: str, profiles: Mapping[int, Any]) -> None:
        self.saved |= {profile.partition: profile.row_count for profile in profiles.values()}

    def nothing(self, *arguments: Any) -> int:
        return 0

    add_between = add_relations = update_between = update_totals = tidy = nothing


class Service(BaseOperator):
    """Stands for a provider's operator: runs the job, as the service would."""

    external_id_key = "service_job"
    jobs: ClassVar[list[SparkJob]] = []

    def __init__(self, job: SparkJob, does: str, **kwargs: Any) -> None:
        super().__init__(task_id=job.task_id, **kwargs)
        self.job = job
        self.does = does

    def execute(self, context: Any) -> None:
        self.jobs.append(self.job)
        assert self.external_id_key == f"service_job_{self.job.token}"
        if self.does == "defers":
            from datetime import timedelta

            self.defer(trigger=TimeDeltaTrigger(timedelta(1)), method_name="execute_complete", kwargs={"number": 7})
        self.work()

    def execute_complete(self, context: Any, event: Any, number: int) -> None:
        assert number == 7
        self.does = event
        self.work()

    def work(self) -> None:
        if self.does == "dies":
            raise AirflowException("the service says no")
        if self.does == "vanishes":
            return
        folder = ResultFolder(self.job.arguments[1])
        spec = JobSpec.from_json((folder.get(ORDER) or b"").decode())
        writer = ResultWriter(folder, spec.rules)
        try:
            outcomes = ProfileJob(ArrowEngine(spec), writer, lambda line: None).run()
        except DQError as error:
            result = JobResult(spec.dataset, error=str(error), retryable=error.retryable)
        else:
            result = JobResult.of(spec.dataset, outcomes, 1.0)
        writer.finish(result)
        if result.error is not None:
            raise AirflowException("exit code 2")


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> FakeStore:
    fake = FakeStore()

    @contextmanager
    def opened(self: DQHook):  # type: ignore[no-untyped-def]
        yield fake

    monkeypatch.setattr(DQHook, "get_store", opened)
    monkeypatch.setattr(Service, "jobs", [])
    return fake


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    pq.write_table(pa.table({"n": [1.0, 2.0, 3.0]}), tmp_path / "rows.parquet")
    return tmp_path


def context(try_number: int = 1) -> Any:
    names = {"dag_id": "d", "task_id": "profile", "run_id": "r"}
    numbers = {"map_index": -1, "try_number": try_number, "max_tries": 2}
    return {"ti": SimpleNamespace(**names, **numbers, xcom_push=lambda key, value: None)}


def task(lake: Path, does: str = "works", **given: Any) -> DQProfileOperator:
    return DQProfileOperator(
        **{
            "task_id": "profile",
            "dataset": "t",
            "source": str(lake / "rows.parquet"),
            "partition": "1",
            "result": str(lake / "results"),
            "submit": lambda job: Service(job=job, does=does),
            "retries": 2,
            **given,
        }
    )


def test_the_result_is_imported(store: FakeStore, lake: Path) -> None:
    done = task(lake).execute(context())
    assert done == {"dataset": "t", "partition": "1", "partitions": 1, "rows": 3}
    # One before the job, for gates that look meanwhile, and one for what is imported.
    assert (store.attempts, store.failed, store.saved) == (["1", "1"], {}, {"1": 3})
    (job,) = Service.jobs
    assert (job.task_id, job.secrets, job.deferrable) == ("profile", (), False)
    assert job.arguments == ("--result", f"{lake}/results/{job.token}")
    assert [path.name for path in (lake / "results" / job.token).iterdir()] == ["imported"]


def test_a_try_after_the_import_finds_it_done(store: FakeStore, lake: Path) -> None:
    first = task(lake).execute(context())
    assert task(lake).execute(context(2)) == first
    assert len(Service.jobs) == 1


def test_a_job_that_a_lost_worker_submitted_is_found(store: FakeStore, lake: Path) -> None:
    with pytest.raises(TaskDeferred):
        task(lake, "defers").execute(context())
    (job,) = Service.jobs
    Service(job=job, does="works").work()  # the service has gone on without the task
    assert task(lake).execute(context(2))["rows"] == 3
    assert len(Service.jobs) == 1


def test_only_behind_a_job_that_failed_a_new_one_starts(store: FakeStore, lake: Path) -> None:
    with pytest.raises(AirflowException, match="the service says no"):
        task(lake, "dies").execute(context())
    assert store.failed == {1: "The Spark job ended: AirflowException: the service says no"}
    assert task(lake).execute(context(2))["rows"] == 3
    assert [job.token[-2:] for job in Service.jobs] == ["-1", "-2"]
    assert Service.jobs[0].token[:-2] == Service.jobs[1].token[:-2]


def test_a_job_that_vanished_is_asked_for_and_then_replaced(store: FakeStore, lake: Path) -> None:
    with pytest.raises(AirflowException, match=r"left no result in .*: see its log\. Nothing is stored"):
        task(lake, "vanishes").execute(context())
    does = iter(["vanishes", "works"])
    assert task(lake, submit=lambda job: Service(job=job, does=next(does))).execute(context(2))["rows"] == 3
    assert [job.token[-2:] for job in Service.jobs] == ["-1", "-1", "-2"]


def test_a_cleared_task_has_other_jobs(store: FakeStore, lake: Path) -> None:
    task(lake).execute(context())
    cleared = context(2)
    cleared["ti"].max_tries = 3
    task(lake).execute(cleared)
    assert len({job.token for job in Service.jobs}) == 2


def test_the_jobs_own_sentence_is_the_tasks_error(store: FakeStore, lake: Path) -> None:
    with pytest.raises(AirflowException, match=r"partition '1': the source .*gone does not exist"):
        task(lake, source=str(lake / "gone")).execute(context())
    assert store.saved == {}
    assert sorted(store.failed) == [1, 2]


def test_a_deferral_goes_through_both_ways(store: FakeStore, lake: Path) -> None:
    with pytest.raises(TaskDeferred) as deferred:
        task(lake, "defers", deferrable=True).execute(context())
    assert isinstance(deferred.value.trigger, TimeDeltaTrigger)
    assert (Service.jobs[0].deferrable, store.failed) == (True, {})
    kwargs = deferred.value.kwargs or {}
    assert kwargs["state"] == {"number": 1, "announced": [1], "method": "execute_complete", "kwargs": {"number": 7}}
    resumed = task(lake).resume_execution(deferred.value.method_name, {**kwargs, "event": "works"}, context())
    assert (resumed["rows"], store.saved) == (3, {"1": 3})

    with pytest.raises(AirflowException, match="says no"):
        task(lake).resume_execution(deferred.value.method_name, {**kwargs, "event": "dies"}, context())
    assert list(store.failed) == [1]


@pytest.mark.parametrize("raises", [False, True])
def test_a_service_that_does_not_end_its_job_keeps_no_task(
    store: FakeStore, lake: Path, monkeypatch: pytest.MonkeyPatch, raises: bool
) -> None:
    asked, ended = threading.Event(), threading.Event()

    def on_kill(self: Service) -> None:
        asked.set()
        if raises:
            raise AirflowException("who are you?")
        ended.wait(60)

    monkeypatch.setattr(Service, "on_kill", on_kill, raising=False)
    monkeypatch.setattr(kill, "KILL_SECONDS", 0.2)
    made = task(lake)
    made.execute(context())
    started = time.monotonic()
    made.on_kill()
    assert asked.is_set()
    assert time.monotonic() - started < 10
    ended.set()


def test_what_would_reach_no_job_or_no_database_is_refused(store: FakeStore, lake: Path) -> None:
    with pytest.raises(AirflowFailException, match=r"executor_memory would reach no job"):
        task(lake, executor_memory="2g").execute(context())
    with pytest.raises(AirflowFailException, match=r"no password is sent there: give result="):
        task(lake, result=None).execute(context())
    with pytest.raises(AirflowFailException, match=r"does not read a key_folder"):
        task(lake, key_folder="keys").execute(context())
    with pytest.raises(AirflowFailException, match=r"argument result rendered to ''"):
        task(lake, result="").execute(context())
    with pytest.raises(DQError, match="leave out result and submit"):
        task(lake, engine="arrow")
    assert Service.jobs == []


def test_a_driver_that_reaches_the_database_needs_no_folder(store: FakeStore, lake: Path) -> None:
    class Asked(Service):
        def work(self) -> None:
            pass

    done = task(lake, submit=lambda job: Asked(job=job, does=""), result=None, dsn_on_cluster=True).execute(context())
    assert (done["rows"], store.attempts) == (None, ["1"])
    (job,) = Service.jobs
    assert (job.secrets, job.arguments[0]) == (("AIRFLOW_DQ_DSN",), "--spec")
    assert job.arguments[1].startswith("zlib:")


def test_a_check_that_deferred_judges_when_it_goes_on(
    store: FakeStore, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[Any] = []
    monkeypatch.setattr(DQCheckOperator, "_judge", lambda self, context: judged.append(store.saved) or {"outcome": "x"})
    checks = Checks("t")
    checks.rows(error=">0")
    given = {"dataset": "t", "checks": checks, "source": str(lake / "rows.parquet"), "partition": "1"}
    more = {"result": str(lake / "results"), "submit": lambda job: Service(job=job, does="defers"), "retries": 2}
    with pytest.raises(TaskDeferred) as deferred:
        DQCheckOperator(task_id="profile", **given, **more).execute(context())
    assert judged == []
    kwargs = {**(deferred.value.kwargs or {}), "event": "works"}
    told = DQCheckOperator(task_id="profile", **given, **more).resume_execution("resume", kwargs, context())
    assert (told, judged) == ({"outcome": "x"}, [{"1": 3}])

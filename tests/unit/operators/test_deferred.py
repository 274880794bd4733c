"""A task that waits in the triggerer for a driver on YARN: no worker meanwhile, no second driver, and its result."""

from __future__ import annotations

import io
import json
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk import Connection

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.hooks.spark import ProfileSubmitHook
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.job.result import JobResult
from airflow_dq.job.result_folder import ResultFolder
from airflow_dq.job.result_writer import ResultWriter
from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.options.argument import unpacked
from airflow_dq.profile import JobSpec
from airflow_dq.triggers.driver import DriverTrigger
from airflow_dq.version_compat import AirflowException, AirflowFailException, TaskDeferred
from tests.unit.operators.test_submitted import FakeStore, lake, store  # noqa: F401  (fixtures)

pytestmark = pytest.mark.skipif(
    find_spec("airflow.sdk.bases.resumablejobmixin") is None,
    reason="before Airflow 3.3 a task keeps nothing from try to try",
)
APP = "application_1_0001"
Submitted = list[list[str]]


class TaskState(dict[str, Any]):
    """What Airflow keeps of a task from try to try."""

    def set(self, key: str, value: Any) -> None:
        self[key] = value


@pytest.fixture
def yarn(monkeypatch: pytest.MonkeyPatch) -> Submitted:
    """A cluster that takes every job; the arguments of those that were submitted."""
    submitted: Submitted = []

    def submit(self: ProfileSubmitHook, application: str = "", **kwargs: Any) -> None:
        if self.before_submit is not None:
            self.before_submit()
        assert self._conf["spark.yarn.submit.waitAppCompletion"] == "false"
        submitted.append([str(one) for one in self._application_args])
        self._yarn_application_id = APP

    extra = {"yarn_resourcemanager_webapp_address": "http://rm:8088"}
    connection = Connection(conn_id="spark_default", conn_type="spark", host="yarn", extra=json.dumps(extra))
    monkeypatch.setenv("HADOOP_CONF_DIR", "/etc/hadoop")
    monkeypatch.setattr("airflow_dq.operators.spark.spark_connection", lambda conn_id, master: connection)
    monkeypatch.setattr("airflow_dq.hooks.spark.find_spark_submit", lambda: Path("bin/spark-submit"))
    monkeypatch.setattr(ProfileSubmitHook, "check_machine", lambda self: None)
    monkeypatch.setattr(ProfileSubmitHook, "submit", submit)
    return submitted


def task(lake: Path, **given: Any) -> DQProfileOperator:  # noqa: F811
    where = {"source": str(lake / "rows.parquet"), "partition": "1", "result": str(lake / "results")}
    mode = {"deploy_mode": "cluster", "deferrable": True, "retries": 2}
    return DQProfileOperator(**{"task_id": "profile", "dataset": "t", **where, **mode, **given})


def context(kept: TaskState) -> Any:
    pushed: dict[str, Any] = {}
    ti = SimpleNamespace(
        dag_id="d",
        task_id="profile",
        run_id="r",
        map_index=-1,
        max_tries=2,
        stats_tags={},
        xcom_push=lambda key, value: pushed.update({key: value}),
        xcom_pull=lambda task_ids, key, map_indexes: pushed.get(key),
    )
    return {"ti": ti, "task_state_store": kept}


def deferred(one: DQProfileOperator, kept: TaskState) -> dict[str, Any]:
    with pytest.raises(TaskDeferred) as raised:
        one.execute(context(kept))
    trigger = raised.value.trigger
    assert isinstance(trigger, DriverTrigger)
    assert (trigger.driver, raised.value.method_name) == (APP, "resume")
    return json.loads(json.dumps(raised.value.kwargs))  # type: ignore[no-any-return]


def drive(arguments: list[str]) -> None:
    """What the driver does on its cluster."""
    given = dict(zip(arguments[::2], arguments[1::2], strict=True))
    spec = JobSpec.from_json(unpacked(given["--spec"]))
    writer = ResultWriter(ResultFolder(given["--result"]), spec.rules)
    outcomes = ProfileJob(ArrowEngine(spec), writer, lambda line: None).run()
    writer.finish(JobResult.of(spec.dataset, outcomes, 1.0))


def resume(one: DQProfileOperator, kwargs: dict[str, Any], status: str) -> dict[str, Any]:
    event = {"status": status, "message": f"it has {status}"}
    return one.resume_execution("resume", {**kwargs, "event": event}, context(TaskState()))  # type: ignore[no-any-return]


def test_a_driver_is_left_to_the_triggerer_and_its_result_imported(
    yarn: Submitted,
    lake: Path,  # noqa: F811
    store: FakeStore,  # noqa: F811
) -> None:
    kept = TaskState()
    kwargs = deferred(task(lake), kept)
    assert kept == {"dq_spark_job_id_1": APP}
    assert (store.attempts, store.failed, len(yarn)) == (["1"], {}, 1)
    drive(yarn[0])
    assert resume(task(lake), kwargs, "succeeded")["rows"] == 3
    assert (store.saved, store.failed) == ({"1": 3}, {})


def test_a_retry_waits_for_the_driver_of_the_first_try(
    yarn: Submitted,
    lake: Path,  # noqa: F811
    store: FakeStore,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    states = iter(["RUNNING", "SUCCEEDED"])
    monkeypatch.setattr(ProfileSubmitHook, "query_yarn_application_status", lambda self, application: next(states))
    kept = TaskState()
    deferred(task(lake), kept)
    kwargs = deferred(task(lake), kept)
    assert (len(yarn), kwargs) == (1, {"state": {"announced": []}})
    drive(yarn[0])
    # The third try finds the driver done, and does not defer.
    assert task(lake).execute(context(kept))["rows"] == 3
    assert len(yarn) == 1


def test_a_driver_that_ended_badly_fails_the_task_with_its_own_words_where_it_left_any(
    yarn: Submitted,
    lake: Path,  # noqa: F811
    store: FakeStore,  # noqa: F811
) -> None:
    kwargs = deferred(task(lake), TaskState())
    with pytest.raises(AirflowException, match="it has failed"):
        resume(task(lake), kwargs, "failed")
    assert store.failed == {1: "The Spark job ended: AirflowException: it has failed"}
    with pytest.raises(AirflowException, match="left no result in"):
        resume(task(lake), kwargs, "succeeded")

    writer = ResultWriter(ResultFolder(yarn[0][3]), ())
    writer.finish(JobResult("t", error="Dataset 't': the source is gone.", retryable=False))
    with pytest.raises(AirflowFailException, match="the source is gone"):
        resume(task(lake), kwargs, "failed")
    assert store.saved == {}


def test_a_new_driver_finds_nothing_of_an_older_one(
    yarn: Submitted,
    lake: Path,  # noqa: F811
    store: FakeStore,  # noqa: F811
) -> None:
    deferred(task(lake), TaskState())
    drive(yarn[0])
    kwargs = deferred(task(lake), TaskState())  # its worker's Airflow has forgotten the first
    with pytest.raises(AirflowException, match="left no result in"):
        resume(task(lake), kwargs, "succeeded")
    assert store.saved == {}


def test_a_driver_in_the_task_is_waited_for_there(
    lake: Path,  # noqa: F811
    store: FakeStore,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def submit(self: ProfileSubmitHook, application: str = "", **kwargs: Any) -> None:
        assert self.before_submit is not None
        self.before_submit()
        assert "AIRFLOW_DQ_DSN" not in self.environment
        drive([str(one) for one in self._application_args])

    monkeypatch.setattr(ProfileSubmitHook, "check_machine", lambda self: None)
    monkeypatch.setattr("airflow_dq.hooks.spark.find_spark_submit", lambda: Path("bin/spark-submit"))
    monkeypatch.setattr(ProfileSubmitHook, "submit", submit)
    one = task(lake, deploy_mode=None, master="local[1]")
    assert one.execute(context(TaskState()))["rows"] == 3


def test_a_folder_that_cannot_be_used_is_told(lake: Path) -> None:  # noqa: F811
    (lake / "file").write_bytes(b"")
    with pytest.raises(Exception, match=r"file/x cannot be written"):
        ResultFolder(f"{lake}/file/x").put("a", io.BytesIO(b""))
    with pytest.raises(Exception, match=r"'dbfs:/x' is on no file system that pyarrow knows: give one"):
        ResultFolder("dbfs:/x")


@pytest.mark.parametrize("reason", ["Trigger failure", "Trigger timeout"])
def test_a_trigger_that_airflow_has_given_up_leaves_no_attempt_that_runs_for_ever(
    yarn: Submitted,
    lake: Path,  # noqa: F811
    store: FakeStore,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    reason: str,
) -> None:
    """Airflow resumes it with a method that is none, and with nothing of what was left."""
    kept, given = TaskState(), context(TaskState())
    given["task_state_store"] = kept
    with pytest.raises(TaskDeferred):
        task(lake).execute(given)
    assert (store.attempts, store.failed) == (["1"], {})
    with pytest.raises(AirflowException, match=rf"given up waiting for the job of dataset 't' \(.*{reason}.*next try"):
        task(lake).resume_execution("__fail__", {"error": reason, "traceback": ["boom"]}, given)
    assert list(store.failed) == [1]
    assert "given up waiting" in store.failed[1]
    # The driver has gone on, and the next try takes it over.
    drive(yarn[0])
    monkeypatch.setattr(ProfileSubmitHook, "query_yarn_application_status", lambda self, application: "SUCCEEDED")
    assert task(lake).execute(context(kept))["rows"] == 3
    assert (len(yarn), store.saved) == (1, {"1": 3})

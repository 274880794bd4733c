"""The whole way through Livy: the provider's own operator against a stand-in of its API, which runs the jobs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.exceptions import DQError
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.job.result import JobResult
from airflow_dq.job.result_folder import ORDER, ResultFolder
from airflow_dq.job.result_writer import ResultWriter
from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.operators.submit import to_livy
from airflow_dq.profile import JobSpec
from airflow_dq.version_compat import AirflowException, TaskDeferred
from tests.unit.operators.test_submitted import FakeStore, context, lake, store  # noqa: F401  (fixtures)

pytest.importorskip("airflow.providers.apache.livy.operators.livy")


class Livy:
    """Batches by number; each job runs when it is asked for the second time."""

    def __init__(self) -> None:
        self.batches: list[dict[str, Any]] = []

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        self.batches.append({"id": len(self.batches), "state": "starting", "appId": "app", **body})
        return self.batches[-1]

    def get(self, number: int) -> dict[str, Any]:
        batch = self.batches[number]
        if batch["state"] == "starting":
            batch["state"] = "running"
        elif batch["state"] == "running":
            batch["state"] = self.run(batch["args"])
        return batch

    def run(self, arguments: list[str]) -> str:
        folder = ResultFolder(arguments[1])
        spec = JobSpec.from_json((folder.get(ORDER) or b"").decode())
        writer = ResultWriter(folder, spec.rules)
        try:
            outcomes = ProfileJob(ArrowEngine(spec), writer, lambda line: None).run()
        except DQError as error:
            writer.finish(JobResult(spec.dataset, error=str(error), retryable=error.retryable))
            return "dead"
        result = JobResult.of(spec.dataset, outcomes, 1.0)
        writer.finish(result)
        return "success" if result.error is None else "dead"


@pytest.fixture
def livy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Livy]:
    service = Livy()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.answer(service.post(json.loads(self.rfile.read(int(self.headers["Content-Length"])))))

        def do_GET(self) -> None:
            parts = self.path.split("?")[0].strip("/").split("/")
            assert parts[0] == "batches"
            if parts[2:] == ["log"]:
                self.answer({"id": int(parts[1]), "from": 0, "total": 1, "log": ["a line"]})
            else:
                self.answer(service.get(int(parts[1])))

        def answer(self, document: dict[str, Any]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(document).encode())

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    address = {"conn_type": "livy", "host": "127.0.0.1", "port": server.server_port}
    monkeypatch.setenv("AIRFLOW_CONN_LIVY_DEFAULT", json.dumps(address))
    yield service
    server.shutdown()
    server.server_close()


def task(lake: Path, **given: Any) -> DQProfileOperator:  # noqa: F811
    where = {"source": str(lake / "rows.parquet"), "partition": "1", "result": str(lake / "results")}
    way = to_livy("s3://b/dq", polling_interval=0.05, durable=False)
    return DQProfileOperator(**{"task_id": "profile", "dataset": "t", **where, "submit": way, "retries": 2, **given})


def test_a_batch_is_waited_for_and_its_result_imported(livy: Livy, lake: Path, store: FakeStore) -> None:  # noqa: F811
    told = context()
    told["ti"].xcom_push = lambda **given: None
    assert task(lake).execute(told)["rows"] == 3
    (batch,) = livy.batches
    assert (batch["file"], batch["name"]) == ("s3://b/dq/profile.py", batch["args"][1].rsplit("/", 1)[1])
    assert [path.rsplit("/", 1)[1][:10] for path in batch["pyFiles"]] == ["airflow_dq"]
    assert store.saved == {"1": 3}


def test_a_batch_that_fails_tells_its_own_reason(livy: Livy, lake: Path, store: FakeStore) -> None:  # noqa: F811
    with pytest.raises(AirflowException, match=r"partition '1': the source .*gone does not exist"):
        task(lake, source=str(lake / "gone")).execute(context())
    assert livy.batches[0]["state"] == "dead"
    assert store.saved == {}


def test_a_batch_is_left_to_the_providers_trigger(livy: Livy, lake: Path, store: FakeStore) -> None:  # noqa: F811
    told = context()
    told["ti"].xcom_push = lambda **given: None
    with pytest.raises(TaskDeferred) as deferred:
        task(lake, deferrable=True).execute(told)
    path, given = deferred.value.trigger.serialize()
    assert path.endswith("LivyTrigger")

    async def events() -> list[Any]:
        return [event.payload async for event in type(deferred.value.trigger)(**given).run()]

    event = asyncio.run(events())[0]
    assert (event["status"], livy.batches[0]["state"]) == ("success", "success")
    kwargs = {**(deferred.value.kwargs or {}), "event": event}
    assert task(lake).resume_execution(deferred.value.method_name, kwargs, told)["rows"] == 3
    assert (store.saved, len(livy.batches)) == ({"1": 3}, 1)

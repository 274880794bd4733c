"""A driver on a cluster is waited for by asking its manager, here a stand-in of YARN's over HTTP, and of the client of
Kubernetes."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from airflow.sdk import Connection

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.spark import ProfileSubmitHook
from airflow_dq.hooks.spark_driver import SparkDriver, require_manager
from airflow_dq.triggers import driver as module
from airflow_dq.triggers.driver import DriverTrigger

APP = "application_1_0001"


class Yarn:
    """What a resource manager answers, one after the other; the last one for ever."""

    def __init__(self, *states: tuple[str, str] | int) -> None:
        self.states = list(states)
        self.killed: list[Any] = []
        self.asked = 0
        self.url = ""

    def next(self) -> tuple[str, str] | int:
        self.asked += 1
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]


@contextmanager
def serving(yarn: Yarn) -> Iterator[Yarn]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            assert self.path == f"/ws/v1/cluster/apps/{APP}"
            seen = yarn.next()
            self.send_response(seen if isinstance(seen, int) else 200)
            self.end_headers()
            if not isinstance(seen, int):
                app = {"state": seen[0], "finalStatus": seen[1], "diagnostics": "container ran out of memory"}
                self.wfile.write(json.dumps({"app": app}).encode())

        def do_PUT(self) -> None:
            yarn.killed.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(202)
            self.end_headers()

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    yarn.url = f"http://127.0.0.1:{server.server_port}"
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield yarn
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> Any:
    def connect(yarn: Yarn) -> None:
        extra = json.dumps({"yarn_resourcemanager_webapp_address": yarn.url})
        found = Connection(conn_id="lake", conn_type="spark", host="yarn", extra=extra)
        monkeypatch.setattr("airflow_dq.hooks.spark_driver.spark_connection", lambda conn_id, master: found)

    monkeypatch.setattr(module, "LEAST", 0.0)
    return connect


def trigger() -> DriverTrigger:
    """As the triggerer has it after a restart: of what stands in Airflow's database."""
    path, given = DriverTrigger("lake", None, APP, 0.0).serialize()
    assert path == "airflow_dq.triggers.driver.DriverTrigger"
    return DriverTrigger(**json.loads(json.dumps(given)))


def fire() -> dict[str, Any]:
    async def events() -> list[dict[str, Any]]:
        return [event.payload async for event in trigger().run()]

    (event,) = asyncio.run(events())
    return dict(event)


RUNS = (("ACCEPTED", "UNDEFINED"), ("RUNNING", "UNDEFINED"))


@pytest.mark.parametrize(
    ("end", "status", "said"),
    [
        (("FINISHED", "SUCCEEDED"), "succeeded", "has succeeded"),
        (("FINISHED", "FAILED"), "failed", "FINISHED, FAILED: container ran out of memory"),
        (("KILLED", "KILLED"), "failed", "ended as KILLED"),
        (("FAILED", "FAILED"), "failed", "ended as FAILED"),
    ],
)
def test_it_fires_once_at_the_end_and_outlasts_a_restart_of_the_manager(
    connected: Any, end: tuple[str, str], status: str, said: str
) -> None:
    with serving(Yarn(*RUNS, 503, 503, RUNS[1], end)) as yarn:
        connected(yarn)
        event = fire()
    assert (event["status"], yarn.asked) == (status, 6)
    assert said in event["message"]
    assert yarn.killed == []


def test_a_manager_that_is_gone_is_an_error_and_no_end(connected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    with serving(Yarn(RUNS[0], 500)) as yarn:
        connected(yarn)
        event = fire()
    assert event["status"] == "error"
    assert "HTTP 500" in event["message"]


def test_a_person_who_ends_the_task_ends_the_driver(connected: Any) -> None:
    with serving(Yarn(RUNS[1])) as yarn:
        connected(yarn)
        asyncio.run(trigger().on_kill())
    assert yarn.killed == [{"state": "KILLED"}]


def test_a_connection_that_was_removed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(conn_id: str, master: str | None) -> Connection:
        raise ConfigurationError("The Spark connection 'lake' is not defined")

    monkeypatch.setattr("airflow_dq.hooks.spark_driver.spark_connection", gone)
    assert fire() == {"status": "error", "message": "The Spark connection 'lake' is not defined"}


def test_a_manager_without_an_address_is_told_before_anything_starts() -> None:
    hook = ProfileSubmitHook(connection=Connection(conn_id="lake", conn_type="spark", host="yarn"))
    with pytest.raises(ConfigurationError, match=r"'lake' does not say where .*yarn_resourcemanager_webapp_address"):
        require_manager(hook)


def test_a_connection_without_a_pod_api_is_asked_for_an_application(connected: Any) -> None:
    with serving(Yarn(RUNS[0])) as yarn:
        connected(yarn)
        assert SparkDriver("lake", None, APP).look().status == "running"


class ApiException(Exception):  # noqa: N818  (its name there)
    """As the client of Kubernetes has it."""

    def __init__(self, status: int) -> None:
        super().__init__()
        self.status = status
        self.reason = f"HTTP {status}"


class Pods:
    """What Kubernetes answers of a pod, one after the other; the last one for ever."""

    def __init__(self, *phases: str | Exception) -> None:
        self.phases = list(phases)
        self.deleted: list[tuple[str, str]] = []

    def read_namespaced_pod(self, name: str, namespace: str) -> Any:
        assert (name, namespace) == ("dq-driver", "spark")
        seen = self.phases.pop(0) if len(self.phases) > 1 else self.phases[0]
        if isinstance(seen, Exception):
            raise seen
        return SimpleNamespace(status=SimpleNamespace(phase=seen))

    def delete_namespaced_pod(self, name: str, namespace: str, **options: Any) -> None:
        self.deleted.append((name, namespace))


@pytest.fixture
def kubernetes(monkeypatch: pytest.MonkeyPatch) -> Any:
    def connect(*phases: str | Exception) -> Pods:
        pods = Pods(*phases)
        client = ModuleType("airflow.providers.cncf.kubernetes.kube_client")
        client.__dict__.update(get_kube_client=lambda: pods, ApiException=ApiException)
        package = ModuleType("airflow.providers.cncf.kubernetes")
        package.__dict__["kube_client"] = client
        library = ModuleType("kubernetes")
        library.__dict__["client"] = SimpleNamespace(V1DeleteOptions=dict)
        for name, one in {"airflow.providers.cncf": ModuleType("cncf"), package.__name__: package}.items():
            monkeypatch.setitem(sys.modules, name, one)
        monkeypatch.setitem(sys.modules, client.__name__, client)
        monkeypatch.setitem(sys.modules, "kubernetes", library)
        monkeypatch.setattr("airflow.providers.apache.spark.hooks.spark_submit.kube_client", client, raising=False)
        monkeypatch.setattr("airflow_dq.hooks.spark._has_kubernetes", lambda: True)
        # The connection names another namespace than the task's conf did.
        found = Connection(conn_id="lake", conn_type="spark", host="k8s://https://k", extra='{"namespace": "other"}')
        monkeypatch.setattr("airflow_dq.hooks.spark_driver.spark_connection", lambda conn_id, master: found)
        return pods

    monkeypatch.setattr(module, "LEAST", 0.0)
    monkeypatch.setattr(f"{__name__}.APP", "spark:dq-driver")
    return connect


@pytest.mark.parametrize(
    ("end", "status", "said"),
    [
        ("Succeeded", "succeeded", "has ended as Succeeded"),
        ("Failed", "failed", "The driver's pod dq-driver in namespace spark has ended as Failed"),
        (ApiException(404), "failed", "is gone"),
    ],
)
def test_a_pod_is_waited_for_through_silence_of_its_manager(
    kubernetes: Any, end: str | Exception, status: str, said: str
) -> None:
    pods = kubernetes("Pending", ApiException(500), ConnectionError("refused"), "Unknown", "Running", end)
    event = fire()
    assert event["status"] == status
    assert said in event["message"]
    assert (len(pods.phases), pods.deleted) == (1, [])


def test_a_manager_of_pods_that_is_gone_is_an_error(kubernetes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    kubernetes("Running", ConnectionError("refused"))
    event = fire()
    assert event["status"] == "error"
    assert "does not tell of pod dq-driver: ConnectionError: refused" in event["message"]


def test_a_person_who_ends_the_task_ends_the_pod_in_its_own_namespace(kubernetes: Any) -> None:
    pods = kubernetes("Running")
    asyncio.run(trigger().on_kill())
    assert pods.deleted == [("dq-driver", "spark")]

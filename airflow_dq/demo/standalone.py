"""``airflow standalone`` for the demo: small, on one port of this machine, with a user whose password it knows."""

from __future__ import annotations

import json
import secrets
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from airflow_dq.demo.airflow_api import AirflowApi
from airflow_dq.demo.session import session, wait_until
from airflow_dq.demo.workspace import DemoError, Workspace

HOST = "127.0.0.1"
USERS = {"admin": "admin", "viewer": "viewer"}
"""Role by name: one who may decide, and one who may only read."""
START_SECONDS = 600
"""Longest wait for ``airflow standalone``: it takes about 80 seconds, and several times that on a busy machine."""


@dataclass(frozen=True, slots=True)
class Airflow:
    """An Airflow that runs.

    :param passwords: by user
    """

    url: str
    passwords: dict[str, str]

    @property
    def api(self) -> AirflowApi:
        """Its REST interface, as the user who may do everything."""
        return AirflowApi(self.url, "admin", self.passwords["admin"])


def service_environment(workspace: Workspace, dsn: str, port: int) -> dict[str, str]:
    """The variables of a whole Airflow: the demo's own, and what keeps it small and apart from others."""
    url = f"http://{HOST}:{port}"
    return {
        **workspace.environment(dsn),
        "AIRFLOW_DQ_DEMO_ENGINE": "arrow",
        "AIRFLOW_DQ_DEMO_ON_VIOLATION": "review",
        "AIRFLOW__API__BASE_URL": url,
        "AIRFLOW__API__HOST": HOST,
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__WORKERS": "1",
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"{url}/execution/",
        "AIRFLOW__CORE__PARALLELISM": "3",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": ",".join(f"{name}:{role}" for name, role in USERS.items()),
        # These are served on fixed ports, which another Airflow of this machine may have.
        "AIRFLOW__LOGGING__TRIGGER_LOG_SERVER_PORT": "0",
        "AIRFLOW__LOGGING__WORKER_LOG_SERVER_PORT": "0",
        "AIRFLOW__SCHEDULER__SCHEDULER_HEARTBEAT_SEC": "1",
        # A worker gives up when the API server has not answered five times within 5 s each: on a busy machine its first
        # answer takes longer than all of them.
        "AIRFLOW__WORKERS__EXECUTION_API_TIMEOUT": "60",
    }


@contextmanager
def standalone(workspace: Workspace, environment: dict[str, str]) -> Iterator[Airflow]:
    """Airflow while the block runs; every process of it ends with the block.

    :param environment: what :func:`service_environment` gives
    :raises DemoError: when it does not start; the log says why.
    """
    url = environment["AIRFLOW__API__BASE_URL"]
    _require_free(int(environment["AIRFLOW__API__PORT"]))
    airflow = Airflow(url, _passwords(workspace))
    with session([sys.executable, "-m", "airflow", "standalone"], environment, workspace.log) as process:
        try:
            wait_until(lambda: process.poll() is not None or airflow.api.is_up(), START_SECONDS)
        except TimeoutError:
            raise DemoError(f"Airflow was not up after {START_SECONDS} s. It says why in {workspace.log}.") from None
        if process.poll() is not None:
            raise DemoError(f"Airflow ended with exit code {process.returncode}. It says why in {workspace.log}.")
        yield airflow


def _require_free(port: int) -> None:
    with socket.socket() as probe:
        if probe.connect_ex((HOST, port)) == 0:
            raise DemoError(
                f"Port {port} is in use already. End what listens there, or give another: make ui PORT=8081"
            )


def _passwords(workspace: Workspace) -> dict[str, str]:
    """New passwords, where Airflow's simple auth manager looks for them."""
    made = {name: secrets.token_urlsafe(9) for name in USERS}
    folder = workspace.home / "airflow"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "simple_auth_manager_passwords.json.generated"
    file.touch(mode=0o600)
    file.write_text(json.dumps(made), encoding="utf-8")
    return made

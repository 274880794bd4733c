"""A whole Airflow as a person starts it: API server, scheduler, triggerer and DAG processor, and its end."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

from tests.integration.airflow_home import AirflowHome

USERS = {"admin": "admin", "viewer": "viewer"}
"""Role by name; each user's password is the name."""


STARTED = 600
"""Seconds until the API server answers: 20 on a quiet machine."""


@dataclass(frozen=True, slots=True)
class Service:
    """An Airflow that runs."""

    url: str
    log: Path
    home: AirflowHome

    def is_up(self) -> bool:
        """Whether the API server answers."""
        try:
            with urlopen(f"{self.url}/api/v2/version", timeout=10):
                return True
        except OSError:
            return False

    def token(self, user: str) -> str:
        """What the user shows to the API."""
        login = json.dumps({"username": user, "password": user}).encode()
        request = Request(f"{self.url}/auth/token", login, {"Content-Type": "application/json"})
        with urlopen(request, timeout=60) as answer:
            return str(json.load(answer)["access_token"])

    def unpause(self) -> None:
        """Let every DAG run."""
        headers = {"Authorization": f"Bearer {self.token('admin')}", "Content-Type": "application/json"}
        for dag in sorted({dag for (dag,) in _execute(self.home, "SELECT dag_id FROM dag")}):
            request = Request(f"{self.url}/api/v2/dags/{dag}", b'{"is_paused": false}', headers, method="PATCH")
            with urlopen(request, timeout=60):
                pass

    def told(self) -> str:
        """What there is to find out from why something did not come to pass: states, the service's log, the tasks'."""
        return f"{self.home.task_states()}\n{self.log.read_text()[-5000:]}\n{self.home.task_logs()[-50_000:]}"


@contextmanager
def airflow_service(home: AirflowHome) -> Iterator[Service]:
    """``airflow standalone`` in a session of its own, once it is up; every process of it is ended.

    The DAGs that it knows (``airflow dags reserialize``) run from then on: the scheduler may be ready long before the
    API server is, and a worker that asks it in vain, five times in some fifteen seconds, fails its task's try.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **home.environment,
        # standalone starts its parts by the name `airflow`.
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__HOST": "127.0.0.1",
        "AIRFLOW__API__WORKERS": "1",
        "AIRFLOW__API__BASE_URL": f"http://127.0.0.1:{port}",
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "AIRFLOW__CORE__PARALLELISM": "3",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": ",".join(f"{name}:{role}" for name, role in USERS.items()),
        "AIRFLOW__SCHEDULER__SCHEDULER_HEARTBEAT_SEC": "1",
        # A worker asks again after 5 s, four times, and then its try has failed: with eighteen processes for two cores,
        # it took four requests to start each of three gates.
        "AIRFLOW__WORKERS__EXECUTION_API_TIMEOUT": "60",
        # All four would be served on fixed ports, which another Airflow of this machine may have.
        "AIRFLOW__LOGGING__WORKER_LOG_SERVER_PORT": "0",
        "AIRFLOW__LOGGING__TRIGGER_LOG_SERVER_PORT": "0",
    }
    passwords = home.folder / "simple_auth_manager_passwords.json.generated"
    passwords.write_text(json.dumps({name: name for name in USERS}))
    _execute(home, "UPDATE dag SET is_paused = 1")
    log = home.folder / "standalone.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "airflow", "standalone"],
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        service = Service(f"http://127.0.0.1:{port}", log, home)
        try:
            wait_until(service.is_up, STARTED)
        except TimeoutError:
            raise TimeoutError(service.told()) from None
        service.unpause()
        yield service
    finally:
        # A signal to the parent alone leaves its children; some of them have process groups of their own.
        for sign in (signal.SIGTERM, signal.SIGKILL):
            for member in _session(process.pid):
                with suppress(ProcessLookupError):
                    os.kill(member, sign)
            with suppress(TimeoutError):
                wait_until(lambda: process.poll() is not None and not _session(process.pid), 10)


def wait_until(done: Callable[[], object], seconds: float) -> None:
    """Return as soon as ``done()`` is true.

    :raises TimeoutError: when it is not in time
    """
    pause, deadline = threading.Event(), time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            raise TimeoutError
        pause.wait(0.5)


def _execute(home: AirflowHome, statement: str) -> list[tuple[str]]:
    """A statement in Airflow's own database."""
    with closing(sqlite3.connect(home.folder / "airflow.db", timeout=60)) as connection, connection:
        return connection.execute(statement).fetchall()


def _session(leader: int) -> list[int]:
    """The processes of a session that still run."""
    done = subprocess.run(["ps", "-o", "pid=,stat=", "-s", str(leader)], capture_output=True, text=True, check=False)
    lines = (line.split() for line in done.stdout.splitlines())
    return [int(line[0]) for line in lines if not line[1].startswith("Z")]

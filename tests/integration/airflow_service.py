"""A whole Airflow as a person starts it: API server, scheduler, triggerer and DAG processor, and its end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

from tests.integration.airflow_home import AirflowHome

USERS = {"admin": "admin", "viewer": "viewer"}
"""Role by name; each user's password is the name."""


@dataclass(frozen=True, slots=True)
class Service:
    """An Airflow that runs."""

    url: str
    log: Path

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


@contextmanager
def airflow_service(home: AirflowHome) -> Iterator[Service]:
    """``airflow standalone`` in a session of its own, every process of which is ended."""
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
        # All four would be served on fixed ports, which another Airflow of this machine may have.
        "AIRFLOW__LOGGING__WORKER_LOG_SERVER_PORT": "0",
        "AIRFLOW__LOGGING__TRIGGER_LOG_SERVER_PORT": "0",
    }
    passwords = home.folder / "simple_auth_manager_passwords.json.generated"
    passwords.write_text(json.dumps({name: name for name in USERS}))
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
        yield Service(f"http://127.0.0.1:{port}", log)
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


def _session(leader: int) -> list[int]:
    """The processes of a session that still run."""
    done = subprocess.run(["ps", "-o", "pid=,stat=", "-s", str(leader)], capture_output=True, text=True, check=False)
    lines = (line.split() for line in done.stdout.splitlines())
    return [int(line[0]) for line in lines if not line[1].startswith("Z")]

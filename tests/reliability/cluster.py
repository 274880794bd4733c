"""A stand-alone Spark cluster of this machine: a master, and workers that run two executors; and a Connect server."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pyspark

from tests.reliability.sight import family, until

MEMORY = "600m"
"""Of each executor: Spark takes no less than 450 MB."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that is ready."""

    master: str
    workers: tuple[int, ...]
    """Their process ids."""

    @property
    def properties(self) -> dict[str, str]:
        """What an application needs here."""
        return {
            "spark.master": self.master,
            "spark.executor.memory": MEMORY,
            "spark.executor.cores": "1",
            "spark.driver.host": "127.0.0.1",
            "spark.ui.enabled": "false",
            "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        }

    def executors(self) -> list[int]:
        """The process ids of the executors that run now."""
        return [one for worker in self.workers for one in family(worker) if "ExecutorBackend" in _command(one)]


@contextmanager
def cluster(folder: Path, workers: int = 1, home: Path | None = None) -> Iterator[Cluster]:
    """A cluster for a test, every process of which is ended.

    :param workers: of two cores together
    :param home: the Spark that it runs (default: the one that is installed here)
    """
    home = Path(pyspark.__file__).parent if home is None else home
    made: list[subprocess.Popen[bytes]] = []
    try:
        made.append(_start(home, folder, "master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"))
        master = _told(folder / "master.log", r"Starting Spark master at (spark://\S+)")
        size = ("--cores", str(2 // workers), "--memory", "2g", "--work-dir", str(folder / "work"))
        for number in range(workers):
            where = folder / str(number)
            where.mkdir()
            made.append(
                _start(home, where, "worker", "--host", f"127.0.0.{number + 1}", "--webui-port", "0", *size, master)
            )
            _told(where / "worker.log", "(Successfully registered with master)")
        yield Cluster(master, tuple(one.pid for one in made[1:]))
    finally:
        for process in made:
            for one in family(process.pid):
                with suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)
            process.wait()


@contextmanager
def connect_server(folder: Path, home: Path, python: Path) -> Iterator[str]:
    """A Spark Connect server of this machine; its address.

    :param home: the Spark that it runs
    :param python: of its executors
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": str(python)}
    properties = {"spark.ui.enabled": "false", "spark.connect.grpc.binding.port": str(port)}
    command = [
        *(str(home / "bin" / "spark-submit"), "--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
        *("--master", "local[2]", *(part for one in properties.items() for part in ("--conf", "=".join(one)))),
        "spark-internal",
    ]
    with (folder / "connect.log").open("wb") as log:
        made = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        _told(folder / "connect.log", "(Spark Connect server started)")
        yield f"sc://127.0.0.1:{port}"
    finally:
        for one in family(made.pid):
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        made.wait()


def _start(home: Path, folder: Path, role: str, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{role}.{role.capitalize()}", *arguments]
    with (folder / f"{role}.log").open("wb") as log:
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)


def _told(log: Path, pattern: str) -> str:
    """What a process has said, as soon as it has."""
    until(lambda: re.search(pattern, log.read_text()) is not None, f"{log.name} says {pattern}")
    found = re.search(pattern, log.read_text())
    assert found is not None
    return found[1]


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    except FileNotFoundError:
        return ""

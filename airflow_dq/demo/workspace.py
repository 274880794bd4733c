"""Everything the demo makes lies in one folder, and every program it starts runs against that folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from airflow_dq.exceptions import DQError
from airflow_dq.resource import resource_dir
from airflow_dq.settings import DSN_VARIABLE

INTERRUPT_SECONDS = 60
"""Longest wait for an interrupted program to end what it started."""


class DemoError(DQError):
    """A step of the demo failed; the message ends with what the failed program said last."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """The demo's folder.

    :param home: the folder, absolute
    """

    home: Path

    @property
    def lake(self) -> Path:
        """One folder per day of flights."""
        return self.home / "lake"

    @property
    def postgres(self) -> Path:
        """The embedded PostgreSQL server's data."""
        return self.home / "postgres"

    @property
    def log(self) -> Path:
        """What the started programs printed."""
        return self.home / "demo.log"

    @property
    def report(self) -> Path:
        """The page that the demo writes."""
        return self.home / "report.html"

    def environment(self, dsn: str) -> dict[str, str]:
        """The variables of the started programs: an Airflow of their own, and the statistics database."""
        airflow = self.home / "airflow"
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW__")},
            DSN_VARIABLE: dsn,
            "AIRFLOW_DQ_DEMO_HOME": str(self.home),
            "AIRFLOW_HOME": str(airflow),
            "AIRFLOW__CORE__DAGS_FOLDER": str(resource_dir("dags")),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__CORE__UNIT_TEST_MODE": "False",
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{airflow / 'airflow.db'}",
            "AIRFLOW__LOGGING__BASE_LOG_FOLDER": str(airflow / "logs"),
            "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
            "NO_COLOR": "1",
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
        }

    def run_command(self, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        """Run what is `airflow dq` for the user, as a module: Airflow 3.1 takes no commands of providers.

        :raises DemoError: when it ends with another exit code than 0.
        """
        self.run(["airflow_dq", *arguments], environment)

    def run(self, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        """Run ``python -m`` with these arguments; what it prints goes to the log.

        :raises DemoError: when it ends with another exit code than 0.
        """
        command = [sys.executable, "-m", *arguments]
        with self.log.open("ab") as log:
            log.write(f"\n$ python -m {' '.join(arguments)}\n".encode())
            log.flush()
            start = log.tell()
            code = _wait(
                subprocess.Popen(
                    command,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            )
        if code != 0:
            said = self.log.read_bytes()[start:].decode(errors="replace")
            raise DemoError(
                f"`python -m {' '.join(arguments)}` ended with exit code {code}. It said last:\n\n"
                f"{_tail(said)}\n\nEverything is in {self.log}."
            )


def _wait(process: subprocess.Popen[bytes]) -> int:
    """The program's exit code; whoever interrupts the demo interrupts the program, which then ends its Spark job."""
    try:
        return process.wait()
    except BaseException:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(INTERRUPT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        raise


def _tail(text: str, lines: int = 12, width: int = 240) -> str:
    return "\n".join(f"    {line[:width]}" for line in text.rstrip().splitlines()[-lines:])

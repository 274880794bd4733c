from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from airflow_dq.demo.workspace import DemoError, Workspace


def test_started_programs_get_an_airflow_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "CeleryExecutor")
    environment = Workspace(tmp_path).environment("postgresql://h/d")
    assert environment["AIRFLOW_HOME"] == str(tmp_path / "airflow")
    assert environment["AIRFLOW_DQ_DSN"] == "postgresql://h/d"
    assert "AIRFLOW__CORE__EXECUTOR" not in environment


def test_output_goes_to_the_log(tmp_path: Path):
    workspace = Workspace(tmp_path)
    workspace.run(["platform"], dict(os.environ))
    assert "Linux" in workspace.log.read_text() or "Darwin" in workspace.log.read_text()


def test_a_failed_program_is_quoted(tmp_path: Path):
    workspace = Workspace(tmp_path)
    with pytest.raises(DemoError, match=r"(?s)exit code 1.*No module named no_such_module"):
        workspace.run(["no_such_module"], dict(os.environ))


class Interrupted:
    """A program that is waited for when the demo is interrupted."""

    def __init__(self) -> None:
        self.signals: list[int] = []

    def wait(self, timeout: float | None = None) -> int:
        if not self.signals:
            raise KeyboardInterrupt
        return 130

    def send_signal(self, number: int) -> None:
        self.signals.append(number)


def test_an_interrupted_demo_interrupts_the_program_it_waits_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    program = Interrupted()
    monkeypatch.setattr(subprocess, "Popen", lambda *_args, **_options: program)
    with pytest.raises(KeyboardInterrupt):
        Workspace(tmp_path).run(["anything"], {})
    assert program.signals == [signal.SIGINT]

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from airflow_dq.demo.session import members, session, wait_until

FAMILY = """
import subprocess, sys, time
child = [sys.executable, "-c", "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"]
subprocess.Popen(child, process_group=0)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("born", flush=True)
time.sleep(600)
"""


def test_every_process_of_a_session_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("airflow_dq.demo.session.END_SECONDS", 2)
    log = tmp_path / "log"
    with session([sys.executable, "-c", FAMILY], os.environ, log) as process:
        wait_until(lambda: b"born" in log.read_bytes(), 30, 0.05)
        wait_until(lambda: len(members(process.pid)) == 3, 30, 0.05)
        leader = process.pid
    assert members(leader) == []
    assert process.poll() is not None


def test_an_interrupt_ends_them_too(tmp_path: Path):
    leaders = []

    def interrupted() -> None:
        with session(["sleep", "600"], os.environ, tmp_path / "log") as process:
            leaders.append(process.pid)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert members(leaders[0]) == []


def test_waiting_ends_in_time():
    with pytest.raises(TimeoutError):
        wait_until(lambda: False, 0.05, 0.01)

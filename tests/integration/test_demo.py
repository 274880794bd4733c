"""The demo as a newcomer runs it: its own database, its own Airflow, real Spark, real data."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW")}


@dataclass(frozen=True)
class Ran:
    home: Path
    code: int
    output: str


def demo(home: Path, *arguments: str, **environment: str) -> Ran:
    command = [sys.executable, "-m", "airflow_dq.demo", "--home", str(home), *arguments]
    done = subprocess.run(
        command,
        env={**ENVIRONMENT, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=1500,
        check=False,
    )
    return Ran(home, done.returncode, done.stdout)


@pytest.fixture(scope="module")
def ran() -> Iterator[Ran]:
    # Not pytest's tmp_path: as root, that is closed to the user the database server runs as.
    folder = Path(tempfile.mkdtemp(prefix="airflow-dq-demo-"))
    try:
        yield demo(folder / "home")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
def test_clean_day_passes_and_broken_day_is_blocked(ran: Ran):
    assert ran.code == 0, ran.output
    assert "gate: success, publish: success" in ran.output
    assert "gate: failed, publish: upstream failed" in ran.output
    assert [file.name for file in (ran.home / "published").iterdir()] == ["2013-02-15"]


@pytest.mark.slow
def test_terminal_shows_progress_and_results_only(ran: Ran):
    lines = ran.output.splitlines()
    steps = [line for line in lines if re.match(r"\[\d/7\] .* \.\.\. .*, \d+\.\d s$", line)]
    assert len(steps) == 7
    assert any(re.match(r"2013-02-15 +pass ", line) for line in lines)
    assert any(re.match(r"2013-02-16 +fail ", line) for line in lines)
    assert "air_time" in ran.output
    assert not re.search(r"INFO|WARN|Traceback|DeprecationWarning", ran.output)


@pytest.mark.slow
def test_report_has_a_chart_for_the_broken_column(ran: Ran):
    page = (ran.home / "report.html").read_text(encoding="utf-8")
    assert str(ran.home / "report.html") in ran.output
    assert "<svg" in page
    assert "air_time" in page


@pytest.mark.slow
def test_whole_history_was_one_spark_job(ran: Ran):
    log = (ran.home / "demo.log").read_text(encoding="utf-8", errors="replace")
    backfill = log.partition("$ python -m airflow_dq backfill")[2].partition("$ python -m airflow_dq.demo.dag_run")[0]
    assert "45 of 45 partitions profiled" in backfill
    assert re.findall(r"(\d+) partition\(s\) to profile", backfill) == ["45"]


@pytest.mark.slow
def test_password_of_the_database_is_in_no_log(ran: Ran):
    secret = (ran.home / "postgres" / "password").read_text().strip()
    assert len(secret) >= 16
    for file in [ran.home / "demo.log", *(ran.home / "airflow").rglob("*.log")]:
        assert secret not in file.read_text(encoding="utf-8", errors="replace"), file


def test_database_that_does_not_answer_is_one_sentence(tmp_path: Path):
    ran = demo(tmp_path, AIRFLOW_DQ_DSN="postgresql://someone:secret-word@127.0.0.1:1/nowhere")
    assert ran.code == 2
    assert "127.0.0.1" in ran.output
    assert "secret-word" not in ran.output
    assert "Traceback" not in ran.output

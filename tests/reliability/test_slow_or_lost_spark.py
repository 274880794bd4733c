"""A task that runs twice because it is slow, and a Spark Connect server that goes away: right, or one clear error."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest

from airflow_dq.profile import JobSpec, profile_table
from airflow_dq.resource import resource_dir
from airflow_dq.store import Repository
from airflow_dq.triggers.profile import progress
from tests.reliability.cluster import cluster, connect_server
from tests.reliability.server import Server
from tests.reliability.sight import assert_whole, family, report, rows, script, until

pytestmark = pytest.mark.slow

DAYS = 8
KEYS = [f"{number:02d}" for number in range(DAYS)]
SLOW = 120
"""Seconds that the first of the executors' Pythons takes to start: longer than all the rest of the job."""
_JOB = """
import os, runpy, sys

os.environ.update({environment!r})
{before}
sys.argv = ["profile.py", "--spec", {spec!r}]
runpy.run_path({path!r}, run_name="__main__")
"""
_IMPATIENT = """
# Ten minutes is what a client tries by itself.
from pyspark.sql.connect.client.retries import DefaultPolicy
plain = DefaultPolicy.__init__
DefaultPolicy.__init__ = lambda self, *given, **more: plain(self, max_retries=3)
"""


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, rng = tmp_path_factory.mktemp("lake"), np.random.default_rng(5)
    for key in KEYS:
        (folder / f"day={key}").mkdir()
        pq.write_table(pa.table({"x": rng.normal(size=5_000)}), folder / f"day={key}" / "part-0.parquet")
    return folder


def job(lake: Path, environment: dict[str, str], before: str = "") -> str:
    spec = JobSpec(dataset="t", pattern=str(lake / "day=*"))
    path = str(resource_dir("spark_jobs") / "profile.py")
    environment = {"SPARK_LOCAL_IP": "127.0.0.1", **environment}
    return _JOB.format(environment=environment, before=before, spec=spec.to_json(), path=path)


def test_a_slow_task_that_is_started_again_elsewhere_changes_nothing(
    store: Repository, server: Server, lake: Path, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nmkdir {tmp_path}/slow 2>/dev/null && sleep {SLOW}\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    (tmp_path / "events").mkdir()
    speculation = {
        "spark.speculation": "true",
        "spark.speculation.interval": "100ms",
        "spark.speculation.minTaskRuntime": "100ms",
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.5",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": f"file:{tmp_path}/events",
    }
    # Spark starts no task again on the host that it is slow on.
    with cluster(tmp_path, workers=2) as made:
        given = made.properties | speculation
        arguments = " ".join([*(f"--conf {name}={value}" for name, value in given.items()), "pyspark-shell"])
        environment = {"PYSPARK_SUBMIT_ARGS": arguments, "PYSPARK_PYTHON": str(python)}
        process = script(job(lake, environment), server.dsn, tmp_path)
        try:
            said = process.communicate(timeout=300)[0]
        finally:
            for one in family(process.pid) if process.poll() is None else ():
                os.kill(one, signal.SIGKILL)
    assert process.returncode == 0, said
    logs = [log for log in (tmp_path / "events").rglob("*") if log.is_file() and not log.name.endswith(".crc")]
    lines = [line for log in logs for line in log.read_text().splitlines()]
    ends = [event for line in lines if (event := json.loads(line))["Event"] == "SparkListenerTaskEnd"]
    again = sum(event["Task Info"]["Speculative"] for event in ends)
    assert again > 0
    for key in KEYS:
        stored, expected = store.load_profile("t", key), profile_table(pq.read_table(lake / f"day={key}"), key)
        assert stored is not None
        assert stored.row_count == expected.row_count
        assert stored.columns["x"].fingerprint == expected.columns["x"].fingerprint
    assert rows(store, "profile") == DAYS
    assert_whole(store)
    report("speculation", tasks=len(ends), started_again=again, stored=DAYS)


def test_a_connect_server_that_is_killed_ends_the_job_with_one_error(
    store: Repository, server: Server, lake: Path, tmp_path: Path
) -> None:
    home = Path(pyspark.__file__).parent
    with connect_server(tmp_path, home, Path(sys.executable)) as address:
        process = script(job(lake, {"SPARK_REMOTE": address}, _IMPATIENT), server.dsn, tmp_path)
        try:
            until(lambda: rows(store, "profile_attempt") > 0 or process.poll() is not None, "the job has begun")
            assert process.poll() is None, process.communicate()[0]
            port = address.rpartition(":")[2]
            (java,) = [one for one in family(os.getpid()) if f"binding.port={port}" in _command(one)]
            os.kill(java, signal.SIGKILL)
            said = process.communicate(timeout=300)[0]
        finally:
            for one in family(process.pid) if process.poll() is None else ():
                os.kill(one, signal.SIGKILL)
    assert process.returncode != 0
    assert "Spark has gone away in the middle of the job" in said, said
    assert "Traceback" not in said
    stored = rows(store, "profile")
    assert [progress(store, "t", key).state for key in KEYS].count("ready") == stored < DAYS
    assert rows(store, "profile_attempt", "state = 'failed'") == DAYS - stored
    assert_whole(store)
    report("kill -9 of a Connect server", stored=stored, failed=DAYS - stored)


def _command(process: int) -> str:
    return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")

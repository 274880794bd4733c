"""kill -9 of a Spark job between two partitions: those that it stored are whole, the others are waited for."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_dq.engine.spark.environment import spark_environment
from airflow_dq.profile import JobSpec
from airflow_dq.resource import resource_dir
from airflow_dq.store import Repository
from airflow_dq.triggers.profile import progress
from tests.reliability.server import Server
from tests.reliability.sight import assert_whole, family, report, rows, script, until

pytestmark = pytest.mark.slow

DAYS = 24
_JOB = """
import os, runpy, sys

os.environ.update({environment!r})
sys.argv = ["profile.py", "--spec", {spec!r}]
runpy.run_path({path!r}, run_name="__main__")
"""


def test_killed_between_two_partitions(store: Repository, server: Server, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    for number in range(DAYS):
        folder = tmp_path / "lake" / f"day={number:02d}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({f"c{i}": rng.normal(size=20_000) for i in range(8)}), folder / "part-0.parquet")
    environment = {
        "PYSPARK_SUBMIT_ARGS": "--conf spark.ui.enabled=false pyspark-shell",
        **spark_environment("local[2]"),
    }
    spec = JobSpec(dataset="t", pattern=str(tmp_path / "lake" / "day=*"))
    job = _JOB.format(environment=environment, spec=spec.to_json(), path=str(resource_dir("spark_jobs") / "profile.py"))
    began = time.monotonic()
    process = script(job, server.dsn, tmp_path)
    try:
        until(lambda: rows(store, "profile") > 0 or process.poll() is not None, "a partition is stored")
        assert process.poll() is None, process.communicate()[0]
    finally:
        for one in family(process.pid):
            os.kill(one, signal.SIGKILL)
        process.wait()
    killed_after = time.monotonic() - began
    until(lambda: rows(store, "profile_attempt", _SERVED) == 0, "the dead job's transaction is rolled back")
    stored = rows(store, "profile")
    assert 0 < stored < DAYS
    states = [progress(store, "t", f"{number:02d}").state for number in range(DAYS)]
    assert states.count("ready") == stored
    assert states.count("waiting") == DAYS - stored
    assert_whole(store)

    again = script(job, server.dsn, tmp_path)
    said = again.communicate()[0]
    assert again.returncode == 0, said
    assert [progress(store, "t", f"{number:02d}").state for number in range(DAYS)] == ["ready"] * DAYS
    assert rows(store, "profile") == DAYS
    assert_whole(store)
    report(
        "kill -9 of a Spark job", seconds=killed_after, stored_then=stored, waited_for=DAYS - stored, after_a_rerun=DAYS
    )


_SERVED = "EXISTS (SELECT 1 FROM pg_stat_activity WHERE state LIKE 'idle in transaction%')"

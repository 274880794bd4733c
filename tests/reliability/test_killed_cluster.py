"""A stand-alone cluster that several drivers share, and kill -9 on it: of an executor, which costs only time, of the
driver, which costs the rest."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_dq.gate.pipeline import judge
from airflow_dq.judge.verdict import Status
from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile import JobSpec, profile_table
from airflow_dq.resource import resource_dir
from airflow_dq.store import Repository
from airflow_dq.triggers.profile import progress
from tests.reliability.cluster import Cluster, cluster
from tests.reliability.server import Server
from tests.reliability.sight import PATIENCE, ROOT, assert_whole, family, report, rows, script, until

pytestmark = pytest.mark.slow

DAYS = 12
KEYS = [f"{number:02d}" for number in range(DAYS)]
_JOB = """
import os, runpy, sys

# The executors' Python, which on a cluster nobody but its user knows.
os.environ.update(PYSPARK_SUBMIT_ARGS={arguments!r}, PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
sys.argv = ["profile.py", "--spec", {spec!r}]
runpy.run_path({path!r}, run_name="__main__")
"""
_SERVED = "EXISTS (SELECT 1 FROM pg_stat_activity WHERE state LIKE 'idle in transaction%')"

Start = Callable[[], subprocess.Popen[str]]


@pytest.fixture(scope="module")
def spark_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, rng = tmp_path_factory.mktemp("lake"), np.random.default_rng(5)
    for key in KEYS:
        (folder / f"day={key}").mkdir()
        table = pa.table({f"c{i}": rng.normal(size=5_000) for i in range(2)})
        pq.write_table(table, folder / f"day={key}" / "part-0.parquet")
    return folder


@pytest.fixture
def start(spark_cluster: Cluster, lake: Path, server: Server, tmp_path: Path) -> Start:
    """Starts the profile job of the whole lake on the cluster."""
    spec = JobSpec(dataset="t", pattern=str(lake / "day=*"))
    arguments = [f"--conf {name}={value}" for name, value in spark_cluster.properties.items()]
    job = _JOB.format(
        arguments=" ".join([*arguments, "pyspark-shell"]),
        spec=spec.to_json(),
        path=str(resource_dir("spark_jobs") / "profile.py"),
    )
    return lambda: script(job, server.dsn, tmp_path)


def until_stored(store: Repository, process: subprocess.Popen[str], count: int) -> None:
    """In the middle of the job: what the executors have found lies on them, and the driver fetches it bit by bit."""
    until(lambda: _stored(store) >= count or process.poll() is not None, "a partition is stored")
    assert process.poll() is None, process.communicate()[0]


def _stored(store: Repository) -> int:
    return rows(store, "profile_attempt", "state = 'succeeded'")


def assert_all_right(store: Repository, lake: Path) -> None:
    """Each partition has the profile that an undisturbed scan gives it, and no more than one."""
    assert [progress(store, "t", key).state for key in KEYS] == ["ready"] * DAYS
    assert rows(store, "profile") == DAYS
    for key in (KEYS[0], KEYS[5], KEYS[-1]):
        stored, expected = store.load_profile("t", key), profile_table(pq.read_table(lake / f"day={key}"), key)
        assert stored is not None
        assert stored.row_count == expected.row_count
        columns = expected.columns.items()
        assert all(stored.columns[name].fingerprint == column.fingerprint for name, column in columns if name != "day")
    assert_whole(store)


def test_a_killed_driver_costs_the_rest_and_a_killed_executor_nothing(
    store: Repository, spark_cluster: Cluster, start: Start, lake: Path
) -> None:
    process = start()
    try:
        until_stored(store, process, 1)
    finally:
        for one in family(process.pid):
            os.kill(one, signal.SIGKILL)
        process.communicate()
    until(lambda: rows(store, "profile_attempt", _SERVED) == 0, "the dead driver's transaction is rolled back")
    stored = rows(store, "profile")
    assert 0 < stored < DAYS
    states = [progress(store, "t", key).state for key in KEYS]
    assert (states.count("ready"), states.count("waiting")) == (stored, DAYS - stored)
    assert_whole(store)
    seconds = until(lambda: not spark_cluster.executors(), "the executors of the dead driver have ended")
    report("kill -9 of a driver", stored_then=stored, waited_for=DAYS - stored, executors_gone_after=seconds)

    process = start()
    try:
        until_stored(store, process, stored + 1)
        killed, *others = spark_cluster.executors()
        os.kill(killed, signal.SIGKILL)
        stored_then = _stored(store) - stored
        said = process.communicate(timeout=300)[0]
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, said
    assert f"profiled {DAYS}/{DAYS} partitions" in said
    assert others
    assert stored_then < DAYS
    assert_all_right(store, lake)
    report("kill -9 of an executor", executors=2, stored_then=stored_then, stored_at_the_end=DAYS, failed=0)


def test_a_backfill_and_an_operator_share_the_cluster_and_the_gate_judges_the_day(
    store: Repository,
    spark_cluster: Cluster,
    lake: Path,
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    conf = {**spark_cluster.properties, "spark.cores.max": "1", "spark.pyspark.python": sys.executable}
    master = conf.pop("spark.master")
    for name, value in {"AIRFLOW_DQ_DSN": server.dsn, "PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1"}.items():
        monkeypatch.setenv(name, value)
    command = [
        *(sys.executable, "-m", "airflow_dq", "backfill", "t", "--source", f"{lake}/day=*", "--until", KEYS[-2]),
        *("--master", master, *(part for one in conf.items() for part in ("--conf", "=".join(one)))),
    ]
    backfill = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        until(lambda: rows(store, "profile_attempt") > 0 or backfill.poll() is not None, "the backfill's driver runs")
        day = {"source": f"{lake}/day={KEYS[-1]}", "partition": KEYS[-1]}
        told = DQProfileOperator(task_id="profile", dataset="t", master=master, conf=conf, **day).execute({})
        said = backfill.communicate(timeout=PATIENCE)[0]
    finally:
        for one in family(backfill.pid):
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        backfill.wait()
    assert backfill.returncode == 0, said
    assert (told["partitions"], told["rows"]) == (1, 5_000)
    assert_all_right(store, lake)
    assert judge(store, "t", KEYS[-1], SynthesisOptions(min_history=5)).status is Status.PASS

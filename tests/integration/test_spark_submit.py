"""The profile job as a process: through spark-submit, its exit codes, its last words, and killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import text

from airflow_dq.engine.spark.environment import find_spark_submit, spark_environment
from airflow_dq.job.result import results_in
from airflow_dq.options.fleet import Orders
from airflow_dq.profile import JobSpec, profile_table
from airflow_dq.resource import resource_dir
from airflow_dq.store import Repository
from airflow_dq.store.address import parse_dsn

pytestmark = pytest.mark.slow

SCRIPT = resource_dir("spark_jobs") / "profile.py"


def _environment(**changed: str) -> dict[str, str]:
    environ = {name: value for name, value in os.environ.items() if name != "AIRFLOW_DQ_DSN"}
    return {**environ, **spark_environment("local[2]"), **changed}


def _submit(spec: JobSpec | Orders, dsn: str, folder: Path) -> subprocess.Popen[str]:
    command = [
        *(str(find_spark_submit()), "--master", "local[2]", "--conf", "spark.ui.enabled=false"),
        *("--conf", "spark.log.level=FATAL", "--driver-java-options", "-XX:TieredStopAtLevel=1"),
        *(str(SCRIPT), "--spec", spec.to_json()),
    ]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=_environment(AIRFLOW_DQ_DSN=dsn),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _python(arguments: list[str], folder: Path, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """The script without spark-submit: enough for what it says before Spark starts."""
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments], cwd=folder, env=environ, capture_output=True, text=True
    )


def _last(output: str) -> str:
    """The last line, after making sure that no stack came before it."""
    assert "Traceback" not in output
    assert "\tat org.apache" not in output
    return output.strip().splitlines()[-1]


def _password(dsn: str) -> str | None:
    return None if parse_dsn(dsn).password is None else str(parse_dsn(dsn).password)


def test_a_job_reports_each_partition_and_explains_a_failure_last(
    store: Repository, clean_dsn: str, tmp_path: Path
) -> None:
    table = pa.table({"n": [1.0, 2.0], "s": ["a", "b"], "l": [[1], [2]]})
    (tmp_path / "day=1").mkdir()
    pq.write_table(table, tmp_path / "day=1" / "part-0.parquet")
    paths = {"1": str(tmp_path / "day=1"), "2": str(tmp_path / "day=2")}
    job = _submit(JobSpec(dataset="t", paths=paths), clean_dsn, tmp_path)
    out, errors = job.communicate()
    assert job.returncode == 2, errors
    assert "profiled 1/2 partitions, 1 failed" in out
    assert "t 1: 2 rows, 2 columns profiled, 1 skipped (l: " in out
    assert f"t 2: failed: Dataset 't', partition '2': the source {tmp_path}/day=2 does not exist" in out
    # spark-submit itself puts both streams of the script on its stdout.
    assert _last(out).startswith("airflow_dq: error: Dataset 't', partition '2': the source")
    if password := _password(clean_dsn):
        assert password not in out + errors
    stored = store.load_profile("t", "1")
    assert stored is not None
    expected = profile_table(table, "1").columns
    assert list(stored.columns) == list(expected)
    # Not `l`: Spark and Arrow name a list's element differently in its type.
    assert all(stored.columns[name].fingerprint == expected[name].fingerprint for name in ("n", "s"))
    assert not (tmp_path / "spark-warehouse").exists()


def test_a_job_killed_while_it_writes_leaves_nothing_and_the_next_one_succeeds(
    store: Repository, clean_dsn: str, tmp_path: Path
) -> None:
    pq.write_table(pa.table({"n": [1.0, 2.0]}), tmp_path / "x.parquet")
    spec = JobSpec(dataset="t", paths={"1": str(tmp_path / "x.parquet")})
    with store._engine.connect() as lock:
        # The job can insert the profile's row, then waits for this lock in the middle of its transaction.
        lock.execute(text("LOCK TABLE airflow_dq.column_profile IN ACCESS EXCLUSIVE MODE"))
        job = _submit(spec, clean_dsn, tmp_path)
        try:
            _wait_until_blocked(store, job)
        finally:
            os.killpg(job.pid, signal.SIGKILL)
            job.communicate()
        lock.rollback()
    assert store.load_profile("t", "1") is None
    status = store.attempt_status("t", "1")
    assert status is not None
    assert (status.state, status.has_profile) == ("running", False)

    # As one of a fleet, of which another one fails.
    gone = JobSpec(dataset="gone", paths={"1": str(tmp_path / "gone.parquet")})
    again = _submit(Orders((gone, spec), fleet=True), clean_dsn, tmp_path)
    out, errors = again.communicate()
    assert again.returncode == 2, errors
    assert {one.dataset: (one.rows, one.error is None) for one in results_in(out.splitlines())} == {
        "t": (2, True),
        "gone": (0, False),
    }
    assert "profiled 1/1 partitions" in out
    assert _last(out).startswith("airflow_dq: error: 1 of 2 datasets could not be profiled in full, and 1 could")
    stored = store.load_profile("t", "1")
    assert stored is not None
    assert stored.row_count == 2


def _wait_until_blocked(store: Repository, job: subprocess.Popen[str]) -> None:
    """Return when the job's connection waits for the lock; fail when the job ends or takes minutes."""
    pause, deadline = threading.Event(), time.monotonic() + 300
    blocked = text(
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'airflow_dq.column_profile'::regclass"
    )
    with store._engine.connect() as connection:
        while job.poll() is None and time.monotonic() < deadline:
            if connection.execute(blocked).scalar():
                return
            pause.wait(0.05)
    pytest.fail("the job never came to the point of writing")


def test_what_is_wrong_before_spark_starts_is_one_sentence(clean_dsn: str, tmp_path: Path) -> None:
    order = ["--spec", JobSpec(dataset="t", paths={"1": "x"}).to_json()]
    none = _python(order, tmp_path, _environment())
    assert (none.returncode, "set AIRFLOW_DQ_DSN=" in _last(none.stderr)) == (2, True)

    wrong = _python(order, tmp_path, _environment(AIRFLOW_DQ_DSN="postgresql://me:s3cr3t@127.0.0.1:1/nodb"))
    assert wrong.returncode == 2
    assert "127.0.0.1:1" in _last(wrong.stderr)
    assert "s3cr3t" not in wrong.stdout + wrong.stderr

    unreadable = _python(["--spec", "{"], tmp_path, _environment())
    assert (unreadable.returncode, "specification cannot be read" in _last(unreadable.stderr)) == (2, True)
    absent = _python(["--spec-file", "absent.json"], tmp_path, _environment())
    assert (absent.returncode, "absent.json cannot be read" in _last(absent.stderr)) == (2, True)


def test_a_machine_that_cannot_run_spark_is_told_so(clean_dsn: str, tmp_path: Path) -> None:
    order = ["--spec", JobSpec(dataset="t", paths={"1": "x"}).to_json()]
    no_java = _python(order, tmp_path, _environment(AIRFLOW_DQ_DSN=clean_dsn, JAVA_HOME=str(tmp_path)))
    assert no_java.returncode == 2
    assert f"JAVA_HOME is '{tmp_path}'" in _last(no_java.stderr)


def test_a_database_without_our_schema_is_named_before_spark_starts(postgres_dsn: str, tmp_path: Path) -> None:
    from airflow_dq.store.engine import make_engine
    from airflow_dq.store.migration import upgrade

    engine = make_engine(parse_dsn(postgres_dsn))
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA IF EXISTS airflow_dq CASCADE"))
    engine.dispose()
    try:
        order = ["--spec", JobSpec(dataset="t", paths={"1": "x"}).to_json()]
        answer = _python(order, tmp_path, _environment(AIRFLOW_DQ_DSN=postgres_dsn))
        assert answer.returncode == 2
        assert "airflow dq db upgrade" in _last(answer.stderr)
    finally:
        upgrade(postgres_dsn)

from __future__ import annotations

import json
import os
import signal
import stat
import sys
import threading
import time
from pathlib import Path

import pytest
from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook
from airflow.sdk import Connection

from airflow_dq.exceptions import ConfigurationError, EnvironmentMismatchError
from airflow_dq.hooks import kill, spark
from airflow_dq.hooks.spark import ProfileSubmitHook, spark_connection
from airflow_dq.job.result import JobResult
from airflow_dq.version_compat import AirflowException

SECRET = "postgresql://me:correct-horse@db/stats"


def hook(master: str, extra: dict[str, str] | None = None, **options: object) -> ProfileSubmitHook:
    connection = Connection(conn_id="c", conn_type="spark", host=master, extra=json.dumps(extra or {}))
    made = ProfileSubmitHook(connection=connection, **options)
    made.environment["AIRFLOW_DQ_DSN"] = SECRET
    return made


def script(folder: Path, text: str) -> str:
    file = folder / "fake-submit"
    file.write_text(f"#!/bin/bash\n{text}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return str(file)


def test_an_undefined_default_connection_means_this_machine() -> None:
    assert hook(spark_connection("spark_default").host or "").master == "local[*]"
    assert spark_connection("spark_default", "spark://m:7077").host == "spark://m:7077"


def test_another_undefined_connection_is_an_error_and_not_yarn() -> None:
    with pytest.raises(ConfigurationError, match="'cluster' is not defined"):
        spark_connection("cluster")
    assert spark_connection("cluster", "local[2]").host == "local[2]"


def test_a_master_wins_over_the_connection_and_keeps_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_LAKE", json.dumps({"conn_type": "spark", "host": "yarn", "extra": {"queue": "q"}}))
    assert ProfileSubmitHook(connection=spark_connection("lake")).master == "yarn"
    overridden = ProfileSubmitHook(connection=spark_connection("lake", "local[2]"))
    assert overridden.master == "local[2]"
    assert overridden._connection["queue"] == "q"


def test_yarn_without_hadoop_configuration_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    monkeypatch.delenv("YARN_CONF_DIR", raising=False)
    with pytest.raises(ConfigurationError, match="HADOOP_CONF_DIR"):
        hook("yarn").check_master()
    hook("yarn", env_vars={"HADOOP_CONF_DIR": "/etc/hadoop"}).check_master()
    hook("local[2]").check_master()


@pytest.mark.parametrize(
    ("master", "options", "said"),
    [
        ("k8s://https://m:443", {}, "apache-airflow-providers-cncf-kubernetes"),
        ("spark://m:7077", {"deploy_mode": "cluster"}, "takes no Python job"),
        ("local[2]", {"conf": {"spark.submit.deployMode": "cluster"}}, "takes no Python job"),
    ],
)
def test_a_master_that_takes_no_job_is_refused_before_anything_starts(
    master: str, options: dict[str, object], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark, "_has_kubernetes", lambda: False)
    with pytest.raises(ConfigurationError, match=f"'c' says master '{master.split('[')[0]}.*{said}"):
        hook(master, **options).check_master()


def test_a_missing_spark_submit_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark, "check_java", lambda: None)
    with pytest.raises(EnvironmentMismatchError, match="/nowhere/spark-submit is not there"):
        hook("local[2]", spark_binary=str(tmp_path / "nowhere" / "spark-submit")).check_machine()
    hook("local[2]", spark_binary=script(tmp_path, "true")).check_machine()


def test_the_drivers_python_is_this_one_whatever_the_executors_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark, "find_spark_submit", lambda: Path("spark-submit"))
    monkeypatch.delenv("PYSPARK_DRIVER_PYTHON", raising=False)

    def given(extra: dict[str, str] | None = None, **options: object) -> list[str]:
        return [
            one for one in hook("yarn", extra, **options)._build_spark_submit_command("job.py") if "driver.py" in one
        ]

    name = "spark.pyspark.driver.python"
    assert given(conf={"spark.pyspark.python": "/opt/python"}) == [f"{name}={sys.executable}"]
    assert given(conf={name: "/mine"}) == [f"{name}=/mine"]
    assert given(env_vars={"PYSPARK_DRIVER_PYTHON": "/theirs"})[-1] == f"{name}=/theirs"
    assert given({"deploy-mode": "cluster"}) == []


@pytest.mark.parametrize("master", ["local[2]", "spark://m:7077", "yarn", "k8s://https://m:443"])
def test_the_secret_is_in_the_environment_and_never_on_the_command_line(
    master: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark, "find_spark_submit", lambda: Path("spark-submit"))
    # The parent's module asks for this name, which only the Kubernetes provider defines.
    monkeypatch.setattr(f"{SparkSubmitHook.__module__}.kube_client", object(), raising=False)
    monkeypatch.setattr(spark, "_has_kubernetes", lambda: True)
    made = hook(master, env_vars={"MINE": "1"})
    command = made._build_spark_submit_command("job.py")
    assert "correct-horse" not in " ".join(command)
    assert made._env is not None
    assert made._env["AIRFLOW_DQ_DSN"] == SECRET
    assert master.startswith("k8s") or made._env["MINE"] == "1"


@pytest.mark.parametrize(
    ("extra", "options"),
    [
        ({"deploy-mode": "cluster"}, {}),
        ({}, {"deploy_mode": "cluster"}),
        ({}, {"conf": {"spark.submit.deployMode": "cluster"}}),
    ],
)
def test_cluster_mode_is_recognised_wherever_it_is_said(extra: dict[str, str], options: dict[str, object]) -> None:
    assert hook("spark://m:7077", extra, **options).on_cluster
    assert not hook("spark://m:7077").on_cluster


def test_the_job_runs_with_the_environment_and_its_explanation_is_kept(tmp_path: Path) -> None:
    result = JobResult("flights", 1, 1, error="No folder.")
    fake = script(tmp_path, f"echo \"$AIRFLOW_DQ_DSN\" > seen; echo starting; echo '{result.to_line()}'; exit 2")
    made = hook("local[2]", spark_binary=fake)
    with pytest.raises(AirflowException, match="Error code is: 2"):
        made.submit("job.py", cwd=str(tmp_path))
    assert (tmp_path / "seen").read_text().strip() == SECRET
    assert made.results == (result,)


def test_the_line_for_the_program_is_not_in_a_persons_log() -> None:
    made, result = hook("local[2]"), JobResult("flights", 1, 0, 5)
    assert list(made._remember(iter(["a\n", f"{result.to_line()}\n", "b\n"]))) == ["a\n", "b\n"]
    assert made.results == (result,)


def test_on_kill_ends_the_whole_family_even_if_the_cluster_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kill, "KILL_SECONDS", 1.0)
    monkeypatch.setattr(SparkSubmitHook, "on_kill", lambda self: threading.Event().wait(60))
    # The child ignores a polite request, as a hanging driver would.
    fake = script(tmp_path, "(trap '' TERM; while :; do sleep 0.1; done) & echo $! > child; echo ready; wait")
    made = hook("local[2]", spark_binary=fake)
    ready = threading.Event()
    monkeypatch.setattr(made, "_remember", lambda lines: _announce(lines, ready))
    failures: list[BaseException] = []
    job = threading.Thread(target=lambda: _collect(failures, made, tmp_path))
    job.start()
    assert ready.wait(20)
    child = int((tmp_path / "child").read_text())
    started = time.monotonic()
    made.on_kill()
    assert time.monotonic() - started < 10
    job.join(20)
    assert not job.is_alive()
    assert isinstance(failures[0], AirflowException)
    with pytest.raises(ProcessLookupError):
        _reap(child)


def _announce(lines, ready):  # type: ignore[no-untyped-def]
    for line in lines:
        ready.set()
        yield line


def _collect(failures: list[BaseException], made: ProfileSubmitHook, folder: Path) -> None:
    try:
        made.submit("job.py", cwd=str(folder))
    except AirflowException as error:
        failures.append(error)


def _reap(child: int) -> None:
    # A killed orphan may stay a zombie for a moment, until whoever adopted it has looked.
    for _ in range(1000):
        os.kill(child, 0)
        if Path(f"/proc/{child}/stat").read_text().split()[2] == "Z":
            raise ProcessLookupError
    os.kill(child, signal.SIGKILL)

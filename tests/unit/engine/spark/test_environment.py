"""Each thing that a machine may lack is named in one sentence, with the command that repairs it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from airflow_dq.engine.spark import environment
from airflow_dq.engine.spark.environment import check_java, check_pyspark, find_spark_submit, spark_environment
from airflow_dq.exceptions import EnvironmentMismatchError


def _java(folder: Path, says: str, code: int = 0) -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit {code}\n")
    java.chmod(0o755)
    return java


@pytest.mark.parametrize(
    "says", ['openjdk version "17.0.15" 2025-04-15', 'openjdk version "21" 2023-09-19', 'java version "25-ea"']
)
def test_java_of_java_home_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str) -> None:
    java = _java(tmp_path, says)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert check_java() == java


@pytest.mark.parametrize(
    ("says", "seen"), [('java version "1.8.0_402"', "version 8;"), ('openjdk version "11.0.2"', "version 11;")]
)
def test_old_java_is_refused_with_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, seen: str
) -> None:
    _java(tmp_path, says)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EnvironmentMismatchError, match=seen) as caught:
        check_java()
    assert "apt-get install openjdk-17-jre-headless" in str(caught.value)


def test_java_home_without_java_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EnvironmentMismatchError, match=f"JAVA_HOME is '{tmp_path}'"):
        check_java()


def test_java_that_does_not_run_or_say_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _java(tmp_path / "broken", "no", code=3)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "broken"))
    with pytest.raises(EnvironmentMismatchError, match="cannot be run"):
        check_java()
    _java(tmp_path / "mute", "hello")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "mute"))
    with pytest.raises(EnvironmentMismatchError, match="does not tell its version"):
        check_java()


def test_no_java_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentMismatchError, match="No Java was found") as caught:
        check_java()
    assert "brew install openjdk@17" in str(caught.value)


def _versions(monkeypatch: pytest.MonkeyPatch, **found: str) -> None:
    monkeypatch.setattr(environment, "_version", lambda name: found.get(name.replace("-", "_")))


def test_equal_wheels_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    _versions(monkeypatch, pyspark="4.2.0", pyspark_client="4.2.0")
    assert check_pyspark() == "4.2.0"


def test_pyspark_without_the_client_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    _versions(monkeypatch, pyspark="3.5.6")
    assert check_pyspark() == "3.5.6"


def test_different_wheels_are_named_with_the_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    _versions(monkeypatch, pyspark="4.0.1", pyspark_client="4.2.0")
    with pytest.raises(EnvironmentMismatchError, match=r"pyspark 4\.0\.1 and pyspark-client 4\.2\.0") as caught:
        check_pyspark()
    assert "pip install --force-reinstall --no-deps pyspark==4.0.1 pyspark-client==4.0.1" in str(caught.value)


def test_absent_pyspark_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    _versions(monkeypatch, pyspark_client="4.2.0")
    with pytest.raises(EnvironmentMismatchError, match=r"airflow-provider-dq\[spark\]"):
        check_pyspark()


def test_spark_submit_is_this_environments_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    python = tmp_path / "venv" / "python"
    python.parent.mkdir()
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(EnvironmentMismatchError, match="No spark-submit"):
        find_spark_submit()
    (tmp_path / "venv" / "spark-submit").touch()
    assert find_spark_submit() == tmp_path / "venv" / "spark-submit"
    (tmp_path / "spark" / "bin").mkdir(parents=True)
    (tmp_path / "spark" / "bin" / "spark-submit").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    assert find_spark_submit() == tmp_path / "spark" / "bin" / "spark-submit"


def test_local_executors_get_this_python_and_the_loopback_address() -> None:
    assert spark_environment("local[2]", {}) == {
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def test_a_clusters_executors_keep_their_own_python() -> None:
    assert spark_environment("yarn", {}) == {"PYSPARK_DRIVER_PYTHON": sys.executable}


def test_what_the_user_has_set_stays() -> None:
    given = {"PYSPARK_PYTHON": "/opt/python", "SPARK_LOCAL_IP": "10.0.0.1", "PYSPARK_DRIVER_PYTHON": "python3"}
    assert spark_environment("local[*]", given) == {}

"""Each thing that a machine may lack is named in one sentence, with the command that repairs it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from airflow_dq.engine.spark.environment import (
    check_driver_packages,
    check_java,
    check_pyspark,
    find_spark_submit,
    spark_environment,
)
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


def _pyspark(monkeypatch: pytest.MonkeyPatch, folder: Path, version: str, jar: str | None) -> None:
    """What can be imported, and the jars beside it."""
    package = folder / "pyspark"
    if jar is not None:
        (package / "jars").mkdir(parents=True)
        (package / "jars" / jar).touch()
    fake = ModuleType("pyspark")
    fake.__version__, fake.__file__ = version, str(package / "__init__.py")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyspark", fake)
    monkeypatch.setitem(sys.modules, "pyspark.java_gateway", ModuleType("pyspark.java_gateway"))
    monkeypatch.delenv("SPARK_HOME", raising=False)


@pytest.mark.parametrize(
    ("version", "jar"),
    [
        ("4.2.0", "spark-core_2.13-4.2.0.jar"),
        ("3.5.9", "spark-core_2.12-3.5.9.jar"),
        # Of vendors.
        ("3.5.1", "spark-core_2.12-3.5.1-amzn-0.jar"),
        ("3.5.0+dataproc", "spark-core_2.12-3.5.0.jar"),
    ],
)
def test_pyspark_of_one_version_passes_whatever_wheel_it_is_from(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, jar: str
) -> None:
    _pyspark(monkeypatch, tmp_path, version, jar)
    assert check_pyspark() == version


def test_a_vendors_home_without_a_wheel_passes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _pyspark(monkeypatch, tmp_path, "3.5.1", None)
    (tmp_path / "home" / "jars").mkdir(parents=True)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "home"))
    assert check_pyspark() == "3.5.1"


def test_files_of_another_version_than_the_jars_are_named_with_the_repair(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _pyspark(monkeypatch, tmp_path, "4.2.0", "spark-core_2.13-4.0.1.jar")
    with pytest.raises(EnvironmentMismatchError, match=r"of version 4\.2\.0, and its jars .* are of 4\.0\.1") as caught:
        check_pyspark()
    assert "pip install --force-reinstall --no-deps pyspark==4.0.1 pyspark-client==4.0.1" in str(caught.value)


def test_the_client_alone_has_no_spark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _pyspark(monkeypatch, tmp_path, "4.2.0", None)
    with pytest.raises(EnvironmentMismatchError, match=r"no Spark of its own .*airflow-provider-dq\[spark\]"):
        check_pyspark()


def test_absent_pyspark_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(EnvironmentMismatchError, match=r"cannot be imported here .*airflow-provider-dq\[spark\]"):
        check_pyspark()


def test_a_driver_without_pandas_is_told_before_the_job_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ImportError("Pandas >= 2.2.0 must be installed; however, it was not found.")

    utils = ModuleType("pyspark.sql.pandas.utils")
    utils.require_minimum_pandas_version = lambda: None  # type: ignore[attr-defined]
    utils.require_minimum_pyarrow_version = lambda: None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyspark.sql.pandas.utils", utils)
    check_driver_packages()
    utils.require_minimum_pandas_version = missing  # type: ignore[attr-defined]
    with pytest.raises(EnvironmentMismatchError, match=r"Python of Spark's driver .* lacks .*Pandas >= 2\.2\.0"):
        check_driver_packages()


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

"""The store's package is cheap to import, and the migrations' head is the models' revision."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import airflow_dq.store
from airflow_dq import resource
from airflow_dq.exceptions import EnvironmentMismatchError
from airflow_dq.settings import dsn_from_environment
from airflow_dq.store.migration import head
from airflow_dq.store.table import REVISION


def test_package_imports_nothing_heavy() -> None:
    heavy = "{'numpy', 'scipy', 'pyarrow', 'sqlalchemy', 'alembic', 'airflow'}"
    code = f"import sys, airflow_dq.store, airflow_dq.settings; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names_are_those_of_all() -> None:
    for name in airflow_dq.store.__all__:
        assert getattr(airflow_dq.store, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        airflow_dq.store.nothing  # noqa: B018


def test_revision_is_the_head_of_the_migrations() -> None:
    assert head() == REVISION


def test_resources_of_the_repository_and_of_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (resource.resource_dir("migrations") / "env.py").is_file()
    installed = tmp_path / "site-packages" / "airflow_dq"
    (installed / "example_dags").mkdir(parents=True)
    (tmp_path / "site-packages" / "dags").mkdir()
    monkeypatch.setattr(resource, "__file__", str(installed / "resource.py"))
    assert resource.resource_dir("dags") == installed / "example_dags"
    with pytest.raises(EnvironmentMismatchError, match="no folder 'spark_jobs'"):
        resource.resource_dir("spark_jobs")


def test_dsn_from_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", " postgresql://h/d\n")
    assert dsn_from_environment() == "postgresql://h/d"
    monkeypatch.setenv("AIRFLOW_DQ_DSN", "  ")
    assert dsn_from_environment() is None
    monkeypatch.delenv("AIRFLOW_DQ_DSN")
    assert dsn_from_environment() is None

"""The wheel by itself: installed into a new environment, away from the repository, without pyspark."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from sqlalchemy import text

from airflow_dq.profile import JobSpec
from airflow_dq.store.address import parse_dsn
from airflow_dq.store.engine import make_engine

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
_HOMES = """
from pathlib import Path
import airflow_dq
from airflow_dq.resource import resource_dir
package = Path(airflow_dq.__file__).parent
for name, file in {"migrations": "env.py", "spark_jobs": "profile.py", "dags": "example_flights.py"}.items():
    assert (resource_dir(name) / file).is_file(), name
    assert resource_dir(name).parent == package, name
from airflow_dq.report import render_page
assert "no dataset" in render_page([])
print(package)
"""


def _run(command: list[str], folder: Path, environ: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True)


def _succeed(command: list[str], folder: Path, environ: dict[str, str] | None = None) -> str:
    answer = _run(command, folder, environ)
    assert answer.returncode == 0, f"{command}\n{answer.stdout}\n{answer.stderr}"
    return answer.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    _succeed([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)], ROOT)
    [wheel] = out.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``bin`` folder of a new environment that holds the wheel and what it requires."""
    folder = tmp_path_factory.mktemp("clean")
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    constraints = str(ROOT / "constraints.txt")
    if uv:
        _succeed([uv, "venv", "--python", sys.executable, str(folder / "venv")], folder)
        python = str(folder / "venv" / "bin" / "python")
        _succeed([uv, "pip", "install", "--python", python, "-c", constraints, str(wheel)], folder)
    else:
        _succeed([sys.executable, "-m", "venv", str(folder / "venv")], folder)
        python = str(folder / "venv" / "bin" / "python")
        _succeed([python, "-m", "pip", "install", "--quiet", "-c", constraints, str(wheel)], folder)
    return folder / "venv" / "bin"


def _environment(installed: Path, folder: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "PYTHON", "SPARK"))}
    path = f"{installed}{os.pathsep}{kept.get('PATH', '')}"
    return {
        **kept,
        "PATH": path,
        "AIRFLOW_HOME": str(folder / "airflow"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        **more,
    }


def test_the_wheel_holds_what_lies_outside_the_package(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("migrations", "spark_jobs"):
        sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.py")}
        assert sources
        assert {f"airflow_dq/{source}" for source in sources} <= names
    assert "airflow_dq/example_dags/example_flights.py" in names
    templates = ROOT / "airflow_dq" / "report" / "templates"
    pages = {path.relative_to(ROOT).as_posix() for path in templates.rglob("*.html")}
    assert "airflow_dq/report/templates/layout/base.html" in pages
    assert pages <= names
    assert not any(name.startswith(("tests/", "migrations/", "spark_jobs/", "dags/")) for name in names)
    assert not any("__pycache__" in name for name in names)


def test_it_is_found_and_used_away_from_the_repository(installed: Path, tmp_path: Path) -> None:
    environ = _environment(installed, tmp_path)
    package = Path(_succeed([str(installed / "python"), "-c", _HOMES], tmp_path, environ).strip())
    assert package.is_relative_to(installed.parent)
    commands = _succeed([str(installed / "airflow"), "dq", "--help"], tmp_path, environ)
    assert all(command in commands for command in ("backfill", "db", "explain", "status"))


def test_it_upgrades_a_database(installed: Path, tmp_path: Path, postgres_dsn: str) -> None:
    engine = make_engine(parse_dsn(postgres_dsn))
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA IF EXISTS airflow_dq CASCADE"))
    environ = _environment(installed, tmp_path, AIRFLOW_DQ_DSN=postgres_dsn)
    _succeed([str(installed / "airflow"), "dq", "db", "upgrade"], tmp_path, environ)
    _succeed([str(installed / "airflow"), "dq", "db", "check"], tmp_path, environ)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM airflow_dq.profile")).scalar() == 0
    engine.dispose()


def test_without_pyspark_a_profile_job_names_the_extra(installed: Path, tmp_path: Path) -> None:
    script = "from airflow_dq.resource import resource_dir; print(resource_dir('spark_jobs') / 'profile.py')"
    environ = _environment(installed, tmp_path)
    path = _succeed([str(installed / "python"), "-c", script], tmp_path, environ).strip()
    spec = JobSpec(dataset="t", paths={"1": "x"}).to_json()
    answer = _run([str(installed / "python"), path, "--spec", spec], tmp_path, environ)
    assert answer.returncode == 2
    (said,) = answer.stderr.splitlines()
    assert said.startswith("airflow_dq: error: pyspark ")
    assert "a profile job needs it: pip install 'airflow-provider-dq[spark]'" in said

"""The profile job on every version of Spark that the README names: each partition's fingerprint is the local one.

``python -m tests.reliability.versions [3.5 4.0 ...]``.  Each version gets an environment of its own from the package
index, without Airflow, in ``AIRFLOW_DQ_SPARKS`` (default: a folder of the user's cache), which later runs find again.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.profile import JobSpec
from airflow_dq.resource import resource_dir
from airflow_dq.settings import DSN_VARIABLE
from airflow_dq.store import Repository, open_store
from tests.integration.test_engine_parity import table, write_csv
from tests.reliability.server import server
from tests.reliability.sight import ROOT, report

VERSIONS = ("3.5", "4.0", "4.1", "4.2")
NEEDED = ("numpy", "pandas", "pyarrow", "msgspec", "sqlalchemy", "alembic", "psycopg2-binary")
"""What the driver needs besides Spark."""
_LATER = ("time",)
"""Columns whose type only the newest of the versions reads."""


@dataclass(frozen=True, slots=True)
class Case:
    """A source, and how it is read."""

    name: str
    order: Mapping[str, str]
    conf: Mapping[str, str]


def environment(version: str) -> Path:
    """The Python of an environment with this version of Spark, made when there is none yet."""
    home = Path(os.environ.get("AIRFLOW_DQ_SPARKS") or Path.home() / ".cache" / "airflow_dq" / "sparks") / version
    python, ready = home / "bin" / "python", home / ".ready"
    if not ready.exists():
        uv = str(Path(sys.executable).parent / "uv")
        subprocess.run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(home)], check=True)
        wanted = (f"pyspark=={version}.*", *NEEDED)
        subprocess.run([uv, "pip", "install", "--quiet", "--python", str(python), *wanted], check=True)
        ready.touch()
    return python


def cases(lake: Path) -> Iterator[Case]:
    """Sources of every kind that needs no more than a folder, on both ways that the rows can take."""
    rows = table().drop_columns(list(_LATER))
    for day, parts in {"1": (rows.slice(0, 100), rows.slice(100)), "2": (rows,), "3": (rows.slice(0, 0),)}.items():
        folder = lake / "parquet" / f"day={day}"
        folder.mkdir(parents=True)
        for number, part in enumerate(parts):
            pa.parquet.write_table(part, folder / f"part-{number}.parquet")
    write_csv(lake / "csv")
    yield Case("parquet", {"pattern": f"{lake}/parquet/day=*"}, {})
    yield Case("parquet by Spark", {"pattern": f"{lake}/parquet/day=*"}, {"spark.airflow_dq.direct": "false"})
    yield Case("csv", {"pattern": f"{lake}/csv/day=*", "format": "csv"}, {})


def run(python: Path, case: Case, dsn: str, dataset: str) -> subprocess.CompletedProcess[str]:
    """The job in this environment, which holds neither this package nor Airflow."""
    spec = JobSpec(**{"dataset": dataset, **case.order})  # type: ignore[arg-type]
    conf = {"spark.ui.enabled": "false", **case.conf}
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    return subprocess.run(
        [
            *(str(python.parent / "spark-submit"), "--master", "local[2]"),
            *(part for name, value in conf.items() for part in ("--conf", f"{name}={value}")),
            *(str(resource_dir("spark_jobs") / "profile.py"), "--spec", spec.to_json()),
        ],
        env=clean
        | {DSN_VARIABLE: dsn, "PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1"}
        | {"PYSPARK_PYTHON": str(python), "PYSPARK_DRIVER_PYTHON": str(python)},
        capture_output=True,
        text=True,
    )


def compared(store: Repository, case: Case, dataset: str) -> Iterator[str]:
    """What is not as it is in this process."""
    engine = ArrowEngine(JobSpec(**{"dataset": dataset, **case.order}))  # type: ignore[arg-type]
    engine.partitions()
    for here in engine.scan(0):
        there = store.load_profile(dataset, here.partition)
        if here.profile is None or there is None:
            if (here.profile is None) != (there is None):
                yield f"{here.partition}: here {here.error or 'profiled'}, there {there and 'profiled'}"
        elif here.profile.fingerprint != there.fingerprint:
            mine, other = here.profile.columns, there.columns
            names = [name for name in mine if name not in other or mine[name].fingerprint != other[name].fingerprint]
            yield f"{here.partition}: {', '.join(names) or 'the rows or the order of the columns'}"


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 when all fingerprints are equal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*", default=VERSIONS)
    differing = 0
    with TemporaryDirectory() as lake, server() as postgres, open_store(postgres.dsn) as store:
        known = list(cases(Path(lake)))
        for version in parser.parse_args(arguments).versions:
            python = environment(version)
            for case in known:
                dataset = f"{case.name} {version}"
                done = run(python, case, postgres.dsn, dataset)
                wrong = list(compared(store, case, dataset))
                stored = len(store.partitions(dataset))
                report(f"Spark {version}, {case.name}", code=done.returncode, stored=stored, differing=len(wrong))
                if wrong or not stored:
                    differing += 1
                    print(*wrong, done.stdout[-3000:], done.stderr[-3000:], sep="\n")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())

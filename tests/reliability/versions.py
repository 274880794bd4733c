"""The profile job on every version of Spark that the README names: each partition's fingerprint is the local one.

``python -m tests.reliability.versions [--here] [3.5 4.0 ...]``.  Each version gets an environment of its own from the
package index, without Airflow, in ``AIRFLOW_DQ_SPARKS`` (default: the user's cache), where later runs find it.
The job runs on this machine, and without ``--here`` on a stand-alone cluster of the version's own distribution, a
master and two workers, and where the distribution brings one, behind its Spark Connect server.  Their executors have
numpy and pyarrow only.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from airflow_dq.cli.job import DATABASE, DRIVER, EXECUTORS
from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.profile import JobSpec
from airflow_dq.resource import resource_dir
from airflow_dq.settings import DSN_VARIABLE
from airflow_dq.store import Repository, open_store
from tests.integration.test_engine_parity import table, write_csv
from tests.reliability.cluster import cluster, connect_server
from tests.reliability.server import server
from tests.reliability.sight import ROOT, report

VERSIONS = ("3.5", "4.0", "4.1", "4.2")
_NEWEST_PYTHON = {"3.5": (3, 12)}
"""By version the newest Python that it runs on, where that is not the newest there is."""
_NOT_RUN = 3
"""Exit code when nothing differs, and some version could not be run here."""
_LATER = ("time",)
"""Columns whose type only the newest of the versions reads."""


@dataclass(frozen=True, slots=True)
class Case:
    """A source, and how it is read."""

    name: str
    order: Mapping[str, str]
    conf: Mapping[str, str]


def environment(name: str, wanted: Sequence[str]) -> Path:
    """The Python of an environment with these packages, made when there is none yet."""
    home = Path(os.environ.get("AIRFLOW_DQ_SPARKS") or Path.home() / ".cache" / "airflow_dq" / "sparks") / name
    python, ready = home / "bin" / "python", home / ".ready"
    if not ready.exists():
        uv = str(Path(sys.executable).parent / "uv")
        subprocess.run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(home)], check=True)
        subprocess.run([uv, "pip", "install", "--quiet", "--python", str(python), *wanted], check=True)
        ready.touch()
    return python


def spark_environment(version: str) -> Path:
    """The Python of an environment with this version of Spark, and what a driver needs besides."""
    # Spark 3.5 wants numpy 1, and newer versions of pyarrow do not say that they want numpy 2.
    arrow = ("pyarrow<19",) if version == "3.5" else ()
    return environment(version, (f"pyspark[connect]=={version}.*", *DRIVER, *DATABASE, *arrow))


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


def run(
    python: Path, case: Case, dsn: str, dataset: str, properties: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """The job in this environment, which holds neither this package nor Airflow.

    :param properties: of Spark, where the job runs
    """
    spec = JobSpec(**{"dataset": dataset, **case.order})  # type: ignore[arg-type]
    conf = {"spark.ui.enabled": "false", "spark.pyspark.driver.python": str(python), **properties, **case.conf}
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    # By this Python spark-submit finds its Spark.
    needed = {DSN_VARIABLE: dsn, "PYTHONPATH": str(ROOT), "PYSPARK_DRIVER_PYTHON": str(python)}
    submit = [
        str(python.parent / "spark-submit"),
        *(part for name, value in conf.items() for part in ("--conf", f"{name}={value}")),
    ]
    if properties["spark.master"].startswith("sc:"):
        submit, needed = [str(python)], {**needed, "SPARK_REMOTE": properties["spark.master"]}
    return subprocess.run(
        [*submit, str(resource_dir("spark_jobs") / "profile.py"), "--spec", spec.to_json()],
        env=clean | needed | {"SPARK_LOCAL_IP": "127.0.0.1"},
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


def differing(store: Repository, dsn: str, version: str, known: Sequence[Case], properties: Mapping[str, str]) -> int:
    """How many of the cases have other profiles on this version than here, each told."""
    count, python = 0, spark_environment(version)
    master = properties["spark.master"].partition(":")[0]
    for case in known:
        dataset = f"{case.name} {version} {master}"
        done = run(python, case, dsn, dataset, properties)
        wrong, stored = list(compared(store, case, dataset)), len(store.partitions(dataset))
        report(f"Spark {version}, {master}, {case.name}", code=done.returncode, stored=stored, differing=len(wrong))
        if wrong or not stored:
            count += 1
            print(*wrong, done.stdout[-3000:], done.stderr[-3000:], sep="\n")
    return count


def able(versions: Sequence[str]) -> Iterator[str]:
    """The versions of which there is an environment, or can be made one; of the others it is told why not."""
    for version in versions:
        if sys.version_info[:2] > _NEWEST_PYTHON.get(version, sys.version_info[:2]):
            print(f"Spark {version}: not run, it needs an older Python than this one.")
            continue
        try:
            spark_environment(version)
        except subprocess.CalledProcessError as error:
            print(f"Spark {version}: not run, its packages cannot be installed here ({error}).")
            continue
        yield version


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 when all fingerprints are equal on all versions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*", default=VERSIONS)
    parser.add_argument("--here", action="store_true", help="on this machine only, which takes minutes")
    given, count = parser.parse_args(arguments), 0
    versions = list(able(given.versions))
    with TemporaryDirectory() as lake, server() as postgres, open_store(postgres.dsn) as store:
        known = list(cases(Path(lake)))
        for version in versions:
            python = spark_environment(version)
            here = {"spark.master": "local[2]", "spark.pyspark.python": str(python)}
            count += differing(store, postgres.dsn, version, known, here)
            if given.here:
                continue
            clean = environment("executors", EXECUTORS)
            (home,) = python.parents[1].glob("lib/*/site-packages/pyspark")
            with TemporaryDirectory() as folder, cluster(Path(folder), 2, home) as made:
                there = {**made.properties, "spark.pyspark.python": str(clean)}
                count += differing(store, postgres.dsn, version, known, there)
            if not list(home.glob("jars/spark-connect_*.jar")):
                continue
            with TemporaryDirectory() as folder, connect_server(Path(folder), home, clean) as address:
                remote = [case for case in known if not case.conf]
                count += differing(store, postgres.dsn, version, remote, {"spark.master": address})
    return 1 if count else _NOT_RUN if len(versions) < len(given.versions) else 0


if __name__ == "__main__":
    sys.exit(main())

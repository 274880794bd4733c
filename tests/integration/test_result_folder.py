"""Profiles that a job leaves in a folder, and what is stored of them: as much as by a job that reaches the database."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_dq.check import Checks
from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.spark.environment import spark_environment
from airflow_dq.exceptions import ProfileError
from airflow_dq.gate.progress import progress
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.job.result import JobResult
from airflow_dq.job.result_folder import ORDER, ResultFolder
from airflow_dq.job.result_import import find_result
from airflow_dq.job.result_writer import PROFILES, RESULT, ResultWriter
from airflow_dq.profile import JobSpec, Profile, profile_table
from airflow_dq.resource import resource_dir
from airflow_dq.store import Repository
from tests.integration.object_store import BUCKET, ObjectStore

DAYS = [f"2026-01-{day:02d}" for day in range(1, 7)]
FOREIGN = ("airflow", "sqlalchemy", "psycopg2", "alembic", "msgspec", "scipy", "statsmodels", "jinja2", "yaml")
"""What a cluster's driver need not have."""


def rows(day: int) -> pa.Table:
    rng = np.random.default_rng(day)
    shop = rng.integers(0, 40, 400)
    return pa.table(
        {
            "order_id": np.arange(400) + 400 * day,
            "shop": shop,
            "city": [f"city {one % 7}" for one in shop],
            "price": rng.normal(100.0, 10.0, 400),
        }
    )


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lake")
    for number, day in enumerate(DAYS):
        (folder / f"day={day}").mkdir()
        pq.write_table(rows(number), folder / f"day={day}" / "part-0.parquet")
    return folder


def order(lake: Path, dataset: str, day: str | None = None) -> JobSpec:
    checks = Checks(dataset)
    checks.unique("order_id", scope="total", id="unique")
    checks.rule("price < 0", error=">=0", id="negative")
    path = {"paths": {day: str(lake / f"day={day}")}} if day else {"pattern": str(lake / "day=*")}
    return JobSpec(dataset=dataset, checks=tuple(checks), **path)  # type: ignore[arg-type]


def leave(spec: JobSpec, folder: ResultFolder) -> None:
    """Run a job that reaches no database."""
    writer = ResultWriter(folder, spec.rules)
    outcomes = ProfileJob(ArrowEngine(spec), writer, lambda line: None).run()
    writer.finish(JobResult.of(spec.dataset, outcomes, 1.0))


def import_it(store: Repository, spec: JobSpec, folder: ResultFolder) -> JobResult:
    found = find_result(folder)
    assert found is not None
    found.store(store, spec)
    return found.result


def contents(store: Repository, dataset: str) -> list[Profile | None]:
    return [store.load_profile(dataset, day) for day in DAYS]


def test_what_is_stored_is_what_a_job_stores_that_reaches_the_database(
    store: Repository, lake: Path, tmp_path: Path
) -> None:
    folder = ResultFolder(f"file://{tmp_path}/results/orders")
    for days in (None, DAYS[-1]):
        there, here = order(lake, "there", days), order(lake, "here", days)
        if days:
            rules = {name: store.learn_rules(name, days) for name in ("there", "here")}
            assert [one.measure for one in rules["there"]] == [one.measure for one in rules["here"]]
            there = JobSpec.from_json(JobSpec(**{**vars_of(there), "rules": rules["there"]}).to_json())
            assert there.rules == rules["there"]
        ProfileJob(ArrowEngine(here), store, lambda line: None).run()
        leave(there, folder)
        assert import_it(store, there, folder).failed == 0
    for mine, other in zip(contents(store, "here"), contents(store, "there"), strict=True):
        assert mine is not None
        assert other is not None
        assert (mine.fingerprint, mine.checks, mine.failing) == (other.fingerprint, other.checks, other.failing)
        assert {name: len(found) for name, found in mine.variants.items()} == {
            name: len(found) for name, found in other.variants.items()
        }
    words = [[one.words for one in store.stored_rules(name)] for name in ("here", "there")]
    assert words[0] == words[1]
    read = store.where_read("there", DAYS[0])
    assert read is not None
    assert read.place == {"pattern": str(lake / "day=*")}


def vars_of(spec: JobSpec) -> dict[str, object]:
    return {name: getattr(spec, name) for name in spec.__dataclass_fields__}


def test_a_rerun_replaces_and_a_partition_that_failed_is_told(store: Repository, lake: Path, tmp_path: Path) -> None:
    folder, spec = ResultFolder(str(tmp_path / "out")), order(lake, "t", DAYS[0])
    for _ in range(2):
        leave(spec, folder)
        import_it(store, spec, folder)
        assert progress(store, "t", DAYS[0]).state == "ready"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [PROFILES, RESULT]

    gone = JobSpec(dataset="t", paths={DAYS[0]: str(tmp_path / "gone")})
    leave(gone, folder)
    result = import_it(store, gone, folder)
    assert f"the source {tmp_path}/gone does not exist" in (result.error or "")
    said = progress(store, "t", DAYS[0])
    assert (said.state, "does not exist" in said.message) == ("failed", True)
    assert store.load_profile("t", DAYS[0]) is not None
    folder.remove()
    folder.remove()
    assert find_result(folder) is None


def test_an_object_store_is_a_folder_like_others(
    store: Repository, lake: Path, object_store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in object_store.environment.items():
        monkeypatch.setenv(name, value)
    folder, spec = ResultFolder(f"s3a://{BUCKET}/results").inside("one"), order(lake, "t", DAYS[0])
    assert find_result(folder) is None
    for _ in range(2):
        leave(spec, folder)
        import_it(store, spec, folder)
    assert progress(store, "t", DAYS[0]).state == "ready"
    folder.remove()
    assert find_result(folder) is None
    with pytest.raises(ProfileError, match="s3://no-such-bucket/x cannot be written"):
        ResultFolder("s3://no-such-bucket/x").put("a", io.BytesIO(b"a"))


def _changed(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(change((folder / name).read_bytes())) and None  # type: ignore[func-returns-value]


@pytest.mark.parametrize(
    "damage",
    [
        _changed(PROFILES, lambda data: data[:-100]),
        _changed(PROFILES, lambda data: data.replace(b"price", b"prise")),
        _changed(PROFILES, lambda data: data + data),
        _changed(RESULT, lambda data: data[:-10]),
        _changed(RESULT, lambda data: data.replace(b'"rows": 400', b'"rows": 500')),
        _changed(RESULT, lambda data: b"[]"),
        lambda folder: (folder / PROFILES).unlink(),
    ],
)
def test_of_a_damaged_result_nothing_is_stored(
    store: Repository, lake: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    folder, spec = ResultFolder(str(tmp_path / "out")), order(lake, "t", DAYS[0])
    leave(spec, folder)
    damage(tmp_path / "out")
    with pytest.raises(ProfileError, match=f"{tmp_path}/out cannot be"):
        import_it(store, spec, folder)
    assert store.attempt_status("t", DAYS[0]) is None


@pytest.mark.parametrize(("dataset", "day"), [("other", DAYS[0]), ("t", DAYS[1])])
def test_the_result_of_another_order_is_not_imported(
    store: Repository, lake: Path, tmp_path: Path, dataset: str, day: str
) -> None:
    folder = ResultFolder(str(tmp_path / "out"))
    leave(order(lake, dataset, day), folder)
    with pytest.raises(ProfileError, match="Nothing of it is stored"):
        import_it(store, order(lake, "t", DAYS[0]), folder)
    assert [store.attempt_status(name, key) for name in ("t", "other") for key in DAYS[:2]] == [None] * 4


def test_another_version_of_the_package_is_told(lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = ResultFolder(str(tmp_path / "out"))
    monkeypatch.setattr("airflow_dq.job.result_writer.__version__", "0.0.9")
    leave(order(lake, "t", DAYS[0]), folder)
    with pytest.raises(ProfileError, match=r"on the cluster is of version 0\.0\.9"):
        find_result(folder)


_WITHOUT = """
import runpy, sys

sys.modules.update(dict.fromkeys({foreign!r}))
sys.argv = ["profile.py", "--result", {result!r}]
runpy.run_path({script!r}, run_name="__main__")
"""


@pytest.mark.slow
def test_the_driver_needs_neither_airflow_nor_a_database(store: Repository, lake: Path, tmp_path: Path) -> None:
    result, spec = str(tmp_path / "out"), order(lake, "t", DAYS[0])
    folder = ResultFolder(result)
    folder.put(ORDER, io.BytesIO(spec.to_json().encode()))
    driver = tmp_path / "driver.py"
    script = str(resource_dir("spark_jobs") / "profile.py")
    driver.write_text(_WITHOUT.format(foreign=FOREIGN, result=result, script=script))
    environment = {name: value for name, value in os.environ.items() if name != "AIRFLOW_DQ_DSN"}
    arguments = "--master local[1] --conf spark.ui.enabled=false pyspark-shell"
    more = {**spark_environment("local[1]"), "PYSPARK_SUBMIT_ARGS": arguments, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, str(driver)], env={**environment, **more}, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert import_it(store, spec, folder).rows == 400
    stored = store.load_profile("t", DAYS[0])
    assert stored is not None
    expected = profile_table(rows(0), DAYS[0]).columns
    # By Spark or not: the day is a column of the folder's name, which only Spark adds.
    assert all(stored.columns[name].fingerprint == column.fingerprint for name, column in expected.items())
    assert json.loads((tmp_path / "out" / RESULT).read_text())["origin"]["engine"].startswith("spark")

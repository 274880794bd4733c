"""Totals of keys that are too many for the database: counted in a folder by both engines, and kept there in pieces."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from airflow_dq.check import Checks
from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.options.job import JobSpec
from airflow_dq.profile.check import key_tally
from airflow_dq.profile.check.answer import answer
from airflow_dq.store import Repository, key_piece, total
from tests.integration.spark_job import run_job

DAYS = [f"2026-01-0{day}" for day in range(1, 6)]
CHECKS = Checks("t")
CHECKS.unique("id", scope="total", error=">=0", id="unique")
CHECKS.add("distinct", ("id",), error=">=0", scope="total", id="distinct")
CHECKS.add("mutual_information", ("id", "half"), by="status", scope="total", error=">=0", id="information by status")


def write(root: Path, day: str, ids: list[int]) -> None:
    # In two files of row groups of three, so that keys of a partition come together from several tasks.
    folder = root / f"day={day}"
    folder.mkdir(parents=True, exist_ok=True)
    for place in range(2):
        mine = ids[place::2]
        rows = pa.table({"id": mine, "status": [f"s{one % 3}" for one in mine], "half": [one % 2 for one in mine]})
        pq.write_table(rows, folder / f"{place}.parquet", row_group_size=3)


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five partitions, of which two have more keys than are kept in memory, and each repeats some of the one before."""
    monkeypatch.setattr(key_tally, "MOST_KEYS", 30)
    monkeypatch.setattr(total, "EVERY", 2)
    for place, day in enumerate(DAYS):
        write(tmp_path / "lake", day, list(range(place * 15, place * 15 + (40 if place in (1, 4) else 20))))
    return tmp_path / "lake"


def order(lake: Path, **more: Any) -> dict[str, Any]:
    given = {"pattern": f"{lake}/day=*", "checks": tuple(CHECKS), "key_folder": f"{lake.parent}/keys", "sample_rows": 0}
    return given | more


def totals(store: Repository, day: str) -> list[float | None]:
    """Of all rows; then by status, one check after the other."""
    profile = store.load_profile("t", day, variants=False)
    assert profile is not None
    found = [profile.checks[check.measure] for check in CHECKS]
    assert [one.problem for one in found] == [None] * len(found)
    told = [one.value for one in found if not one.groups]
    return told + [one.groups[status].value for one in found if one.groups for status in ("s0", "s1", "s2")]


def expected(lake: Path, days: list[str]) -> list[float]:
    ids = [one for day in days for one in pq.read_table(lake / f"day={day}")["id"].to_pylist()]
    singles = sum(ids.count(one) == 1 for one in set(ids))

    def entropy(values: list[Any]) -> float:
        shares = [values.count(one) / len(values) for one in set(values)]
        return -sum(share * math.log(share) for share in shares)

    each = [[one for one in ids if one % 3 == status] for status in range(3)]
    information = [entropy([one % 2 for one in mine]) for mine in each]
    return [singles / len(ids), len(set(ids)), *information]


def check_all(store: Repository, lake: Path) -> None:
    for place, day in enumerate(DAYS):
        assert totals(store, day) == pytest.approx(expected(lake, DAYS[: place + 1])), day


def pieces(lake: Path) -> list[str]:
    return sorted(path.name for path in (lake.parent / "keys" / "t").iterdir())


def test_this_process_counts_them_and_a_partition_takes_the_place_of_what_it_was(
    lake: Path, store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(**more: Any) -> None:
        spec = JobSpec("t", **order(lake, **more))
        assert {one.error for one in ProfileJob(ArrowEngine(spec), store, lambda line: None).run()} == {None}

    run()
    check_all(store, lake)
    # In place of one with as many keys, and of one with more than few.
    monkeypatch.setattr(key_piece, "_YOUNG", 0)
    for day, ids in ((DAYS[1], list(range(500, 545))), (DAYS[4], [1, 2])):
        write(lake, day, ids)
        run(since=day, until=day)
        check_all(store, lake)
    # The second partition's keys, counted for two kinds of checks: what was replaced is gone.
    assert sum(name.startswith("part-") for name in pieces(lake)) == 2


def test_spark_groups_them_and_adds_to_what_this_process_has_kept(
    lake: Path, store: Repository, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(total, "EVERY", 5)
    spec = JobSpec("t", **order(lake, until=DAYS[3]))
    ProfileJob(ArrowEngine(spec), store, lambda line: None).run()
    done = run_job(spark, store, **order(lake, since=DAYS[4]))
    assert {one.error for one in done.values()} == {None}
    check_all(store, lake)
    # What Spark has written marks its own folders.
    assert list((lake.parent / "keys" / "t").glob("total-*/_SUCCESS"))


def test_without_a_folder_the_check_says_what_to_give(lake: Path, store: Repository) -> None:
    def run(**more: Any) -> None:
        ProfileJob(ArrowEngine(JobSpec("t", **order(lake, **more))), store, lambda line: None).run()

    run(key_folder=None)
    profile = store.load_profile("t", DAYS[-1], variants=False)
    assert profile is not None
    said = answer(next(iter(CHECKS)), profile).problem
    assert said is not None
    assert "give the profile job a folder for them, key_folder=" in said
    run(since=DAYS[4])
    profile = store.load_profile("t", DAYS[-1], variants=False)
    assert profile is not None
    said = answer(next(iter(CHECKS)), profile).problem
    assert said == f"partition {DAYS[1]!r} was profiled without key_folder=, and has too many keys; profile it again"
    run()
    check_all(store, lake)

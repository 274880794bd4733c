"""Listings behind a Spark Connect server: one job for a place, and Hadoop's patterns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow.fs import LocalFileSystem

from airflow_dq.engine.spark import listing
from airflow_dq.engine.spark.connect_files import ConnectFiles, expression
from airflow_dq.engine.spark.listing import list_path, log_above, look_again, match_pattern, strays
from airflow_dq.engine.worker.files import Found, Place


class Session:
    """A session that runs its tasks here, and counts its jobs."""

    def __init__(self) -> None:
        self.jobs = 0

    def range(self, *_: int) -> Session:
        return self

    def mapInArrow(self, task: Any, schema: str) -> Session:  # noqa: N802 - Spark's name
        self.jobs += 1
        self.batches = list(task([pa.record_batch({"id": [0]})]))
        return self

    def collect(self) -> list[dict[str, Any]]:
        return [row for batch in self.batches for row in batch.to_pylist()]


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("/a/day=*", "/a/day=1", True),
        ("/a/day=*", "/a/day=1/b", False),
        ("/a/{x,y?}/[a-c]", "/a/yz/b", True),
        ("/a/[!a]", "/a/a", False),
        ("/a/[^a]", "/a/b", True),
        ("/a/\\*", "/a/*", True),
        ("/a/b.c", "/a/bxc", False),
    ],
)
def test_a_pattern_means_what_it_means_to_hadoop(pattern: str, path: str, matches: bool) -> None:
    assert (expression(pattern).fullmatch(path) is not None) == matches


def test_one_job_answers_whatever_is_asked_of_a_pattern(tmp_path: Path) -> None:
    for name in ("day=1/a.parquet", "day=1/_SUCCESS", "day=2/part=x/b.parquet", ".hidden/c.parquet", "beside.parquet"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("123")
    spark: Any = Session()
    look_again(spark)
    places = match_pattern(spark, f"{tmp_path}/day=*")
    assert places == {"1": f"file:{tmp_path}/day=1", "2": f"file:{tmp_path}/day=2"}
    found = list_path(spark, places["2"])
    assert found is not None
    assert [(file.path, file.size) for file in found.files] == [(f"file:{tmp_path}/day=2/part=x/b.parquet", 3)]
    assert log_above(spark, places["1"], {}) is None
    assert "beside.parquet" in (strays(spark, f"{tmp_path}/day=*", places.values()) or "")
    assert log_above(spark, f"{tmp_path}/day=2", {}) is None
    assert spark.jobs == 1
    assert isinstance(listing.files_of(spark), ConnectFiles)


@pytest.mark.parametrize("sign", ["_delta_log/0.json", ".hoodie/hoodie.properties", "metadata/v1.metadata.json"])
def test_the_log_of_a_table_is_seen_in_and_above_a_place(tmp_path: Path, sign: str) -> None:
    for name in (sign, "day=1/a.parquet"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    # The engine looks above a place before it lists it.
    for place in ("day=1", "day=1/a.parquet", "/day=1"):
        spark: Any = Session()
        log = log_above(spark, f"{tmp_path}/{place}", {})
        assert log is not None
        assert log.root == f"file:{tmp_path}"
        assert spark.jobs == 1
    spark = Session()
    log = log_above(spark, f"{tmp_path}/day=1", {}) if list_path(spark, f"{tmp_path}/day=1") else None
    assert log is not None
    assert spark.jobs == 1
    again: Any = Session()
    inside = list_path(again, str(tmp_path))
    assert inside is not None
    assert inside.log is not None


class Closed(Place):
    """A file system with paths that may not be looked at."""

    denied: tuple[str, ...] = ()

    def look(self, path: str) -> Found | None:
        self._require(path)
        return super().look(path)

    def below(self, path: str, *, recursive: bool) -> list[Found]:
        self._require(path)
        return super().below(path, recursive=recursive)

    def _require(self, path: str) -> None:
        if path.endswith(self.denied):
            raise OSError(f"When looking at '{path}': AWS Error ACCESS_DENIED during HeadObject operation")


@pytest.mark.parametrize(
    ("scheme", "denied", "found"),
    [
        ("file:", ("/t/metadata",), "metadata"),
        ("file:", ("/t/_delta_log", "/t"), "_delta_log"),
        ("file:", ("/t/_delta_log",), None),
        ("s3a://lake", ("/t/_delta_log", "/t"), None),
        ("s3a://lake", ("/t/_delta_log",), None),
        ("s3a://lake", ("/t/metadata",), "metadata"),
    ],
)
def test_what_tasks_may_not_look_at_is_not_taken_for_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str, denied: tuple[str, ...], found: str | None
) -> None:
    for name in ("metadata/owner.json", "day=1/a.parquet") if found == "metadata" else ("day=1/a.parquet",):
        (tmp_path / "t" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "t" / name).touch()
    place = Closed(LocalFileSystem(), scheme, "" if scheme == "file:" else str(tmp_path))
    root = f"file:{tmp_path}" if scheme == "file:" else scheme
    monkeypatch.setattr(Place, "of", lambda path: place)
    spark: Any = Session()
    where = f"{root}/t/day=1"
    assert log_above(spark, where, {}) is None
    place.denied = denied
    spark = Session()
    log = log_above(spark, where, {})
    assert (None if log is None else (log.sign, log.denied)) == (found and (found, "Permission denied"))
    assert spark.jobs == 1
    # What is asked of the folder later is not answered by the names that came with the denial.
    place.denied = ()
    again = list_path(spark, f"{root}/t/day=1")
    assert again is not None
    assert len(again.files) == 1

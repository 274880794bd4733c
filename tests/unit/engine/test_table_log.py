"""Folders of tables with a log are refused, whatever part of them is named, by both engines' rules."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.arrow.listing import find_partitions
from airflow_dq.engine.table_log import TableLog, folders_above, log_among, log_at
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.job import JobSpec

SIGNS = {
    "_delta_log/00000000000000000000.json": "source_format='delta'",
    ".hoodie/hoodie.properties": "source_format='hudi'",
    "metadata/00000-1f.metadata.json": "table='<catalog>.<database>.<table>'",
    "metadata/v1.metadata.json.gz": "table='<catalog>.<database>.<table>'",
    "_spark_metadata/0": "sql='SELECT * FROM parquet.`",
}


def scanned(**order: object) -> dict[str, str | None]:
    engine = ArrowEngine(JobSpec(dataset="orders", **order))  # type: ignore[arg-type]
    engine.partitions()
    return {result.partition: result.error for result in engine.scan(1)}


def written(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"id": [1, 2]}), path)
    return path


@pytest.mark.parametrize(("sign", "instead"), SIGNS.items())
@pytest.mark.parametrize("below", ["", "day=1", "data/day=1", "data/year=1/day=1"])
def test_a_log_in_the_folder_or_above_it_is_named_with_what_to_write(
    sign: str, instead: str, below: str, tmp_path: Path
) -> None:
    root = tmp_path / "orders"
    written(root / sign).write_text("{}")
    written(root / below / "part-0.parquet")
    (error,) = scanned(paths={"1": str(root / below)}).values()
    assert error is not None
    assert error.startswith("Dataset 'orders', partition '1': ")
    assert f"{root}/{sign.partition('/')[0]}" in error
    assert instead in error


def test_a_link_does_not_lead_past_the_log(tmp_path: Path) -> None:
    file = written(tmp_path / "orders" / "day=1" / "part-0.parquet")
    written(tmp_path / "orders" / "_delta_log" / "0.json")
    (tmp_path / "today").symlink_to(file.parent)
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "part-0.parquet").symlink_to(file)
    for place in ("today", "copy"):
        (error,) = scanned(paths={"1": str(tmp_path / place)}).values()
        assert f"{tmp_path}/{place} holds files of a Delta table: {tmp_path}/orders/_delta_log" in str(error)


def test_a_pattern_and_a_backtest_of_files_are_refused_alike(tmp_path: Path) -> None:
    for day in (1, 2):
        written(tmp_path / "orders" / f"day={day}" / "part-0.parquet")
    assert set(scanned(pattern=f"{tmp_path}/orders/day=*").values()) == {None}
    assert len(find_partitions([f"{tmp_path}/orders/day=*"])) == 2
    written(tmp_path / "orders" / "_delta_log" / "0.json")
    errors = scanned(pattern=f"{tmp_path}/orders/day=*")
    assert all("_delta_log says which of them count" in str(error) for error in errors.values())
    with pytest.raises(ConfigurationError, match="_delta_log says which of them count"):
        find_partitions([f"{tmp_path}/orders/day=*"])


def test_a_folder_of_plain_files_beside_others_is_no_table(tmp_path: Path) -> None:
    written(tmp_path / "lake" / "orders" / "day=1" / "part-0.parquet")
    written(tmp_path / "lake" / "other" / "_delta_log" / "0.json")
    # Any folder may be called metadata.
    written(tmp_path / "lake" / "orders" / "metadata" / "owner.json")
    assert scanned(paths={"1": str(tmp_path / "lake" / "orders" / "day=1")}) == {"1": None}


def deny(monkeypatch: pytest.MonkeyPatch, call: str, path: Path, number: int = errno.EACCES) -> None:
    """Let the system refuse a path to this process, which may be root's."""
    real: Callable[..., Any] = getattr(os, call)

    def refused(asked: Any, *args: Any, **more: Any) -> Any:
        if str(asked) == str(path):
            raise OSError(number, os.strerror(number), str(asked))
        return real(asked, *args, **more)

    monkeypatch.setattr(os, call, refused)


@pytest.mark.parametrize("below", ["", "data/day=1"])
@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO])
def test_a_folder_that_hides_whether_it_is_a_log_is_refused(
    below: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "orders"
    (root / "metadata").mkdir(parents=True)
    file = written(root / below / "part-0.parquet")
    # The folder is not listed where the file itself is named.
    place = file.parent if below else file
    assert scanned(paths={"1": str(place)}) == {"1": None}
    deny(monkeypatch, "listdir", root / "metadata", number)
    error = str(scanned(paths={"1": str(place)})["1"])
    assert error.startswith("Dataset 'orders', partition '1': whether ")
    assert f"{root}/metadata may not be looked at ({os.strerror(number)})" in error
    assert "Grant reading and listing" in error
    assert "source_format=" in error


def test_a_sign_that_cannot_be_seen_is_told_by_the_names_beside_it_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "orders"
    place = str(written(root / "day=1" / "part-0.parquet").parent)
    deny(monkeypatch, "lstat", root / "_delta_log")
    assert scanned(paths={"1": place}) == {"1": None}
    (root / "_delta_log").mkdir()
    assert f"a Delta table: {root}/_delta_log says" in str(scanned(paths={"1": place})["1"])
    deny(monkeypatch, "listdir", root)
    assert f"{root}/_delta_log may not be looked at (Permission denied)" in str(scanned(paths={"1": place})["1"])


@pytest.mark.parametrize(
    ("folder", "may_list", "there", "expected"),
    [
        # A policy of a store commonly allows one prefix: what lies above it is not this reader's to see.
        ("s3a://lake/t", False, ("_delta_log", "metadata"), ""),
        ("lake/t", False, ("_delta_log", "metadata"), ""),
        ("hdfs://host/t", False, (), "denied"),
        ("file:/t", False, (), "denied"),
        ("s3a://lake/t", True, ("day=1",), ""),
        ("s3a://lake/t", True, ("_delta_log",), "seen"),
        ("lake/t", True, ("metadata", "day=1"), "denied"),
    ],
)
def test_a_store_hides_what_is_above_a_prefix_and_a_folder_that_may_be_listed_answers_for_itself(
    folder: str, may_list: bool, there: Collection[str], expected: str
) -> None:
    def exists(path: str) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    def names(path: str) -> Collection[str]:
        if path == folder and may_list:
            return there
        raise PermissionError(errno.EACCES, "Permission denied", path)

    log = log_at(folder, exists, names)
    assert ("" if log is None else "denied" if log.denied else "seen") == expected
    if log is not None:
        hidden = "metadata" if "metadata" in there else "_delta_log"
        assert log == TableLog(hidden, folder, "" if expected == "seen" else "Permission denied")


@pytest.mark.parametrize(
    ("path", "folders"),
    [
        ("/a/b/c.parquet", ["/a/b", "/a"]),
        ("s3a://bucket/x/y", ["s3a://bucket/x", "s3a://bucket"]),
        ("file:/tmp/t/day=1/", ["file:/tmp/t", "file:/tmp"]),
        ("hdfs://host:8020/a/b", ["hdfs://host:8020/a", "hdfs://host:8020"]),
    ],
)
def test_the_folders_above_a_path_are_those_of_its_own_file_system(path: str, folders: list[str]) -> None:
    assert list(folders_above(path)) == folders


def test_a_hudi_partition_shows_itself() -> None:
    log = log_among("/t/day=1", [".hoodie_partition_metadata", "a.parquet"])
    assert log is not None
    assert "source_format='hudi'" in str(log.refusal("Dataset 'o'", "/t/day=1"))

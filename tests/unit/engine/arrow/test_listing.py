"""What the names of folders and files say of partitions: those without a key, and files beside them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.arrow.listing import data_files, find_partitions
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.job import EMPTY_KEY, JobSpec


def lake(folder: Path, *names: str) -> Path:
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"v": range(number + 1)}), folder / name)
    return folder


def engine(folder: Path, pattern: str, **order: object) -> ArrowEngine:
    found = ArrowEngine(JobSpec(dataset="t", pattern=f"{folder}/{pattern}", **order))  # type: ignore[arg-type]
    found.partitions()
    return found


def test_a_folder_without_a_key_fails_alone_and_is_named(tmp_path: Path) -> None:
    lake(tmp_path, "year=2002/a.parquet", "year=2003/a.parquet", "year=/d.parquet")
    results = {one.partition: one for one in engine(tmp_path, "year=*").scan(1)}
    assert {key: one.profile and one.profile.row_count for key, one in results.items()} == {
        EMPTY_KEY: None,
        "2002": 1,
        "2003": 2,
    }
    failed = results[EMPTY_KEY]
    assert str(failed.error).startswith(
        f"Dataset 't', partition '(empty)': the name of {tmp_path}/year= has nothing in place of the key"
    )
    assert not failed.retryable
    # It is of no time: neither after a date nor among the newest.
    assert engine(tmp_path, "year=*", since="2002").partitions() == ("2002", "2003")
    assert engine(tmp_path, "year=*", limit=2).partitions() == ("2002", "2003")
    assert [one.key for one in find_partitions([f"{tmp_path}/year=*"])] == ["2002", "2003"]


def test_files_beside_the_folders_are_mentioned_and_read_by_nobody(tmp_path: Path) -> None:
    lake(tmp_path, "day=1/a.parquet", "c.parquet", *(f"z{number}.parquet" for number in range(6)))
    for name in ("_SUCCESS", ".x.crc", "y.tmp"):
        (tmp_path / name).touch()
    (remark,) = engine(tmp_path, "day=*").remarks
    assert remark == (
        f"beside the partitions' folders, {tmp_path} holds files that are in no partition and are not read: "
        "c.parquet, z0.parquet, z1.parquet, z2.parquet, z3.parquet and 2 more"
    )
    (only,) = engine(tmp_path, "day=*").scan(1)
    assert only.profile is not None
    assert only.profile.row_count == 1
    # Where each file is a partition, the others were left out on purpose.
    assert engine(tmp_path, "z*.parquet").remarks == ()


def test_a_file_that_is_a_partition_among_folders_lies_beside_none(tmp_path: Path) -> None:
    lake(tmp_path, "day=1/a.parquet", "day=2.parquet", "c.parquet")
    found = engine(tmp_path, "day=*", until="1").remarks
    assert [one.rpartition(": ")[2] for one in found] == ["c.parquet"]


def test_a_tables_log_is_told_before_the_columns_in_its_folders(tmp_path: Path) -> None:
    lake(tmp_path, "day=1/a.parquet")
    with pytest.raises(ConfigurationError, match="has a sub-folder that is a column"):
        data_files(str(tmp_path), "x", "parquet")
    (tmp_path / "_delta_log").mkdir()
    with pytest.raises(ConfigurationError, match="_delta_log says which of them count"):
        data_files(str(tmp_path), "x", "parquet")


def test_nothing_is_said_of_a_folder_with_partitions_only(tmp_path: Path) -> None:
    lake(tmp_path, "day=1/a.parquet")
    (tmp_path / "_SUCCESS").touch()
    assert engine(tmp_path, "day=*").remarks == ()

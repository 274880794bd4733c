"""What the names of folders and files say of partitions: those without a key, and files beside them."""

from __future__ import annotations

import errno
from collections.abc import Iterator
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


def test_a_link_to_a_file_that_is_gone_is_no_smaller_partition(tmp_path: Path) -> None:
    lake(tmp_path, "day=1/a.parquet", "day=2/a.parquet")
    (tmp_path / "day=1" / "b.parquet").symlink_to(tmp_path / "nowhere")
    results = {one.partition: one for one in engine(tmp_path, "day=*").scan(1)}
    assert f"the file {tmp_path}/day=1/b.parquet was there when its folder was listed" in str(results["1"].error)
    assert results["1"].traceback is None
    assert results["2"].profile is not None


def test_a_folder_that_cannot_be_looked_at_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake(tmp_path, "day=1/a.parquet", "day=2/a.parquet")
    listed = Path.iterdir

    def iterdir(path: Path) -> Iterator[Path]:
        if path.name == "day=1":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)
    results = {one.partition: one for one in engine(tmp_path, "day=*").scan(1)}
    assert f"{tmp_path}/day=1 cannot be looked at ([Errno 13] Permission denied" in str(results["1"].error)
    assert results["1"].traceback is None
    assert results["2"].profile is not None


def test_csv_files_whose_headers_differ_are_refused(tmp_path: Path) -> None:
    for day, header in (("1", "t,id"), ("2", "id,t,n"), ("3", "id,t")):
        (tmp_path / f"day={day}").mkdir()
        (tmp_path / f"day={day}" / "a.csv").write_text("")
        (tmp_path / f"day={day}" / "b.csv").write_text("id,t\n1,a\n")
        (tmp_path / f"day={day}" / "c.csv").write_text(f"{header}\n{','.join('123'[: header.count(',') + 1])}\n")
    results = {one.partition: one for one in engine(tmp_path, "day=*", format="csv").scan(1)}
    for key in "12":
        assert f"the header of {tmp_path}/day={key}/c.csv is not that of the files before it" in str(results[key].error)
    assert results["3"].profile is not None
    assert results["3"].profile.row_count == 2


@pytest.mark.parametrize("start", ["", "file:", "file://"])
@pytest.mark.parametrize("name", ["day=a%20b", "day=a?b", "day=a#b", "day=a b"])
def test_a_path_means_what_is_written_with_a_scheme_and_without(start: str, name: str, tmp_path: Path) -> None:
    lake(tmp_path, "day=a/a.parquet", f"{name}/a.parquet")
    for order in ({"paths": {"k": f"{start}{tmp_path}/{name}"}}, {"pattern": f"{start}{tmp_path}/day=a*b"}):
        found = ArrowEngine(JobSpec(dataset="t", **order))  # type: ignore[arg-type]
        found.partitions()
        (only,) = found.scan(1)
        assert only.profile is not None, only.error
        assert only.profile.row_count == 2

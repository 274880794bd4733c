"""Folders of tables with a log are refused, whatever part of them is named, by both engines' rules."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.arrow.listing import find_partitions
from airflow_dq.engine.table_log import folders_above, log_among
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

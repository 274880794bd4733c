"""Good and bad rows on Spark: what this process writes, and nothing half-written."""

from __future__ import annotations

import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from airflow.sdk import Connection
from pyspark.sql import SparkSession

from airflow_dq.check import Checks
from airflow_dq.engine.arrow.split import split_files
from airflow_dq.engine.spark.folders import HadoopFolders
from airflow_dq.engine.spark.split import split_rows
from airflow_dq.exceptions import ConfigurationError, ProfileError
from airflow_dq.operators.split import DQSplitOperator
from airflow_dq.options.job import JobSpec
from airflow_dq.options.split import FAILED, SplitSpec

pytestmark = pytest.mark.slow


def spec(folder: Path, out: str, rule: str = "`a.b` <= 3", **order: Any) -> SplitSpec:
    checks = Checks("orders")
    checks.rule(rule, id="rule")
    checks.col("s").isin(["it's", "new"], nulls="fail", id="known")
    given = {"paths": {"1": str(folder / "raw")}, **order}
    return SplitSpec(JobSpec("orders", checks=tuple(checks), **given), f"{folder}/{out}/good", f"{folder}/{out}/bad")


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    (tmp_path / "raw").mkdir()
    table = pa.table(
        {
            "a.b": pa.array([1, 5, None, 3, 9], pa.int64()),
            "s": ["it's", "new", None, "odd", "odd"],
            "l": [[1], None, [], [2, 3], [4]],
            "d": pa.array([Decimal("1.10"), None, Decimal("2.20"), Decimal("3.30"), Decimal("4.40")]),
            "t": pa.array([0, 1, None, 3, 4], pa.timestamp("us", "UTC")),
        }
    )
    pq.write_table(table.slice(0, 3), tmp_path / "raw" / "a.parquet")
    pq.write_table(table.slice(3), tmp_path / "raw" / "b.parquet")
    return tmp_path


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    table = pq.read_table(folder / name)
    # Spark writes the older form of timestamps unless it is told otherwise.
    moments = table["t"].cast(pa.timestamp("us", "UTC"))
    return sorted(table.set_column(table.column_names.index("t"), "t", moments).to_pylist(), key=repr)


def test_spark_splits_as_this_process_does(raw: Path, spark: SparkSession) -> None:
    wanted = split_files(spec(raw, "here"))
    assert wanted == (1, 4, {"rule": 2, "known": 3})
    for _ in range(2):
        assert split_rows(spark, spec(raw, "there")) == wanted
        for name in ("good", "bad"):
            assert rows(raw / "there", name) == rows(raw / "here", name)
        assert sorted(os.listdir(raw / "there")) == ["bad", "good"]
    spark.read.parquet(f"{raw}/raw").createOrReplaceTempView("t_split")
    query = {"paths": {}, "sql": "select * from t_split where s is not null", "partition": "1"}
    assert split_rows(spark, spec(raw, "query", **query))[:2] == (1, 3)
    assert [row[FAILED] for row in rows(raw / "query", "bad")] == [["known"], ["rule"], ["rule", "known"]]


def test_when_anything_fails_both_places_are_as_they_were(
    raw: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    split_rows(spark, spec(raw, "out"))
    before = {name: rows(raw / "out", name) for name in ("good", "bad")}
    with pytest.raises(ConfigurationError, match=r"check 'rule' cannot be computed: text is compared with .*Nothing"):
        split_rows(spark, spec(raw, "out", rule="s > 3"))
    real, moves = HadoopFolders.move, []

    def move(self: HadoopFolders, path: str, target: str) -> None:
        moves.append(target)
        if len(moves) == 4:
            raise OSError("refused")
        real(self, path, target)

    monkeypatch.setattr(HadoopFolders, "move", move)
    with pytest.raises(ProfileError, match="nothing was changed"):
        split_rows(spark, spec(raw, "out"))
    assert {name: rows(raw / "out", name) for name in ("good", "bad")} == before
    assert sorted(os.listdir(raw / "out")) == ["bad", "good"]


def test_the_operator_splits_through_spark_submit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = Connection(conn_id="spark_default", conn_type="spark", host="local[1]")
    monkeypatch.setattr("airflow_dq.operators.spark.spark_connection", lambda *_: connection)
    pq.write_table(pa.table({"price": [5, 2, None, 9], "discount": [1, 3, 1, 10]}), tmp_path / "raw.parquet")
    checks = Checks("orders")
    checks.rule("discount <= price", id="discount")
    task = DQSplitOperator(
        task_id="split",
        dataset="orders",
        checks=checks,
        source=f"{tmp_path}/raw.parquet",
        good=f"{tmp_path}/good",
        bad=f"{tmp_path}/bad",
        conf={"spark.ui.enabled": "false"},
        master="local[1]",
    )
    found = task.execute({})
    assert found == {"dataset": "orders", "rows": 4, "good": 2, "bad": 2, "failed": {"discount": 2}}
    assert sorted(pq.read_table(tmp_path / "good")["discount"].to_pylist()) == [1, 1]
    bad = pq.read_table(tmp_path / "bad").to_pylist()
    assert {(row["discount"], *row[FAILED]) for row in bad} == {(3, "discount"), (10, "discount")}

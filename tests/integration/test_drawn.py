"""Rows that are drawn of a partition: the same columns and values whichever engine reads them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from pyspark.sql import SparkSession

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.spark.engine import SparkEngine
from airflow_dq.options.job import JobSpec

TABLE = pa.table(
    {
        "a.b": list(range(400)),
        "city": ["Ulm", None] * 200,
        "at": [datetime(2026, 1, 1)] * 400,
        "raw": [b"x"] * 400,
        "list": [[1]] * 400,
        "left": ["out"] * 400,
    }
)


@pytest.mark.slow
def test_both_engines_draw_the_same_columns(tmp_path: Path, spark: SparkSession) -> None:
    (tmp_path / "day=1").mkdir()
    pyarrow.parquet.write_table(TABLE, tmp_path / "day=1" / "part.parquet")
    order = JobSpec(dataset="t", pattern=f"{tmp_path}/day=*", exclude=("left",))
    here = ArrowEngine(order)
    there = SparkEngine(spark, order, print)
    all_rows = [engine.drawn("1", 1.0) for engine in (here, there)]
    some = [engine.drawn("1", 0.25) for engine in (here, there)]
    again = there.drawn("1", 0.25)
    for table in all_rows:
        assert table.column_names == ["a.b", "city", "at"]
        assert sorted(table.column("a.b").to_pylist()) == list(range(400))
        assert table.column("city").null_count == 200
    for table in some:
        assert 50 < table.num_rows < 150
    assert again.equals(some[1])

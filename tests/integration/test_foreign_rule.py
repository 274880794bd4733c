"""Rules beyond the package's own SQL: what DuckDB is expected to say of them is what a real Spark says."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from tests.unit.check.spark_says import SPARK_ROWS, SPARK_SAYS

SETTINGS = {"spark.sql.ansi.enabled": "false", "spark.sql.session.timeZone": "UTC"}


def test_a_real_spark_says_what_is_expected_of_duckdb(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(SPARK_ROWS, tmp_path / "rows.parquet")
    before = {name: spark.conf.get(name) for name in SETTINGS}
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)
    try:
        asked = [f"{sql} as v{place}" for place, sql in enumerate(SPARK_SAYS)]
        rows = spark.read.parquet(str(tmp_path / "rows.parquet")).coalesce(1).selectExpr(*asked).collect()
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)
    found = {sql: [row[place] for row in rows] for place, sql in enumerate(SPARK_SAYS)}
    assert found == SPARK_SAYS

"""Checks of columns whose names and types trip readers: the same here as on Spark, through either of its ways."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from airflow_dq.check import Checks
from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.spark.engine import SparkEngine
from airflow_dq.profile import JobSpec
from airflow_dq.profile.check.answer import answer
from airflow_dq.profile.check.trial import misfits


def odd_rows(rows: int = 40) -> pa.Table:
    """Rows whose columns have names and types that trip readers."""
    start = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)
    hours = [start + timedelta(hours=row) for row in range(rows)]
    return pa.table(
        {
            "größe": pa.array([row % 7 for row in range(rows)], pa.int32()),
            "a.b": pa.array([float(row) if row % 5 else None for row in range(rows)]),
            "back`tick": pa.array(["it's" if row % 3 else 'say "hi"' for row in range(rows)]),
            "select": pa.array([["new", "paid", "", None][row % 4] for row in range(rows)]),
            "order": pa.array([row % 2 == 0 if row % 9 else None for row in range(rows)]),
            "price": pa.array(
                [Decimal("10.25") + row if row % 6 else None for row in range(rows)], pa.decimal128(10, 2)
            ),
            "at": pa.array(hours, pa.timestamp("us", "Europe/Berlin")),
            "naive": pa.array([hour.replace(tzinfo=None) for hour in hours], pa.timestamp("us")),
            "day": pa.array([date(1969, 12, 31) + timedelta(days=row) for row in range(rows)]),
            "items": pa.array([[1] * (row % 3) if row % 4 else None for row in range(rows)], pa.list_(pa.int64())),
            "address": pa.array([{"city": "Köln"} for _ in range(rows)]),
            "big": pa.array([9007199254740993 + row for row in range(rows)]),
            "f32": pa.array([0.1 * row for row in range(rows)], pa.float32()),
            "nan": pa.array([float("nan") if row % 4 == 0 else float(row) for row in range(rows)]),
            "empty": pa.array([None] * rows, pa.string()),
            "日本": pa.array(["東京" if row % 2 else "Ḧello" for row in range(rows)]),
        }
    )


def odd_checks() -> Checks:
    declared = Checks("t")
    for number, sql in enumerate(
        (
            *("`a.b` > 3", "`back``tick` = 'it''s'", "`select` = 'new' or `order`", 'select = "new"', "not `order`"),
            *("price = 11.25", "price % 2 = 0.25", "cast(price as int) = 11", "price between 12 and 13"),
            *(
                "at >= '2026-03-29 02:00:00'",
                "at >= '2026-03-29T04:00:00+02:00'",
                "hour(at) = 1",
                "at = naive",
                "day <= at",
            ),
            *("items is not null", "size(items) > 0", "items[0] = 1", "address is null", "year(day) = 1969"),
            *("big = 9007199254740995", "big * big > 0", "big / 2 > 1", "f32 >= 0.5", "round(f32, 1) = 0.3", "nan > 5"),
            *(
                "empty = 'x'",
                "日本 = '東京'",
                "upper(`日本`) = 'ḦELLO'",
                "`größe` % 0 = 1",
                "date_format(at, 'HH') = '02'",
            ),
        )
    ):
        declared.rule(sql, id=f"rule {number}")
    declared.rule("`größe` > 1", where="`select` = 'nothing matches'")
    declared.col("price").mean(where="false", error=">0")
    declared.col("price").isin([11.25, 12.25])
    declared.col("back`tick").matches("^it's$")
    declared.unique("größe", "a.b")
    declared.col("at").gaps("1h")
    declared.metric("revenue", "sum(price * `größe`)")
    declared.col("empty").mean_length(error=">0")
    declared.col("nan").complete()
    declared.col("select").casing()
    return declared


@pytest.mark.parametrize("way", ["true", "false"])
def test_odd_columns_and_values_are_the_same_to_spark(tmp_path: Path, spark: SparkSession, way: str) -> None:
    for day, rows in (("1", odd_rows()), ("0", odd_rows().slice(0, 0))):
        (tmp_path / f"day={day}").mkdir()
        pq.write_table(rows.slice(0, 21), tmp_path / f"day={day}" / "a.parquet")
        pq.write_table(rows.slice(21), tmp_path / f"day={day}" / "b.parquet")
    order_of = JobSpec("t", pattern=f"{tmp_path}/day=*", checks=tuple(odd_checks()), sample_rows=0)
    spark.conf.set("spark.airflow_dq.direct", way)
    found = []
    for engine in (ArrowEngine(order_of), SparkEngine(spark, order_of, lambda line: None)):
        assert engine.partitions() == ("0", "1")
        assert misfits(order_of.checks, engine.schema("1")) == []
        profiles = {one.partition: one.profile for one in engine.scan(0)}
        found.append({(day, check.id): answer(check, profiles[day]) for day in "01" for check in order_of.checks})  # type: ignore[arg-type]
    spark.conf.unset("spark.airflow_dq.direct")
    here, there = found
    assert there == here
    assert {key[1] for key, one in here.items() if one.problem} == {"rule 20"}  # beyond 64 bits
    assert (here["1", "rule 3"].numerator, here["1", "rule 9"].numerator) == (10, 38)

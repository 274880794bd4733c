"""Rows that are drawn of a partition: the same columns and values whichever engine reads them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from pyspark.sql import SparkSession

from airflow_dq.codec import to_builtins
from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.spark.engine import SparkEngine
from airflow_dq.job.drill import carry_out, plan
from airflow_dq.options.drill import DrillSpec
from airflow_dq.options.job import JobSpec
from airflow_dq.settings import HASH_KEY_VARIABLE
from airflow_dq.store import Repository
from tests.integration.spark_job import SECRET, Run

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


@pytest.mark.slow
def test_a_drill_on_spark_finds_what_one_in_this_process_does(
    tmp_path: Path, spark: SparkSession, store: Repository, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HASH_KEY_VARIABLE, SECRET)
    for day in ("1", "2", "3"):
        random = np.random.default_rng(int(day))
        channel = random.choice(["web", "app", "shop"], 900, p=[0.5, 0.35, 0.15])
        price = np.round(random.lognormal(3.0, 0.5, 900), 2) * np.where((channel == "shop") & (day == "3"), 60.0, 1.0)
        table = pa.table({"channel": channel, "price": price, "email": random.choice(["a@x", "b@x"], 900)})
        (tmp_path / f"day={day}").mkdir()
        pyarrow.parquet.write_table(table, tmp_path / f"day={day}" / "part.parquet")
    run(pattern=f"{tmp_path}/day=*", hidden=("email",))
    spec = DrillSpec("t", "3", rows=4)

    @contextmanager
    def there(order: JobSpec, engine: str) -> Iterator[SparkEngine]:
        yield SparkEngine(spark, order, print)

    @contextmanager
    def here(order: JobSpec, engine: str) -> Iterator[ArrowEngine]:
        yield ArrowEngine(order)

    planned = plan(store, spec)
    found = carry_out(planned, spec, there)
    assert to_builtins(found) == to_builtins(carry_out(planned, spec, here))
    store.save_drill("t", found)
    kept = store.load_drill("t", "3")
    assert kept == found
    (one,) = kept.slices
    assert (kept.against, one.filter, one.columns) == ("2", "`channel` = 'shop'", ("price",))
    assert set(zip(*one.sample.rows, strict=True)) == {
        ("shop",) * 4,
        tuple(row[1] for row in one.sample.rows),
        ("(hidden)",) * 4,
    }
    again = spark.read.parquet(f"{tmp_path}/day=3").where(one.filter)
    assert (again.count(), {row.channel for row in again.collect()}) == (one.rows, {"shop"})

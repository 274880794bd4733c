"""A partition of a table is its own rows: those of a condition, of a key column, or of the table's own partition."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from airflow_dq.engine.spark import reader
from airflow_dq.engine.spark.engine import SparkEngine
from airflow_dq.engine.spark.time_travel import travelling_table
from airflow_dq.exceptions import ConfigurationError, SourceMissingError
from airflow_dq.profile import JobSpec, profile_table
from tests.integration.spark_job import Run

pytestmark = pytest.mark.slow

DAYS = [dt.date(2026, 1, day) for day in range(1, 6)]


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> Iterator[None]:
    """The same rows by a partition column of text and of dates, by two such columns, and by none."""
    rows = (
        "SELECT id AS v, date_add(DATE '2026-01-01', int(id % 5)) AS d, cast(id % 2 AS string) AS half FROM range(50)"
    )
    spark.sql(f"CREATE TABLE by_date USING parquet PARTITIONED BY (d) AS SELECT v, d FROM ({rows})")
    spark.sql(f"CREATE TABLE by_text USING parquet PARTITIONED BY (d) AS SELECT v, string(d) AS d FROM ({rows})")
    spark.sql(f"CREATE TABLE by_two USING parquet PARTITIONED BY (d, half) AS {rows}")
    spark.sql(f"CREATE TEMPORARY VIEW plain AS {rows}")
    yield
    for name in ("by_date", "by_text", "by_two"):
        spark.sql(f"DROP TABLE {name}")
    spark.catalog.dropTempView("plain")


def scanned(spark: SparkSession, **order: object) -> dict[str, int | str]:
    """How many rows each partition has, or why it has none."""
    engine = SparkEngine(spark, JobSpec(dataset="t", **order), lambda line: None)  # type: ignore[arg-type]
    engine.partitions()
    return {one.partition: one.profile.row_count if one.profile else str(one.error) for one in engine.scan(0)}


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    "order",
    [
        {"table": "by_date"},
        {"table": "by_text"},
        {"table": "plain", "partition_by": "d"},
        {"table": "by_two", "partition_by": "d"},
        {"table": "plain", "where": "d = DATE '2026-01-03'"},
        {"sql": "SELECT * FROM plain WHERE d = '2026-01-03'"},
        {"sql": "SELECT * FROM plain", "partition_by": "d"},
    ],
)
def test_a_partition_is_its_own_rows(spark: SparkSession, order: dict[str, str]) -> None:
    assert scanned(spark, partition="2026-01-03", **order) == {"2026-01-03": 10}


@pytest.mark.usefixtures("tables")
def test_the_tables_own_column_is_a_key_and_is_not_profiled(spark: SparkSession) -> None:
    engine = SparkEngine(spark, JobSpec(dataset="t", table="by_date", partition="2026-01-03"), lambda line: None)
    engine.partitions()
    (result,) = engine.scan(0)
    expected = profile_table(pa.table({"v": range(2, 50, 5)}), "2026-01-03")
    assert result.profile is not None
    assert result.profile.fingerprint == expected.fingerprint
    assert engine.origin.place == {"table": "by_date", "partition_by": "d"}


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    ("order", "said"),
    [
        ({"table": "plain"}, "has no partition column of its own"),
        ({"table": "by_two"}, "is partitioned by d, half"),
        ({"format": "jdbc", "options": {"dbtable": "orders"}}, "has no partition column of its own"),
        ({"format": "delta", "paths": {"2026-01-03": "lake/orders"}}, "has no partition column of its own"),
    ],
)
def test_the_rows_of_all_partitions_are_not_those_of_one(
    spark: SparkSession, order: dict[str, object], said: str
) -> None:
    key = {} if "paths" in order else {"partition": "2026-01-03"}
    with pytest.raises(ConfigurationError, match=rf"'2026-01-03'.*{said}.*give where=.*partition_by=.*where='true'"):
        scanned(spark, **key, **order)


@pytest.mark.usefixtures("tables")
def test_a_key_that_no_row_has_is_missing(spark: SparkSession) -> None:
    with pytest.raises(SourceMissingError, match=r"'2026-02-01'.*by_date has no row in which d is '2026-02-01'"):
        scanned(spark, table="by_date", partition="2026-02-01")
    with pytest.raises(SourceMissingError, match=r"spelled like the column's values"):
        scanned(spark, table="by_date", partition="20260103")
    with pytest.raises(SourceMissingError, match=r"'2026-01-03'.*table by_dates does not exist"):
        scanned(spark, table="by_dates", partition="2026-01-03")


@pytest.mark.usefixtures("tables")
def test_a_wrong_condition_is_told_with_its_text(spark: SparkSession) -> None:
    said = scanned(spark, table="plain", partition="p", where="day = 1")["p"]
    assert "where='day = 1' of table plain cannot be read as it was asked for" in str(said)


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("table", ["by_date", "by_text", "plain"])
@pytest.mark.parametrize(("since", "until"), [("2026-01-02", "2026-01-03"), ("2026-01-04", None), (None, "2026-01-02")])
def test_bounds_choose_the_same_keys_wherever_they_are_looked_at(
    spark: SparkSession, table: str, since: str | None, until: str | None
) -> None:
    wanted = [str(day) for day in DAYS if (since or "") <= str(day) <= (until or "3")]
    assert scanned(spark, table=table, partition_by="d", since=since, until=until) == dict.fromkeys(wanted, 10)


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("kind", ["table", "sql", "jdbc"])
def test_bounds_are_pushed_down_before_keys_are_looked_for(
    spark: SparkSession, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the distinct keys are looked for in is the rows between the bounds, wherever these come from."""
    plans: list[str] = []
    frames = type(spark.range(1))
    distinct = frames.distinct

    def seen(frame: DataFrame) -> DataFrame:
        found: Any = distinct(frame)
        plans.append(found._jdf.queryExecution().executedPlan().toString())
        return found

    monkeypatch.setattr(frames, "distinct", seen)
    given: dict[str, Any] = {"sql": "SELECT * FROM by_date"} if kind == "sql" else {"table": "by_date"}
    if kind == "jdbc":
        options = {"url": "jdbc:derby:memory:bounds;create=true", "dbtable": "orders"}
        options["driver"] = "org.apache.derby.iapi.jdbc.AutoloadedDriver"
        spark.table("by_date").write.format("jdbc").options(**options).mode("overwrite").save()
        given = {"format": "jdbc", "options": options}
    wanted = dict.fromkeys(["2026-01-02", "2026-01-03"], 10)
    assert scanned(spark, partition_by="d", since="2026-01-02", until="2026-01-03", **given) == wanted
    (plan,) = plans
    pushed = plan[plan.index("PartitionFilters" if kind != "jdbc" else "PushedFilters") :]
    assert "2026-01-02" in pushed or "20455" in pushed or "GreaterThanOrEqual" in pushed


def test_no_text_is_lost_by_bounds_that_are_days(spark: SparkSession) -> None:
    spark.sql(
        "SELECT * FROM VALUES ('2026-01-02', 1), ('2026-1-2', 2), ('x', 3), (null, 4), ('', 5), ('2026-01-03', 6) "
        "AS t(d, v)"
    ).createOrReplaceTempView("odd")
    assert scanned(spark, table="odd", partition_by="d", since="2026-01-02") == {
        **{"2026-01-02": 1, "2026-1-2": 1, "2026-01-03": 1, "x": 1},
    }
    assert scanned(spark, table="odd", partition_by="d", until="2026-01-02") == {
        **{"(null)": 2, "2026-01-02": 1},
    }
    assert scanned(spark, table="odd", partition_by="d", partition="(null)") == {"(null)": 2}


def test_only_the_files_of_what_is_asked_for_are_read(spark: SparkSession, tmp_path: Path, run: Run) -> None:
    for day in ("2026-01-01", "2026-01-02"):
        (tmp_path / f"d={day}").mkdir()
        pq.write_table(pa.table({"v": [1, 2]}), tmp_path / f"d={day}" / "a.parquet")
    spark.sql(f"CREATE TABLE broken (v bigint, d date) USING parquet PARTITIONED BY (d) LOCATION '{tmp_path}'")
    try:
        spark.sql("MSCK REPAIR TABLE broken")
        (tmp_path / "d=2026-01-01" / "a.parquet").write_bytes(b"no Parquet file")
        assert run(table="broken", partition="2026-01-02")["2026-01-02"].rows == 2
        assert run(table="broken", partition_by="d", since="2026-01-02")["2026-01-02"].rows == 2
    finally:
        spark.sql("DROP TABLE broken")


@pytest.mark.parametrize(
    ("order", "jar"),
    [
        ({"format": "delta", "paths": {"1": "/lake/orders"}, "where": "true", "version": "3"}, "io.delta:delta-spark"),
        (
            {"format": "iceberg", "paths": {"1": "/lake/t"}, "where": "true", "snapshot": "7"},
            "org.apache.iceberg:iceberg-spark-runtime",
        ),
    ],
)
def test_a_missing_jar_is_one_sentence_with_the_option_to_add(
    spark: SparkSession, order: dict[str, Any], jar: str
) -> None:
    (said,) = scanned(spark, **order).values()
    assert "Spark has no jar to read" in str(said)
    assert f"give packages='{jar}" in str(said)


def test_a_store_is_looked_at_without_the_jar_and_says_what_to_check_when_it_cannot(spark: SparkSession) -> None:
    (said,) = scanned(spark, paths={"1": "s3a://lake/orders"}).values()
    assert "s3a://lake/ cannot be looked at" in str(said)
    assert "Check the address and the credentials" in str(said)


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("travel", [{"version": "3"}, {"snapshot": "nightly"}, {"as_of": "2026-01-31"}])
def test_a_table_that_keeps_no_past_is_told(spark: SparkSession, travel: dict[str, str]) -> None:
    order = {"table": "by_date", "where": "true", "partition": "1", **travel}
    jvm: Any = spark
    query = travelling_table(JobSpec(dataset="t", **order))  # type: ignore[arg-type]
    assert jvm._jsparkSession.sessionState().sqlParser().parsePlan(query) is not None
    (said,) = scanned(spark, **order).values()
    assert "table by_date cannot be read as it was asked for (The feature is not supported: Time travel" in str(said)


def test_a_backfill_sees_each_day_as_it_was(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the states that the format's reader is asked for: a stand-in, since its jar is not here."""
    newest = "SELECT explode(sequence(1, 5)) AS v, d FROM VALUES ('2026-01-01'), ('2026-01-02') AS t(d)"
    states = {
        None: newest,
        "2026-01-02T06:00:00.000000Z": "SELECT 1 AS v, '2026-01-01' AS d",
        "2026-01-03T06:00:00.000000Z": "SELECT v, '2026-01-02' AS d FROM VALUES (1), (2) AS t(v)",
    }

    def load(
        session: SparkSession, spec: JobSpec, paths: tuple[str, ...], options: dict[str, str], *rest: Any
    ) -> DataFrame:
        return session.sql(states[options.get("timestampAsOf")])

    monkeypatch.setattr(reader, "load", load)
    given = {"format": "delta", "pattern": "/lake/orders", "partition_by": "d"}
    assert scanned(spark, **given) == {"2026-01-01": 5, "2026-01-02": 5}
    assert scanned(spark, **given, as_of="* + 30h") == {"2026-01-01": 1, "2026-01-02": 2}
    assert scanned(spark, **given, as_of="* + 30h", since="2026-01-02") == {"2026-01-02": 2}

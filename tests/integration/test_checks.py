"""Declared checks on their way through a job, the database and the gate, here and on Spark."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.functions import lit
from sqlalchemy import text

from airflow_dq.check import Check, Checks
from airflow_dq.check.file import load_checks
from airflow_dq.cli.main import main
from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.spark.engine import SparkEngine
from airflow_dq.exceptions import CodecError, ConfigurationError
from airflow_dq.gate.conclusion import conclude
from airflow_dq.gate.pipeline import judge
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.judge.verdict import Status
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile import JobSpec, Profile
from airflow_dq.profile.check import key_tally
from airflow_dq.profile.check.answer import answer
from airflow_dq.store import Repository
from tests.integration.spark_job import Run

DAYS = ("2026-01-01", "2026-01-02")


def checks() -> Checks:
    declared = Checks("t", key=("order_id", "line"), owner="sales")
    declared.rows(where="status = 'new'", error=">0")
    declared.rule("discount <= price", error=">=0.9", id="discount")
    declared.col("status").isin(["new", "it's"], nulls="pass")
    declared.col("status").matches("^n", warn=">=0.9")
    declared.col("price").mean(where="status = 'new'", error=">0")
    declared.correlation("price", "discount", error=">=-1")
    declared.mutual_information("status", "line", error=">=0")
    declared.metric("revenue", "sum(price * line) / count(*)", error=">0", id="revenue")
    declared.fresh("at", within="26h")
    declared.rule("line * 9223372036854775807 * 4 > 1", level="warn", id="nothing")
    declared.col("day").between("2026-01-01", "2026-12-31")
    declared.col("line").gaps(1, level="warn")
    declared.col("at").gaps("1h")
    declared.overlaps("day", "at", "status", error=">=0")
    declared.col("price").increasing("line", "status", error=">=0")
    declared.col("price").mean(by="status", error=">0")
    declared.col("line").predictable_from("status", "price", precision=">=0", scope="total")
    declared.unique("order_id", "line", scope="total", id="all rows", level="warn")
    return declared


def orders(rows: int = 60) -> pa.Table:
    now = datetime.now(UTC)
    return pa.table(
        {
            "order_id": pa.array([f"o-{row // 2}" for row in range(rows)]),
            "line": pa.array([row % 2 for row in range(rows)]),
            "status": pa.array([["new", "it's", None][row % 3] for row in range(rows)]),
            "price": pa.array([10.0 + row for row in range(rows)]),
            "discount": pa.array([1000.0 if row == 7 else None if row == 8 else row / 2 for row in range(rows)]),
            "at": pa.array([now - timedelta(hours=row) for row in range(rows)], pa.timestamp("us", "UTC")),
            "day": pa.array([datetime(2026, 1, 1 + row % 28).date() for row in range(rows)]),
        }
    )


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    for day in DAYS:
        (tmp_path / f"day={day}").mkdir()
        # Two files, so that a key of one is not counted without the other.
        table = orders()
        pq.write_table(table.slice(0, 31), tmp_path / f"day={day}" / "a.parquet")
        pq.write_table(table.slice(31), tmp_path / f"day={day}" / "b.parquet")
    return tmp_path


def order(lake: Path, **more: Any) -> dict[str, Any]:
    return {"pattern": f"{lake}/day=*", "checks": tuple(checks()), "sample_rows": 20, **more}


def run_here(store: Repository, **given: Any) -> None:
    spec = JobSpec.from_json(JobSpec(dataset="t", **given).to_json())
    outcomes = ProfileJob(ArrowEngine(spec), store, lambda line: None).run()
    assert [outcome.error for outcome in outcomes] == [None] * len(outcomes)


def stored(store: Repository, day: str = DAYS[0]) -> Profile:
    profile = store.load_profile("t", day)
    assert profile is not None
    return profile


def test_what_was_counted_is_stored_and_judged_without_a_history(lake: Path, store: Repository) -> None:
    run_here(store, **order(lake))
    found = {check.id: answer(check, stored(store)) for check in checks()}
    assert (found["discount"].numerator, found["discount"].denominator) == (58, 59)
    assert (found["key.order_id.line"].numerator, found["key.order_id.line"].denominator) == (60, 60)
    assert "beyond 64 bits" in str(found["nothing"].problem)
    options = SynthesisOptions(checks=checks())
    verdict = judge(store, "t", DAYS[0], options)
    assert verdict.status is Status.WARMING_UP
    assert [(alert.severity, alert.column) for alert in verdict.alerts] == [("warn", "status")]
    assert store.load_verdict("t", DAYS[0]) == verdict
    strict = Checks("t")
    strict.rule("discount <= price")
    failed = judge(store, "t", DAYS[0], SynthesisOptions(checks=strict))
    assert conclude("t", failed, "fail").outcome == "fail"
    (alert,) = store.load_verdict("t", DAYS[0]).alerts  # type: ignore[union-attr]
    assert "(58 of 59)" in alert.message


def test_a_warning_keeps_no_partition_out_of_the_history(lake: Path, store: Repository) -> None:
    run_here(store, **order(lake))
    soft = Checks("t")
    soft.rule("discount <= price", level="warn")
    # The second is judged with a history as long as it needs to be: what only warns must not shorten that.
    for day in DAYS:
        assert judge(store, "t", day, SynthesisOptions(checks=soft, history=3, min_history=3)).alerts
    assert [one.partition for one in store.load_history("t", "2026-01-03", 30)] == list(DAYS)


def test_the_same_again_is_no_change_but_for_its_age(lake: Path, store: Repository) -> None:
    given = order(lake)
    run_here(store, **given)
    first = stored(store)
    run_here(store, **given)
    again = stored(store)
    assert again.fingerprint == first.fingerprint
    timed = [check for check in checks() if check.metric == "fresh"]
    assert all((answer(one, again).value or 0) > (answer(one, first).value or 0) for one in timed)
    lasting = [check for check in checks() if check.metric != "fresh"]
    assert [answer(one, again) for one in lasting] == [answer(one, first) for one in lasting]


def test_damaged_checks_are_named_and_stop_no_dataset(lake: Path, store: Repository) -> None:
    run_here(store, **order(lake))
    with store._engine.begin() as connection:
        connection.execute(text("UPDATE airflow_dq.profile SET checks = 'x' WHERE partition_key = '2026-01-01'"))
    with pytest.raises(CodecError, match="partition '2026-01-01': what is stored of it cannot be read"):
        store.load_profile("t", DAYS[0])
    assert [one.partition for one in store.load_history("t", "2026-01-03", 30)] == [DAYS[1]]


def test_suggestions_are_written_once_and_can_be_declared(
    lake: Path, store: Repository, clean_dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", clean_dsn)
    (lake / "day=2026-01-03").mkdir()
    pq.write_table(orders(), lake / "day=2026-01-03" / "a.parquet")
    run_here(store, pattern=f"{lake}/day=*", sample_rows=0)
    file = tmp_path / "t.dq.yml"
    main(["suggest", "t", str(file)])
    text_of_file = file.read_text()
    assert "  # every row has a value; held on 3 of 3 past partitions\n  - completeness: {column: line" in text_of_file
    assert "isin" in text_of_file
    options = SynthesisOptions(checks=tuple(load_checks(file)))
    assert judge(store, "t", DAYS[0], options).status is Status.WARMING_UP
    with pytest.raises(SystemExit):
        main(["suggest", "t", str(file)])
    assert file.read_text() == text_of_file


def test_other_tables_and_totals_come_with_the_job(lake: Path, store: Repository) -> None:
    pq.write_table(pa.table({"id": [f"o-{row}" for row in range(20)]}), lake / "known.parquet")
    declared = Checks("t", key=("order_id", "line"))
    declared.refers("order_id", to=str(lake / "known.parquet"), to_columns="id", error=">=0.5")
    declared.reconciles(to=f"{lake}/day={{partition}}")
    declared.refers("order_id", to=str(lake / "none.parquet"), level="warn")
    declared.unique("order_id", "line", scope="total")
    run_here(store, pattern=f"{lake}/day=*", checks=tuple(declared), sample_rows=0)
    _, refers, reconciles, missing, total = declared
    last = stored(store, DAYS[1])
    assert (answer(refers, last).numerator, answer(refers, last).denominator) == (40, 60)
    assert answer(reconciles, last).value == 0
    assert "does not exist" in str(answer(missing, last).problem)
    # The same keys come every day: each day's are unique, and all days' are not.
    assert [answer(total, stored(store, day)).value for day in DAYS] == [1.0, 0.0]
    verdict = judge(store, "t", DAYS[1], SynthesisOptions(checks=declared))
    assert [(alert.metric, alert.severity) for alert in verdict.alerts] == [(total.id, "fail")]


@pytest.mark.slow
def test_spark_reads_other_tables_and_counts_in_passes_as_this_process_does(
    lake: Path, store: Repository, run: Run, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    pq.write_table(pa.table({"id": [f"o-{row}" for row in range(20)]}), lake / "known.parquet")
    declared = Checks("t")
    declared.refers("order_id", to=str(lake / "known.parquet"), to_columns="id", error=">=0.5")
    declared.unique("order_id", "line")
    declared.col("order_id").entropy(error=">0")
    given = {"pattern": f"{lake}/day=*", "sample_rows": 0}
    run_here(store, checks=tuple(declared), **given)
    here = [answer(check, stored(store)) for check in declared]
    spark.read.parquet(str(lake / "known.parquet")).createOrReplaceTempView("known")
    declared.refers("order_id", to="known.id", error=">=0.5")
    declared.refers("order_id", to="nowhere.id", level="warn")
    # In the driver only: what tasks count of so few rows they count at once.
    monkeypatch.setattr(key_tally, "MOST_KEYS", 28)
    assert all(outcome.error is None for outcome in run(checks=tuple(declared), **given).values())
    *found, table, nowhere = (answer(check, stored(store)) for check in declared)
    assert found == here
    assert table == here[0]
    assert "the other table 'nowhere' cannot be read" in str(nowhere.problem)


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    main(["rows", "t", DAYS[0], *arguments, "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_rows_that_fail_are_stored_and_read_again(
    lake: Path,
    store: Repository,
    clean_dsn: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", clean_dsn)
    strict = Checks("t", key=("order_id", "line"))
    strict.rule("discount <= price", id="discount")
    strict.unique("status", id="status")
    run_here(store, **order(lake, checks=tuple(strict), hidden=()))
    failing = stored(store).failing
    (found,) = failing.values()
    assert found.columns[:4] == ("order_id", "line", "discount", "price")
    assert found.rows[0][:4] == ("o-3", "1", "1000.0", "17.0")
    judge(store, "t", DAYS[0], SynthesisOptions(checks=strict))
    verdict = store.load_verdict("t", DAYS[0])
    assert verdict is not None
    assert found in [alert.failing for alert in verdict.alerts]
    again = shown(capsys, "--check", "discount")
    assert [row[:4] for row in again["rows"]] == [["o-3", "1", "1000.0", "17.0"]]
    file = tmp_path / "t.dq.yml"
    file.write_text("dataset: t\nchecks:\n  - isin: {column: status, values: [new], id: new}\n")
    assert len(shown(capsys, "--check", "new", "--checks", str(file), "--limit", "3")["rows"]) == 3
    for wrong, said in (("status", "is no rule on single rows"), ("nothing", "rows can be shown of discount")):
        with pytest.raises(SystemExit):
            main(["rows", "t", DAYS[0], "--check", wrong])
        assert said in capsys.readouterr().err


@pytest.mark.slow
def test_spark_shows_the_rows_that_this_process_shows(lake: Path, spark: SparkSession) -> None:
    check, day = Check("isin", ("status",), values=("new",), nulls="fail"), f"{lake}/day={DAYS[0]}"
    here = ArrowEngine(JobSpec(dataset="t", pattern=f"{lake}/day=*")).failing(DAYS[0], check, 8)
    spark.read.parquet(day).withColumn("p", lit(DAYS[0])).createOrReplaceTempView("t_rows")
    span = {"since": DAYS[0], "until": DAYS[0]}
    for order_of in (
        JobSpec(dataset="t", paths={DAYS[0]: day}),
        JobSpec(dataset="t", pattern=f"{lake}/day=*", **span),
        JobSpec(dataset="t", table="t_rows", partition_by="p", **span),
    ):
        assert SparkEngine(spark, order_of, print).failing(DAYS[0], check, 8) == here
    assert len(here.rows) == 8


@pytest.mark.slow
@pytest.mark.parametrize("more", [{}, {"sample_rows": 0}, {"options": {"mergeSchema": "true"}}], ids=str)
def test_spark_counts_what_this_process_counts(lake: Path, store: Repository, run: Run, more: dict[str, Any]) -> None:
    run_here(store, **order(lake))
    here = [stored(store, day) for day in DAYS]
    assert all(outcome.error is None for outcome in run(**order(lake, **more)).values())
    for one, day in zip(here, DAYS, strict=True):
        there = stored(store, day)
        for check in checks():
            found = answer(check, there)
            assert found == answer(check, one) or found.timed, check.id
        assert there.fingerprint == one.fingerprint
        assert there.failing == one.failing
        assert there.failing


def test_spark_refuses_before_its_scan_what_no_partition_could_answer(
    lake: Path, store: Repository, run: Run, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = [spark.read.parquet(f"{lake}/day={day}").withColumn("p", lit(day)) for day in DAYS]
    days[0].union(days[1]).createOrReplaceTempView("t_rows")
    monkeypatch.setattr(SparkEngine, "scan", lambda *given: pytest.fail("it scans"))
    declared = Checks("t")
    declared.rule("pirce > discount", id="typo")
    declared.col("status").mean(error=">0")
    declared.col("day").between("2026-01-01", "2026-12-31")
    for given in (
        {"pattern": f"{lake}/day=*", "since": DAYS[0], "until": DAYS[0]},
        {"table": "t_rows", "partition_by": "p"},
        {"sql": "select * from t_rows", "partition": DAYS[0]},
    ):
        with pytest.raises(ConfigurationError) as error:
            run(checks=tuple(declared), **given)
        assert "check 'typo': there is no column 'pirce' (did you mean 'price'?)" in str(error.value)
        assert "column 'status' is string, and mean is of numbers" in str(error.value)
        assert "between" not in str(error.value)


def test_a_column_that_is_known_from_before_is_missed_by_the_gate_alone(lake: Path, store: Repository) -> None:
    declared = Checks("t")
    declared.rule("discount <= price", id="discount", error=">=0.9")
    run_here(store, pattern=f"{lake}/day=*", checks=tuple(declared))
    pq.write_table(orders().drop(["discount"]), lake / "later.parquet")
    run_here(store, paths={"2026-01-03": str(lake / "later.parquet")}, checks=tuple(declared))
    assert "no column 'discount'" in str(answer(*declared, stored(store, "2026-01-03")).problem)
    pq.write_table(orders().rename_columns([f"new_{name}" for name in orders().column_names]), lake / "moved.parquet")
    also = Checks("t")
    also.col("nowhere").complete()
    with pytest.raises(ConfigurationError, match=r"no column 'nowhere'.*the columns 'new_order_id'"):
        run_here(store, paths={"2026-01-04": str(lake / "moved.parquet")}, checks=tuple(also))

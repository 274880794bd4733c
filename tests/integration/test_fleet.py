"""Many datasets in one application: read together where they are small, each alone where not, and none lost."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from airflow_dq.engine.spark.engine import SparkEngine
from airflow_dq.engine.spark.together import scan_together
from airflow_dq.gate.progress import progress
from airflow_dq.job.fleet import Done, Fleet
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.options.fleet import Orders
from airflow_dq.profile import JobSpec, profile_table
from airflow_dq.store import Repository

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow


def carry_out(spark: SparkSession, store: Repository, orders: list[JobSpec], said: list[str]) -> dict[str, Done]:
    def job_of(order: JobSpec) -> ProfileJob:
        return ProfileJob(SparkEngine(spark, order, said.append), store, said.append)

    fleet = Fleet(Orders(tuple(orders), fleet=True), job_of, partial(scan_together, spark, said.append))
    return {done.order.dataset: done for done in fleet.carry_out(3)}


def table(number: int) -> pa.Table:
    return pa.table({"n": [float(number), 2.0, None], "s": ["a", f"b{number}", "c"], "l": [[1], [2], [3]]})


def test_small_ones_are_read_together_and_what_fails_is_its_own(
    spark: SparkSession, store: Repository, tmp_path: Path
) -> None:
    orders = []
    for number in range(6):
        path = tmp_path / f"t{number}"
        path.mkdir()
        pq.write_table(table(number).drop_columns(["l"]), path / "0.parquet")
        orders.append(JobSpec(f"t{number}", paths={"1": str(path)}))
    pq.write_table(table(7), tmp_path / "t1" / "0.parquet")  # a column that Spark's reader alone is asked for
    (tmp_path / "t2" / "0.parquet").write_bytes(b"PAR1 no more")
    pyarrow.csv.write_csv(table(8).drop_columns(["l"]), tmp_path / "rows.csv")
    orders += [
        JobSpec("csv", paths={"1": str(tmp_path / "rows.csv")}, format="csv", options={"header": "true"}),
        JobSpec("gone", paths={"1": str(tmp_path / "gone")}),
        JobSpec("odd", paths={"1": str(tmp_path / "t3")}, columns=("none",)),
    ]
    said: list[str] = []
    done = carry_out(spark, store, orders, said)
    assert "4 datasets are read together" in said
    errors = {name: one.result.error for name, one in done.items() if one.result.error is not None}
    assert errors.keys() == {"t2", "gone", "odd"}
    assert "0.parquet" in str(errors["t2"])
    assert "'none'" in str(errors["odd"])
    for name in ("t0", "t1", "t3", "t4", "t5"):
        stored = store.load_profile(name, "1")
        expected = profile_table(pq.read_table(tmp_path / name), "1")
        assert stored is not None
        assert {n: one.fingerprint for n, one in stored.columns.items()} == {
            n: one.fingerprint for n, one in expected.columns.items()
        }
        assert set(stored.variants) == set(expected.columns)
        assert progress(store, name, "1").state == "ready"
    for name, error in errors.items():
        seen = progress(store, name, "1")
        assert (seen.state, str(error) in seen.message) == ("failed", True)
    assert store.load_profile("csv", "1") is not None


def test_a_file_that_changes_when_it_is_read_costs_nothing(
    spark: SparkSession, store: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the driver's look at the file and the tasks' reading."""
    orders = []
    for number in range(3):
        pq.write_table(table(number).drop_columns(["l"]), tmp_path / f"{number}.parquet")
        orders.append(JobSpec(f"t{number}", paths={"1": str(tmp_path / f"{number}.parquet")}))
    small = SparkEngine.small

    def changed(self: SparkEngine) -> object:
        found = small(self)
        if self.order.dataset == "t1":
            pq.write_table(table(1).drop_columns(["l", "s"]).slice(0, 2), tmp_path / "1.parquet")
        return found

    monkeypatch.setattr(SparkEngine, "small", changed)
    done = carry_out(spark, store, orders, [])
    assert [one.result.error for one in done.values()] == [None] * 3
    assert [one.result.rows for one in done.values()] == [3, 2, 3]
    stored = store.load_profile("t1", "1")
    assert stored is not None
    assert list(stored.columns) == ["n"]

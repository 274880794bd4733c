"""Parquet in an object store, read by Spark's tasks themselves: the same profiles, without Hadoop's jar for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_dq.engine.spark.engine import SparkEngine
from airflow_dq.engine.spark.together import scan_together
from airflow_dq.engine.store_access import hadoop_options
from airflow_dq.exceptions import DQError
from airflow_dq.job.fleet import Fleet
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.options.fleet import Orders
from airflow_dq.profile import JobSpec
from airflow_dq.store import Repository
from tests.integration.object_store import BUCKET, NARROW, SECRET, ObjectStore
from tests.integration.spark_job import run_job
from tests.unit.engine.arrow.lake_sample import rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

DAYS = ("2026-01-01", "2026-01-02")
Way = dict[str, str]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spark_lake")
    for number, day in enumerate(DAYS):
        for part in range(2):
            path = folder / "orders" / f"day={day}" / f"part-{part}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(rows(day, 300 + number, 1000 * part), path, row_group_size=100)
        (folder / "orders" / f"day={day}" / "_SUCCESS").write_bytes(b"")
    for name in ("logged/_delta_log/0.json", "logged/day=1/part-0.parquet"):
        (folder / name).parent.mkdir(parents=True)
    (folder / "logged" / "_delta_log" / "0.json").write_text("{}")
    pq.write_table(rows(DAYS[0], 10), folder / "logged" / "day=1" / "part-0.parquet")
    (folder / "nested" / "day=1" / "hour=1").mkdir(parents=True)
    pq.write_table(rows(DAYS[0], 10), folder / "nested" / "day=1" / "hour=1" / "a.parquet")
    return folder


@pytest.fixture
def there(spark: SparkSession, object_store: ObjectStore, lake: Path) -> Iterator[str]:
    """The same in the store, to which the session has the way that a connection gives it."""
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    options = hadoop_options(object_store.access)
    for name, value in options.items():
        hadoop.set(name, value)
    yield object_store.upload(lake, "spark").replace("s3:", "s3a:")
    for name in options:
        hadoop.unset(name)


def test_tasks_read_a_store_by_themselves(there: str, lake: Path, spark: SparkSession, store: Repository) -> None:
    said: list[str] = []
    found = run_job(spark, store, said.append, dataset="far", pattern=f"{there}/orders/day=*")
    run_job(spark, store, dataset="near", pattern=f"{lake}/orders/day=*")
    assert [outcome.error for outcome in found.values()] == [None, None]
    assert any("2 partition(s) are read by the tasks themselves" in line for line in said)
    assert not any(SECRET in line for line in said)
    for day in DAYS:
        far, near = (store.load_profile(name, day) for name in ("far", "near"))
        assert far is not None
        assert near is not None
        assert (far.row_count, far.fingerprint) == (near.row_count, near.fingerprint)


def test_many_datasets_of_a_store_are_read_together(
    there: str, lake: Path, spark: SparkSession, store: Repository
) -> None:
    said: list[str] = []
    paths = {"far0": f"{there}/orders/day={DAYS[0]}", "far1": f"{there}/orders/day={DAYS[1]}"}
    paths["near0"] = f"{lake}/orders/day={DAYS[0]}"
    orders = tuple(JobSpec(name, paths={"k": path}) for name, path in paths.items())

    def job_of(order: JobSpec) -> ProfileJob:
        return ProfileJob(SparkEngine(spark, order, said.append), store, said.append)

    fleet = Fleet(Orders(orders, fleet=True), job_of, lambda engines: scan_together(spark, said.append, engines))
    assert [done.result.error for done in fleet.carry_out()] == [None] * 3
    assert "3 datasets are read together" in said
    far, near = (store.load_profile(name, "k") for name in ("far0", "near0"))
    assert far is not None
    assert near is not None
    assert far.fingerprint == near.fingerprint


def test_a_table_with_a_log_is_not_read_as_files(
    there: str, lake: Path, spark: SparkSession, store: Repository
) -> None:
    for folder in (f"{there}/logged", f"{lake}/logged"):
        places = {"day": f"{folder}/day=1", "file": f"{folder}/day=1/part-0.parquet"}
        for path in places.values():
            (said,) = (outcome.error for outcome in run_job(spark, store, dataset="alone", paths={"k": path}).values())
            assert f"{folder.rpartition(':')[2]}/_delta_log says which of them count" in str(said)
        orders = tuple(JobSpec(name, paths={"k": path}) for name, path in places.items())
        fleet = Fleet(
            Orders(orders, fleet=True),
            lambda order: ProfileJob(SparkEngine(spark, order, lambda line: None), store, lambda line: None),
            lambda engines: scan_together(spark, lambda line: None, engines),
        )
        assert all("_delta_log says" in str(done.result.error) for done in fleet.carry_out())


def test_who_may_see_a_prefix_alone_reads_what_is_there(
    there: str, object_store: ObjectStore, lake: Path, spark: SparkSession, store: Repository
) -> None:
    folder = object_store.upload(lake / "orders", f"{NARROW}-spark").replace("s3:", "s3a:")
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    # The fixture takes them away again.
    for name, value in hadoop_options(object_store.narrow_access).items():
        hadoop.set(name, value)
    found = run_job(spark, store, dataset="narrow", pattern=f"{folder}/day=*")
    assert [outcome.error for outcome in found.values()] == [None, None]
    with object_store.system.open_output_stream(f"{BUCKET}/{NARROW}-spark/_delta_log/0.json") as stream:
        stream.write(b"{}")
    found = run_job(spark, store, dataset="narrow", pattern=f"{folder}/day=*")
    assert all(f"{folder}/_delta_log says which of them count" in str(outcome.error) for outcome in found.values())


def test_the_driver_finds_the_way_in_its_environment(
    object_store: ObjectStore, lake: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in object_store.environment.items():
        monkeypatch.setenv(name, value)
    path = object_store.upload(lake, "spark") + f"/orders/day={DAYS[0]}"
    engine = SparkEngine(spark, JobSpec("far", paths={"k": path}), lambda line: None)
    assert engine.partitions() == ("k",)
    assert {one.path for one in engine.small()} == {f"{path}/part-{part}.parquet" for part in range(2)}
    assert engine.store is not None


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"fs.s3a.bucket.lake.endpoint": "http://elsewhere"}, "fs.s3a.bucket.lake.endpoint"),
        ({"fs.s3a.aws.credentials.provider": "com.example.Vault"}, "names Vault"),
    ],
)
def test_a_session_with_a_way_of_its_own_is_left_to_sparks_reader(
    options: Way, reason: str, there: str, spark: SparkSession, store: Repository
) -> None:
    hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    for name, value in options.items():
        hadoop.set(name, value)
    said: list[str] = []
    try:
        with pytest.raises(DQError, match="hadoop-aws"):
            run_job(spark, store, said.append, dataset="far", pattern=f"{there}/orders/day=*")
        engine = SparkEngine(spark, JobSpec("far", paths={"k": f"{there}/orders/day={DAYS[0]}"}), said.append)
        engine.partitions()
        assert engine.small() == []
        list(engine.scan(1))
        assert any("go through Spark's reader" in line and reason in line for line in said)
    finally:
        for name in options:
            hadoop.unset(name)


def test_what_tasks_cannot_read_names_the_jar(there: str, spark: SparkSession, store: Repository) -> None:
    said: list[str] = []
    (outcome,) = run_job(spark, store, said.append, dataset="far", paths={"k": f"{there}/nested/day=1"}).values()
    assert "hadoop-aws" in str(outcome.error)
    assert any("lies in a folder below" in line for line in said)


def test_an_object_that_was_written_over_is_not_read(
    there: str, object_store: ObjectStore, spark: SparkSession
) -> None:
    engine = SparkEngine(spark, JobSpec("far", paths={"k": f"{there}/orders/day={DAYS[0]}"}), lambda line: None)
    engine.partitions()
    found = engine.small()
    with object_store.system.open_output_stream("lake/spark/orders/day=2026-01-01/part-0.parquet") as stream:
        pq.write_table(pa.table({"id": [1]}), stream)
    assert engine.store is not None
    with pytest.raises(OSError, match="changed since it was listed"):
        list(found[0].read(engine.store))

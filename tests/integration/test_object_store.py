"""Partitions in an object store, against a real S3 server: the same profiles as of this machine's files."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from airflow_dq.cli.main import main
from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.base import ScanResult
from airflow_dq.engine.store_access import S3, StoreAccess
from airflow_dq.exceptions import ConfigurationError, SourceMissingError, SourceUnreadableError
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.options.job import JobSpec
from airflow_dq.store import Repository
from tests.integration.object_store import BUCKET, KEY, NARROW, SECRET, ObjectStore
from tests.unit.engine.arrow.lake_sample import delta_table, iceberg_table, profiles, rows, scanned

pytestmark = pytest.mark.slow

DAYS = ("2026-01-01", "2026-01-02", "2026-01-03")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Days as Parquet in folders ``day=``, as CSV and as Arrow files; with what is no data beside them."""
    folder = tmp_path_factory.mktemp("lake")
    for number, day in enumerate(DAYS):
        for part in range(2):
            path = folder / "orders" / f"day={day}" / "deep" / f"part-{part}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(rows(day, 300 + number, 1000 * part), path)
        (folder / "orders" / f"day={day}" / "_SUCCESS").write_bytes(b"")
        (folder / "orders" / f"day={day}" / "x.tmp").write_bytes(b"half")
        (folder / "csv").mkdir(exist_ok=True)
        pyarrow.csv.write_csv(rows(day, 40).drop_columns(["raw"]), folder / "csv" / f"{day}.csv")
        (folder / "arrow").mkdir(exist_ok=True)
        pyarrow.feather.write_feather(rows(day, 50), folder / "arrow" / f"{day}.arrow", compression="uncompressed")
    (folder / "orders" / "_temporary").mkdir()
    return folder


@pytest.fixture(scope="module")
def stored(object_store: ObjectStore, lake: Path) -> str:
    """The same in the store."""
    return object_store.upload(lake, "given")


PATTERNS = [
    ("orders/day=*", {}),
    ("orders/day=*/deep", {}),
    ("csv/*.csv", {"format": "csv"}),
    ("arrow/*.arrow", {"format": "arrow"}),
    ("orders/day=*/deep/part-0.parquet", {"since": DAYS[1]}),
]


@pytest.mark.parametrize(("pattern", "more"), PATTERNS)
@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_a_pattern_finds_the_same_partitions_as_on_this_machine(
    pattern: str, more: dict[str, Any], scheme: str, object_store: ObjectStore, stored: str, lake: Path
) -> None:
    there = JobSpec("orders", pattern=f"{stored.replace('s3:', scheme + ':')}/{pattern}", **more)
    here = JobSpec("orders", pattern=f"{lake}/{pattern}", **more)
    found = {key: one.fingerprint for key, one in profiles(there, object_store.access).items()}
    assert found == {key: one.fingerprint for key, one in profiles(here).items()}
    assert list(found) == [day for day in DAYS if day >= more.get("since", "")]


def test_the_environment_names_the_store_as_well(
    object_store: ObjectStore, stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in object_store.environment.items():
        monkeypatch.setenv(name, value)
    order = JobSpec("orders", paths={DAYS[0]: f"{stored}/orders/day={DAYS[0]}"})
    assert profiles(order)[DAYS[0]].row_count == 600


def test_a_backfill_and_a_profile_by_the_command_line(
    object_store: ObjectStore,
    stored: str,
    store: Repository,
    clean_dsn: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", clean_dsn)
    monkeypatch.setenv("AIRFLOW_CONN_LAKE", object_store.connection)
    source = ("--source", f"{stored}/orders/day=*", "--engine", "arrow", "--source-conn-id", "lake", "--json")
    main(["backfill", "orders", *source])
    assert json.loads(capsys.readouterr().out)["profiled"] == 3
    kept = [store.load_profile("orders", day) for day in DAYS]
    assert [one.row_count for one in kept if one is not None] == [600, 602, 604]
    main(["profile", f"{stored}/orders/day={DAYS[0]}", "--source-conn-id", "lake", "--json"])
    assert json.loads(capsys.readouterr().out)["rows"] == 600


def test_a_task_takes_the_credentials_of_a_connection_and_shows_them_nowhere(
    object_store: ObjectStore,
    stored: str,
    store: Repository,
    clean_dsn: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", clean_dsn)
    monkeypatch.setenv("AIRFLOW_CONN_LAKE", object_store.connection)
    task = DQProfileOperator(
        task_id="profile",
        dataset="orders",
        source=f"{stored}/orders/day={DAYS[0]}",
        partition=DAYS[0],
        engine="arrow",
        source_conn_id="lake",
    )
    with caplog.at_level(logging.DEBUG):
        assert task.execute({})["rows"] == 600
    read = store.where_read("orders", DAYS[0])
    assert SECRET not in caplog.text + repr(read) + task.job_spec().to_json() + repr(object_store.access)


def errors(order: JobSpec, access: StoreAccess) -> str:
    """Why none of an order's partitions could be read."""
    results = scanned(order, access).values()
    assert all(one.profile is None and one.retryable for one in results)
    return " ".join(str(one.error) for one in results)


def test_a_wrong_key_and_a_missing_bucket_are_told(object_store: ObjectStore, stored: str) -> None:
    wrong = StoreAccess(S3, {**object_store.access.given, "secret_key": "wrong"})
    pattern = JobSpec("orders", pattern=f"{stored}/orders/day=*")
    with pytest.raises(
        SourceUnreadableError, match=r"'orders': s3://.*cannot be looked at.*Check the address and the"
    ) as one:
        scanned(pattern, wrong)
    assert "wrong" not in str(one.value)
    path = JobSpec("orders", paths={"1": f"{stored}/orders/day={DAYS[0]}"})
    assert "ACCESS_DENIED" in errors(path, wrong)
    with pytest.raises(SourceMissingError, match="there is no bucket 'lakes'"):
        scanned(JobSpec("orders", pattern="s3://lakes/day=*"), object_store.access)
    assert "there is no bucket 'lakes'" in errors(JobSpec("orders", paths={"1": "s3://lakes/1"}), object_store.access)
    with pytest.raises(SourceMissingError, match=f"nothing matches s3://{BUCKET}/none"):
        scanned(JobSpec("orders", pattern=f"s3://{BUCKET}/none/day=*"), object_store.access)
    assert "does not exist" in errors(JobSpec("orders", paths={"1": f"s3://{BUCKET}/none"}), object_store.access)
    with pytest.raises(ConfigurationError, match="this machine's own files"):
        object_store.access.of("/data/day=1")


def test_a_table_with_a_log_is_not_read_as_files(object_store: ObjectStore, tmp_path: Path) -> None:
    delta_table(tmp_path, rows(DAYS[0], 5))
    place = object_store.upload(tmp_path, "refused")
    for path in (place, f"{place}/day={DAYS[0]}"):
        said = str(scanned(JobSpec("orders", paths={"1": path}), object_store.access)["1"].error)
        assert f"{place}/_delta_log says which of them count" in said
        assert f"source_format='delta' (--format delta), source='{place}'" in said


def test_who_may_see_a_prefix_alone_reads_what_is_there(object_store: ObjectStore, tmp_path: Path) -> None:
    for day in DAYS:
        (tmp_path / f"day={day}").mkdir()
        pq.write_table(rows(day, 5), tmp_path / f"day={day}" / "a.parquet")
    place = object_store.upload(tmp_path, NARROW)
    found = profiles(JobSpec("orders", pattern=f"{place}/day=*"), object_store.narrow_access)
    assert [one.row_count for one in found.values()] == [5, 5, 5]
    with object_store.system.open_output_stream(f"{BUCKET}/{NARROW}/_delta_log/0.json") as stream:
        stream.write(b"{}")
    said = str(scanned(JobSpec("orders", pattern=f"{place}/day=*"), object_store.narrow_access)[DAYS[0]].error)
    assert f"{place}/_delta_log says which of them count" in said


def test_a_column_in_a_folders_name_is_left_to_spark(object_store: ObjectStore, lake: Path) -> None:
    place = f"s3://{BUCKET}/given/orders"
    assert "sub-folder that is a column (day=2026-01-01)" in str(
        scanned(JobSpec("orders", paths={"1": place}), object_store.access)["1"].error
    )


@pytest.mark.parametrize("kind", ["delta", "iceberg"])
def test_a_table_in_the_store_is_the_same_as_on_this_machine(
    kind: str, object_store: ObjectStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [rows(day, 100 + number) for number, day in enumerate(DAYS)]
    if kind == "delta":
        table = delta_table(tmp_path / "t", *parts)
        table.delete(f"day = '{DAYS[0]}'")
        local, place = str(tmp_path / "t"), object_store.upload(tmp_path / "t", "delta")
        past = {"version": "1"}
    else:
        made = _iceberg_there(object_store, tmp_path, parts)
        local = iceberg_table(tmp_path, *parts[1:]).metadata_location
        place, past = made.metadata_location, {"snapshot": str(made.snapshots()[1].snapshot_id)}
    given: dict[str, Any] = {"format": kind, "partition_by": "day"}
    found = profiles(JobSpec("orders", pattern=place, **given), object_store.access)
    assert list(found) == list(DAYS[1:])
    here = profiles(JobSpec("orders", pattern=local, **given))
    assert {key: one.fingerprint for key, one in found.items()} == {key: one.fingerprint for key, one in here.items()}
    assert list(profiles(JobSpec("orders", pattern=place, **given, **past), object_store.access)) == list(DAYS[:2])
    wrong = StoreAccess(S3, {**object_store.access.given, "secret_key": "wrong"})
    with pytest.raises((SourceUnreadableError, SourceMissingError)) as one:
        scanned(JobSpec("orders", pattern=place, **given), wrong)
    assert SECRET not in str(one.value)


def _iceberg_there(server: ObjectStore, folder: Path, parts: list[pa.Table]) -> Any:
    """An Iceberg table whose first day has been deleted, in the store."""
    from pyiceberg.catalog.sql import SqlCatalog

    options = {"s3.endpoint": server.endpoint, "s3.access-key-id": KEY, "s3.secret-access-key": SECRET}
    uri = f"sqlite:///{folder}/there.db"
    catalog = SqlCatalog("there", uri=uri, warehouse=f"s3://{BUCKET}/iceberg", **options, **{"s3.region": "us-east-1"})
    catalog.create_namespace("shop")
    table = catalog.create_table("shop.orders", parts[0].schema)
    for part in parts:
        table.append(part)
    table.delete(f"day = '{DAYS[0]}'")
    return catalog.load_table("shop.orders")


def test_a_file_that_vanishes_costs_its_partition_alone(
    object_store: ObjectStore, tmp_path: Path, store: Repository
) -> None:
    """Between the listing of a folder and the reading of its second file."""
    for day in DAYS:
        for part in range(2):
            path = tmp_path / f"day={day}" / f"{part}.parquet"
            path.parent.mkdir(exist_ok=True)
            pq.write_table(rows(day, 10), path)
    place = object_store.upload(tmp_path, "vanishing")
    engine = ArrowEngine(JobSpec("gone", pattern=f"{place}/day=*"), object_store.access)
    engine.partitions()
    batches = engine.batches(DAYS[1])
    next(batches)
    object_store.system.delete_file(f"{BUCKET}/vanishing/day={DAYS[1]}/1.parquet")
    with pytest.raises(SourceUnreadableError, match=r"1\.parquet was there when its folder was listed, and is gone"):
        list(batches)
    found = scanned(JobSpec("gone", pattern=f"{place}/day=*"), object_store.access)
    assert [one.profile.row_count for one in found.values() if one.profile is not None] == [20, 10, 20]


def test_files_whose_schemas_change_are_one_partition_or_one_error(object_store: ObjectStore, tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    pq.write_table(rows(DAYS[0], 5), tmp_path / "1" / "a.parquet")
    pq.write_table(rows(DAYS[0], 5).append_column("late", pa.array([1] * 5)), tmp_path / "1" / "b.parquet")
    place = object_store.upload(tmp_path, "schemas")
    here = profiles(JobSpec("t", paths={"1": str(tmp_path / "1")}))["1"]
    assert profiles(JobSpec("t", paths={"1": f"{place}/1"}), object_store.access)["1"].fingerprint == here.fingerprint
    with object_store.system.open_output_stream(f"{BUCKET}/schemas/1/b.parquet") as stream:
        stream.write(b"PAR1 no more")
    said = str(scanned(JobSpec("t", paths={"1": f"{place}/1"}), object_store.access)["1"].error)
    assert "b.parquet cannot be read as parquet" in said


@pytest.fixture
def dying(tmp_path: Path) -> Iterator[ObjectStore]:
    """A server that may be stopped."""
    server = ObjectStore(tmp_path)
    try:
        yield server.start()
    finally:
        server.stop()


def test_a_server_that_goes_away_leaves_nothing_half_stored(
    dying: ObjectStore, store: Repository, tmp_path: Path
) -> None:
    (tmp_path / "given").mkdir()
    for day in DAYS:
        pq.write_table(rows(day, 10), tmp_path / "given" / f"{day}.parquet")
    order = JobSpec("orders", pattern=f"{dying.upload(tmp_path / 'given', 'x')}/*.parquet")
    before = ProfileJob(ArrowEngine(order, dying.access), store, lambda line: None).run()
    assert [one.error for one in before] == [None] * 3
    kept = [store.load_profile("orders", day) for day in DAYS]

    class Dying(ArrowEngine):
        """Whose server goes away once it has listed the partitions, and read one."""

        def _scan(self, key: str) -> ScanResult:
            if key == DAYS[1]:
                dying.stop()
            return super()._scan(key)

    after = ProfileJob(Dying(order, dying.access), store, lambda line: None).run()
    assert [one.error is None for one in after] == [True, False, False]
    assert all("cannot be looked at" in str(one.error) and one.retryable for one in after[1:])
    now = [store.load_profile("orders", day) for day in DAYS]
    assert [one.fingerprint for one in now if one] == [one.fingerprint for one in kept if one]

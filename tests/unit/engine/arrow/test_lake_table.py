"""Delta and Iceberg tables in this process: the live rows of a partition, whatever lies in the table's folder."""

from __future__ import annotations

import builtins
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from airflow_dq.check.parser import predicate
from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.order import order_again, place_of, read_options
from airflow_dq.exceptions import (
    ConfigurationError,
    DQError,
    EnvironmentMismatchError,
    SourceMissingError,
    SourceUnreadableError,
    UnknownColumnError,
)
from airflow_dq.options.job import NULL_KEY, JobSpec
from airflow_dq.profile.check.evaluate import Batch
from tests.unit.engine.arrow.lake_sample import (
    delete_by_vector,
    delta_table,
    iceberg_table,
    profiles,
    rows,
    scanned,
    written_at,
)

DAYS = ("2026-01-01", "2026-01-02", "2026-01-03")


@pytest.fixture(scope="module")
def delta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 12,027 live rows, whose files hold 47,027; of its three days one has been deleted."""
    folder = tmp_path_factory.mktemp("delta") / "orders"
    delta_table(folder, rows(DAYS[0], 20_000), rows(DAYS[1], 15_000), rows(DAYS[2], 10_027))
    table = DeltaTable(folder)
    table.delete(f"day = '{DAYS[0]}'")
    table.delete(f"day = '{DAYS[1]}'")
    delta_table(folder, rows(DAYS[1], 2_000))
    return folder


@pytest.fixture(scope="module")
def iceberg(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The same days: the first has been deleted."""
    table = iceberg_table(tmp_path_factory.mktemp("iceberg"), *(rows(day, 300) for day in DAYS))
    table.delete(f"day = '{DAYS[0]}'")
    table.refresh()
    return table


def order(source: object, **more: Any) -> JobSpec:
    given: dict[str, Any] = {"format": "delta", "pattern": str(source), "partition_by": "day", **more}
    return JobSpec(dataset="orders", **given)


def in_parquet(folder: Path, key: str, table: pa.Table) -> str:
    """The fingerprint of the same rows in a Parquet file."""
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, folder / "part-0.parquet")
    (profile,) = profiles(JobSpec(dataset="orders", paths={key: str(folder)})).values()
    return profile.fingerprint


def test_a_deleted_day_does_not_come_back_and_a_delta_table_is_its_live_rows(delta: Path, tmp_path: Path) -> None:
    held = sum(pq.ParquetFile(path).metadata.num_rows for path in delta.rglob("*.parquet"))
    found = profiles(order(delta))
    assert held == 47_027
    assert {key: one.row_count for key, one in found.items()} == {DAYS[1]: 2_000, DAYS[2]: 10_027}
    for key, number in ((DAYS[1], 2_000), (DAYS[2], 10_027)):
        same = rows(key, number).drop_columns(["day"])
        assert found[key].fingerprint == in_parquet(tmp_path, key, same)


def test_an_iceberg_table_is_its_live_rows(iceberg: Any, tmp_path: Path) -> None:
    found = profiles(order(iceberg.metadata_location, format="iceberg"))
    assert list(found) == [DAYS[1], DAYS[2]]
    assert found[DAYS[1]].fingerprint == in_parquet(tmp_path, DAYS[1], rows(DAYS[1], 300).drop_columns(["day"]))


def test_rows_behind_a_deletion_vector_are_left_out(tmp_path: Path) -> None:
    table = tmp_path / "table"
    given = rows(DAYS[0], 10)
    delta_table(table, given, partition_by=(), configuration={"delta.enableDeletionVectors": "true"})
    delete_by_vector(table, [0, 4, 7])
    spec = order(table, partition_by=None, pattern=None, paths={"1": str(table)}, where="true")
    (profile,) = profiles(spec).values()
    kept = given.take([1, 2, 3, 5, 6, 8, 9])
    assert profile.fingerprint == in_parquet(tmp_path / "same", "1", kept)


@pytest.fixture(scope="module")
def two_days(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The live days of the Iceberg table in a Delta table."""
    folder = tmp_path_factory.mktemp("two-days")
    delta_table(folder, *(rows(day, 300) for day in DAYS[1:]))
    return str(folder)


@pytest.mark.parametrize("kind", ["delta", "iceberg"])
@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        (f"day = '{DAYS[1]}'", 300),
        (f"day >= '{DAYS[1]}' and day < '{DAYS[2]}' and id in (1, 2, 700)", 2),
        ("price > 10 and name is not null and at >= '2026-01-01T05:00:00Z'", None),
        ("name like 'n%1' or not (id < 100)", None),
        ("name in ('näme 3', 'näme 4')", None),
        ("true", 600),
    ],
)
def test_a_condition_chooses_the_rows_that_a_rule_would(
    kind: str, condition: str, kept: int | None, two_days: str, iceberg: Any
) -> None:
    live = pa.concat_tables([rows(day, 300) for day in DAYS[1:]])
    source = two_days if kind == "delta" else iceberg.metadata_location
    spec = order(source, format=kind, pattern=None, paths={"x": source}, partition_by=None, where=condition)
    (profile,) = profiles(spec).values()
    truth = Batch({name: live[name] for name in live.column_names}, len(live)).truth(predicate(condition))
    assert profile.row_count == (truth.true_count if kept is None else kept) > 0


def test_the_partition_column_of_the_table_tells_which_rows_are_the_partitions(delta: Path) -> None:
    given = {"partition_by": None, "pattern": None, "paths": {DAYS[2]: str(delta)}}
    (profile,) = profiles(order(delta, **given)).values()
    assert profile.row_count == 10_027
    assert "day" not in {column.name for column in profile.columns.values()}
    with pytest.raises(SourceMissingError, match="has no row in which day is '2026-01-01'"):
        scanned(order(delta, **{**given, "paths": {DAYS[0]: str(delta)}}))


def test_without_anything_that_tells_which_rows_are_the_partitions_the_job_is_refused(tmp_path: Path) -> None:
    delta_table(tmp_path, rows(DAYS[0], 3), partition_by=())
    with pytest.raises(ConfigurationError, match=r"has no partition column of its own.*give where="):
        scanned(order(tmp_path, partition_by=None, pattern=None, paths={"1": str(tmp_path)}))


def test_columns_that_the_table_does_not_have_are_refused(delta: Path) -> None:
    with pytest.raises(UnknownColumnError, match=r"no column 'tag'; it has id, day"):
        scanned(order(delta, partition_by="tag"))
    spec = order(delta, pattern=None, paths={"1": str(delta)}, partition_by=None, where="Day = '2026-01-02'")
    (result,) = scanned(spec).values()
    assert "no column 'Day'" in str(result.error)


def test_a_version_and_a_moment_show_the_table_as_it_was(delta: Path, tmp_path: Path) -> None:
    assert list(profiles(order(delta, version="2"))) == list(DAYS)
    delta_table(tmp_path, *(rows(day, 5 + n) for n, day in enumerate(DAYS)))
    written_at(tmp_path, "2026-01-02T01:00", "2026-01-03T01:00", "2026-01-04T01:00")
    assert list(profiles(order(tmp_path, as_of="2026-01-03T12:00:00Z"))) == list(DAYS[:2])
    assert list(profiles(order(tmp_path, as_of="2026-01-02 + 6h"))) == list(DAYS[:1])
    with pytest.raises(SourceMissingError, match=r"no version of 2026-01-01T00:00:00.*begins at 2026-01-02T01:00:00"):
        scanned(order(tmp_path, as_of="2026-01-01"))
    with pytest.raises(SourceUnreadableError, match="version 9 of the Delta table"):
        scanned(order(tmp_path, version="9"))


def test_a_version_before_the_log_begins_is_named(tmp_path: Path) -> None:
    table = delta_table(tmp_path / "table", *(rows(day, 3) for day in DAYS[:2]))
    table.create_checkpoint()
    (tmp_path / "table" / "_delta_log" / f"{0:020}.json").unlink()
    with pytest.raises(SourceMissingError, match="its log does not reach back to version 0"):
        scanned(order(tmp_path / "table", version="0"))


def test_a_backfill_sees_each_day_as_it_was(tmp_path: Path) -> None:
    """A day that was corrected later is profiled as it was when its own run saw it."""
    delta_table(tmp_path, rows(DAYS[0], 5), rows(DAYS[1], 6), rows(DAYS[0], 100, first=5))
    written_at(tmp_path, "2026-01-02T01:00", "2026-01-03T01:00", "2026-01-09T01:00")
    newest = profiles(order(tmp_path))
    then = profiles(order(tmp_path, as_of="* + 30h"))
    assert [one.row_count for one in newest.values()] == [105, 6]
    assert [one.row_count for one in then.values()] == [5, 6]
    early = scanned(order(tmp_path, as_of="* + 12h"))
    assert ["no version of" in str(one.error) for one in early.values()] == [True, False]
    assert "has no row in which day is '2026-01-02'" in str(early[DAYS[1]].error)


def test_a_snapshot_shows_an_iceberg_table_as_it_was(iceberg: Any) -> None:
    _, second, *_ = iceberg.snapshots()
    source = iceberg.metadata_location
    assert list(profiles(order(source, format="iceberg", snapshot=str(second.snapshot_id)))) == list(DAYS[:2])
    assert list(profiles(order(source, format="iceberg", snapshot="main"))) == list(DAYS[1:])
    assert list(profiles(order(source, format="iceberg", as_of="2999-01-01"))) == list(DAYS[1:])
    for given in ({"snapshot": "12"}, {"snapshot": "nightly"}, {"as_of": "2020-01-01"}):
        with pytest.raises(SourceMissingError, match="written later, or has expired"):
            scanned(order(source, format="iceberg", **given))


def test_an_iceberg_table_is_found_by_a_catalog(iceberg: Any, tmp_path: Path) -> None:
    catalog = dict(iceberg.catalog.properties)
    options = {name: catalog[name] for name in ("uri", "warehouse")} | {"type": "sql"}
    spec = order(None, format="iceberg", pattern=None, table="lake.shop.orders", options=options)
    assert {key: one.row_count for key, one in profiles(spec).items()} == dict.fromkeys(DAYS[1:], 300)
    named = replace(spec, partition=DAYS[2], partition_by=None)
    assert list(profiles(named)) == [DAYS[2]]
    with pytest.raises(SourceMissingError, match=r"no table 'lake\.shop\.orders2'"):
        scanned(replace(spec, table="lake.shop.orders2"))
    with pytest.raises(ConfigurationError, match=r"<catalog>\.<namespace>\.<table>"):
        scanned(replace(spec, table="orders"))
    with pytest.raises(SourceUnreadableError, match=r"cannot be opened \(ValueError: URI missing"):
        scanned(replace(spec, options={}))


def test_a_folder_of_iceberg_is_read_where_it_says_its_metadata_itself(iceberg: Any, tmp_path: Path) -> None:
    folder = Path(iceberg.location().removeprefix("file://"))
    with pytest.raises(ConfigurationError, match=r"does not say which file of metadata.*\.metadata\.json is the last"):
        scanned(order(folder, format="iceberg"))
    copy = tmp_path / "copy"
    shutil.copytree(folder / "metadata", copy / "metadata")
    (copy / "metadata" / "version-hint.text").write_text(Path(iceberg.metadata_location).name)
    assert list(profiles(order(copy, format="iceberg"))) == list(DAYS[1:])
    with pytest.raises(SourceMissingError, match="no Iceberg table at"):
        scanned(order(tmp_path / "nothing", format="iceberg"))


def test_deletes_that_the_library_cannot_follow_are_refused(iceberg: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As pyiceberg refuses a table on which another writer has put equality deletes."""
    from pyiceberg.table import DataScan

    def refuse(scan: DataScan) -> Any:
        raise ValueError(
            "PyIceberg does not yet support equality deletes: https://github.com/apache/iceberg/issues/6568"
        )

    monkeypatch.setattr(DataScan, "plan_files", refuse)
    with pytest.raises(
        SourceUnreadableError, match=r"does not yet support equality deletes.*or read it by engine='spark'"
    ):
        scanned(order(iceberg.metadata_location, format="iceberg"))


def test_the_schema_is_the_tables_and_not_that_of_each_file(tmp_path: Path) -> None:
    more = rows(DAYS[1], 4).append_column("late", pa.array([1, 2, None, 4]))
    delta_table(tmp_path, rows(DAYS[0], 3))
    delta_table(tmp_path, more, schema_mode="merge")
    found = profiles(order(tmp_path))
    assert {key: "late" in {one.name for one in profile.columns.values()} for key, profile in found.items()} == {
        DAYS[0]: True,
        DAYS[1]: True,
    }
    assert "late" not in {one.name for one in profiles(order(tmp_path, version="0"))[DAYS[0]].columns.values()}


def test_keys_are_spelled_as_spark_does_and_rows_without_one_are_kept_apart(tmp_path: Path) -> None:
    keyed = pa.table({"id": [1, 2, 3, 4], "key": pa.array([7, 7, None, -3], pa.int64()), "t": ["a", "", None, "b"]})
    delta_table(tmp_path, keyed, partition_by=())
    assert {k: p.row_count for k, p in profiles(order(tmp_path, partition_by="key")).items()} == {
        NULL_KEY: 1,
        "-3": 1,
        "7": 2,
    }
    assert {k: p.row_count for k, p in profiles(order(tmp_path, partition_by="t")).items()} == {
        NULL_KEY: 2,
        "a": 1,
        "b": 1,
    }
    assert list(profiles(order(tmp_path, partition_by="key", since="0"))) == ["7"]
    assert list(profiles(order(tmp_path, partition_by="key", limit=1))) == ["7"]


def test_a_file_that_goes_away_is_one_clear_error_of_its_partition(tmp_path: Path) -> None:
    delta_table(tmp_path / "d", *(rows(day, 5) for day in DAYS))
    gone = next((tmp_path / "d" / f"day={DAYS[1]}").glob("*.parquet"))
    spec = order(tmp_path / "d")
    engine = ArrowEngine(spec)
    engine.partitions()
    gone.unlink()
    results = {one.partition: one for one in engine.scan(0)}
    assert [results[day].profile is not None for day in DAYS] == [True, False, True]
    assert "version 2 of the Delta table" in str(results[DAYS[1]].error)
    assert "may have been removed (VACUUM" in str(results[DAYS[1]].error)
    assert results[DAYS[1]].retryable
    table = iceberg_table(tmp_path, *(rows(day, 5) for day in DAYS))
    engine = ArrowEngine(order(table.metadata_location, format="iceberg"))
    engine.partitions()
    for path in (tmp_path / "warehouse").rglob(f"day={DAYS[1]}/*.parquet"):
        path.unlink()
    results = {one.partition: one for one in engine.scan(0)}
    assert [results[day].profile is not None for day in DAYS] == [True, False, True]


def test_a_job_sees_one_state_of_a_table_that_is_written_meanwhile(tmp_path: Path) -> None:
    delta_table(tmp_path, rows(DAYS[0], 5))
    engine = ArrowEngine(order(tmp_path))
    engine.partitions()
    delta_table(tmp_path, rows(DAYS[0], 50))
    delta_table(tmp_path, rows(DAYS[0], 1).append_column("new", pa.array([1])), schema_mode="merge")
    (result,) = engine.scan(0)
    assert result.profile is not None
    assert result.profile.row_count == 5
    assert engine.remarks == (f"version 0 of the Delta table {tmp_path} is read",)


@pytest.mark.parametrize("kind", ["delta", "iceberg"])
def test_a_missing_package_is_named_with_its_extra(kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = {"delta": "deltalake", "iceberg": "pyiceberg"}[kind]
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".")[0] == package:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)
        return real(name, *rest, **more)

    monkeypatch.delitem(sys.modules, f"airflow_dq.engine.arrow.{kind}", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(EnvironmentMismatchError, match=rf"{package}\): pip install 'airflow-provider-dq\[{kind}\]'"):
        scanned(order(tmp_path, format=kind))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"version": "1", "as_of": "2026-01-01"}, "version and as_of each say"),
        ({"version": "two"}, "version is 'two'; give a whole number"),
        ({"version": ""}, "version is empty"),
        ({"snapshot": "1"}, "has versions: give version="),
        ({"format": "iceberg", "version": "1"}, "has snapshots: give snapshot="),
        ({"format": "parquet", "version": "1"}, "tables that keep their past"),
        ({"pattern": None, "sql": "SELECT 1", "as_of": "2026-01-01"}, "VERSION AS OF"),
        ({"as_of": "yesterday"}, "as_of is 'yesterday', which is no date or time"),
        ({"as_of": "2026-01-01 + 3y"}, "no date or time"),
    ],
)
def test_a_state_that_cannot_be_is_refused(given: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=said):
        order(tmp_path, **given)


def test_a_key_that_is_no_date_has_no_moment_of_its_own(tmp_path: Path) -> None:
    delta_table(tmp_path, pa.table({"day": ["a"], "id": [1]}))
    (result,) = scanned(order(tmp_path, as_of="* + 1d")).values()
    assert "the partition's key is 'a', which is no date or time" in str(result.error)


def test_what_is_stored_leads_to_the_same_rows_again(tmp_path: Path) -> None:
    delta_table(tmp_path, rows(DAYS[0], 5), rows(DAYS[0], 7))
    spec = order(tmp_path, version="0")
    (profile,) = profiles(spec).values()
    again = order_again("orders", DAYS[0], place_of(spec), read_options(spec), profile.options, {})
    assert profiles(again)[DAYS[0]].fingerprint == profile.fingerprint


def test_what_a_delta_table_needs_no_option_for_is_refused(tmp_path: Path) -> None:
    delta_table(tmp_path, rows(DAYS[0], 5))
    with pytest.raises(ConfigurationError, match=r"by its path and takes no read options \(versionAsOf\)"):
        scanned(order(tmp_path, options={"versionAsOf": "1"}))
    with pytest.raises(ConfigurationError, match=r"by its path and takes no table='db\.t'"):
        scanned(order(None, pattern=None, table="db.t"))
    with pytest.raises(DQError, match="no Delta table at"):
        scanned(order(tmp_path / "nowhere"))

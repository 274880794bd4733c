"""The profile job on a real local Spark: every way to name a source, every way it can be wrong."""

from __future__ import annotations

import datetime
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from airflow_dq.corruption.blob import encode_variants
from airflow_dq.engine.spark import engine as job
from airflow_dq.engine.spark import reader
from airflow_dq.exceptions import (
    ConfigurationError,
    SourceEmptyError,
    SourceMissingError,
    UnknownColumnError,
)
from airflow_dq.profile import Profile, ProfileOptions, profile_table
from airflow_dq.store import Repository
from tests.integration.spark_job import Run

pytestmark = pytest.mark.slow


def _table(rows: int = 1_000) -> pa.Table:
    """Every kind of column, with nulls, NaN, infinities, empty and non-ASCII strings."""
    random = np.random.default_rng(11)
    number = random.normal(50, 20, rows)
    number[::17], number[5::97], number[7::101] = np.nan, np.inf, -np.inf
    words = np.array(["", "alpha", "Beta 12", "größe", "日本語!", "a-b_c"])[random.integers(0, 6, rows)]
    start = datetime.datetime(2013, 1, 1, tzinfo=datetime.UTC)
    return pa.table(
        {
            "n": pa.array(number),
            "i": pa.array(random.integers(-5, 2**40, rows)),
            "s": pa.array([None if index % 13 == 0 else word for index, word in enumerate(words.tolist())]),
            "b": pa.array([index % 3 == 0 for index in range(rows)]),
            "t": pa.array(
                [start + datetime.timedelta(seconds=index) for index in range(rows)], pa.timestamp("us", "UTC")
            ),
            "d": pa.array([Decimal(index) / 100 for index in range(rows)], pa.decimal128(10, 2)),
            "day": pa.array([start.date()] * rows),
            "l": pa.array([[index] for index in range(rows)]),
        }
    )


def _write(table: pa.Table, folder: Path, files: int = 1) -> Path:
    folder.mkdir(parents=True)
    edges = np.linspace(0, table.num_rows, files + 1).astype(int).tolist()
    for index, start in enumerate(edges[:-1]):
        pq.write_table(table.slice(start, edges[index + 1] - start), folder / f"part-{index}.parquet")
    return folder


def _metrics(profile: Profile | None) -> dict[str, Any]:
    assert profile is not None
    return {name: (column.kind, dict(column.metrics)) for name, column in profile.columns.items()}


def _stored(store: Repository, partition: str, dataset: str = "t") -> Profile:
    profile = store.load_profile(dataset, partition)
    assert profile is not None, getattr(store.attempt_status(dataset, partition), "error", "no attempt")
    return profile


def _error(store: Repository, partition: str) -> str:
    status = store.attempt_status("t", partition)
    assert status is not None
    assert status.state == "failed"
    assert not status.has_profile
    return str(status.error)


@pytest.mark.parametrize("files", [1, 2, 7])
def test_any_number_of_tasks_gives_the_metrics_of_the_whole(
    run: Run, store: Repository, tmp_path: Path, spark: SparkSession, files: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_TINY", 0)
    table = _table()
    folder = _write(table, tmp_path / "day", files)
    # One file per task, or Spark would put the small ones together.
    spark.conf.set("spark.sql.files.openCostInBytes", str(2**30))
    try:
        assert spark.read.parquet(str(folder)).rdd.getNumPartitions() == files
        outcome = run(paths={"2013-01-01": str(folder)})["2013-01-01"]
    finally:
        spark.conf.unset("spark.sql.files.openCostInBytes")
    assert (outcome.rows, outcome.error) == (1_000, None)
    expected = profile_table(table, "2013-01-01")
    stored = _stored(store, "2013-01-01")
    assert _metrics(stored) == _metrics(expected)
    assert {name: column.states for name, column in stored.columns.items()} == {
        name: column.states for name, column in expected.columns.items()
    }
    assert list(outcome.skipped) == ["l"]


def test_the_newest_two_partitions_have_variants_as_computed_in_memory(
    run: Run, store: Repository, tmp_path: Path
) -> None:
    from airflow_dq.corruption.variant import variants_of

    tables = {key: _table(60 + index) for index, key in enumerate(["a", "b", "c"])}
    run(paths={key: str(_write(table, tmp_path / key)) for key, table in tables.items()}, exclude=("l",))
    assert not _stored(store, "a").variants
    for key in ("b", "c"):
        expected = profile_table(tables[key], key, ProfileOptions(exclude=("l",)))
        found = _stored(store, key).variants
        assert set(found) == {"n", "i", "s", "b", "t", "d", "day"}
        for column, variants in found.items():
            assert [variant.label for variant in variants] == [v.label for v in variants_of(expected, column)]


@pytest.mark.parametrize(("rows", "jobs"), [(1_500, 1), (70_000, 2)])
def test_a_tiny_partition_is_profiled_in_one_spark_job_with_the_variants_of_two(
    run: Run,
    store: Repository,
    tmp_path: Path,
    spark: SparkSession,
    rows: int,
    jobs: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = _table(100)
    table = pa.concat_tables([table] * (rows // 100)).append_column("row", pa.array(range(rows)))
    folder = _write(table, tmp_path / "day", 3)
    paths = {"2013-01-01": str(folder)}

    def profiled(group: str) -> tuple[int, Profile]:
        spark.sparkContext.setJobGroup(group, group)
        assert run(paths=paths, dataset=group)["2013-01-01"].error is None
        stored = _stored(store, "2013-01-01", group)
        return len(spark.sparkContext.statusTracker().getJobIdsForGroup(group)), stored

    seen, once = profiled(f"tiny {rows}")
    assert seen == jobs
    monkeypatch.setattr(reader, "_TINY", 0)
    seen, twice = profiled(f"ordinary {rows}")
    assert seen == 2
    assert once == twice
    assert once.row_count == rows
    assert set(once.variants) == set(table.column_names)
    for column in table.column_names:
        assert encode_variants(once.variants[column]) == encode_variants(twice.variants[column])


def test_formats_give_what_their_readers_see(run: Run, store: Repository, tmp_path: Path) -> None:
    table = pa.table({"n": [1.5, 2.5, None], "s": ["a", "b", "c"]})
    (tmp_path / "orc").mkdir()
    pa.orc.write_table(table, tmp_path / "orc" / "x.orc")
    (tmp_path / "json").mkdir()
    (tmp_path / "json" / "x.json").write_text('{"n":1.5,"s":"a"}\n{"n":2.5,"s":"b"}\n{"s":"c"}\n')
    (tmp_path / "csv").mkdir()
    (tmp_path / "csv" / "x.csv").write_text("n,s\n1.5,a\n2.5,b\n,c\n")
    expected = _metrics(profile_table(table))
    run(paths={"1": str(tmp_path / "orc")}, format="orc")
    assert _metrics(_stored(store, "1")) == expected
    run(paths={"1": str(tmp_path / "json")}, format="json")
    assert _metrics(_stored(store, "1")) == expected
    run(paths={"1": str(tmp_path / "csv")}, format="csv", options={"inferSchema": "true"})
    assert _metrics(_stored(store, "1")) == expected
    run(paths={"1": str(tmp_path / "csv")}, format="csv", options={"schema": "n double, s string"})
    assert _metrics(_stored(store, "1")) == expected
    run(paths={"1": str(tmp_path / "csv")}, format="csv")
    as_text = pa.table({"n": ["1.5", "2.5", None], "s": ["a", "b", "c"]})
    assert _metrics(_stored(store, "1")) == _metrics(profile_table(as_text))


def test_csv_keeps_line_breaks_leading_zeros_and_an_unnamed_column(run: Run, store: Repository, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(',zip,note\n0,00501,"hello\nworld"\n1,02134,ab\n2,501,cd\n')
    run(paths={"1": str(tmp_path / "x.csv")}, format="csv")
    profile = _stored(store, "1")
    assert profile.row_count == 3
    assert profile.columns["zip"].metrics["dist_val_count"] == 3
    assert profile.columns["note"].metrics["str_len"] == (11 + 2 + 2) / 3


def test_a_table_and_a_query(run: Run, store: Repository, spark: SparkSession) -> None:
    spark.range(5).createOrReplaceTempView("five")
    run(table="five", partition="p", where="true")
    assert _metrics(_stored(store, "p")) == _metrics(profile_table(pa.table({"id": range(5)})))
    run(sql="select id * 2 as x from five where id > 2", partition="q")
    assert _metrics(_stored(store, "q")) == _metrics(profile_table(pa.table({"x": [6, 8]})))


def test_a_format_without_a_path_is_named_by_its_options(
    run: Run, store: Repository, spark: SparkSession, tmp_path: Path
) -> None:
    options = {"url": f"jdbc:derby:{tmp_path}/db;create=true", "dbtable": "numbers"}
    spark.range(7).write.format("jdbc").options(**options).save()
    run(format="jdbc", options=options, partition="p", where="id < 3")
    (seen,) = _metrics(_stored(store, "p")).values()
    assert seen == _metrics(profile_table(pa.table({"id": range(3)})))["id"]


def test_a_pattern_profiles_every_partition_in_the_order_of_its_raw_key(
    run: Run, store: Repository, tmp_path: Path, spark: SparkSession
) -> None:
    keys = {"-0": "-0", "00011": "00011", "11": "11", "1e3": "1e3", "_x": "_x", "a%3Ab": "a:b", "true": "true"}
    for index, name in enumerate(keys):
        _write(pa.table({"x": list(range(index + 1))}), tmp_path / f"p={name}")
    outcomes = run(pattern=f"{tmp_path}/p=*")
    assert {key: outcome.rows for key, outcome in outcomes.items()} == dict(
        zip(keys.values(), range(1, 8), strict=True)
    )
    assert list(_stored(store, "00011").columns) == ["x"]
    chosen = run(pattern=f"{tmp_path}/p=*", since="0", until="1e3", limit=2)
    assert list(chosen) == ["11", "1e3"]


def test_partition_by_column_of_folders_of_a_table_and_with_nulls(
    run: Run, store: Repository, tmp_path: Path, spark: SparkSession
) -> None:
    tables = {"2": _table(30), "00011": _table(40), "__HIVE_DEFAULT_PARTITION__": _table(20)}
    for key, table in tables.items():
        _write(table, tmp_path / f"p={key}", 2)
    outcomes = run(pattern=str(tmp_path), partition_by="p")
    assert {key: outcome.rows for key, outcome in outcomes.items()} == {"2": 30, "00011": 40, "(null)": 20}
    for key, table in tables.items():
        stored = _stored(store, "(null)" if key.startswith("__HIVE") else key)
        assert _metrics(stored) == _metrics(profile_table(table))
    assert list(run(pattern=f"{tmp_path}/p=*", partition_by="p", limit=2)) == ["2", "00011"]
    # Rows of several keys side by side in one task.
    spark.sql("select id, cast(id % 3 as int) as k from range(0, 300, 1, 2)").createOrReplaceTempView("keyed")
    run(table="keyed", partition_by="k", dataset="u")
    expected = profile_table(pa.table({"id": range(1, 300, 3)}))
    assert _metrics(_stored(store, "1", "u")) == _metrics(expected)


def test_missing_empty_and_no_rows_are_three_outcomes(run: Run, store: Repository, tmp_path: Path) -> None:
    table = _table(10)
    (tmp_path / "empty").mkdir()
    for side in ("_SUCCESS", ".part-0.parquet.crc", "part-1.parquet.tmp"):
        (tmp_path / "empty" / side).touch()
    paths = {
        "1 missing": tmp_path / "missing",
        "2 empty": tmp_path / "empty",
        "3 no rows": _write(table.slice(0, 0), tmp_path / "no_rows"),
        "4 good": _write(table, tmp_path / "good"),
    }
    outcomes = run(paths={key: str(path) for key, path in paths.items()})
    assert f"{tmp_path}/missing does not exist" in _error(store, "1 missing")
    assert f"{tmp_path}/empty exists and holds no data file" in _error(store, "2 empty")
    assert outcomes["3 no rows"].rows == 0
    assert _metrics(_stored(store, "3 no rows")) == _metrics(profile_table(table.slice(0, 0)))
    assert outcomes["4 good"].rows == 10


@pytest.mark.parametrize("codec", ["gzip", "bz2", "zstd", "lz4", "own lz4", "snappy", "deflate", "junk"])
def test_a_packed_file_that_is_damaged_is_named(
    run: Run, store: Repository, tmp_path: Path, spark: SparkSession, codec: str
) -> None:
    text = "id,name\n" + "".join(f"{number},{number * 7919 % 100_003}\n" for number in range(20_000))
    (tmp_path / "whole.csv").write_text(text)
    ending = {"gzip": "gz", "zstd": "zst", "own lz4": "lz4"}.get(codec, codec)
    if codec in ("lz4", "snappy", "deflate"):
        frame = spark.read.csv(str(tmp_path / "whole.csv"))
        frame.write.csv(str(tmp_path / "packed"), compression=codec)
        (written,) = (tmp_path / "packed").glob(f"part-*.{ending}")
        packed = written.read_bytes()
        assert run(paths={"whole": str(tmp_path / "packed")}, format="csv")["whole"].rows == 20_000
        spark.createDataFrame([], "a string").write.csv(str(tmp_path / "none"), compression=codec)
        assert run(paths={"none": str(tmp_path / "none")}, format="csv")["none"].error is None
    elif codec != "junk":
        with pa.output_stream(tmp_path / "packed", compression=codec.removeprefix("own ")) as file:
            file.write(text.encode())
        packed = (tmp_path / "packed").read_bytes()
    damaged = [b"this is no archive at all"] if codec == "junk" else [packed[: len(packed) // 2], packed[:30]]
    if codec in ("own lz4", "lz4", "snappy", "bz2"):
        damaged.append(b"\x44" * 6 + packed[6:])
    for number, (content, name) in enumerate(
        (one, name)
        for one in damaged
        for name in (
            (f"f.csv.{ending}",) if codec != "junk" else ("f.csv.lz4", "f.csv.snappy", "f.csv.bz2", "f.csv.gz")
        )
    ):
        file_at = tmp_path / f"day={number}" / name
        file_at.parent.mkdir()
        file_at.write_bytes(content)
        said = str(run(paths={f"{codec} {number}": str(file_at.parent)}, format="csv")[f"{codec} {number}"].error)
        assert f"day={number}/{name} cannot be " in said
        assert len(said) < 400
        assert "\n" not in said


def test_side_files_are_ignored_and_a_truncated_part_is_named(run: Run, store: Repository, tmp_path: Path) -> None:
    good = _write(pa.table({"v": [1, 2, 3]}), tmp_path / "good")
    for side in ("_SUCCESS", "_committed_123", ".part-0.parquet.crc", "part-9.parquet.tmp"):
        (good / side).touch()
    (good / "_temporary").mkdir()
    (good / "_temporary" / "part-9.parquet").write_bytes(b"PAR1")
    bad = _write(pa.table({"v": [1]}), tmp_path / "bad")
    (bad / "part-1.parquet").touch()
    outcomes = run(paths={"good": str(good), "bad": str(bad)})
    assert outcomes["good"].rows == 3
    assert "part-1.parquet has 0 bytes" in _error(store, "bad")


def test_unreadable_files_are_named_and_lose_no_other_partition(run: Run, store: Repository, tmp_path: Path) -> None:
    table = pa.table({"s": [f"value {index}" for index in range(50_000)]})
    paths = {f"{index}": _write(table.slice(0, 100 + index), tmp_path / f"{index}") for index in range(5)}
    (tmp_path / "1" / "part-1.parquet").write_bytes(b"this is no parquet file, whatever its name says")
    # A good footer over damaged pages: only the scan itself finds out.
    damaged = _write(table, tmp_path / "damaged") / "part-0.parquet"
    content = bytearray(damaged.read_bytes())
    content[200:20_000] = b"\xff" * 19_800
    damaged.write_bytes(content)
    outcomes = run(paths={key: str(path) for key, path in (paths | {"damaged": tmp_path / "damaged"}).items()})
    assert {key: outcome.rows for key, outcome in outcomes.items() if outcome.error is None} == {
        "0": 100,
        "2": 102,
        "3": 103,
        "4": 104,
    }
    assert "/1/part-1.parquet cannot be read" in _error(store, "1")
    assert "/damaged/part-0.parquet cannot be read" in _error(store, "damaged")


@pytest.mark.parametrize(
    ("format", "good", "bad"),
    [
        ("csv", "id,qty\n1,2\n", "id,qty\n1,2\n3\n"),
        ("json", '{"id":1}\n', '{"id":1}\n{"id":\n'),
        ("csv", "id,qty\n1,2\n", "qty,id\n2,1\n"),
    ],
)
def test_a_malformed_text_file_is_an_error_that_names_it(
    run: Run, store: Repository, tmp_path: Path, format: str, good: str, bad: str
) -> None:
    (tmp_path / f"a.{format}").write_text(good)
    (tmp_path / f"b.{format}").write_text(bad)
    run(paths={"p": str(tmp_path)}, format=format)
    error = _error(store, "p")
    assert f"b.{format} cannot be read" in error
    assert "\n" not in error


def test_each_partition_is_profiled_with_its_own_schema(run: Run, store: Repository, tmp_path: Path) -> None:
    tables = {"1": pa.table({"amount": [1, 2]}), "2": pa.table({"amount": ["1", "n/a"], "new": [1.0, 2.0]})}
    run(paths={key: str(_write(table, tmp_path / key)) for key, table in tables.items()})
    for key, table in tables.items():
        assert _metrics(_stored(store, key)) == _metrics(profile_table(table))


def test_a_column_absent_in_one_file_counts_as_missing(run: Run, store: Repository, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1, 2, 3]}), tmp_path / "part-0.parquet")
    pq.write_table(pa.table({"id": [4, 5, 6], "promo": ["a", "b", "c"]}), tmp_path / "part-1.parquet")
    run(paths={"p": str(tmp_path)})
    profile = _stored(store, "p")
    assert profile.row_count == 6
    assert profile.columns["promo"].metrics["complete_ratio"] == 0.5


def test_partitions_of_one_schema_are_read_together_wherever_they_lie(
    run: Run, store: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = _table(60).append_column("ns", pa.array([index * 10**6 for index in range(60)], pa.timestamp("ns", "UTC")))
    names = {"a": "day=1/x y", "b": "day=2/x y", "c": "50%25", "d": "größe [1]+", "e": "deep/er"}
    paths = {}
    for position, (key, name) in enumerate(names.items()):
        paths[key] = _write(table.slice(10 * position, 10), tmp_path / name)
    pq.write_table(table.slice(45, 5), tmp_path / "deep" / "er" / "part-1.parquet")
    for position, key in enumerate(("f", "g")):
        paths[key] = tmp_path / f"single {key}.parquet"
        pq.write_table(table.slice(50 + position, 3), paths[key])
    paths["h"] = _write(table.slice(55, 2).drop_columns("b"), tmp_path / "other schema")
    paths["i"] = paths["h"]
    alone: list[str] = []
    monkeypatch.setattr(job, "open_partition", _noting(job.open_partition, alone))
    run(paths={key: str(path) for key, path in paths.items()})
    assert alone == ["h", "i"]
    for key, path in paths.items():
        files = sorted(path.glob("*.parquet")) or [path]
        own = pa.concat_tables([pq.read_table(file) for file in files])
        assert _metrics(_stored(store, key)) == _metrics(profile_table(own)), key


def _noting(function: Any, keys: list[str]) -> Any:
    def noted(*arguments: Any) -> Any:
        keys.append(arguments[3])
        return function(*arguments)

    return noted


def test_column_names_are_data(run: Run, store: Repository, tmp_path: Path) -> None:
    names = ["Phone No.", "net.weight", "b", "B", "`tick`", "partition_key", "a b$-", 'say "x"', "naïve", "select"]
    table = pa.table({name: [float(index), 2.0] for index, name in enumerate(names)})
    run(paths={"p": str(_write(table, tmp_path / "odd [a]{b}"))}, exclude=("select",))
    profile = _stored(store, "p")
    assert list(profile.columns) == names[:-1]
    assert profile.columns["b"].metrics["sum"] == 4.0
    assert profile.columns["B"].metrics["sum"] == 5.0


def test_only_the_columns_asked_for(run: Run, store: Repository, tmp_path: Path) -> None:
    folder = str(_write(_table(20), tmp_path / "day"))
    run(paths={"p": folder}, columns=("s", "n"))
    assert set(_stored(store, "p").columns) == {"s", "n"}
    outcome = run(paths={"q": folder}, columns=("s", "nn"))["q"]
    assert "'nn'" in str(outcome.error)


@pytest.mark.parametrize(
    "sql",
    [
        "with x as (select 1 as a) insert into kept select a from x",
        "with x as (select 1 as a) insert overwrite kept select a from x",
        "from five insert into kept select 1",
        "from five insert into kept select 1 insert into kept select 2",
        "select 1 as a; insert into kept values (1)",
        "select 1 as a) insert into kept (select 1",
        "select 1 as a; " + "/* */ " * 40 + "x",
    ],
)
def test_a_statement_that_begins_as_a_query_changes_nothing(
    run: Run, store: Repository, spark: SparkSession, sql: str
) -> None:
    spark.sql("create table kept (a int) using parquet")
    try:
        assert "cannot be read as it was asked for" in str(run(sql=sql, partition="p")["p"].error)
        assert spark.table("kept").count() == 0
    finally:
        spark.sql("drop table kept")


@pytest.mark.parametrize(
    "sql",
    [
        "with x as (select * from five) select id from x order by id limit 3",
        "from five select id where id < 3",
        "(select 0 as id) union all values 1, 2",
        "values 1, 2, 3;",
        "-- a; b\n/* c; */ (select id from five limit 3) ; -- the end; of it",
        "select id from five where concat(id, ';') < '3' -- ;",
        "select explode(array(1, 2, 3)) as id, 1 as a, ';' as b",
    ],
)
def test_a_query_may_be_written_in_every_way(run: Run, store: Repository, spark: SparkSession, sql: str) -> None:
    spark.range(5).createOrReplaceTempView("five")
    run(sql=sql, partition="p")
    assert _stored(store, "p").row_count == 3


def test_orders_that_cannot_be_carried_out(run: Run, store: Repository, tmp_path: Path, spark: SparkSession) -> None:
    assert "nowhere" in str(run(table="nowhere", partition="p", where="true")["p"].error)
    assert "does not exist" in _error(store, "p")
    assert "cannot be read as it was asked for" in str(run(sql="select 1 1", partition="p")["p"].error)
    with pytest.raises(SourceMissingError, match="nothing matches"):
        run(pattern=f"{tmp_path}/day=*")
    _write(_table(3), tmp_path / "day=1")
    with pytest.raises(SourceEmptyError, match="holds no partition from 2 to the last"):
        run(pattern=f"{tmp_path}/day=*", since="2")
    with pytest.raises(UnknownColumnError, match="no column 'dya'"):
        run(pattern=str(tmp_path), partition_by="dya")
    assert "nonesuch" in str(run(paths={"p": str(tmp_path)}, format="nonesuch", where="true")["p"].error)
    assert issubclass(ConfigurationError, Exception)


def test_the_same_job_again_changes_nothing_and_a_failed_one_keeps_the_old_profile(
    run: Run, store: Repository, tmp_path: Path
) -> None:
    folder = _write(_table(50), tmp_path / "day", 3)
    run(paths={"p": str(folder)})
    first = _stored(store, "p")
    run(paths={"p": str(folder)})
    assert _stored(store, "p").fingerprint == first.fingerprint
    (folder / "part-0.parquet").write_bytes(b"")
    assert run(paths={"p": str(folder)})["p"].error is not None
    assert _stored(store, "p").fingerprint == first.fingerprint
    status = store.attempt_status("t", "p")
    assert status is not None
    assert (status.state, status.has_profile, status.is_current) == ("failed", True, False)


def test_secrets_among_the_read_options_are_not_stored(run: Run, store: Repository, tmp_path: Path) -> None:
    from sqlalchemy import text

    (tmp_path / "x.json").write_text('{"a": 1}\n')
    run(paths={"p": str(tmp_path)}, format="json", options={"multiLine": "false", "proxyPassword": "s3cr3t"})
    with store._engine.connect() as connection:
        [kept] = connection.execute(text("SELECT read_options FROM airflow_dq.profile_attempt")).scalars()
    assert kept == {"format": "json", "multiLine": "false", "proxyPassword": "***"}


def test_what_spark_cannot_hand_over_is_skipped_with_a_reason(run: Run, store: Repository) -> None:
    outcome = run(sql="select 1 as a, make_interval(1, 2) as i", partition="p")["p"]
    assert outcome.error is None
    columns = _stored(store, "p").columns
    assert (list(columns), columns["i"].data_type) == (["a", "i"], "interval")
    reason = "cannot be profiled: Spark cannot hand over its type interval"
    assert outcome.skipped == {"i": reason}
    assert f"1 columns profiled, 1 skipped (i: {reason})" in replace(outcome, seconds=0.04).line("t")

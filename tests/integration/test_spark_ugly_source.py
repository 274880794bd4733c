"""Ugly sources through the profile job: files, folders, keys and schemas, and what is written when something fails."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from sqlalchemy import text

from airflow_dq.exceptions import ConfigurationError, ProfileError, SourceUnreadableError, UnknownColumnError
from airflow_dq.job.outcome import summary
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.profile import Profile
from airflow_dq.states.base import Kind
from airflow_dq.states.count import Counts
from airflow_dq.store import Repository
from tests.integration.spark_job import Run, run_job

pytestmark = pytest.mark.slow


def _write(folder: Path, name: str = "part-0.parquet", **columns: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), folder / name)
    return folder


def _stored(store: Repository, partition: str, dataset: str = "t") -> Profile:
    profile = store.load_profile(dataset, partition)
    assert profile is not None, getattr(store.attempt_status(dataset, partition), "error", "no attempt")
    return profile


def test_all_data_files_of_a_folder_are_read_however_deep(run: Run, store: Repository, tmp_path: Path) -> None:
    _write(tmp_path / "hours" / "hour=3" / "chunk", x=[1, 2])
    _write(tmp_path / "hours" / "hour=4", x=[3])
    for index, place in enumerate(["", "chunk", "chunk/deeper", "other", "other/deep"]):
        _write(tmp_path / "mixed" / place, x=[index] * (index + 1))
    (tmp_path / "mixed" / "_temporary").mkdir()
    _write(tmp_path / "mixed" / "_temporary", x=[99])
    _write(tmp_path / "only" / "a" / "b", x=[1, 2])
    (tmp_path / "named").mkdir()
    (tmp_path / "named" / "README.txt").touch()
    _write(tmp_path / "named", x=[5])
    run(paths={key: str(tmp_path / key) for key in ("mixed", "only", "hours")})
    assert _stored(store, "mixed").row_count == 1 + 2 + 3 + 4 + 5
    assert _stored(store, "mixed").columns["x"].metrics["sum"] == 0 + 2 + 6 + 12 + 20
    assert _stored(store, "only").row_count == 2
    hours = _stored(store, "hours")
    assert (hours.row_count, hours.columns["hour"].metrics["dist_val_count"]) == (3, 2.0)
    run(paths={"named": str(tmp_path / "named")})
    status = store.attempt_status("t", "named")
    assert status is not None
    assert "README.txt has 0 bytes, which is no parquet file" in str(status.error)
    run(paths={"named": str(tmp_path / "named")}, options={"pathGlobFilter": "*.parquet"})
    assert _stored(store, "named").row_count == 1


def test_files_whose_types_differ_are_profiled_together(run: Run, store: Repository, tmp_path: Path) -> None:
    utc = datetime.UTC
    halves: dict[str, tuple[Any, Any]] = {
        "int": (pa.array([1, 2], pa.int32()), pa.array([3, 2**40], pa.int64())),
        "float": (pa.array([1, 2]), pa.array([0.5, None])),
        "single": (pa.array([1.5, 2.5], pa.float32()), pa.array([3.5, 4.5])),
        "decimal": (pa.array([Decimal("1.5")] * 2, pa.decimal128(9, 1)), pa.array([Decimal("1.25")] * 2)),
        "zone": (pa.array([0, 1], pa.timestamp("us")), pa.array([datetime.datetime(1970, 1, 1, tzinfo=utc)] * 2)),
        "nulls": (pa.nulls(2), pa.array(["a", "b"])),
        "nanos": (pa.array([5_000, None], pa.timestamp("ns")), pa.array([1, 2], pa.timestamp("us"))),
        "mixed": (pa.array([1, 2]), pa.array(["3", "n/a"])),
    }
    for name, pair in halves.items():
        for index, values in enumerate(pair):
            _write(tmp_path / name, f"part-{index}.parquet", id=[2 * index, 2 * index + 1], v=values)
    outcomes = run(paths={name: str(tmp_path / name) for name in halves})
    assert {outcome.error for outcome in outcomes.values()} == {None}
    seen = {name: _stored(store, name).columns["v"] for name in halves}
    assert {name: column.data_type for name, column in seen.items()} == {
        "int": "int32 | int64",
        "float": "double | int64",
        "single": "double | float",
        "decimal": "decimal128(3, 2) | decimal128(9, 1)",
        "zone": "timestamp[us, tz=UTC] | timestamp[us]",
        "nulls": "string",
        "nanos": "timestamp[us]",
        "mixed": "int64 | string",
    }
    assert seen["int"].metrics["sum"] == 6.0 + 2**40
    assert seen["float"].metrics["complete_ratio"] == 3 / 4
    assert (seen["single"].metrics["sum"], seen["decimal"].metrics["sum"]) == (12.0, 5.5)
    assert seen["zone"].metrics["max"] == 1e-6
    assert (seen["nulls"].kind, seen["nulls"].metrics["complete_ratio"]) == (Kind.STRING, 0.5)
    assert (seen["nanos"].kind, seen["nanos"].metrics["max"]) == (Kind.TIMESTAMP, 5e-6)
    assert seen["mixed"].metrics["complete_ratio"] is Reason.ENGINE_ERROR
    for name in halves:
        assert _stored(store, name).columns["id"].metrics["sum"] == 6.0
    assert "different kinds" in outcomes["mixed"].skipped["v"]


def test_a_column_that_one_file_lacks_does_not_depend_on_which_is_first(
    run: Run, store: Repository, tmp_path: Path
) -> None:
    for name, places in (("first", (0, 1)), ("second", (1, 0))):
        _write(tmp_path / name, f"part-{places[0]}.parquet", id=[1, 2, 3])
        _write(tmp_path / name, f"part-{places[1]}.parquet", id=[4], new=["a"])
    run(paths={name: str(tmp_path / name) for name in ("first", "second")})
    for name in ("first", "second"):
        assert _stored(store, name).columns["new"].metrics["complete_ratio"] == 1 / 4


def test_folders_of_a_key_column_have_a_schema_and_a_fate_of_their_own(
    spark: SparkSession, store: Repository, tmp_path: Path
) -> None:
    _write(tmp_path / "day=1" / "hour=0", amount=[1, 2])
    _write(tmp_path / "day=1" / "hour=1", amount=[3, 4])
    _write(tmp_path / "day=2" / "hour=0", amount=["5", "n/a"], new=[1, 2])
    _write(tmp_path / "day=3" / "hour=0", amount=[7])
    broken = _write(tmp_path / "day=4" / "hour=0", amount=[8, 9]) / "part-0.parquet"
    broken.write_bytes(broken.read_bytes()[:-7])
    _write(tmp_path / "day=01" / "hour=0", amount=[1])
    _write(tmp_path / "day=__HIVE_DEFAULT_PARTITION__" / "hour=0", amount=[6])
    log: list[str] = []
    outcomes = run_job(spark, store, log.append, pattern=str(tmp_path), partition_by="day")
    assert {key: outcome.rows for key, outcome in outcomes.items() if outcome.error is None} == {
        "(null)": 1,
        "01": 1,
        "1": 4,
        "2": 2,
        "3": 1,
    }
    assert "day=4/hour=0/part-0.parquet cannot be read" in str(outcomes["4"].error)
    assert [column.data_type for column in _stored(store, "2").columns.values()] == ["string", "int64", "string"]
    assert list(_stored(store, "1").columns) == ["amount", "hour"]
    assert _stored(store, "1").columns["hour"].metrics["dist_val_count"] == 2.0
    assert any("keys '01' and '1' are one number" in line for line in log)
    assert any("rows without a partition key" in line for line in log)
    # Rows without a key belong to no time: they are never the newest, and in nobody's history.
    assert list(run_job(spark, store, pattern=str(tmp_path), partition_by="day", limit=2, until="3")) == ["2", "3"]
    assert [profile.partition for profile in store.load_history("t", before="3", limit=9)] == ["01", "1", "2"]
    by_hour = run_job(spark, store, pattern=f"{tmp_path}/day=[13]", partition_by="hour", dataset="u")
    assert {key: outcome.rows for key, outcome in by_hour.items()} == {"0": 3, "1": 2}
    folders = run_job(spark, store, pattern=f"{tmp_path}/day=*", dataset="v")
    assert {key: outcome.rows for key, outcome in folders.items() if not outcome.error} == {
        "(null)": 1,
        "01": 1,
        "1": 4,
        "2": 2,
        "3": 1,
    }


def test_a_key_column_inside_unreadable_files_is_an_error_that_names_the_file(run: Run, tmp_path: Path) -> None:
    # Which partitions its rows belong to, nobody can tell: profiles without them would be wrong.
    _write(tmp_path / "torn", "part-0.parquet", day=["1", "2"], x=[1, 2])
    (tmp_path / "torn" / "part-1.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(SourceUnreadableError, match=r"part-1\.parquet cannot be read"):
        run(pattern=str(tmp_path / "torn"), partition_by="day")
    _write(tmp_path / "mixed", "part-0.parquet", day=["1", "2"], x=[1, 2])
    _write(tmp_path / "mixed", "part-1.parquet", day=["1", "2"], x=["a", "b"])
    with pytest.raises(ProfileError, match="have columns of different types"):
        run(pattern=str(tmp_path / "mixed"), partition_by="day")


@pytest.mark.parametrize(("keys", "said"), [([b"a", b"\xff"], "binary"), ([[1], [2]], "array<bigint>")])
def test_a_key_column_that_spells_no_text_is_refused(keys: list[object], said: str, run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "t", day=keys, x=[1, 2])
    with pytest.raises(ConfigurationError, match=f"column 'day' .* is of type {said}, which is no partition key"):
        run(pattern=str(tmp_path / "t"), partition_by="day")


def test_a_key_column_that_is_not_there_is_refused_with_those_that_are(run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "t", date=["2024-01-01"], x=[1])
    with pytest.raises(UnknownColumnError, match="has no column 'day' to partition by; it has date, x"):
        run(pattern=str(tmp_path / "t"), partition_by="day")


def test_a_late_partition_takes_its_place_by_key(run: Run, store: Repository, tmp_path: Path) -> None:
    for index, day in enumerate(["2024-01-01", "2024-01-02", "2024-01-04"]):
        _write(tmp_path / f"ds={day}", x=list(range(10 * index + 10)))
    run(pattern=f"{tmp_path}/ds=*")
    assert store.load_profile("t", "2024-01-03") is None
    assert store.attempt_status("t", "2024-01-03") is None
    _write(tmp_path / "ds=2024-01-03", x=[1] * 7)
    run(paths={"2024-01-03": str(tmp_path / "ds=2024-01-03")})
    history = store.load_history("t", before="2024-01-05", limit=9)
    assert [(profile.partition, profile.row_count) for profile in history] == [
        ("2024-01-01", 10),
        ("2024-01-02", 20),
        ("2024-01-03", 7),
        ("2024-01-04", 30),
    ]


@pytest.mark.parametrize(
    ("csv", "options", "rows", "error"),
    [
        ('id,note\n1,"two\nlines"\n2,"a ""b"""\n', {}, 2, None),
        ('id,note\n1,"two\nlines"\n', {"multiLine": "false"}, 0, "line 2 ends inside quotes, and multiLine is false"),
        ("id,qty\n1,5\n2,abc\n", {"schema": "id int, qty int"}, 0, '"abc"'),
        ("id,qty\n1,5\n2,abc\n", {"schema": "id int, qty int", "mode": "PERMISSIVE"}, 2, None),
        ("id,qty\n1,5\n2,3,9\n", {}, 0, "Malformed CSV record"),
        ("id,qty\n", {}, 0, None),
    ],
)
@pytest.mark.parametrize("columns", [None, ("id",)])
def test_a_csv_record_is_whole_whichever_columns_are_read(
    run: Run,
    store: Repository,
    tmp_path: Path,
    csv: str,
    options: dict[str, str],
    rows: int,
    error: str | None,
    columns: tuple[str, ...] | None,
) -> None:
    (tmp_path / "x.csv").write_text(csv)
    outcome = run(paths={"p": str(tmp_path / "x.csv")}, format="csv", options=options, columns=columns)["p"]
    if error is not None:
        assert error in str(outcome.error)
        assert "x.csv cannot be read" in str(outcome.error)
        return
    profile = _stored(store, "p")
    assert profile.row_count == rows
    if rows:
        assert profile.columns["id"].metrics["complete_ratio"] == 1.0
    if options and columns is None:
        assert profile.columns["qty"].metrics["complete_ratio"] == 0.5


def test_csv_text_is_no_number_unless_asked_for(run: Run, store: Repository, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("zip,x\n00501,1.5\n02134,NaN\n501,Inf\n00501,-Inf\n")
    run(paths={"text": str(tmp_path / "x.csv")}, format="csv")
    plain = _stored(store, "text")
    assert {column.kind for column in plain.columns.values()} == {Kind.STRING}
    assert (plain.columns["zip"].metrics["dist_val_count"], plain.columns["zip"].metrics["str_len"]) == (3.0, 4.5)
    run(paths={"number": str(tmp_path / "x.csv")}, format="csv", options={"schema": "zip string, x double"})
    x = _stored(store, "number").columns["x"]
    assert x.states[Counts.key] == Counts(4, nans=1, pos_inf=1, neg_inf=1)
    assert (x.kind, x.metrics["mean"]) == (Kind.NUMERIC, 1.5)


def test_not_null_is_seen_in_the_data_not_taken_from_the_schema(run: Run, store: Repository, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"d": 1.25}\n{"e": 2}\n{"d": null}\n{"d": 3.5}\n')
    options = {"schema": "d decimal(9,2) not null"}
    run(paths={"p": str(tmp_path / "x.json")}, format="json", options=options)
    seen = _stored(store, "p").columns["d"].metrics
    assert (seen["row_count"], seen["complete_ratio"], seen["sum"]) == (4.0, 0.5, 4.75)


def test_a_profile_is_written_whole_or_not_at_all(run: Run, store: Repository, tmp_path: Path) -> None:
    for day in ("1", "2", "3"):
        _write(tmp_path / f"day={day}", a=[1, 2, 3], b=["x", "y", None])
    run(paths={"2": str(tmp_path / "day=2")})
    before = _stored(store, "2")
    _write(tmp_path / "day=2", a=[100], b=["z"])
    refuse = (
        "CREATE FUNCTION airflow_dq.refuse() RETURNS trigger AS $$ BEGIN IF (SELECT p.partition_key FROM "
        "airflow_dq.profile p JOIN airflow_dq.column_profile c ON c.profile_id = p.id WHERE c.name = 'b' AND "
        "c.id = NEW.column_profile_id) = '2' THEN RAISE 'disk full'; END IF; RETURN NEW; END $$ LANGUAGE plpgsql",
        "CREATE TRIGGER refuse BEFORE INSERT ON airflow_dq.column_state "
        "FOR EACH ROW EXECUTE FUNCTION airflow_dq.refuse()",
    )
    with store._engine.begin() as connection:
        for statement in refuse:
            connection.execute(text(statement))
    try:
        outcomes = run(pattern=f"{tmp_path}/day=*")
    finally:
        with store._engine.begin() as connection:
            connection.execute(text("DROP FUNCTION airflow_dq.refuse() CASCADE"))
    assert {key: outcome.error is None for key, outcome in outcomes.items()} == {"1": True, "2": False, "3": True}
    assert "disk full" in str(outcomes["2"].error)
    # What was there before is there still, all of it, and not the current state of the data.
    assert _stored(store, "2").fingerprint == before.fingerprint
    assert {name: column.states for name, column in _stored(store, "2").columns.items()} == {
        name: column.states for name, column in before.columns.items()
    }
    status = store.attempt_status("t", "2")
    assert status is not None
    assert (status.state, status.is_current) == ("failed", False)


def test_the_last_line_sums_the_job_up(run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "day=1", a=[1, 2, 3], b=[[1], [2], None])
    _write(tmp_path / "day=2", a=[1], b=[[1]])
    outcomes = run(pattern=f"{tmp_path}/day=*")
    line = summary("t", list(outcomes.values()), 12.3)
    reason = outcomes["1"].skipped["b"]
    assert line == (
        f"t: 2 of 2 partitions profiled (1 to 2), 4 rows, 1 columns profiled, 1 skipped (b: {reason}), 12 s"
    )
    assert outcomes["2"].line("t").startswith(f"t 2: 1 rows, 1 columns profiled, 1 skipped (b: {reason}), ")

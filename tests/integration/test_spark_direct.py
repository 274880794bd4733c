"""Partitions that the tasks read by themselves have the very profiles that Spark's own reader leads to."""

from __future__ import annotations

import datetime as dt
import os
import re
import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from airflow_dq.corruption.blob import encode_variants
from airflow_dq.engine.spark import engine as job
from airflow_dq.engine.spark import reader
from airflow_dq.engine.spark.direct import open_direct
from airflow_dq.job.outcome import Outcome
from airflow_dq.profile import JobSpec, Profile
from airflow_dq.store import Repository
from tests.integration.spark_job import run_job

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

SWITCH = "spark.airflow_dq.direct"
Both = Callable[..., tuple[list[str], dict[str, Outcome], dict[str, Outcome]]]
"""Runs an order both ways, into datasets ``direct`` and ``spark``: what the direct one said, and both outcomes."""


@pytest.fixture
def both(spark: SparkSession, store: Repository) -> Both:
    def run(**order: Any) -> tuple[list[str], dict[str, Outcome], dict[str, Outcome]]:
        said: list[str] = []
        direct = run_job(spark, store, said.append, dataset="direct", **order)
        spark.conf.set(SWITCH, "false")
        try:
            ordinary = run_job(spark, store, dataset="spark", **order)
        finally:
            spark.conf.unset(SWITCH)
        return said, direct, ordinary

    return run


def taken(said: list[str]) -> int:
    """How many partitions were read directly."""
    found = [line for line in said if "read by the tasks themselves" in line]
    return int(found[0].split(": ")[1].split()[0]) if found else 0


def require_equal(store: Repository, direct: dict[str, Outcome], ordinary: dict[str, Outcome]) -> None:
    assert direct.keys() == ordinary.keys()
    for key, mine in direct.items():
        other = ordinary[key]
        assert (mine.error, other.error) == (None, None)
        assert (mine.rows, mine.profiled, mine.skipped) == (other.rows, other.profiled, other.skipped)
        left, right = stored(store, "direct", key), stored(store, "spark", key)
        differing = [name for name in right.columns if left.columns.get(name) != right.columns[name]]
        assert (differing, list(left.columns), left.fingerprint) == ([], list(right.columns), right.fingerprint)
        digests = [{name: column.states_digest for name, column in side.columns.items()} for side in (left, right)]
        assert digests[0] == digests[1]
        assert {name: encode_variants(found) for name, found in left.variants.items()} == {
            name: encode_variants(found) for name, found in right.variants.items()
        }


def stored(store: Repository, dataset: str, key: str) -> Profile:
    profile = store.load_profile(dataset, key)
    assert profile is not None
    return profile


TEXTS = st.one_of(
    st.text(max_size=8), st.sampled_from(["", " ", "\0", "a\0b", "ß", "e\u0301", "\U0001f600", "NaN", "x" * 300])
)
FLOATS = st.one_of(
    st.floats(width=64), st.sampled_from([0.0, -0.0, float("nan"), float("inf"), 5e-324, 1.7e308, 0.1, 2.0**53 + 2])
)
DAYS = st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31))
MOMENTS = st.integers(-(2**55), 2**55)


def integers(bits: int) -> st.SearchStrategy[int]:
    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    return st.one_of(st.integers(low, high), st.sampled_from([low, high, 0, 1]))


def decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    high = 10**precision - 1
    whole = st.one_of(st.integers(-high, high), st.sampled_from([high, -high, 0]))
    return whole.map(lambda number: Decimal((number < 0, tuple(map(int, str(abs(number)))), -scale)))


COLUMNS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "bool": (pa.bool_(), st.booleans()),
    "int8": (pa.int8(), integers(8)),
    "int16": (pa.int16(), integers(16)),
    "int32": (pa.int32(), integers(32)),
    "int64": (pa.int64(), integers(64)),
    "float": (pa.float32(), st.floats(width=32)),
    "double": (pa.float64(), FLOATS),
    "text": (pa.string(), TEXTS),
    "large.text": (pa.large_string(), TEXTS),
    "large": (pa.dictionary(pa.int32(), pa.string()), st.sampled_from(["a", "b", "", "größe"])),
    "numbers": (pa.dictionary(pa.int32(), pa.float64()), st.sampled_from([0.5, -1.5, 3.0])),
    "binary": (pa.binary(), st.binary(max_size=5)),
    "date": (pa.date32(), DAYS),
    "utc": (pa.timestamp("us", "UTC"), MOMENTS),
    "zone": (pa.timestamp("ms", "Europe/Berlin"), st.integers(-(2**45), 2**45)),
    "local": (pa.timestamp("us"), MOMENTS),
    "millis": (pa.timestamp("ms"), st.integers(-(2**45), 2**45)),
    "nanos": (pa.timestamp("ns"), integers(64)),
    "nanos utc": (pa.timestamp("ns", "UTC"), integers(64)),
    "decimal(9,2)": (pa.decimal128(9, 2), decimals(9, 2)),
    "decimal(18,0)": (pa.decimal128(18, 0), decimals(18, 0)),
    "decimal(38,10)": (pa.decimal128(38, 10), decimals(38, 10)),
    "null": (pa.null(), st.none()),
    "all null": (pa.string(), st.none()),
    "": (pa.int32(), integers(32)),
    ".": (pa.float64(), FLOATS),
    "`a`.b  \t": (pa.int64(), integers(64)),
    "naïve \U0001f600": (pa.string(), TEXTS),
    "B": (pa.bool_(), st.booleans()),
    "b": (pa.bool_(), st.booleans()),
}
"""Every type and layout that is read directly, some of them under names that are traps."""


@st.composite
def partitions(draw: st.DrawFn) -> dict[str, list[tuple[pa.Table, int]]]:
    """Partition key -> its files, each with the rows of its row groups; all of one schema."""
    names = draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=len(COLUMNS), unique=True))
    found = {}
    for key in draw(st.sampled_from([("a",), ("a", "b"), ("a", "b", "c", "d")])):
        found[key] = [(draw(tables(names)), draw(st.integers(1, 20))) for _ in range(draw(st.integers(1, 3)))]
    return found


@st.composite
def tables(draw: st.DrawFn, names: list[str]) -> pa.Table:
    rows = draw(st.one_of(st.just(0), st.integers(1, 40)))
    columns = {}
    for name in names:
        data_type, values = COLUMNS[name]
        # A few values, over and over: to draw each by itself would take longer than the job.
        some = draw(st.lists(st.one_of(st.none(), values), min_size=1, max_size=12))
        columns[name] = pa.array([some[row * 7 % len(some)] for row in range(rows)], data_type)
    return pa.table(columns)


@settings(suppress_health_check=list(HealthCheck))
@given(found=partitions())
def test_any_tables_of_eligible_types_have_the_profile_of_sparks_reader(
    both: Both, store: Repository, tmp_path: Path, found: dict[str, list[tuple[pa.Table, int]]]
) -> None:
    shutil.rmtree(tmp_path / "day", ignore_errors=True)
    for key, files in found.items():
        (tmp_path / "day" / key).mkdir(parents=True)
        for number, (table, group) in enumerate(files):
            pq.write_table(table, tmp_path / "day" / key / f"part-{number}.parquet", row_group_size=group)
    said, direct, ordinary = both(paths={key: str(tmp_path / "day" / key) for key in found})
    assert taken(said) == len(found)
    require_equal(store, direct, ordinary)


def long_table(rows: int) -> pa.Table:
    """More distinct values than are kept one by one, so that every sketch is at work."""
    random = np.random.default_rng(3)
    numbers = random.integers(0, 2**62, rows)
    return pa.table(
        {
            "normal": random.normal(1e6, 3.0, rows),
            "tiny": random.normal(size=rows) * 10.0 ** random.integers(-300, 300, rows),
            "float": random.normal(size=rows).astype(np.float32),
            "long": numbers,
            "id": pa.array([f"{number:x}" for number in numbers.tolist()]),
            "word": pa.array([f"w{number}" for number in random.zipf(1.3, rows).clip(0, 60_000).tolist()]),
            "at": pa.array(numbers % 10**15, pa.timestamp("us", "UTC")),
            "price": pa.array((numbers % 10**12).tolist(), pa.int64()).cast(pa.decimal128(20, 0)),
            "rare": pa.array([None if number % 50 else number / 3 for number in numbers.tolist()]),
        }
    )


def test_sketches_of_many_row_groups_in_many_tasks_are_the_same(
    both: Both, store: Repository, tmp_path: Path, spark: SparkSession
) -> None:
    table = long_table(220_000)
    for number, (start, rows, group) in enumerate([(0, 150_000, 7_000), (150_000, 69_999, 100_000), (219_999, 1, 1)]):
        pq.write_table(table.slice(start, rows), tmp_path / f"part-{number}.parquet", row_group_size=group)
    said, direct, ordinary = both(paths={"a": str(tmp_path)})
    assert taken(said) == 1
    require_equal(store, direct, ordinary)


@pytest.mark.parametrize(("rows", "jobs"), [(1_500, 1), (70_000, 2), (0, 2)])
def test_a_tiny_partition_takes_one_job_with_its_variants(
    both: Both, store: Repository, tmp_path: Path, spark: SparkSession, rows: int, jobs: int
) -> None:
    table = pa.table({"a": np.arange(rows) % 9, "b": np.arange(rows) % 2 == 0})
    for number in range(2):
        pq.write_table(table.slice(number * rows // 2, rows // 2), tmp_path / f"{number}.parquet")
    group = f"direct {rows}"
    spark.sparkContext.setJobGroup(group, group)
    direct = run_job(spark, store, dataset="direct", paths={"a": str(tmp_path)})
    assert direct["a"].rows == rows
    assert len(spark.sparkContext.statusTracker().getJobIdsForGroup(group)) == jobs
    said, *outcomes = both(paths={"a": str(tmp_path)})
    assert taken(said) == 1
    require_equal(store, *outcomes)


@pytest.mark.parametrize(("collected", "bytes_collected"), [(0, 0), (10_000, 0), (0, 2**27)])
def test_many_partitions_in_one_job_are_put_together_alike(
    both: Both, store: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, collected: int, bytes_collected: int
) -> None:
    monkeypatch.setattr("airflow_dq.engine.spark.direct_scan._COLLECTED", collected)
    monkeypatch.setattr("airflow_dq.engine.spark.direct_scan._COLLECTED_BYTES", bytes_collected)
    table = long_table(9_000)
    for day in range(12):
        (tmp_path / f"day={day:02}").mkdir()
        for number in range(2):
            part = table.slice(day * 700 + number * 300, 0 if day == 5 else 400)
            pq.write_table(part, tmp_path / f"day={day:02}" / f"{number}.parquet", row_group_size=100)
    said, direct, ordinary = both(pattern=f"{tmp_path}/day=*")
    assert taken(said) == 12
    require_equal(store, direct, ordinary)
    said, direct, ordinary = both(pattern=f"{tmp_path}", partition_by="day")
    assert taken(said) == 12
    require_equal(store, direct, ordinary)


def test_only_the_columns_asked_for_are_looked_at(both: Both, store: Repository, tmp_path: Path) -> None:
    # Excluded, a column of whatever type stands in nobody's way.
    table = pa.table({"a": [1, 2], "list": [[1], None], "a.b": ["x", "y"], "u": pa.array([1, 2], pa.uint32())})
    pq.write_table(table, tmp_path / "0.parquet")
    said, *outcomes = both(paths={"a": str(tmp_path)}, exclude=("list", "u"))
    assert taken(said) == 1
    require_equal(store, *outcomes)
    assert list(stored(store, "direct", "a").columns) == ["a", "a.b"]
    said, *outcomes = both(paths={"b": str(tmp_path / "0.parquet")}, columns=("a",))
    assert taken(said) == 1
    require_equal(store, *outcomes)


def test_what_is_not_plain_is_left_to_sparks_reader(
    both: Both, store: Repository, tmp_path: Path, spark: SparkSession
) -> None:
    plain = pa.table({"v": [1, 2, 3]})
    tables = {
        "list": pa.table({"v": pa.array([[1], [2, 3]], pa.list_(pa.field("element", pa.int64())))}),
        "unsigned": pa.table({"v": pa.array([1, 2], pa.uint8())}),
        "time": pa.table({"v": pa.array([1, 2], pa.time64("us"))}),
        "fixed": pa.table({"v": pa.array([b"ab", b"cd"], pa.binary(2))}),
    }
    for name, table in tables.items():
        (tmp_path / name).mkdir()
        pq.write_table(table, tmp_path / name / "0.parquet")
    reasons = {name: f"its column 'v' is read as {table.schema.field('v').type}" for name, table in tables.items()}
    (tmp_path / "int96").mkdir()
    moments = pa.table({"v": pa.array([0, 1], pa.timestamp("us"))})
    pq.write_table(moments, tmp_path / "int96" / "0.parquet", use_deprecated_int96_timestamps=True)
    (tmp_path / "below" / "region=eu").mkdir(parents=True)
    pq.write_table(plain, tmp_path / "below" / "region=eu" / "0.parquet")
    (tmp_path / "stream" / "_spark_metadata").mkdir(parents=True)
    pq.write_table(plain, tmp_path / "stream" / "0.parquet")
    (tmp_path / "differing").mkdir()
    pq.write_table(plain, tmp_path / "differing" / "0.parquet")
    pq.write_table(plain.cast(pa.schema([("v", pa.int32())])), tmp_path / "differing" / "1.parquet")
    spark.createDataFrame([(dt.date(1500, 1, 1),)], "v date").write.parquet(str(tmp_path / "today"))
    spark.conf.set("spark.sql.parquet.datetimeRebaseModeInWrite", "LEGACY")
    spark.createDataFrame([(dt.date(1500, 1, 1),)], "v date").write.parquet(str(tmp_path / "julian"))
    spark.conf.unset("spark.sql.parquet.datetimeRebaseModeInWrite")
    names = [*tables, "int96", "below", "differing", "julian", "today"]
    said, *outcomes = both(paths={name: str(tmp_path / name) for name in names})
    assert taken(said) == 1  # the one that today's Spark wrote
    require_equal(store, *outcomes)
    assert [line for line in said if "8 partition(s) go through Spark's reader; 'below': " in line]
    spec = JobSpec("t", {name: str(tmp_path / name) for name in names})
    opened = open_direct(spark, spec, spec.profile_options, spec.paths)
    assert [part.key for part in opened.parts] == ["today"]
    for name, reason in {**reasons, "below": "a folder below", "differing": "differ", "julian": "calendar"}.items():
        assert reason in opened.refused[name]
    # Spark reads what the stream's log says, and an empty log it does not read at all.
    said, direct, ordinary = both(paths={"stream": str(tmp_path / "stream")})
    assert taken(said) == 0
    assert str(direct["stream"].error) == str(ordinary["stream"].error).replace("'spark'", "'direct'")
    said, *outcomes = both(paths={"options": str(tmp_path / "today")}, options={"mergeSchema": "false"})
    assert taken(said) == 0
    require_equal(store, *outcomes)


@pytest.mark.parametrize("tiny", [True, False])
@pytest.mark.parametrize("change", ["damage", "remove", "truncate", "rewrite", "retype"])
def test_a_file_that_changes_after_it_was_listed_ends_as_with_sparks_reader(
    spark: SparkSession, store: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, tiny: bool
) -> None:
    table = pa.table({"s": [f"value {index}" for index in range(20_000)]})
    (tmp_path / "bad").mkdir()
    bad = tmp_path / "bad" / "part-0.parquet"
    pq.write_table(table, tmp_path / "bad" / "part-1.parquet")
    pq.write_table(table, tmp_path / "good.parquet", row_group_size=500)

    def changed() -> None:
        if change == "remove":
            bad.unlink()
        elif change == "truncate":
            os.truncate(bad, 1_000)
        elif change == "rewrite":
            pq.write_table(table.slice(0, 500), bad)
        elif change == "retype":
            pq.write_table(pa.table({"s": [1, 2, 3]}), bad)
        else:
            # Good footer, good size, good time.
            before = bad.stat()
            content = bytearray(bad.read_bytes())
            content[200:20_000] = b"\xff" * 19_800
            bad.write_bytes(content)
            os.utime(bad, ns=(before.st_atime_ns, before.st_mtime_ns))

    if not tiny:
        monkeypatch.setattr(reader, "_TINY", 0)
    paths = {"bad": str(tmp_path / "bad")} | ({} if tiny else {"good": str(tmp_path / "good.parquet")})
    found = {}
    for dataset, switch, name in (("direct", "true", "scan_directly"), ("spark", "false", "scan")):
        pq.write_table(table, bad)
        spark.conf.set(SWITCH, switch)
        with monkeypatch.context() as patch:
            patch.setattr(job, name, once(getattr(job, name), changed))
            found[dataset] = run_job(spark, store, dataset=dataset, paths=paths)
    spark.conf.unset(SWITCH)
    if change == "retype":
        # What the tasks could not read is looked at anew; Spark's reader keeps to the columns that it found first.
        assert found["direct"]["bad"].rows == 20_003
        assert str(found["spark"]["bad"].error).startswith("Dataset 'spark', partition 'bad': ")
        assert store.load_profile("spark", "bad") is None
        return
    assert {key: outcome.rows for key, outcome in found["direct"].items()} == {
        key: outcome.rows for key, outcome in found["spark"].items()
    }
    if change == "rewrite":
        assert found["direct"]["bad"].rows == 20_500
        return
    for dataset, outcomes in found.items():
        error = str(outcomes["bad"].error)
        assert error.startswith(f"Dataset {dataset!r}, partition 'bad': the file "), error
        assert f"{bad} cannot be read" in error
        assert tiny or (outcomes["good"].error, outcomes["good"].rows) == (None, 20_000)
    if change != "remove":
        errors = [re.sub("file:/+", "file:/", str(outcomes["bad"].error)) for outcomes in found.values()]
        assert errors[0].replace("'direct'", "'spark'") == errors[1]


def once(scan: Any, before: Callable[[], None]) -> Any:
    calls: list[bool] = []

    def changed(*arguments: Any) -> Any:
        if not calls:
            before()
        calls.append(True)
        return scan(*arguments)

    return changed


def test_rows_are_drawn_of_an_older_partition_when_a_newer_one_fails(
    both: Both, store: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = {day: tmp_path / f"{day}.parquet" for day in "abcd"}
    for place, path in enumerate(days.values()):
        pq.write_table(pa.table({"n": range(place, 3_000), "s": [f"v{n % 7}" for n in range(place, 3_000)]}), path)
    monkeypatch.setattr(job, "scan_directly", once(job.scan_directly, days["d"].unlink))
    said, direct, ordinary = both(paths={day: str(path) for day, path in days.items()})
    assert taken(said) == 4
    assert [day for day, outcome in direct.items() if outcome.error] == ["d"]
    assert ordinary.keys() == {"a", "b", "c"} or ordinary["d"].error
    require_equal(store, *({day: side[day] for day in "abc"} for side in (direct, ordinary)))
    assert [day for day in "abc" if stored(store, "direct", day).variants] == ["b", "c"]


def test_a_partition_that_cannot_be_read_again_is_stored_without_injected_errors(
    spark: SparkSession, store: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = {day: tmp_path / f"{day}.parquet" for day in "abcd"}
    for path in days.values():
        pq.write_table(pa.table({"n": range(3_000)}), path)
    changes = [days["b"].unlink, days["d"].unlink]
    direct = job.scan_directly
    monkeypatch.setattr(job, "scan_directly", lambda *order: [changes.pop()(), *direct(*order)][1:])
    said: list[str] = []
    found = run_job(spark, store, said.append, dataset="t", paths={day: str(path) for day, path in days.items()})
    assert [day for day, outcome in found.items() if outcome.error] == ["d"]
    profiles = {day: stored(store, "t", day) for day in "abc"}
    assert {day: (profile.row_count, bool(profile.variants)) for day, profile in profiles.items()} == {
        "a": (3_000, False),
        "b": (3_000, False),
        "c": (3_000, True),
    }
    assert "Dataset 't', partition 'b' cannot be read again: it has no injected errors" in said


def test_numbers_and_texts_that_break_their_type_end_as_with_sparks_reader(
    both: Both, store: Repository, tmp_path: Path
) -> None:
    digits = pa.Array.from_buffers(pa.decimal128(4, 0), 2, [None, pa.array([99_999, 0, 1, 0], pa.int64()).buffers()[1]])
    latin = pa.Array.from_buffers(pa.string(), 2, pa.array([b"\xe4h", b"ok"]).buffers())
    for name, column in {"digits": digits, "latin": latin}.items():
        pq.write_table(pa.table({"v": column}), tmp_path / f"{name}.parquet")
    said, direct, ordinary = both(paths={name: str(tmp_path / f"{name}.parquet") for name in ("digits", "latin")})
    assert taken(said) == 2
    for key, mine in direct.items():
        other = ordinary[key]
        assert mine.error == (None if other.error is None else other.error.replace("'spark'", "'direct'"))
        if mine.error is None:
            require_equal(store, {key: mine}, {key: other})

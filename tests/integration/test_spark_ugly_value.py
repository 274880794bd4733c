"""Ugly values through the profile job: one job over many small tables, each against numbers found another way."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from airflow_dq.metrics.descriptor import Reason
from airflow_dq.profile import Profile
from airflow_dq.states.base import Kind
from airflow_dq.states.count import Counts
from airflow_dq.states.layout import compress
from airflow_dq.store import Repository
from tests.integration.spark_job import run_job

pytestmark = pytest.mark.slow

NAN, INF = math.nan, math.inf
NAMES = [
    "Order No.",
    "net.weight",
    "a b",
    "$x",
    "`tick`",
    "b",
    "B",
    "camelCase",
    "select",
    "tab\t",
    'q"',
    "key",
    "c0",
    "",
]
OFFSET = [1e12 + step / 8 for step in (0, 1, 5, 2, 9)]
DECIMALS = {
    "d1_0": ([9, None, 2], pa.decimal128(1, 0)),
    "d38_0": ([10**37, -1, None], pa.decimal128(38, 0)),
    "d38_37": ([Decimal("1.0000000000000000000000000000000000001"), None, Decimal("-9.5")], pa.decimal128(38, 37)),
    "d20_4": ([Decimal("9999999999999999.9999"), Decimal("0.0001"), None], pa.decimal128(20, 4)),
}
LONG = ["x" * 300_000 + end for end in "12"]
OLD = [datetime.date(1, 1, 1), datetime.date(1200, 2, 29), datetime.date(1582, 10, 4), datetime.date(1582, 10, 15)]

TABLES: dict[str, pa.Table] = {
    "special": pa.table(
        {
            "x": [2.5, NAN, None, -1.5, INF, -INF, 8.0, NAN],
            "infinite": [INF, -INF, INF, None, None, None, None, None],
            "nan": [NAN] * 8,
            "zeros": [0.0, -0.0, 0.0, None, None, None, None, None],
            "subnormal": [0.0, 5e-324, 0.0, 5e-324, 0.0, 0.0, 0.0, 0.0],
            "close": pa.array([np.float32(3), np.nextafter(np.float32(3), np.float32(4))] * 4, pa.float32()),
        }
    ),
    "precision": pa.table(
        {
            "long": pa.array([2**63 - 1, 2**63 - 1, 2**63 - 1, -5, None], pa.int64()),
            "unsigned": pa.array([2**64 - 1, 2**64 - 1, 0, None, None], pa.uint64()),
            "low": pa.array([-(2**63), -(2**63), 1, None, None], pa.int64()),
            "offset": OFFSET,
            "ties": [7, 7, 7, 1, 9],
        }
    ),
    "decimal": pa.table({name: pa.array(values, type_) for name, (values, type_) in DECIMALS.items()}),
    "nothing": pa.table(
        {"good": [1, 2, 3]}
        | {
            str(type_): pa.nulls(3, type_)
            for type_ in (
                *(pa.int16(), pa.float64(), pa.string(), pa.bool_(), pa.decimal128(9, 2), pa.date32()),
                *(pa.timestamp("us", "UTC"), pa.binary(), pa.list_(pa.int64()), pa.null()),
            )
        }
    ),
    "one": pa.table({"x": [42.5], "s": ["a"]}),
    "constant": pa.table({"x": [0.1] * 7}),
    "name": pa.table({name: [index, None] for index, name in enumerate(NAMES)}),
    "boolean": pa.table({"b": [True, None, False, True, True, True]}),
    "text": pa.table(
        {
            "digits": ["12", "3²", "٤٥٦", "７", ""],
            "forms": ["né", "ne\u0301", "né", None, "n"],
            "quotes": ["'a'", "it''s", 'a"b', "back\\slash", "%s {0} $1"],
            "nul": ["\x00", "\\u0000", "\\x00", "\x00\x00", "\x00"],
            "emoji": ["👩‍👧", "🇫🇷", "", None, "a"],
            "broken": pa.array([b"\xff\xfe", b"ok", b"\xff\xff", b"\xed\xa0\x80", None], pa.binary()).view(pa.string()),
        }
    ),
    "long text": pa.table({"s": [*LONG, "ab", "cd"]}),
    "time": pa.table(
        {
            "old": OLD,
            "far": pa.array([8_640_000_000_000_000_000, 253_402_300_799_999_999, 0, None], pa.timestamp("us")),
            "before": pa.array([-1, -1_001, 1_999, None], pa.timestamp("ns")),
            "before utc": pa.array([-1, -1_000_001, 1_999, None], pa.timestamp("ns", "UTC")),
            "hour": pa.array([1_730_615_400_000, 1_730_619_000_000, None, None], pa.timestamp("ms", "UTC")),
            "time": pa.array([datetime.time(0), datetime.time(23, 59, 59, 999_999), None, None], pa.time64("us")),
        }
    ),
    "odd type": pa.table(
        {
            "id": [1, 2, 3],
            "half": pa.array(np.array([1, 2, 3], np.float16)),
            "wide": pa.array([Decimal(1), None, Decimal(2)], pa.decimal256(60, 2)),
            "clock": pa.array([1, 2, None], pa.time64("ns")),
            "last": ["a", "b", None],
        }
    ),
    "empty": pa.table({"x": pa.array([], pa.int64()), "s": pa.array([], pa.string()), "b": pa.array([], pa.bool_())}),
}


@pytest.fixture(scope="module")
def profiles(
    spark: SparkSession, lasting_store: Repository, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Profile]:
    """All tables, profiled in one job; three files each where there are rows."""
    root = tmp_path_factory.mktemp("lake")
    paths = {}
    for key, table in TABLES.items():
        (root / key).mkdir()
        step = max(1, math.ceil(table.num_rows / 3))
        for start in range(0, max(1, table.num_rows), step):
            pq.write_table(table.slice(start, step), root / key / f"part-{start}.parquet")
        paths[key] = str(root / key)
    outcomes = run_job(spark, lasting_store, dataset="ugly", paths=paths)
    assert {key: outcome.error for key, outcome in outcomes.items()} == dict.fromkeys(sorted(TABLES))
    found = {key: lasting_store.load_profile("ugly", key) for key in TABLES}
    assert {key: profile.row_count for key, profile in found.items() if profile} == {
        key: table.num_rows for key, table in TABLES.items()
    }
    return {key: profile for key, profile in found.items() if profile is not None}


def _metrics(profile: Profile, column: str) -> dict[str, Any]:
    return dict(profile.columns[column].metrics)


def _counts(profile: Profile, column: str) -> Counts:
    counts = profile.columns[column].states[Counts.key]
    assert isinstance(counts, Counts)
    return counts


def _values(table: str, column: str) -> list[Any]:
    return [value for value in TABLES[table][column].to_pylist() if value is not None]


def test_every_metric_is_a_finite_number_or_a_reason(profiles: dict[str, Profile]) -> None:
    values = [
        value
        for profile in profiles.values()
        for column in profile.columns.values()
        for value in column.metrics.values()
    ]
    assert all(isinstance(value, Reason) or math.isfinite(value) for value in values)
    assert {type(value) for value in values} == {float, Reason}


def test_nan_and_infinities_are_counted_apart(profiles: dict[str, Profile]) -> None:
    special = profiles["special"]
    assert _counts(special, "x") == Counts(8, nulls=1, nans=2, pos_inf=1, neg_inf=1)
    x = _metrics(special, "x")
    assert (x["min"], x["max"], x["mean"], x["sum"], x["range"]) == (-1.5, 8.0, 3.0, 9.0, 9.5)
    assert x["complete_ratio"] == 5 / 8
    infinite, nan = _metrics(special, "infinite"), _metrics(special, "nan")
    assert (infinite["complete_ratio"], infinite["max"]) == (3 / 8, Reason.NO_VALUES)
    assert (nan["complete_ratio"], nan["min"], nan["mean"]) == (0.0, Reason.NO_VALUES, Reason.NO_VALUES)


def test_values_that_nearly_or_wholly_coincide(profiles: dict[str, Profile]) -> None:
    special = profiles["special"]
    assert _metrics(special, "zeros")["unique_ratio"] == 1 / 3
    subnormal = _metrics(special, "subnormal")
    assert (subnormal["max"], subnormal["range"], subnormal["unique_ratio"]) == (5e-324, 5e-324, 2 / 8)
    close = _metrics(special, "close")
    # Neighbours among 32-bit floats, in double precision.
    assert (close["range"], close["std"], close["unique_ratio"]) == (2.0**-22, 2.0**-23, 2 / 8)


@pytest.mark.parametrize(
    ("column", "exact"), [("long", 3 * (2**63 - 1) - 5), ("unsigned", 2**65 - 2), ("low", 1 - 2**64)]
)
def test_sums_do_not_wrap_around(profiles: dict[str, Profile], column: str, exact: int) -> None:
    seen, values = _metrics(profiles["precision"], column), _values("precision", column)
    assert seen["sum"] == float(exact) == float(sum(map(int, values)))
    assert seen["mean"] == float(Fraction(exact, len(values)))
    assert (seen["min"], seen["max"]) == (float(min(values)), float(max(values)))


def test_a_large_offset_does_not_swallow_the_spread(profiles: dict[str, Profile]) -> None:
    seen, exact = _metrics(profiles["precision"], "offset"), [Fraction(value) for value in OFFSET]
    mean = sum(exact) / len(exact)
    assert seen["std"] == pytest.approx(math.sqrt(sum((value - mean) ** 2 for value in exact) / len(exact)), rel=1e-12)
    assert seen["mean"] == float(mean)
    assert _metrics(profiles["precision"], "ties")["median"] == 7.0


@pytest.mark.parametrize("column", DECIMALS)
def test_decimals_of_every_shape_are_numbers(profiles: dict[str, Profile], column: str) -> None:
    seen, values = _metrics(profiles["decimal"], column), _values("decimal", column)
    assert profiles["decimal"].columns[column].kind is Kind.NUMERIC
    assert seen["complete_ratio"] == pytest.approx(2 / 3)
    assert (seen["min"], seen["max"]) == (float(min(values)), float(max(values)))
    assert seen["sum"] == pytest.approx(float(sum(map(Fraction, values))), rel=1e-15)


def test_columns_without_values_do_not_stop_the_others(profiles: dict[str, Profile]) -> None:
    for name, column in profiles["nothing"].columns.items():
        if name == "good":
            assert column.metrics["sum"] == 6.0
            continue
        assert (column.metrics["row_count"], column.metrics["complete_ratio"]) == (3.0, 0.0), name
        # Counts of distinct things are 0; everything else has no value to speak of.
        rest = {key: value for key, value in column.metrics.items() if key not in ("row_count", "complete_ratio")}
        assert set(rest.values()) <= {Reason.NO_VALUES, 0.0}, name
        assert {key for key, value in rest.items() if value == 0.0} <= {"dist_val_count", "pat_count"}, name


def test_one_row_a_constant_and_no_rows(profiles: dict[str, Profile]) -> None:
    one = _metrics(profiles["one"], "x")
    assert {one[name] for name in ("min", "max", "mean", "median", "sum")} == {42.5}
    assert (one["std"], one["range"], one["unique_ratio"], one["complete_ratio"]) == (0.0, 0.0, 1.0, 1.0)
    constant = _metrics(profiles["constant"], "x")
    assert (constant["std"], constant["range"], constant["mean"]) == (0.0, 0.0, 0.1)
    for column in profiles["empty"].columns.values():
        rest = {name: value for name, value in column.metrics.items() if name != "row_count"}
        assert (column.metrics["row_count"], set(rest.values())) == (0.0, {Reason.EMPTY_BATCH})


def test_names_are_kept_as_they_are(profiles: dict[str, Profile]) -> None:
    assert list(profiles["name"].columns) == NAMES
    for index, name in enumerate(NAMES):
        seen = _metrics(profiles["name"], name)
        assert (seen["sum"], seen["complete_ratio"]) == (float(index), 0.5)


def test_booleans_are_no_texts(profiles: dict[str, Profile]) -> None:
    column = profiles["boolean"].columns["b"]
    assert (column.kind, column.metrics["true_ratio"], column.metrics["complete_ratio"]) == (Kind.BOOLEAN, 4 / 5, 5 / 6)


def test_texts_are_what_their_code_points_are(profiles: dict[str, Profile]) -> None:
    text = profiles["text"]
    # Superscripts are no digits; Arabic-Indic and full-width ones are: 2 + 1 + 3 + 1 in four texts.
    assert _metrics(text, "digits")["digit_len"] == 7 / 4
    forms = _metrics(text, "forms")
    assert (forms["dist_val_count"], forms["str_len"]) == (3.0, (2 + 3 + 2 + 1) / 4)
    assert _metrics(text, "quotes")["dist_val_count"] == 5.0
    nul = _metrics(text, "nul")
    assert (nul["dist_val_count"], nul["str_len"]) == (4.0, (1 + 6 + 4 + 2 + 1) / 5)
    assert _metrics(text, "emoji")["str_len"] == (3 + 2 + 1) / 3
    # Bytes that are no UTF-8 count as U+FFFD, so the first and the third are one text.
    broken = _metrics(text, "broken")
    assert (broken["complete_ratio"], broken["dist_val_count"]) == (4 / 5, 3.0)


def test_long_texts_that_differ_at_their_end(profiles: dict[str, Profile]) -> None:
    seen = _metrics(profiles["long text"], "s")
    assert (seen["dist_val_count"], seen["str_len"]) == (4.0, (2 * 300_001 + 4) / 4)
    stored = sum(len(compress(state.encode())) for state in profiles["long text"].columns["s"].states.values())
    assert stored < 32_000


def test_moments_in_time_far_and_near(profiles: dict[str, Profile]) -> None:
    time = profiles["time"]
    old = _metrics(time, "old")
    epoch = datetime.date(1970, 1, 1).toordinal()
    assert old["min"] == (1 - epoch) * 86_400.0
    assert old["max"] == (OLD[-1].toordinal() - epoch) * 86_400.0
    far = _metrics(time, "far")
    assert (far["max"], far["min"]) == (8_640_000_000_000.0, 0.0)
    for name, utc in (("before", False), ("before utc", True)):
        column = time.columns[name]
        assert column.data_type == ("timestamp[us, tz=UTC]" if utc else "timestamp[us]")
        # Below a microsecond is cut off, towards the past.
        assert column.metrics["max"] == 1e-6
        assert column.metrics["min"] == pytest.approx(-1_001e-6 if utc else -2e-6, rel=1e-12)
    assert (_metrics(time, "hour")["range"], _metrics(time, "hour")["unique_ratio"]) == (3_600.0, 1.0)
    assert _metrics(time, "time")["max"] == 86_399.999_999


def test_types_that_spark_cannot_read_leave_the_other_columns(profiles: dict[str, Profile]) -> None:
    odd = profiles["odd type"]
    assert list(odd.columns) == ["id", "half", "wide", "clock", "last"]
    assert _metrics(odd, "id")["sum"] == 6.0
    assert _metrics(odd, "last")["complete_ratio"] == pytest.approx(2 / 3)
    for name in ("half", "wide", "clock"):
        column = odd.columns[name]
        assert column.remark == f"cannot be profiled: Spark cannot read its type {column.data_type}"
        assert column.metrics["row_count"] == 3.0
        assert set(column.metrics.values()) == {3.0, Reason.ENGINE_ERROR}


def test_the_time_zone_of_the_machine_changes_nothing(
    spark: SparkSession, lasting_store: Repository, tmp_path: Path
) -> None:
    (tmp_path / "x.csv").write_text("at,day\n2024-11-03 01:30:00,2024-11-03\n2024-11-03T06:30:00Z,0999-12-31\n")
    order = {"paths": {"p": str(tmp_path / "x.csv")}, "format": "csv", "options": {"schema": "at timestamp, day date"}}
    zones = spark.sparkContext._jvm.java.util.TimeZone
    usual, found = zones.getDefault(), []
    try:
        for zone in ("America/Chicago", "Asia/Kolkata"):
            zones.setDefault(zones.getTimeZone(zone))
            run_job(spark, lasting_store, dataset="zone", **order)
            profile = lasting_store.load_profile("zone", "p")
            assert profile is not None
            found.append(
                {name: (column.metrics["min"], column.metrics["max"]) for name, column in profile.columns.items()}
            )
    finally:
        zones.setDefault(usual)
    at, day = (
        1_730_597_400.0,
        (datetime.date(999, 12, 31).toordinal() - datetime.date(1970, 1, 1).toordinal()) * 86_400.0,
    )
    assert found == [{"at": (at, at + 18_000), "day": (day, 1_730_592_000.0)}] * 2

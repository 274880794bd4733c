"""Kinds and canonical values against what Python itself makes of the same values."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest

from airflow_dq.profile.column import CANONICAL, canonical, kind_of, type_name
from airflow_dq.states.base import Kind

TOKYO = datetime(2013, 2, 1, 9, 30, tzinfo=UTC)

CASES = [
    (pa.int8(), -5, Kind.NUMERIC, -5.0),
    (pa.int64(), 2**53, Kind.NUMERIC, 2.0**53),
    (pa.uint64(), 7, Kind.NUMERIC, 7.0),
    (pa.float32(), 1.5, Kind.NUMERIC, 1.5),
    (pa.time32("s"), time(1, 2, 3), Kind.NUMERIC, 3723.0),
    (pa.time64("us"), time(0, 0, 1, 500_000), Kind.NUMERIC, 1.5),
    (pa.duration("ms"), timedelta(milliseconds=1500), Kind.NUMERIC, 1.5),
    (pa.bool_(), True, Kind.BOOLEAN, True),
    (pa.string(), "é", Kind.STRING, "é"),
    (pa.string_view(), "é", Kind.STRING, "é"),
    (pa.dictionary(pa.int8(), pa.string()), "é", Kind.STRING, "é"),
    (pa.timestamp("ns", "Asia/Tokyo"), TOKYO, Kind.TIMESTAMP, TOKYO.timestamp()),
    (pa.timestamp("us"), datetime(1000, 2, 28), Kind.TIMESTAMP, datetime(1000, 2, 28, tzinfo=UTC).timestamp()),
    (pa.date32(), date(1582, 10, 4), Kind.TIMESTAMP, datetime(1582, 10, 4, tzinfo=UTC).timestamp()),
    (pa.date64(), date(2013, 2, 1), Kind.TIMESTAMP, datetime(2013, 2, 1, tzinfo=UTC).timestamp()),
    (pa.binary(), b"ab", Kind.BINARY, b"ab"),
    (pa.binary(2), b"ab", Kind.BINARY, b"ab"),
    (pa.list_(pa.int8()), [1], Kind.NESTED, 1.0),
    (pa.map_(pa.string(), pa.int8()), [("a", 1)], Kind.NESTED, 1.0),
    (pa.struct([("a", pa.int8())]), {"a": None}, Kind.NESTED, 0.0),
    (pa.month_day_nano_interval(), (1, 2, 3), Kind.NESTED, 1.0),
]


@pytest.mark.parametrize(("data_type", "value", "kind", "expected"), CASES, ids=lambda case: str(case)[:40])
def test_every_type_has_a_kind_and_a_canonical_value(data_type, value, kind, expected):
    array = pa.array([None, value, value], data_type)
    assert kind_of(data_type) is kind
    for part in (array, array.slice(1), array.slice(0, 1)):
        made = canonical(part)
        assert made.type == CANONICAL[kind]
        assert made.to_pylist() == [None if cell is None else expected for cell in part.to_pylist()]
    assert canonical(array.slice(0, 0)).type == CANONICAL[kind]


def test_decimals_stay_decimals():
    for data_type in (pa.decimal64(10, 2), pa.decimal128(38, 2), pa.decimal256(76, 2)):
        array = pa.array([None, Decimal("12.25")], data_type)
        assert kind_of(data_type) is Kind.NUMERIC
        assert canonical(array).equals(array)


def test_integers_that_floats_would_round_stay_integers():
    for data_type, value in ((pa.int64(), -(2**53) - 1), (pa.uint64(), 2**64 - 1)):
        made = canonical(pa.array([1, None, value], data_type))
        assert made.type == data_type
        assert made.to_pylist() == [1, None, value]


def test_nested_values_are_their_sizes():
    struct = pa.struct([("a", pa.int8()), ("b", pa.string())])
    cases = [
        (pa.list_(pa.int8()), [[1, 2], [], None, [None]], [2.0, 0.0, None, 1.0]),
        (pa.large_list(pa.int8()), [[1, 2], None], [2.0, None]),
        (pa.list_(pa.int8(), 2), [[1, 2], None], [2.0, None]),
        (pa.list_view(pa.int8()), [[1, 2], None, [3]], [2.0, None, 1.0]),
        (pa.map_(pa.string(), pa.int8()), [[("a", 1), ("b", 2)], None, []], [2.0, None, 0.0]),
        (struct, [{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}, {}], [2.0, None, 1.0, 0.0]),
    ]
    for data_type, values, sizes in cases:
        array = pa.array(values, data_type)
        assert canonical(array).to_pylist() == sizes
        assert canonical(array.slice(1)).to_pylist() == sizes[1:]


def test_readers_name_the_inside_of_a_nested_type_differently_and_we_do_not():
    arrow = pa.list_(pa.field("item", pa.int64()))
    spark = pa.large_list(pa.field("element", pa.int64(), nullable=False))
    assert type_name(arrow) == type_name(spark) == "list<int64>"
    assert type_name(pa.map_(pa.string(), arrow)) == "map<string, list<int64>>"
    assert type_name(pa.struct([("a", spark), ("b c", pa.large_string())])) == "struct<a: list<int64>, b c: string>"


def test_a_column_without_a_type_has_only_nulls():
    assert kind_of(pa.null()) is Kind.NULL
    assert canonical(pa.nulls(3)).null_count == 3


def test_nulls_inside_run_ends_and_dictionaries_are_nulls():
    runs = pa.RunEndEncodedArray.from_arrays([2, 3], pa.array(["a", None]))
    assert canonical(runs).to_pylist() == ["a", "a", None]
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, None], pa.int8()), pa.array(["a", None]))
    assert canonical(coded).to_pylist() == ["a", None, None]


def test_an_extension_type_is_its_storage():
    array = pa.ExtensionArray.from_storage(pa.json_(), pa.array(["{}", None]))
    assert kind_of(array.type) is Kind.STRING
    assert canonical(array).to_pylist() == ["{}", None]


def test_the_name_of_a_type_does_not_depend_on_its_layout():
    texts = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.large_string())]
    assert {type_name(text) for text in texts} == {"string"}
    assert type_name(pa.decimal128(10, 2)) == "decimal128(10, 2)"
    assert type_name(pa.timestamp("us", "UTC")) == "timestamp[us, tz=UTC]"


def test_a_year_beyond_9999_is_a_number_of_seconds():
    latest = pa.array([8_640_000_000_000_000_000], pa.int64()).cast(pa.timestamp("us"))
    assert canonical(latest).to_pylist() == [8_640_000_000_000.0]

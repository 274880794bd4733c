"""Table states: what is profiled, how parts merge, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from itertools import pairwise, permutations

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.codec import from_json, to_json
from airflow_dq.corruption.variant import variants_of
from airflow_dq.exceptions import CodecError, ConfigurationError, ProfileError, UnknownColumnError
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.profile import Profile, ProfileOptions, profile_table
from airflow_dq.profile.column_state import ColumnState
from airflow_dq.profile.model import digest_states, encode_states
from airflow_dq.profile.table import TableState
from airflow_dq.states.base import Kind

NAN, INF = float("nan"), float("inf")


def metrics(profile):
    return {name: column.metrics for name, column in profile.columns.items()}


def flights(rows=5000, seed=0):
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "carrier": rng.choice(["AA", "UA", "", None, "Ω1"], rows),
            "tail": [f"N{number}" for number in rng.integers(0, 10**6, rows)],
            "delay": pa.array(rng.normal(5, 30, rows)),
            "late": rng.random(rows) < 0.3,
            "at": pa.array(rng.integers(0, 10**9, rows)).cast(pa.timestamp("s")),
        }
    )


def test_metrics_are_those_of_the_data():
    values = [1.0, NAN, 5.0, None, 3.0, INF, -INF]
    column = profile_table(pa.table({"x": values}), "2013-02-01").columns["x"]
    # null and NaN are missing, infinities are present; moments are over 1, 5 and 3.
    assert column.metrics == {
        "row_count": 7.0,
        "complete_ratio": 5 / 7,
        "nan_ratio": 1 / 7,
        "min": 1.0,
        "max": 5.0,
        "range": 4.0,
        "mean": 3.0,
        "median": 3.0,
        "sum": 9.0,
        "unique_ratio": 1.0,
        "std": pytest.approx((8 / 3) ** 0.5),
        "p05": pytest.approx(1.2),
        "p25": 2.0,
        "p75": 4.0,
        "p95": pytest.approx(4.8),
        "zero_ratio": 0.0,
        "negative_ratio": 0.0,
        "integer_ratio": 1.0,
        "infinite_ratio": 2 / 5,
        "mode_ratio": 1 / 3,
        "skewness": pytest.approx(0.0, abs=1e-12),
        "kurtosis": pytest.approx(-1.5),
    }


def test_text_metrics_count_code_points_and_take_empty_as_missing():
    column = profile_table(pa.table({"s": ["ab-1", "é漢", "", None]})).columns["s"]
    expected = {"complete_ratio": 0.5, "str_len": 3.0, "char_len": 2.0, "digit_len": 0.5, "punc_len": 0.5}
    assert {name: column.metrics[name] for name in expected} == expected
    assert column.metrics["dist_val_count"] == 2.0


@pytest.mark.parametrize("parts", [2, 7, 15])
def test_merging_parts_equals_profiling_the_whole(parts):
    table = flights()
    whole = profile_table(table, "p")
    edges = np.linspace(0, table.num_rows, parts + 1).astype(int)
    pieces = [TableState.of(table.slice(a, b - a)) for a, b in pairwise(edges)]
    for order in (pieces, pieces[::-1]):
        merged = reduce(TableState.merge, [TableState.decode(piece.encode()) for piece in order]).profile("p")
        assert metrics(merged) == metrics(whole)
        assert merged.fingerprint == whole.fingerprint
        assert {name: c.states for name, c in merged.columns.items()} == {n: c.states for n, c in whole.columns.items()}


def test_more_rows_than_one_batch_are_profiled_in_batches():
    table = flights(150_000)
    assert profile_table(table).columns["delay"].metrics["sum"] == pytest.approx(
        float(np.sum(table["delay"].to_numpy())), rel=1e-12
    )
    merged = TableState.of(table.slice(0, 1000)).merge(TableState.of(table.slice(1000)))
    assert metrics(merged.profile()) == metrics(profile_table(table))


def test_chunks_and_dictionaries_do_not_matter():
    table = flights(3000)
    chunked = pa.concat_tables([table.slice(start, 100) for start in range(0, 3000, 100)])
    coded = table.set_column(0, "carrier", table["carrier"].dictionary_encode())
    assert profile_table(chunked).fingerprint == profile_table(coded).fingerprint == profile_table(table).fingerprint


def test_zero_rows_are_a_profile_with_reasons():
    profile = profile_table(flights().slice(0, 0), "p")
    assert profile.row_count == 0
    assert {column.metrics["complete_ratio"] for column in profile.columns.values()} == {Reason.EMPTY_BATCH}
    assert {column.metrics["row_count"] for column in profile.columns.values()} == {0.0}


def test_columns_without_values_have_reasons():
    profile = profile_table(pa.table({"x": pa.nulls(3, pa.int64()), "u": pa.nulls(3)}))
    for column in profile.columns.values():
        assert column.kind is Kind.NULL
        assert column.metrics == {"row_count": 3.0, "complete_ratio": 0.0}


TYPES = (
    *(pa.null(), pa.bool_(), pa.int32(), pa.uint64(), pa.float64(), pa.decimal128(9, 2), pa.string(), pa.binary()),
    *(pa.date32(), pa.timestamp("us", "UTC"), pa.time64("us"), pa.duration("s"), pa.dictionary(pa.int8(), pa.string())),
    *(pa.list_(pa.int64()), pa.map_(pa.string(), pa.int64()), pa.struct([("a", pa.int64())])),
)


@pytest.mark.parametrize("rows", [0, 3])
def test_nulls_only_establish_no_type_whatever_the_source_says(rows: int) -> None:
    table = pa.table({str(data_type): pa.nulls(rows, data_type) for data_type in TYPES})
    columns = profile_table(table).columns
    assert {(column.kind, column.data_type) for column in columns.values()} == {(Kind.NULL, "null")}
    values = pa.table({str(data_type): pa.array(["x", None]) for data_type in TYPES})
    for parts in ((table, values), (values, table)):
        merged = reduce(TableState.merge, map(TableState.of, parts))
        profile = merged.profile()
        assert {(column.kind, column.data_type) for column in profile.columns.values()} == {(Kind.STRING, "string")}
        assert merged.sample.rows.num_columns == len(TYPES)


def test_nested_and_binary_columns_have_their_nulls_counted_and_say_so():
    table = pa.table({"l": pa.array([[1], None, []]), "b": pa.array([b"x", b"", None])})
    columns = profile_table(table).columns
    assert columns["l"].metrics["complete_ratio"] == 2 / 3
    # No bytes are as much of a value as no elements.
    assert columns["b"].metrics["complete_ratio"] == 2 / 3
    assert columns["l"].remark == "nested: not profiled further than nulls and sizes"
    assert "binary" in columns["b"].remark


def test_a_column_absent_from_one_file_is_missing_there():
    with_it = pa.table({"id": [1, 2, 3], "promo": ["a", "b", "a"]})
    without = pa.table({"id": [4, 5, 6]})
    for first, second in ((with_it, without), (without, with_it)):
        profile = TableState.of(first).merge(TableState.of(second)).profile()
        assert profile.row_count == 6
        assert profile.columns["promo"].metrics["complete_ratio"] == 0.5
        assert profile.columns["promo"].data_type == "string"
        assert profile.sample.complete


def test_types_of_one_kind_merge_and_untyped_files_adopt_a_kind():
    parts = [pa.table({"x": pa.array([1], pa.int32())}), pa.table({"x": pa.nulls(2)}), pa.table({"x": [2**40]})]
    for order in (parts, parts[::-1]):
        column = reduce(TableState.merge, map(TableState.of, order)).profile().columns["x"]
        assert column.kind is Kind.NUMERIC
        assert column.data_type == "int32 | int64"
        assert column.metrics["sum"] == 1.0 + 2**40
        assert column.metrics["complete_ratio"] == 0.5


def test_a_column_of_two_kinds_has_a_problem_and_the_others_have_none():
    tables = [
        pa.table({"id": [index, index + 1], "amount": amount})
        for index, amount in enumerate([[1, 2], ["n/a", "3"], [1.5, None]])
    ]
    parts = [TableState.of(table) for table in tables]
    profiles = {
        reduce(TableState.merge, [TableState.decode(part.encode()) for part in order]).profile("p").fingerprint: order
        for order in permutations(parts)
    }
    profiles |= {
        TableState.of_all(order, ProfileOptions()).profile("p").fingerprint: order for order in permutations(tables)
    }
    assert len(profiles) == 1
    profile = reduce(TableState.merge, parts).profile("p")
    amount = profile.columns["amount"]
    assert amount.data_type == "double | int64 | string"
    assert amount.metrics["row_count"] == 6.0
    assert {name for name, value in amount.metrics.items() if value is not Reason.ENGINE_ERROR} == {"row_count"}
    assert "different kinds" in amount.remark
    assert profile.columns["id"].metrics["sum"] == 9.0
    assert variants_of(profile, "id")
    assert variants_of(profile, "amount") == ()


def test_a_part_of_nulls_only_fits_any_kind():
    # A reader types a column that is all null in one file as it likes.
    parts = [
        TableState.of(pa.table({"v": pa.array([None, None], pa.int32()), "w": pa.array([None] * 2, pa.string())})),
        TableState.of(pa.table({"v": ["a", "b", "b"], "w": pa.array([None] * 3, pa.float64())})),
        TableState.of(pa.table({"v": pa.nulls(1), "w": pa.nulls(1)})),
    ]
    for order in permutations(parts):
        profile = reduce(TableState.merge, order).profile("p")
        assert (profile.columns["v"].kind, profile.columns["v"].data_type) == (Kind.STRING, "string")
        assert profile.columns["v"].metrics["complete_ratio"] == 0.5
        assert profile.columns["v"].metrics["dist_val_count"] == 2.0
        assert profile.columns["w"].metrics["complete_ratio"] == 0.0
        assert variants_of(profile, "v")


def test_a_column_whose_values_break_the_code_leaves_the_others(monkeypatch):
    whole = ColumnState.of.__func__

    def breaks_on_texts(cls, kind, *rest):
        if kind is Kind.STRING:
            raise ValueError("a bug")
        return whole(cls, kind, *rest)

    monkeypatch.setattr(ColumnState, "of", classmethod(breaks_on_texts))
    profile = profile_table(pa.table({"n": [1, 2], "s": ["a", "b"]}), "p")
    assert profile.columns["s"].remark == "cannot be profiled: ValueError: a bug"
    assert profile.columns["s"].metrics["complete_ratio"] is Reason.ENGINE_ERROR
    assert profile.columns["n"].metrics["sum"] == 3.0
    assert from_json(Profile, to_json(profile)).columns["s"] == profile.columns["s"]


def test_options_choose_the_columns():
    table = flights(10)
    chosen = profile_table(table, options=ProfileOptions(columns=("delay", "carrier")))
    assert list(chosen.columns) == ["carrier", "delay"]
    assert "late" not in profile_table(table, options=ProfileOptions(exclude=("late", "not there"))).columns


def test_an_unknown_column_is_refused_with_the_known_ones():
    with pytest.raises(UnknownColumnError, match=r"'delya'.*'carrier', 'tail', 'delay'"):
        profile_table(flights(3), options=ProfileOptions(columns=("delya",)))


def test_two_columns_of_one_name_are_refused_unless_excluded():
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], ["a", "b", "a"])
    with pytest.raises(ProfileError, match="Two columns are named 'a'"):
        profile_table(table)
    assert list(profile_table(table, options=ProfileOptions(exclude=("a",))).columns) == ["b"]


def test_column_names_are_data():
    names = ["a.b", "A.b", " ", "", "hash", "count", 'quo"te', "漢"]
    state = TableState.of(pa.Table.from_arrays([pa.array([1.0])] * len(names), names))
    assert list(TableState.decode(state.encode()).profile().columns) == names


@pytest.mark.parametrize("damage", [b"", b"table/2...", b"table/1", b"table/1" + b"\x02" + b"\0" * 7 + b"{}"])
def test_damaged_bytes_are_refused(damage):
    with pytest.raises(CodecError):
        TableState.decode(damage)
    with pytest.raises(CodecError):
        TableState.decode(TableState.of(flights(10)).encode()[:-20])


def test_equal_metrics_with_other_values_have_another_fingerprint() -> None:
    now = pa.table({"code": ["AA"] * 90 + ["BB"] * 10})
    swapped = pa.table({"code": ["BB"] * 90 + ["AA"] * 10})
    left, right = profile_table(now).columns["code"], profile_table(swapped).columns["code"]
    assert left.metrics == right.metrics
    assert left.fingerprint != right.fingerprint
    assert left.fingerprint == profile_table(now.take(list(range(99, -1, -1)))).columns["code"].fingerprint


@pytest.mark.parametrize("rows", [1, 2, 300])
@pytest.mark.parametrize("first", [True, False])
def test_a_named_column_may_be_missing_in_some_of_the_tables(rows: int, first: bool) -> None:
    tables = [pa.table({"a": range(rows)}), pa.table({"a": [2, 3], "b": [5.0, 7.0]})]
    options = ProfileOptions(columns=("b",))
    state = TableState.of_all(tables if first else tables[::-1], options)
    profile = state.profile("1", options)
    assert (profile.row_count, profile.columns["b"].metrics["mean"]) == (rows + 2, 6.0)
    assert sorted(state.sample.expand(["b"])["b"].to_pylist(), key=str) == [5.0, 7.0, *[None] * rows]
    with pytest.raises(UnknownColumnError, match="No column is named 'c'; the table has: 'a', 'b'"):
        TableState.of_all(tables, ProfileOptions(columns=("b", "c")))


@pytest.mark.parametrize("rows", [0, 2, 70_000])
def test_a_table_of_which_no_column_is_profiled_has_its_rows(rows: int) -> None:
    profile = profile_table(pa.table({"a": range(rows)}), options=ProfileOptions(exclude=("a",)))
    assert (profile.row_count, dict(profile.columns)) == (rows, {})


def test_a_table_without_rows_tells_of_columns_as_it_would_with_some(monkeypatch: pytest.MonkeyPatch) -> None:
    options, rows = ProfileOptions(), pa.table({"a": [1, 2], "c": ["x", None]})
    wider = pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.string()), "c": pa.array([], pa.string())})
    whole = TableState.of_all([rows, rows], options).profile("p", options)
    tables = [rows.slice(0, 0), rows, rows.slice(0, 0), rows, rows.slice(0, 0)]
    assert TableState.of_all(tables, options).profile("p", options).fingerprint == whole.fingerprint
    both = TableState.of_all([wider, rows], options).profile("p", options)
    assert [(one.name, one.metrics["row_count"]) for one in both.columns.values()] == [("a", 2), ("b", 2), ("c", 2)]
    assert list(TableState.of_all([wider, wider], options).profile("p", options).columns) == ["a", "b", "c"]
    added: list[int] = []
    add = TableState.add
    monkeypatch.setattr(TableState, "add", lambda self, one, given: added.append(one.num_rows) or add(self, one, given))
    TableState.of_all(tables[:4], options)
    assert added == [2, 2]


def test_states_are_encoded_once_to_be_digested_and_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    column = profile_table(flights()).columns["tail"]
    blobs = {key: state.encode() for key, state in column.states.items()}
    for state in column.states.values():
        monkeypatch.setattr(type(state), "encode", None)
    assert encode_states(column.states) == blobs
    assert digest_states(column.states) == column.states_digest


def test_other_states_of_a_column_have_their_own_bytes() -> None:
    column = profile_table(flights()).columns["tail"]
    fewer = replace(column, states={key: column.states[key] for key in list(column.states)[1:]})
    assert encode_states(fewer.states).keys() == fewer.states.keys()
    assert digest_states(fewer.states) != column.states_digest


def test_timestamps_in_nanoseconds_are_those_that_spark_reads() -> None:
    nanos = [-1, 0, 999, 1001, -1001, 2**62 + 1, None]
    micros = [-1, 0, 0, 1, -2, (2**62 + 1) // 1000, None]
    left = profile_table(pa.table({"t": pa.array(nanos, pa.timestamp("ns"))})).columns["t"]
    right = profile_table(pa.table({"t": pa.array(micros, pa.timestamp("us"))})).columns["t"]
    assert (left.states, left.metrics) == (right.states, right.metrics)


def test_options_that_name_no_column_are_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"columns=\(\)\) names no column; leave it out"):
        ProfileOptions(columns=())


def test_a_remark_says_what_was_measured_of_a_text_that_looks_numeric() -> None:
    columns = profile_table(pa.table({"zip": ["00501", "02134", "90210"], "id": ["501", "2134", "0"]})).columns
    assert "min" in columns["id"].metrics
    assert str(columns["id"].remark).startswith("looks numeric: all of the values read as numbers")
    assert (columns["zip"].metrics["min"], columns["zip"].remark) == (Reason.NOT_APPLICABLE, None)


def test_a_column_without_a_type_says_whether_there_are_rows() -> None:
    empty, null = pa.table({"x": pa.array([], pa.int64())}), pa.table({"x": pa.array([None], pa.int64())})
    said = [profile_table(table).columns["x"].remark for table in (empty, null)]
    assert said == ["no type: there are no rows", "no type: every value is null"]

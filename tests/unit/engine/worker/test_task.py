"""The code of a Spark task, called directly: keys apart, failures kept to their key, splits without effect."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from functools import reduce
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.corruption.variant import variants_of
from airflow_dq.engine.worker import task
from airflow_dq.engine.worker.partial import PARTIAL, Partial, decoded, merge_batches
from airflow_dq.engine.worker.task import profile_batches, profile_whole, split_by_key
from airflow_dq.exceptions import ProfileError
from airflow_dq.profile import ProfileOptions, profile_table
from airflow_dq.profile.table import TableState

NAMES = ("n", "s")
AMOUNT = ("amount",)


def _rows(count: int, keys: int) -> pa.RecordBatch:
    random = np.random.default_rng(7)
    return pa.record_batch(
        {
            "n": random.normal(size=count),
            "s": [f"item {value}" for value in random.integers(0, 50, count)],
            "key": [f"k{value}" for value in random.integers(0, keys, count)],
        }
    )


def _split(batch: pa.RecordBatch, pieces: int) -> list[pa.RecordBatch]:
    edges = np.linspace(0, batch.num_rows, pieces + 1).astype(int)
    return [batch.slice(start, stop - start) for start, stop in pairwise(edges)]


def _result(batches: list[pa.RecordBatch]) -> dict[str, dict[str, object]]:
    rows = [row for batch in batches for row in batch.to_pylist()]
    assert len({row["key"] for row in rows}) == len(rows)
    return {row["key"]: row for row in rows}


@pytest.mark.parametrize(("tasks", "pieces"), [(1, 1), (1, 5), (3, 2)])
def test_interleaved_keys_in_any_split_equal_each_keys_own_profile(tasks: int, pieces: int) -> None:
    whole = _rows(3_000, 4)
    partials = [
        partial
        for share in _split(whole, tasks)
        for partial in profile_batches(_split(share, pieces), NAMES, ProfileOptions())
    ]
    merged = _result(list(merge_batches(partials)))
    assert sorted(merged) == ["k0", "k1", "k2", "k3"]
    table = pa.Table.from_batches([whole])
    for key, row in merged.items():
        own = table.filter(pa.compute.equal(table["key"], key)).drop_columns("key")
        assert TableState.decode(row["state"]).profile(key) == profile_table(own, key)
        assert row["seconds"] > 0


def test_rows_of_one_key_need_no_column_for_it() -> None:
    whole = _rows(3_000, 1)
    rows = whole.drop_columns("key")
    (row,) = _result(list(profile_batches(_split(rows, 4), NAMES, ProfileOptions(), key="k0"))).values()
    table = pa.Table.from_batches([rows])
    assert row["key"] == "k0"
    assert TableState.decode(row["state"]).profile("k0") == profile_table(table, "k0")


def _lanes(rows: pa.RecordBatch, lanes: int) -> pa.RecordBatch:
    copies = [rows.append_column("lane", pa.array([str(lane)] * rows.num_rows)) for lane in range(lanes)]
    return pa.Table.from_batches(copies).combine_chunks().to_batches()[0]


@pytest.mark.parametrize("together", [False, True])
def test_lanes_share_the_variants_of_a_small_partition_whether_or_not_they_share_a_task(together: bool) -> None:
    rows = _rows(300, 1).drop_columns("key")
    both = _lanes(rows, 2)
    tasks = [_split(both, 7)] if together else [[both.slice(0, 300)], [both.slice(300)]]
    pieces = [
        decoded(row)
        for batches in tasks
        for piece in profile_whole(batches, NAMES, ProfileOptions(), "k0", 2)
        for row in piece.to_pylist()
    ]
    assert [piece.state is not None for piece in pieces] == [True, False]
    assert [sorted(piece.variants) for piece in pieces] == [["n"], ["s"]]
    profile = pieces[0].join(pieces[1]).profile("k0", ProfileOptions())
    expected = profile_table(rows, "k0")
    assert profile == expected
    for name in NAMES:
        assert list(profile.variants[name]) == list(variants_of(expected, name))


def test_lanes_leave_the_variants_of_many_rows_to_another_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "BATCH_ROWS", 299)
    rows = _rows(300, 1).drop_columns("key")
    (batch,) = profile_whole(_split(_lanes(rows, 2), 3), NAMES, ProfileOptions(), "k0", 2)
    (found,) = (decoded(row) for row in batch.to_pylist())
    assert found.state is not None
    assert found.state.rows == 300
    assert not found.variants


def test_a_lane_that_fails_says_why() -> None:
    rows = pa.record_batch({"n": [1.0], "lane": ["0"]})
    (batch,) = profile_whole([rows], ("n",), ProfileOptions(columns=("other",)), "k0", 2)
    assert "No column is named 'other'" in str(batch.to_pylist()[0]["problem"])


def test_a_files_path_stands_for_the_key_of_its_folder_or_itself() -> None:
    paths = ["a/1.parquet", "a/2.parquet", "b/1.parquet", "c.parquet"]
    batch = pa.record_batch({"n": [1.0, 2.0, 4.0, 8.0], "s": list("wxyz"), "path": paths})
    labels = {"a": "first", "b": "second", "c.parquet": "third"}
    result = _result(list(profile_batches([batch], NAMES, ProfileOptions(), labels=labels)))
    sums = {
        key: TableState.decode(row["state"]).profile(key).columns["n"].metrics["sum"] for key, row in result.items()
    }
    assert sums == {"first": 3.0, "second": 4.0, "third": 8.0}


def test_rows_of_a_file_that_belongs_to_no_partition_are_an_error() -> None:
    batch = pa.record_batch({"n": [1.0], "s": ["x"], "path": ["d/1.parquet"]})
    with pytest.raises(ProfileError, match=r"d/1\.parquet lies in none of the folders"):
        list(profile_batches([batch], NAMES, ProfileOptions(), labels={"a": "first"}))


def test_split_by_key_keeps_every_row_once() -> None:
    batch = _rows(500, 7)
    found = {key: rows.num_rows for key, rows in split_by_key(batch)}
    expected = dict(zip(*np.unique(batch["key"].to_pylist(), return_counts=True), strict=True))
    assert found == expected


def test_the_last_rows_are_let_go_before_the_states_are_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[weakref.ref[pa.RecordBatch]] = []
    alive: list[int] = []

    def batches() -> Iterator[list[tuple[str, pa.RecordBatch]]]:
        for number in range(3):
            rows = pa.record_batch({"n": [number, 1], "s": ["x", "y"]})
            read.append(weakref.ref(rows))
            yield [("k", rows)]
            del rows

    encode = Partial.to_batch

    def noting(partial: Partial, key: str) -> pa.RecordBatch:
        alive.append(sum(rows() is not None for rows in read))
        return encode(partial, key)

    monkeypatch.setattr(Partial, "to_batch", noting)
    ((key, _),) = task.profile_keyed(batches(), ProfileOptions())
    assert (key, len(read), alive) == ("k", 3, [0])


def test_more_keys_than_a_task_holds_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "KEYS_HELD", 2)
    whole = _rows(400, 9)
    partials = list(profile_batches(_split(whole, 4), NAMES, ProfileOptions()))
    assert len(partials) > 9
    merged = _result(list(merge_batches(partials)))
    assert sum(TableState.decode(row["state"]).rows for row in merged.values()) == 400


@pytest.mark.parametrize(("bytes_waiting", "made"), [(2**26, 3), (0, 30)])
def test_rows_wait_until_they_are_many_or_large(monkeypatch: pytest.MonkeyPatch, bytes_waiting: int, made: int) -> None:
    monkeypatch.setattr(task, "_BYTES_WAITING", bytes_waiting)
    sizes: list[int] = []
    larger = task._larger

    def counting(state: TableState | None, table: pa.Table, options: ProfileOptions) -> TableState:
        sizes.append(table.num_rows)
        return larger(state, table, options)

    monkeypatch.setattr(task, "_larger", counting)
    whole = _rows(3_000, 3)
    result = _result(list(profile_batches(_split(whole, 10), NAMES, ProfileOptions())))
    assert len(sizes) == made
    assert sum(sizes) == 3_000
    for key, row in result.items():
        own = pa.Table.from_batches([whole]).filter(pa.compute.equal(whole["key"], key)).drop_columns("key")
        assert TableState.decode(row["state"]).profile(key) == profile_table(own, key)


def test_a_key_that_fails_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = TableState.of

    def fails_on_k1(rows: pa.RecordBatch, options: ProfileOptions) -> TableState:
        if rows["n"][0].as_py() in bad:
            raise ZeroDivisionError("a bug")
        return whole(rows, options)

    batch = _rows(200, 3)
    bad = set(pa.Table.from_batches([batch]).filter(pa.compute.equal(batch["key"], "k1"))["n"].to_pylist())
    monkeypatch.setattr(TableState, "of", fails_on_k1)
    merged = _result(list(merge_batches(profile_batches(_split(batch, 3), NAMES, ProfileOptions()))))
    assert merged["k1"]["state"] is None
    assert merged["k1"]["problem"] == "ZeroDivisionError: a bug"
    assert "fails_on_k1" in str(merged["k1"]["traceback"])
    assert merged["k0"]["problem"] is None
    assert TableState.decode(merged["k0"]["state"]).rows == batch["key"].to_pylist().count("k0")


def test_rows_that_could_be_read_are_not_taken_for_all_when_others_could_not() -> None:
    good = Partial(TableState.of(pa.table({"n": [1.0]})), seconds=1.0)
    bad = Partial(problem="it broke", traceback="where", seconds=2.0)
    for pair in ((good, bad), (bad, good), (good, bad, good)):
        both = reduce(Partial.join, pair)
        assert (both.state, both.problem, both.traceback) == (None, "it broke", "where")
        assert both.seconds >= 3.0
    assert good.state is not None


def test_kinds_that_disagree_are_a_problem_of_their_column() -> None:
    numbers = pa.record_batch({"amount": [1, 2], "key": ["x", "x"]})
    texts = pa.record_batch({"amount": ["1", "n/a"], "key": ["x", "x"]})
    partials = [
        *profile_batches([numbers], AMOUNT, ProfileOptions()),
        *profile_batches([texts], AMOUNT, ProfileOptions()),
    ]
    row = _result(list(merge_batches(partials)))["x"]
    assert row["problem"] is None
    column = TableState.decode(row["state"]).profile("x").columns["amount"]
    assert "different kinds" in str(column.remark)


def test_no_rows_give_no_partials_of_the_declared_schema() -> None:
    empty = _rows(3, 1).slice(0, 0)
    assert list(profile_batches([empty], NAMES, ProfileOptions())) == []
    assert next(profile_batches([_rows(3, 1)], NAMES, ProfileOptions())).schema == PARTIAL

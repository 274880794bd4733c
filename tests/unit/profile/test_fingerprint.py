"""Row hashes depend on content alone."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa

from airflow_dq.profile import ProfileOptions
from airflow_dq.profile.fingerprint import row_hashes
from airflow_dq.profile.table import TableState
from airflow_dq.states.prepared import PreparedColumn


def texts(values):
    return pa.array(values, pa.large_string())


def test_equal_rows_have_equal_hashes_and_different_rows_different_ones():
    rng = random.Random(1)
    words = ["".join(rng.choices("aé漢\0 ", k=rng.choice([0, 1, 7, 8, 9, 16, 17, 300, 301]))) for _ in range(3000)]
    hashes = PreparedColumn.of(texts(words)).hashes.tolist()
    by_word = {}
    for word, found in zip(words, hashes, strict=True):
        assert by_word.setdefault(word, found) == found
    assert len(set(by_word.values())) == len(by_word)


def test_a_hash_does_not_depend_on_the_batch():
    column = texts(["long" * 100, None, "b", "long" * 100, ""])
    numbers = pa.array([1.0, 2.0, None, float("nan"), -0.0])
    whole = row_hashes({"s": column, "x": numbers}, 5, seed=3)
    for row in range(5):
        alone = row_hashes({"s": column.slice(row, 1), "x": numbers.slice(row, 1)}, 1, seed=3)
        assert alone[0] == whole[row]


def test_hashes_are_stable_across_versions():
    table = {"s": texts(["a", None]), "x": pa.array([1.5, float("inf")]), "b": pa.array([None, True])}
    assert row_hashes(table, 2, seed=0).tolist() == [16008514229856194035, 5408008051202614112]


def test_an_absent_column_hashes_like_nulls_and_order_does_not_matter():
    x, nulls = pa.array([1.0, 2.0]), pa.nulls(2, pa.large_string())
    plain = row_hashes({"x": x}, 2, seed=0)
    assert np.array_equal(plain, row_hashes({"s": nulls, "x": x}, 2, seed=0))
    assert np.array_equal(plain, row_hashes({"x": x, "u": pa.nulls(2)}, 2, seed=0))


def test_zeros_are_one_value_and_so_are_nans():
    payload = np.array([0x7FF8000000000001, 0xFFF8000000000000], dtype=np.uint64).view(np.float64)
    hashes = PreparedColumn.of(pa.array(np.concatenate([[0.0, -0.0], payload]))).hashes
    assert hashes[0] == hashes[1]
    assert hashes[2] == hashes[3]
    assert hashes[0] != hashes[2]


def test_the_column_and_the_seed_enter_the_hash():
    x = pa.array([1.0])
    assert row_hashes({"x": x}, 1, seed=0) != row_hashes({"y": x}, 1, seed=0)
    assert row_hashes({"x": x}, 1, seed=0) != row_hashes({"x": x}, 1, seed=1)


def test_rows_that_differ_in_long_integers_alone_are_told_apart_in_any_split():
    near = [2**53, 2**53 + 1, -(2**62) - 1, -(2**62), None, 7]
    for data_type in (pa.int64(), pa.uint64()):
        numbers = [abs(number) if number and data_type == pa.uint64() else number for number in near]
        values = pa.array(numbers, data_type)
        hashes = row_hashes({"x": values}, 6, seed=0)
        assert len(set(hashes.tolist())) == 6
        # Parts without such integers come as floats.
        for row in (0, 3, 4, 5):
            alone = row_hashes({"x": values.slice(row, 1).cast(pa.float64(), safe=False)}, 1, seed=0)
            assert alone[0] == hashes[row]


def test_a_sample_keeps_rows_apart_whose_ids_are_one_float():
    ids = [2**60 + step for step in range(100)]
    table = pa.table({"id": pa.array(ids, pa.int64()), "s": ["same"] * 100})
    state = TableState.of(table, ProfileOptions(sample_rows=1000))
    assert state.sample.counts.tolist() == [1] * 100
    halves = TableState.of(table.slice(0, 31)).merge(TableState.of(table.slice(31)))
    assert halves.sample.hashes.tolist() == state.sample.hashes.tolist()

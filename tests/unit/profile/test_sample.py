"""The row sample against a brute-force reading of its definition."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.exceptions import CodecError
from airflow_dq.profile.fingerprint import row_hashes
from airflow_dq.profile.sample import CELL_LIMIT, RowSample


def columns(rows, seed=0, distinct=400):
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, distinct, rows)
    return {
        "name": pa.array([f"name {key}" if key % 7 else None for key in keys], pa.large_string()),
        "x": pa.array((keys % 5).astype(float)),
    }


def added(sample, table, rows):
    return sample.add(table, row_hashes(table, rows, sample.seed))


def sampled(table, rows, size=50, splits=(), seed=0):
    edges = [0, *splits, rows]
    parts = [
        added(RowSample.empty(size, seed), {name: v.slice(a, b - a) for name, v in table.items()}, b - a)
        for a, b in pairwise(edges)
    ]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.merge(part)
    return whole


def content(sample):
    return list(zip(*(column.to_pylist() for column in sample.rows.columns), sample.counts.tolist(), strict=True))


def test_the_sample_is_the_rows_of_smallest_hash_with_their_counts():
    table = columns(5000)
    rows = list(zip(table["name"].to_pylist(), table["x"].to_pylist(), strict=True))
    hashes = dict(zip(rows, row_hashes(table, 5000, seed=0).tolist(), strict=True))
    counted = Counter(rows)
    smallest = sorted(counted, key=hashes.__getitem__)[:50]
    assert content(sampled(table, 5000)) == [(*row, counted[row]) for row in smallest]


@pytest.mark.parametrize("splits", [(1,), (2500,), (100, 101, 4000), tuple(range(50, 5000, 50))])
def test_the_sample_does_not_depend_on_the_split(splits):
    table = columns(5000)
    assert content(sampled(table, 5000, splits=splits)) == content(sampled(table, 5000))
    growing = RowSample.empty(50, 0)
    for a, b in zip([0, *splits], [*splits, 5000], strict=True):
        growing = added(growing, {name: values.slice(a, b - a) for name, values in table.items()}, b - a)
    assert content(growing) == content(sampled(table, 5000))
    assert growing.total == 5000


def test_the_sample_does_not_depend_on_the_order_of_rows():
    table = columns(5000)
    order = pa.array(np.random.default_rng(1).permutation(5000))
    assert content(sampled({name: v.take(order) for name, v in table.items()}, 5000)) == content(sampled(table, 5000))


def test_few_distinct_rows_are_kept_whole():
    table = columns(3000, distinct=40)
    sample = sampled(table, 3000)
    assert sample.complete
    assert int(sample.counts.sum()) == 3000
    assert not sampled(columns(3000), 3000).complete


def test_expansion_keeps_every_row_of_a_small_table():
    table = columns(90, distinct=40)
    expanded = sampled(table, 90).expand(["name"])
    assert Counter(expanded.column(0).to_pylist()) == Counter(table["name"].to_pylist())


def test_expansion_of_heavy_rows_keeps_their_proportions_within_twice_the_size():
    heavy = {"x": pa.array([1.0] * 9000 + [2.0] * 990 + [3.0] * 10)}
    expanded = Counter(sampled(heavy, 10_000, size=100).expand(["x"]).column(0).to_pylist())
    assert expanded == {1.0: 90, 2.0: 9, 3.0: 1}


def test_a_share_estimated_from_the_sample_is_unbiased():
    values = np.random.default_rng(5).random(20_000)
    table = {"x": pa.array(values)}
    shares = [
        np.mean(sampled(table, 20_000, size=500, seed=seed).rows.column(0).to_numpy() < 0.3) for seed in range(40)
    ]
    # 40 x 500 draws of a probability of 0.3: a standard error of 0.0032.
    assert np.mean(shares) == pytest.approx(np.mean(values < 0.3), abs=0.013)


def test_long_texts_are_cut_but_told_apart():
    long = "é" * 5000
    sample = sampled({"s": pa.array([long + "a", long + "b", long + "a"], pa.large_string())}, 3)
    assert [len(text) for text in sample.rows.column(0).to_pylist()] == [CELL_LIMIT] * 2
    assert sorted(sample.counts.tolist()) == [1, 2]


@pytest.mark.parametrize("splits", [(), (1,), (3, 5)])
def test_a_null_binary_stays_null_and_others_keep_their_length(splits):
    raw = pa.array([None, b"", b"abc", None, None, None, b"x" * (CELL_LIMIT + 1)], pa.large_binary())
    found = sampled({"raw": raw}, 7, splits=splits).expand(["raw"]).column("raw").to_pylist()
    assert Counter(None if one is None else len(one) for one in found) == {None: 4, 0: 1, 3: 1, CELL_LIMIT: 1}


def test_bytes_that_are_no_utf8_do_not_stop_it():
    broken = pa.LargeStringArray.from_buffers(1, pa.array([0, 2], pa.int64()).buffers()[1], pa.py_buffer(b"a\xff"))
    assert sampled({"s": broken}, 1).rows.column(0).to_pylist() == ["a\ufffd"]


def test_samples_survive_their_codec():
    sample = sampled(columns(5000), 5000)
    again = RowSample.decode(sample.encode())
    assert content(again) == content(sample)
    assert (again.size, again.seed, again.total) == (50, 0, 5000)
    assert np.array_equal(again.hashes, sample.hashes)
    assert content(again.merge(sampled(columns(10), 10))) == content(sample.merge(sampled(columns(10), 10)))


@pytest.mark.parametrize("damage", [b"", b"rows/2", b"rows/1", b"rows/2\x05\x00\x00\x00{}..."])
def test_damaged_bytes_are_refused(damage):
    with pytest.raises(CodecError):
        RowSample.decode(damage)
    with pytest.raises(CodecError):
        RowSample.decode(sampled(columns(50), 50).encode()[:-100])


def test_an_empty_sample_is_neutral():
    sample, nothing = sampled(columns(500), 500), RowSample.empty(50, 0)
    assert content(sample.merge(nothing)) == content(nothing.merge(sample)) == content(sample)
    assert nothing.complete
    assert RowSample.decode(nothing.encode()).total == 0


def test_a_table_without_columns_has_rows():
    sample = added(RowSample.empty(50, 0), {}, 7).merge(added(RowSample.empty(50, 0), {}, 5))
    assert sample.total == 12
    assert sample.counts.tolist() == [12]


def test_samples_of_different_seeds_do_not_merge():
    with pytest.raises(ValueError, match="different sizes or seeds"):
        RowSample.empty(50, 0).merge(RowSample.empty(50, 1))

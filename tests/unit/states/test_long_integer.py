"""Integers that are one float and different numbers, as ids of 64 bits are."""

from __future__ import annotations

from decimal import Decimal
from functools import reduce

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.metrics.evaluate import compare, measure
from airflow_dq.profile import profile_table
from airflow_dq.states.base import Kind, states_of
from airflow_dq.states.long_integer import is_long, split
from airflow_dq.states.number import NumberDistribution

FIRST = 2**60


def ids(size: int) -> pa.Array:
    return pa.array(np.arange(FIRST, FIRST + size))


@pytest.mark.parametrize("numbers", [[2**63 - 1, -(2**63), 0, 2**53 + 1], [2**64 - 1, 2**63 + 1, 5]])
def test_a_float_and_its_rest_are_the_integer(numbers: list[int]) -> None:
    array = pa.array(numbers, pa.int64() if min(numbers) < 0 else pa.uint64())
    assert is_long(array)
    floats, counts, rests = split(array)
    assert [int(a) + b for a, b in zip(floats.tolist(), rests.tolist(), strict=True)] == sorted(numbers)
    assert counts.tolist() == [1] * len(numbers)


def test_short_integers_are_floats() -> None:
    assert not is_long(pa.array([2**53, -(2**53), None]))
    assert not is_long(pa.array([None], pa.int64()))


@pytest.mark.parametrize("size", [1_000, 30_000])
def test_neighbours_are_counted_apart(size: int) -> None:
    state = NumberDistribution.of(ids(size))
    assert len(np.unique(ids(size).to_numpy().astype(float))) < size / 100
    assert state.distinct == pytest.approx(size, rel=0 if size < 20_000 else 0.015)
    assert state.mode_count == 1
    parts = NumberDistribution.of(ids(size)[: size // 3]).merge(NumberDistribution.of(ids(size)[size // 3 :]))
    assert parts == state
    assert NumberDistribution.decode(state.encode()) == state


def test_short_and_long_batches_of_a_column_merge() -> None:
    short, long = pa.array([1, 2, 2]), pa.array([2**53 + 1, 2])
    merged = NumberDistribution.of(short).merge(NumberDistribution.of(long))
    assert merged == NumberDistribution.of(pa.concat_arrays([short, long]))
    assert merged.distinct == 3


def test_metrics_of_a_column_of_ids() -> None:
    numbers = ids(5_000)
    metrics = profile_table(pa.table({"id": numbers})).columns["id"].metrics
    assert metrics["unique_ratio"] == 1.0
    assert metrics["sum"] == float(sum(range(FIRST, FIRST + 5_000)))
    assert metrics["mode_ratio"] == 1 / 5_000
    assert metrics["min"] == float(FIRST)
    now, before = (states_of(Kind.NUMERIC, part) for part in (numbers[2_000:], numbers[:3_000]))
    distances = compare(Kind.NUMERIC, now, before)
    assert distances["new_ratio"] == pytest.approx(2 / 3)
    assert distances["l1"] == pytest.approx(4 / 3)
    assert measure(Kind.NUMERIC, now)["unique_ratio"] == 1.0


def test_a_partition_whose_chunks_are_short_and_long() -> None:
    column = pa.chunked_array([pa.array([1, 2]), pa.array([2**62 + 1, 2**62 + 2, 2**62 + 3])])
    assert profile_table(pa.table({"id": column})).columns["id"].metrics["unique_ratio"] == 1.0


@pytest.mark.parametrize("data_type", [pa.decimal128(19, 0), pa.decimal128(38, 0), pa.decimal256(50, 0)])
def test_whole_decimals_are_the_integers_that_they_are(data_type: pa.DataType) -> None:
    ids = [10**18 + number for number in range(300)]
    decimals = pa.array([Decimal(one) for one in [*ids, ids[0]]] + [None], data_type)
    state = NumberDistribution.of(decimals)
    assert (state.total, state.distinct) == (301, 300)
    assert NumberDistribution.of(pa.array([*ids, ids[0], None])).encode() == state.encode()


def test_decimals_beyond_64_bits_are_the_floats_next_to_them_whatever_comes_with_them() -> None:
    values = [Decimal(one) for one in (2**63 - 1, 2**63 - 2, -(2**63), 5, 10**30, 10**30 + 1)]
    whole = NumberDistribution.of(pa.array(values, pa.decimal128(38, 0)))
    assert whole.distinct == 5
    parts = [NumberDistribution.of(pa.array([value], pa.decimal128(38, 0))) for value in values]
    assert reduce(lambda left, right: left.merge(right), parts).encode() == whole.encode()
    assert NumberDistribution.of(pa.array(values[3:4], pa.decimal128(5, 2))).distinct == 1

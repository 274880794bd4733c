from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.states.array import (
    DistinctStrings,
    added_up,
    byte_count,
    counted_numbers,
    encoded_strings,
    finite_floats,
    string_bytes,
    strings_from_bytes,
)


def test_bytes_and_offsets_are_those_of_a_slice() -> None:
    data, offsets = string_bytes(pa.array(["abc", "de", "f"], pa.large_string())[1:])
    assert data.tobytes() == b"def"
    assert offsets.tolist() == [0, 2, 3]
    assert strings_from_bytes(data, offsets).to_pylist() == ["de", "f"]


def test_bytes_are_counted_as_they_are_read() -> None:
    whole = pa.array(["ä", "", "xyz", "q"], pa.large_string())
    for values in (whole, whole[1:3], whole[:0], pa.array(["", ""], pa.large_string())):
        assert byte_count(values) == len(string_bytes(values)[0])


def test_decimals_and_integers_become_floats() -> None:
    assert finite_floats(pa.array([Decimal("1.25"), None])).tolist() == [1.25]
    assert finite_floats(pa.array([2**53 + 1, None])).tolist() == [2.0**53]


def test_equal_strings_are_added_up_and_hash_alike_wherever_they_stand() -> None:
    strings = added_up(pa.array(["b", "a", "b"], pa.large_string()), np.array([1, 2, 3]))
    assert (strings.values.to_pylist(), strings.counts.tolist()) == (["b", "a"], [4, 2])
    turned = DistinctStrings(pa.array(["a", "b"], pa.large_string()), np.array([2, 4]))
    assert strings.hashes.tolist() == turned.hashes.tolist()[::-1]


def test_the_longest_string_is_told_in_bytes() -> None:
    strings = added_up(pa.array(["abc", "éé", ""], pa.large_string()), np.ones(3, np.int64))
    assert strings.longest == 4
    assert added_up(pa.array([], pa.large_string()), np.empty(0, np.int64)).longest == 0


ROWS = 50_000
CODES = np.random.default_rng(3).integers(0, 10**9, ROWS)
MANY = {
    "all different": [f"{code:09d}-{row}" for row, code in enumerate(CODES.tolist())],
    "a few twice": [f"ü{code % 2_000_000}" for code in CODES.tolist()],
    "most twice": [f"{code % 30_000}" for code in CODES.tolist()],
    "few": [f"{code % 7}" for code in CODES.tolist()],
    "long": [f"{code}" * 30 for code in CODES.tolist()],
    "with nulls": [None if code % 11 == 0 else "" if code % 13 == 0 else f"{code}" for code in CODES.tolist()],
}


@pytest.mark.parametrize("name", MANY)
def test_many_strings_are_encoded_as_a_dictionary_would_encode_them(name: str) -> None:
    values = pa.array([*MANY[name], "more"], pa.large_string())[1:]
    expected = values.dictionary_encode()
    strings, places = encoded_strings(values)
    assert strings.values.equals(expected.dictionary)
    assert places.equals(expected.indices)
    counted = np.bincount(expected.indices.drop_null().to_numpy(), minlength=len(expected.dictionary))
    assert strings.counts.tolist() == counted.tolist()
    assert strings.hashes.tolist() == DistinctStrings(expected.dictionary, counted).hashes.tolist()


def test_many_strings_are_added_up_each_with_its_count() -> None:
    values = pa.array(MANY["a few twice"], pa.large_string())
    expected, counts = values.dictionary_encode(), np.arange(1, ROWS + 1)
    strings = added_up(values, counts)
    assert strings.values.equals(expected.dictionary)
    assert strings.counts.tolist() == np.bincount(expected.indices.to_numpy(), counts).astype(int).tolist()


@pytest.mark.parametrize("numbers", [[], [2.0], [3.0, 1.0, 3.0, -2.0], [1.0, 1.0, 2.0], [0.5, 1.5, 2.5]])
def test_numbers_are_counted_in_order(numbers: list[float]) -> None:
    values, counts = counted_numbers(np.array(numbers, float))
    expected = np.unique(np.array(numbers, float), return_counts=True)
    assert (values.tolist(), counts.tolist()) == (expected[0].tolist(), expected[1].tolist())


RANDOM = np.random.default_rng(5)
NUMBERS = {
    "spread evenly": RANDOM.random(ROWS),
    "in a bell": RANDOM.normal(size=ROWS),
    "far apart": 10.0 ** RANDOM.integers(-300, 300, ROWS) * RANDOM.normal(size=ROWS),
    "beyond a float's range together": RANDOM.normal(size=ROWS) * (1e308 / 5),
    "next to zero": RANDOM.normal(size=ROWS) * 1e-320,
    "few": np.round(RANDOM.lognormal(3.0, 1.0, ROWS), 2),
    "whole": RANDOM.poisson(3.0, ROWS) - 2.0,
    "whole beyond 2**53": 2.0**60 + 2.0**10 * RANDOM.integers(0, 5, ROWS),
    "whole in halves": RANDOM.integers(0, 9, ROWS) / 2,
    "long integers": RANDOM.integers(-(2**63), 2**63, ROWS),
    "long integers side by side": 2**62 + RANDOM.integers(0, 9, ROWS),
    "unsigned": np.uint64(2**64 - 1) - RANDOM.integers(1, 9, ROWS).astype(np.uint64),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_many_numbers_are_counted_in_order(kind: str) -> None:
    values, counts = counted_numbers(NUMBERS[kind])
    expected = np.unique(NUMBERS[kind], return_counts=True)
    assert values.dtype == expected[0].dtype
    assert np.array_equal(values, expected[0])
    assert np.array_equal(counts, expected[1])

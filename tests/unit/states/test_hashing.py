from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.states.array import string_bytes
from airflow_dq.states.hashing import hash_floats, hash_order, hash_strings, smallest


def hashed(*values: str) -> list[int]:
    return hash_strings(*string_bytes(pa.array(values, pa.large_string()))).tolist()


def test_hashes_are_part_of_the_stored_layout_and_never_change() -> None:
    assert hashed("a", "flight-12345", "Zürich") == [3326218840847366555, 16631810788914362513, 13019824569391141846]
    assert hash_floats(np.array([0.0, 1.5])).tolist() == [16294208416658607535, 15481881892811333770]


def test_a_hash_depends_on_the_value_and_not_on_its_neighbours() -> None:
    values = ["a", "ab", "abcdefgh", "abcdefghi", "x" * 100, "b"]
    assert hashed(*values) == [hashed(value)[0] for value in values]
    assert hashed(*reversed(values)) == hashed(*values)[::-1]


def test_values_that_differ_in_length_or_one_byte_differ() -> None:
    values = ["a" * n for n in range(1, 40)] + ["a" * n + "b" for n in range(40)] + ["a\x00", "a\x00\x00"]
    assert len(set(hashed(*values))) == len(values)


def test_no_collisions_among_many_similar_values() -> None:
    values = pa.array([f"id-{number}" for number in range(200_000)], pa.large_string())
    assert len(np.unique(hash_strings(*string_bytes(values)))) == 200_000


def test_bits_are_evenly_spread() -> None:
    hashes = hash_floats(np.arange(100_000, dtype=float))
    for shift in range(64):
        ones = int(((hashes >> np.uint64(shift)) & np.uint64(1)).sum())
        assert abs(ones - 50_000) < 1_000


def test_nothing_hashes_to_nothing() -> None:
    assert hashed() == []


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 16, 21])
def test_strings_of_one_length_hash_as_among_others(length: int) -> None:
    alike = [f"{number:021d}"[21 - length :] for number in range(50)]
    assert hashed(*alike) == hashed(*alike, "longer than all the others", "x")[:50]


@pytest.mark.parametrize("bits", [0, 20, 60])
@pytest.mark.parametrize("wanted", [0, 1, 200, 5_000, 6_000])
def test_the_smallest_hashes_are_found_however_they_are_spread(bits: int, wanted: int) -> None:
    hashes = np.random.default_rng(bits).permutation(hash_floats(np.arange(5_000.0)) >> np.uint64(bits))
    assert hashes[smallest(hashes, wanted)].tolist() == sorted(hashes.tolist())[:wanted]


@pytest.mark.parametrize("bits", [0, 20, 50, 60])
@pytest.mark.parametrize("number", [0, 1, 5_000])
def test_hashes_are_put_in_order_however_they_are_spread(bits: int, number: int) -> None:
    hashes = np.random.default_rng(bits).permutation(hash_floats(np.arange(float(number))) >> np.uint64(bits))
    # Some that differ in their last bits alone, and some that are there twice.
    hashes = np.concatenate([hashes, hashes[:100] ^ np.uint64(1), hashes[:100]])
    assert hashes[hash_order(hashes)].tolist() == sorted(hashes.tolist())


def test_a_hash_is_that_of_the_bytes_wherever_the_string_begins() -> None:
    # More than are hashed at once.
    values = [("é" * (number % 5) + "ab" * (number % 23))[: number % 40] for number in range(20_000)]
    together = hashed(*values)
    alone = {value: hashed(value)[0] for value in set(values)}
    assert together == [alone[value] for value in values]

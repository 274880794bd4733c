from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa

from airflow_dq.states.array import (
    DistinctStrings,
    added_up,
    byte_count,
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

from __future__ import annotations

import pyarrow as pa
import pytest

from airflow_dq.states.prepared import PreparedColumn


def invalid(*values: bytes) -> pa.LargeStringArray:
    """Strings as a reader that does not validate hands them over."""
    raw = pa.array(values, pa.large_binary())
    return pa.Array.from_buffers(pa.large_string(), len(raw), raw.buffers())


def counted(values: pa.Array) -> dict[str, int]:
    strings = PreparedColumn.of(values).strings
    return dict(zip(strings.values.to_pylist(), strings.counts.tolist(), strict=True))


def test_invalid_utf8_becomes_the_replacement_character() -> None:
    assert counted(invalid(b"ok", b"\xff", b"")) == {"ok": 1, "�": 1}


def test_a_character_cut_in_two_values_is_invalid_in_both() -> None:
    halves = "é".encode()
    assert counted(invalid(halves[:1], halves[1:])) == {"�": 2}


@pytest.mark.parametrize("data_type", [pa.string(), pa.large_string(), pa.string_view()])
def test_strings_are_counted_without_nulls_and_empty_ones(data_type: pa.DataType) -> None:
    values = pa.array(["skipped", "a", None, "", "bé", None, "a"], data_type)[1:]
    assert counted(values) == {"a": 2, "bé": 1}


def test_unequal_bytes_that_become_equal_characters_count_together() -> None:
    assert counted(invalid(b"\xff", b"ok", b"\xfe", b"", b"\xff")) == {"�": 3, "ok": 1}


def test_booleans_are_counted_by_name() -> None:
    assert counted(pa.array([True, None, True, False])) == {"true": 2, "false": 1}
    assert counted(pa.array([True, None])) == {"true": 1}
    assert counted(pa.nulls(3)) == {}


def test_the_dictionary_has_every_string_and_the_place_of_each_value() -> None:
    strings, places = PreparedColumn.of(pa.array(["", "a", None, "", "b"])).dictionary
    assert (strings.values.to_pylist(), strings.counts.tolist()) == (["", "a", "b"], [2, 1, 1])
    assert places.to_pylist() == [0, 1, None, 0, 2]


def test_what_is_present_everywhere_is_hashed_once_for_states_and_rows() -> None:
    column = PreparedColumn.of(pa.array(["a", "b", "a", None]))
    assert column.strings is column.dictionary[0]
    assert column.text is column.text


def test_chunks_and_dictionaries_are_read_as_one_plain_array() -> None:
    chunked = pa.chunked_array([pa.array(["a"]).dictionary_encode(), pa.array(["b", "a"]).dictionary_encode()])
    assert PreparedColumn.of(chunked).values.to_pylist() == ["a", "b", "a"]


def test_floats_that_are_shared_cannot_be_changed() -> None:
    column = PreparedColumn.of(pa.array([1.0, None, -0.0]))
    assert column.finite is column.finite
    assert str(column.finite.tolist()) == "[1.0, 0.0]"
    with pytest.raises(ValueError, match="read-only"):
        column.finite[0] = 2.0

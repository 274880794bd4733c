from __future__ import annotations

import pyarrow as pa
import pytest

from airflow_dq.states.array import counted_strings, finite_floats, present_strings, string_bytes, strings_from_bytes


def invalid(*values: bytes) -> pa.LargeStringArray:
    """Strings as a reader that does not validate hands them over."""
    raw = pa.array(values, pa.large_binary())
    return pa.Array.from_buffers(pa.large_string(), len(raw), raw.buffers())


def test_invalid_utf8_becomes_the_replacement_character() -> None:
    assert present_strings(invalid(b"ok", b"\xff", b"")).to_pylist() == ["ok", "�"]


def test_a_character_cut_in_two_values_is_invalid_in_both() -> None:
    halves = "é".encode()
    assert present_strings(invalid(halves[:1], halves[1:])).to_pylist() == ["�", "�"]


@pytest.mark.parametrize("data_type", [pa.string(), pa.large_string(), pa.string_view()])
def test_nulls_and_empty_strings_are_dropped(data_type: pa.DataType) -> None:
    values = pa.array(["skipped", "a", None, "", "bé", None], data_type)[1:]
    assert present_strings(values).to_pylist() == ["a", "bé"]


def test_a_column_without_a_type_has_no_strings() -> None:
    assert present_strings(pa.array([None, None])).to_pylist() == []


def test_bytes_and_offsets_are_those_of_a_slice() -> None:
    data, offsets = string_bytes(pa.array(["abc", "de", "f"], pa.large_string())[1:])
    assert data.tobytes() == b"def"
    assert offsets.tolist() == [0, 2, 3]
    assert strings_from_bytes(data, offsets).to_pylist() == ["de", "f"]


def test_decimals_and_integers_become_floats() -> None:
    from decimal import Decimal

    assert finite_floats(pa.array([Decimal("1.25"), None])).tolist() == [1.25]
    assert finite_floats(pa.array([2**53 + 1, None])).tolist() == [2.0**53]


def counted(values: pa.Array) -> dict[str, int]:
    distinct, counts = counted_strings(values)
    return dict(zip(distinct.to_pylist(), counts.tolist(), strict=True))


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


def test_floats_that_are_shared_cannot_be_changed() -> None:
    values = pa.array([1.0, None, -0.0])
    assert finite_floats(values) is finite_floats(values)
    with pytest.raises(ValueError, match="read-only"):
        finite_floats(values)[0] = 2.0

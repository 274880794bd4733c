from __future__ import annotations

import math

import pyarrow as pa
import pytest

from airflow_dq.states.count import Counts


def test_each_odd_number_is_counted_apart() -> None:
    values = [1.0, None, math.nan, math.nan, math.inf, -math.inf, -math.inf, -0.0]
    counts = Counts.of(pa.array(values))
    assert counts == Counts(rows=8, nulls=1, nans=2, pos_inf=1, neg_inf=2, empty=0)
    assert counts.missing == 3


@pytest.mark.parametrize("data_type", [pa.string(), pa.large_string(), pa.string_view()])
def test_empty_strings_are_counted_apart_from_nulls_and_blanks(data_type: pa.DataType) -> None:
    counts = Counts.of(pa.array(["", None, " ", "", "a"], data_type))
    assert counts == Counts(rows=5, nulls=1, empty=2)


def test_nulls_behind_a_dictionary_are_nulls() -> None:
    values = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2]), pa.array(["a", None, ""]))
    assert Counts.of(values) == Counts(rows=4, nulls=2, empty=1)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([None, None]), Counts(2, 2)),
        (pa.array([[1], None, []]), Counts(3, 1)),
        (pa.array([{"a": 1}, None]), Counts(2, 1)),
        (pa.array([b"", b"x", None]), Counts(3, 1)),
        (pa.array([True, None]), Counts(2, 1)),
        (pa.array([1.5, math.nan], pa.float16()), Counts(2, nans=1)),
    ],
)
def test_every_type_can_be_counted(values: pa.Array, expected: Counts) -> None:
    assert Counts.of(values) == expected

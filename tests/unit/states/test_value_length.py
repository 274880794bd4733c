from __future__ import annotations

import pyarrow as pa

from airflow_dq.states.midnight import ClockShape
from airflow_dq.states.value_length import ValueLengths


def test_lengths_of_binaries_lists_and_numbers() -> None:
    assert ValueLengths.of(pa.array([b"abc", None, b""])) == ValueLengths(2, 3, 0, 3)
    assert ValueLengths.of(pa.array([[1, 2], None, []])) == ValueLengths(2, 2, 0, 2)
    assert ValueLengths.of(pa.array([4.0, None, 6.0])) == ValueLengths(2, 10, 4, 6)
    assert ValueLengths.of(pa.array([b"ab", None], pa.binary(2))) == ValueLengths(1, 2, 2, 2)
    assert ValueLengths.of(pa.array([None], pa.binary())) == ValueLengths()


def test_lengths_of_texts_are_in_code_points_and_leave_out_empty_ones() -> None:
    assert ValueLengths.of(pa.array(["a", None, "", "größe", "a"], pa.large_string())) == ValueLengths(3, 7, 1, 5)
    assert ValueLengths.of(pa.array(["", None], pa.large_string())) == ValueLengths()


def test_midnights_are_whole_days_before_and_after_1970() -> None:
    assert ClockShape.of(pa.array([0.0, 86400.0, -86400.0, 1.0, 86399.5, None])) == ClockShape(5, 3)

from __future__ import annotations

import pyarrow as pa

from airflow_dq.states.midnight import ClockShape
from airflow_dq.states.size import Sizes


def test_sizes_of_binaries_lists_and_numbers() -> None:
    assert Sizes.of(pa.array([b"abc", None, b""])) == Sizes(2, 3, 0, 3)
    assert Sizes.of(pa.array([[1, 2], None, []])) == Sizes(2, 2, 0, 2)
    assert Sizes.of(pa.array([4.0, None, 6.0])) == Sizes(2, 10, 4, 6)
    assert Sizes.of(pa.array([b"ab", None], pa.binary(2))) == Sizes(1, 2, 2, 2)
    assert Sizes.of(pa.array([None], pa.binary())) == Sizes()


def test_midnights_are_whole_days_before_and_after_1970() -> None:
    assert ClockShape.of(pa.array([0.0, 86400.0, -86400.0, 1.0, 86399.5, None])) == ClockShape(5, 3)

from __future__ import annotations

import pyarrow as pa

from airflow_dq.corruption.clean_column import CleanColumn
from airflow_dq.corruption.spelling import join_points, split_points, to_texts
from airflow_dq.states.base import Kind


def test_whole_numbers_are_written_without_a_fraction():
    assert to_texts(Kind.NUMERIC, pa.array([12.0, None, -3.0])) == ["12", None, "-3"]
    assert to_texts(Kind.NUMERIC, pa.array([12.0, 0.5])) == ["12.0", "0.5"]
    assert to_texts(Kind.NUMERIC, pa.array([float("nan"), float("inf"), 1.0])) == [None, None, "1"]
    assert to_texts(Kind.NUMERIC, pa.array([1e300, 1.0])) == ["1e+300", "1.0"]


def test_texts_that_are_no_numbers_become_null_and_unchanged_ones_stay():
    values = pa.array([1.0, 2.0, float("inf"), None, 5.0, 6.0])
    clean = CleanColumn(Kind.NUMERIC, values)
    texts = ["1", "x2", None, None, "1e999", "66"]
    assert clean.respelled(texts).to_pylist() == [1.0, None, float("inf"), None, None, 66.0]


def test_points_join_and_split():
    texts = ["aé", None, "", "漢\U0001f600", "\0b"]
    joined, nothing = join_points(texts), join_points([])
    assert len(joined.points) == 6
    assert split_points(joined.points, joined.lengths) == texts
    assert split_points(nothing.points, nothing.lengths) == []

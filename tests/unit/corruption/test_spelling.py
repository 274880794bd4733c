from __future__ import annotations

import pyarrow as pa

from airflow_dq.corruption.registry import Clean
from airflow_dq.corruption.spelling import from_texts, join_points, split_points, to_texts
from airflow_dq.states.base import Kind


def test_whole_numbers_are_written_without_a_fraction():
    assert to_texts(Kind.NUMERIC, pa.array([12.0, None, -3.0])) == ["12", None, "-3"]
    assert to_texts(Kind.NUMERIC, pa.array([12.0, 0.5])) == ["12.0", "0.5"]
    assert to_texts(Kind.NUMERIC, pa.array([float("nan"), float("inf"), 1.0])) == [None, None, "1"]
    assert to_texts(Kind.NUMERIC, pa.array([1e300, 1.0])) == ["1e+300", "1.0"]


def test_texts_that_are_no_numbers_become_null_and_unchanged_ones_stay():
    values = pa.array([1.0, 2.0, float("inf"), None, 5.0, 6.0])
    clean = Clean(Kind.NUMERIC, values, None, to_texts(Kind.NUMERIC, values))
    texts = ["1", "x2", None, None, "1e999", "66"]
    assert from_texts(clean, texts).to_pylist() == [1.0, None, float("inf"), None, None, 66.0]


def test_points_join_and_split():
    texts = ["aé", None, "", "漢\U0001f600", "\0b"]
    points, lengths = join_points(texts)
    assert len(points) == 6
    assert split_points(points, lengths) == texts
    assert split_points(*join_points([])) == []

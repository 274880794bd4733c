"""The map of a dataset's partitions."""

from __future__ import annotations

import numpy as np

from airflow_dq.report.partition_map import partition_map
from airflow_dq.report.svg import inline
from airflow_dq.states.base import Kind
from airflow_dq.store.review_model import MetricHistory

KINDS = {"a": Kind.NUMERIC}


def series(last: float) -> list[MetricHistory]:
    values = [*np.random.default_rng(0).normal(100.0, 1.0, 30), last]
    keys = [f"2026-01-{day:02d}" for day in range(1, 32)]
    rows = MetricHistory(None, "row_count", tuple((key, 1000.0) for key in keys))
    return [rows, MetricHistory("a", "mean", tuple(zip(keys, values, strict=True)))]


def test_an_odd_partition_is_named_and_the_usual_ones_are_not() -> None:
    drawn = partition_map(series(150.0), KINDS)
    assert drawn is not None
    names = [one.text for one in drawn.iter("text")]
    assert names == ["2026-01-31"]
    assert len(list(drawn.iter("circle"))) == 31
    assert sum(one.get("class") == "now" for one in drawn.iter("circle")) == 1
    assert "style=" not in inline(drawn)


def test_of_alike_partitions_the_newest_alone_is_named() -> None:
    drawn = partition_map(series(100.0), KINDS)
    assert drawn is not None
    assert [(one.text, one.get("class")) for one in drawn.iter("text")] == [("2026-01-31", "newest")]
    assert "0 of them odd" in str(drawn[0].text)


def test_too_few_partitions_have_no_map() -> None:
    assert partition_map([], KINDS) is None
    assert partition_map([MetricHistory("a", "mean", (("x", 1.0),))], KINDS) is None

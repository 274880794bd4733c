from __future__ import annotations

from dataclasses import replace

import pytest

from airflow_dq.explain.alert import Alert
from airflow_dq.report.number import expected, numbers, odds, tick_labels
from airflow_dq.states.base import Kind


@pytest.mark.parametrize(
    ("metric", "lower", "upper", "text"),
    [
        ("mean", 148.2, 156.9, "148.2 to 156.9"),
        ("js_div", None, 0.0102, "at most 0.0102"),
        ("js_div", -0.2, 0.0102, "at most 0.0102"),
        ("mean", 3.0, None, "at least 3"),
        ("complete_ratio", 0.98, 1.02, "at least 98%"),
        ("row_count", -20.0, 900.0, "at most 900"),
        ("mean", 95.0, 95.0, "exactly 95"),
        ("mean", None, None, "any other value"),
    ],
)
def test_a_range_in_words(alert: Alert, metric: str, lower: float | None, upper: float | None, text: str):
    assert expected(replace(alert, metric=metric, lower=lower, upper=upper)) == text


def test_values_are_in_the_unit_of_their_metric(alert: Alert):
    assert numbers(alert, [9061.0]) == ["9,061"]
    assert numbers(replace(alert, metric="complete_ratio"), [0.25]) == ["25%"]
    assert numbers(replace(alert, kind=Kind.TIMESTAMP), [1356998400.0]) == ["2013-01-01 00:00:00"]


def test_an_axis_of_time_shows_the_part_that_differs(alert: Alert):
    moment = replace(alert, kind=Kind.TIMESTAMP)
    assert tick_labels(moment, [1356998400.0, 1357084800.0]) == ["2013-01-01", "2013-01-02"]
    assert tick_labels(moment, [1356998400.0, 1357002000.0]) == ["01-01 00:00", "01-01 01:00"]
    assert tick_labels(replace(moment, metric="range"), [3600.0]) == ["3,600 s"]


@pytest.mark.parametrize(
    ("chance", "text"),
    [(1e-3, "1 in 1,000"), (4.1e-4, "1 in 2,400"), (0.04, "1 in 25"), (0.8, "80%"), (1e-12, "under 1 in 10⁹")],
)
def test_a_small_chance_as_odds(chance: float, text: str):
    assert odds(chance) == text

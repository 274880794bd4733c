from __future__ import annotations

from dataclasses import replace

import numpy as np

from airflow_dq.explain.alert import Change
from airflow_dq.explain.change import changes_of
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.previous import PreviousPartition
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.states.base import Kind
from tests.unit.learn.builder import column, day, profile

ROWS = 1000


def _changes(kind: Kind, before: list, now: list, hidden: bool = False) -> dict[str, list[Change]]:
    history = [profile(day(i), column("x", kind, before)) for i in range(4)]
    judged = profile(day(4), column("x", kind, now))
    if hidden:
        judged = replace(judged, options=ProfileOptions(store_values=False))
    comparison = Comparison.of("x", judged, history, PreviousPartition(history[-1]))
    assert comparison is not None
    found: dict[str, list[Change]] = {}
    for change in changes_of(comparison):
        found.setdefault(change.aspect, []).append(change)
    return found


def test_values_that_grew_shrank_appeared_and_vanished() -> None:
    before = ["US"] * 500 + ["DE"] * 300 + ["FR"] * 200
    now = ["US"] * 300 + ["DE"] * 500 + ["us"] * 200
    assert {change.words for change in _changes(Kind.STRING, before, now)["value"]} == {
        "'US' shrank: 50.0% -> 30.0%",
        "'DE' grew: 30.0% -> 50.0%",
        "'FR' vanished: 20.0% before",
        "'us' appeared: 20.0%",
    }


def test_hidden_values_are_not_shown() -> None:
    found = _changes(Kind.STRING, ["q8T1"] * ROWS, ["q8T1"] * 500 + ["zz90"] * 500, hidden=True)
    assert [change.words for change in found["value"]] == [
        "a value (hidden) shrank: 100% -> 50.0%",
        "a value (hidden) appeared: 50.0%",
    ]
    assert {change.subject for change in found["value"]} == {None}
    assert "pattern" not in found


def test_patterns_are_written_with_nines_and_counted_runs() -> None:
    found = _changes(Kind.STRING, ["2024-01-02"] * ROWS, ["2024-01-02"] * 600 + ["x" * 12] * 400)
    assert [change.words for change in found["pattern"]] == [
        "'9999.99.99' shrank: 100% -> 60.0%",
        "'a{12}' appeared: 40.0%",
    ]


def test_many_rare_new_values_are_summed_up() -> None:
    found = _changes(Kind.STRING, ["a", "b"] * 500, ["a", "b"] * 450 + [f"new{n}" for n in range(100)])
    assert found["value"][0].words.startswith("100 values are new: 10.0% of all, such as 'new")


def test_nulls_are_counted_in_rows() -> None:
    found = _changes(Kind.NUMERIC, [1.0, 2.0] * 500, [1.0, 2.0] * 400 + [None] * 200)
    assert [change.words for change in found["missing"]] == ["null: 200 of 1,000 rows (20.0%), before 0%"]


def test_quantiles_that_moved_with_their_ratio() -> None:
    before = np.linspace(10.0, 20.0, ROWS).tolist()
    found = _changes(Kind.NUMERIC, before, [10.0 * value for value in before])
    assert [change.words for change in found["quantile"]] == [
        "5th percentile 10.5 -> 105 (x10)",
        "median 15 -> 150 (x10)",
        "95th percentile 19.5 -> 195 (x10)",
        "max 20 -> 200 (x10)",
    ]


def test_upper_case_and_blanks_as_shares() -> None:
    found = _changes(Kind.STRING, ["Ab"] * ROWS, ["AB"] * 500 + ["Ab "] * 500)
    assert [change.words for change in found["text"]] == [
        "values with trailing white space: 50.0%, before 0%",
        "letters in upper case: 75.0%, before 50.0%",
    ]


def test_rows_with_their_ratio() -> None:
    assert _changes(Kind.NUMERIC, [1.0] * ROWS, [1.0] * 100)["rows"][0].words == "rows: 100, before 1,000 (x0.1)"


def test_nothing_changed() -> None:
    assert _changes(Kind.STRING, ["a", "b"] * 500, ["a", "b"] * 500) == {}

"""Rows concerned where nobody knows what happened, and what stands for nothing."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.explain.problem import Problem
from airflow_dq.judge.evaluation import evaluate
from airflow_dq.learn.pipeline import synthesize
from airflow_dq.learn.program import Program
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile

ROWS, DAYS = 800, 14


def payments(day: int) -> dict[str, Any]:
    random = np.random.default_rng([3, day])
    return {
        "key": np.array([f"{value:016x}" for value in random.integers(1 << 60, 1 << 62, ROWS)]),
        "booked": np.array([date(2026, 3, 1) + timedelta(days=day - int(n)) for n in random.integers(0, 5, ROWS)]),
        "iban": np.array([f"DE{value}" for value in random.integers(10**17, 10**18, ROWS)]),
        "shop": random.choice(["north", "south", "east"], ROWS, p=[0.5, 0.3, 0.2]),
        "gross": np.round(random.lognormal(3.0, 0.5, ROWS), 2),
        "note": np.array([f"note {value}" for value in random.integers(0, 10**9, ROWS)]),
    }


def profiled(frame: dict[str, Any], day: int) -> Profile:
    table = pa.table({name: pa.array(values, from_pandas=True) for name, values in frame.items()})
    return profile_table(table, f"2026-03-{day + 1:02}", ProfileOptions(segments=("shop",)))


@cache
def learned() -> tuple[Program, tuple[Profile, ...]]:
    history = tuple(profiled(payments(day), day) for day in range(DAYS))
    return synthesize(history, SynthesisOptions()), history


def told(column: str, rows: np.ndarray[Any, Any], value: Any) -> Problem:
    frame = payments(DAYS)
    changed = frame[column].astype(object)
    changed[rows] = value if not callable(value) else value(frame[column][rows])
    program, history = learned()
    frame[column] = np.array(changed.tolist())
    return evaluate(program, profiled(frame, DAYS), history).problems[0]


SOME = np.arange(ROWS) % 5 == 0


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("booked", date(1970, 1, 1), "booked is 1970-01-01"),
        ("shop", "N/A", "shop is 'N/A'"),
        ("key", "0" * 16, "key is '0000000000000000'"),
    ],
)
def test_what_stands_for_nothing_is_named_with_its_rows(column: str, value: Any, words: str) -> None:
    problem = told(column, SOME, value)
    assert (problem.headline.startswith(words), problem.rows) == (True, SOME.sum()), problem.headline


def test_one_value_everywhere_is_nothing_else_as_well() -> None:
    problem = told("note", np.ones(ROWS, dtype=bool), "n/a")
    assert problem.headline.startswith("note is 'n/a' in all 800 rows")


def test_a_segment_is_an_example_of_what_all_rows_have() -> None:
    few = np.arange(ROWS) % 60 == 0
    problem = told("gross", few, lambda values: 1e6 * values)
    assert "where shop" not in problem.headline
    assert (problem.columns, problem.rows) == (("gross",), few.sum())


def test_rows_are_no_copies_where_a_key_repeats_nowhere() -> None:
    frame = payments(DAYS)
    frame["iban"][SOME] = frame["iban"][np.roll(SOME, 1)]
    program, history = learned()
    problem = evaluate(program, profiled(frame, DAYS), history).problems[0]
    assert problem.columns == ("iban",)
    assert "rows are there more than once" not in problem.headline


def test_records_of_a_test_are_one_problem_with_all_that_they_show() -> None:
    frame = payments(DAYS)
    again = np.random.default_rng(1).choice(ROWS - 200, 200)
    frame = {name: np.concatenate([values[:-200], values[again]]) for name, values in frame.items()}
    frame["gross"][-200:], frame["shop"][-200:] = 1.0, "test"
    program, history = learned()
    problem = evaluate(program, profiled(frame, DAYS), history).problems[0]
    assert "gross is 1" in problem.headline
    assert "'test'" in problem.headline
    assert "in 200 of 800 rows" in problem.headline
    assert {"gross", "shop", "iban", "note"} <= set(problem.columns)
    assert problem.rows == 200

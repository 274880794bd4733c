"""Like days in the store: those that are needed are read, and a gate says what the functions say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from airflow_dq.gate.pipeline import judge
from airflow_dq.judge.verdict import Status
from airflow_dq.learn.pipeline import on_occasion
from airflow_dq.profile.model import Profile
from airflow_dq.program import SynthesisOptions, backtest, evaluate, synthesize
from airflow_dq.store import Repository
from tests.unit.learn.like_table import on_the_15th, on_the_first, profile, table

OPTIONS = SynthesisOptions()
DAYS = table(200, lambda day: on_the_first(day) * on_the_15th(day))
HISTORY = [day for day in DAYS if str(day.partition) < "2025-07-01"]


def put(store: Repository, *profiles: Profile, dataset: str = "t") -> None:
    attempts = store.begin_attempts(dataset, [str(one.partition) for one in profiles])
    for one in profiles:
        store.save_profile(attempts[str(one.partition)], dataset, one, tidy=False)


@pytest.fixture
def half_a_year(store: Repository) -> Repository:
    put(store, *HISTORY)
    return store


def test_few_are_read_and_all_that_are_needed(half_a_year: Repository) -> None:
    read = half_a_year.load_like_days("t", "2025-07-01", 30)
    keys = [str(one.partition) for one in read]
    assert keys == sorted(keys)
    assert {f"2025-0{month}-01" for month in range(1, 7)} - {"2025-06-01"} <= set(keys)
    assert max(keys) < "2025-06-01"
    # Half of what there is, in half a year; in ten years no more.
    assert len(keys) < 110
    assert all(not column.states for one in read for column in one.columns.values())
    ordinary = half_a_year.load_like_days("t", "2025-06-20", 30)
    assert "2025-05-01" in {one.partition for one in ordinary}
    assert len(ordinary) < 30
    assert len(half_a_year.load_like_days("t", "2025-06-20", 30, every=True)) > len(ordinary)
    assert half_a_year.load_like_days("t", "2025-01-20", 30) == []
    put(half_a_year, *(replace(day, partition=f"run {place}") for place, day in enumerate(DAYS)), dataset="runs")
    assert half_a_year.load_like_days("runs", "run 200", 30, every=True) == []


@pytest.mark.parametrize(
    ("key", "rows", "status"),
    [
        ("2025-07-01", 3_000, Status.PASS),
        ("2025-07-01", 900, Status.FAIL),
        ("2025-07-01", 9_000, Status.FAIL),
    ],
)
def test_a_gate_says_what_the_functions_say(half_a_year: Repository, key: str, rows: int, status: Status) -> None:
    now = profile(key, rows, 14.0)
    put(half_a_year, now)
    verdict = judge(half_a_year, "t", key, OPTIONS)
    assert verdict.status is status
    assert replace(verdict, record=None) == evaluate(synthesize(HISTORY), now, HISTORY)
    stored = half_a_year.load_program("t", key)
    assert stored == on_occasion(synthesize(HISTORY), now, HISTORY)
    assert judge(half_a_year, "t", key, OPTIONS) == verdict


def test_other_days_of_a_month_are_looked_up_before_anybody_is_woken(half_a_year: Repository) -> None:
    day = next(one for one in HISTORY if one.partition == "2025-06-15")
    assert judge(half_a_year, "t", "2025-06-15", OPTIONS).status is Status.PASS
    put(half_a_year, replace(day, row_count=9_000))
    assert judge(half_a_year, "t", "2025-06-15", OPTIONS).status is Status.FAIL


def test_a_like_day_that_was_rejected_is_none(half_a_year: Repository) -> None:
    for key in ("2025-02-15", "2025-03-15", "2025-04-15", "2025-05-15"):
        judge(half_a_year, "t", key, OPTIONS)
        half_a_year.decide("t", key, "rejected", "ann")
    assert judge(half_a_year, "t", "2025-06-15", OPTIONS).status is Status.FAIL


def test_a_backtest_learns_them_too() -> None:
    result = backtest(table(125, on_the_first), OPTIONS, accept_after=1, targets=())
    assert [one.partition for one in result.partitions if one.status is Status.FAIL] == ["2025-02-01"]

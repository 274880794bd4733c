"""Columns that come and go: a habit is no news, an absence longer than any before is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.judge.evaluation import evaluate
from airflow_dq.judge.verdict import Status
from airflow_dq.learn.history.history import Absence, History
from airflow_dq.learn.pipeline import synthesize
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import profile_table

FIRST = date(2026, 1, 1)


@cache
def day(place: int, *, there: bool, scale: float = 1.0) -> Profile:
    """A partition with or without its optional column."""
    rng = np.random.default_rng(place)
    columns = {"amount": rng.normal(50.0, 5.0, 200)}
    if there:
        columns["discount"] = scale * rng.normal(5.0, 1.0, 200)
    return profile_table(pa.table(columns), partition=str(FIRST + timedelta(place)))


def days(there: str) -> list[Profile]:
    """One partition for each character: ``x`` has the column."""
    return [day(place, there=one == "x") for place, one in enumerate(there)]


@pytest.mark.parametrize(
    ("there", "absence"),
    [
        ("xxxxxxxx", None),
        ("--xxxxxx", None),
        ("xxx-xxxx", Absence(1, 1, 0, 8)),
        ("xxx--xxx", Absence(2, 2, 0, 8)),
        ("x-xx-xx-", Absence(3, 1, 1, 8)),
        ("x-x-x---", Absence(5, 1, 3, 8)),
        ("xxxxxxx-", Absence(1, 0, 1, 8)),
        ("xxxxx----", Absence(4, 0, 4, 9)),
        ("xxxx----", None),
    ],
)
def test_an_absence_and_a_return_make_it_optional(there: str, absence: Absence | None) -> None:
    assert History.of(days(there)).optional.get("discount") == absence


def alarms(history: Sequence[Profile], partition: Profile) -> tuple[Status, set[str]]:
    """The verdict, and the rules that were broken."""
    verdict = evaluate(synthesize(history, SynthesisOptions()), partition, history)
    return verdict.status, {one.rule for one in verdict.findings}


HABIT = "xxx-xxxx-xx-xxxxx-xxx"


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("newest", ["x", "-"])
def test_it_may_come_and_it_may_stay_away(newest: str, there: bool) -> None:
    history = days(HABIT + newest)
    assert alarms(history, day(len(history), there=there)) == (Status.PASS, set())


def test_it_is_judged_also_where_the_newest_partition_lacks_it() -> None:
    history = days(HABIT + "-")
    status, rules = alarms(history, day(len(history), there=True, scale=100.0))
    assert (status, "range" in rules) == (Status.FAIL, True)


def test_an_absence_that_lasts_is_found_once_it_is_longer_than_any_before() -> None:
    found = [alarms(days(HABIT + "-" * more), day(50, there=False))[1] for more in range(8)]
    # By chance one in five is missing five times in a row once in 2,000.
    assert found == [set()] * 5 + [{"column_missing"}, set(), set()]


def test_the_verdict_says_that_it_was_not_judged() -> None:
    history = days(HABIT)
    verdict = evaluate(synthesize(history, SynthesisOptions()), day(50, there=False), history)
    assert verdict.not_judged["discount"] == "the column is missing in the partition, as in 4 of 21 past ones"


@pytest.mark.parametrize("absent", [1, 3, 11])
def test_a_column_that_most_partitions_have_is_judged_when_it_comes_again(absent: int) -> None:
    history = days("x" * 12 + "-" * absent)
    assert alarms(history, day(12 + absent, there=True)) == (Status.PASS, set())
    assert alarms(history, day(12 + absent, there=False)) == (Status.PASS, set())
    assert "range" in alarms(history, day(12 + absent, there=True, scale=100.0))[1]

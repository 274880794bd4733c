"""Numbers in columns of text: judged by their size, and not by how they are written where they count up."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.learn.counting import counts_up
from airflow_dq.learn.rule import learn_rule
from airflow_dq.pattern import NoPattern
from airflow_dq.profile import Profile, profile_table
from airflow_dq.program import evaluate, synthesize

ROWS = 300
Texts = Callable[[int], Sequence[str]]
FIRST = 10_000 - 21 * ROWS
"""The ids of day 21 are the first with five digits."""


def ids(day: int, first: int = FIRST) -> list[str]:
    return [str(first + day * ROWS + row) for row in range(ROWS)]


def prices(day: int, factor: float = 1.0) -> list[str]:
    return [f"{factor * price:.2f}" for price in np.random.default_rng(day).lognormal(3, 0.5, ROWS)]


def days(texts: Texts, number: int = 21) -> list[Profile]:
    return [of(day, texts(day)) for day in range(number)]


def of(day: int, texts: Sequence[str]) -> Profile:
    return profile_table(pa.table({"x": texts}), partition=f"2026-01-{day + 1:02}")


def alarms(texts: Texts, today: Sequence[str]) -> set[str]:
    past = days(texts)
    return {finding.metric for finding in evaluate(synthesize(past), of(21, today), past).findings}


def test_one_more_digit_of_what_counts_up_is_no_news() -> None:
    assert alarms(ids, ids(21)) == set()


@pytest.mark.parametrize(
    "today",
    [
        [text[:-1] for text in ids(21)],
        [text + "7" for text in ids(21)],
        [f"x{text}" for text in ids(21)],
        [text[:2] + "-" + text[2:] for text in ids(21)],
        ids(21, first=FIRST * 100),
    ],
    ids=["cut", "longer", "letter", "dash", "another count"],
)
def test_damaged_ids_alarm(today: list[str]) -> None:
    assert alarms(ids, today)


@pytest.mark.parametrize("factor", [0.01, 0.4, 3.0, 100.0])
def test_another_unit_of_numbers_in_a_text_alarms(factor: float) -> None:
    assert "mean" in alarms(prices, prices(21, factor))


def test_numbers_as_ever_do_not_alarm() -> None:
    assert alarms(prices, prices(21)) == set()


@pytest.mark.parametrize(
    ("texts", "counting"),
    [
        (ids, True),
        (prices, False),
        (lambda day: [f"{number:04}" for number in range(day, day + ROWS)], False),
        (lambda day: [f"A{number}" for number in range(day * ROWS, (day + 1) * ROWS)], False),
        (lambda day: list(map(str, np.random.default_rng(day).permutation(90_000)[:ROWS] + 10_000)), False),
        (lambda day: [*ids(day)[:-30], *ids(day)[:30]], False),
    ],
    ids=["ids", "prices", "padded", "with a letter", "drawn", "some twice"],
)
@pytest.mark.parametrize("number", [1, 2, 4, 8])
def test_what_counts_up(texts: Texts, counting: bool, number: int) -> None:
    profiles = days(texts, number)
    assert counts_up([profile.columns["x"] for profile in profiles]) is counting
    rule = learn_rule(profiles, "x")
    assert (isinstance(rule, NoPattern) and rule.reason == "a count") is counting


def test_a_restart_of_the_count_is_no_count() -> None:
    columns = [profile.columns["x"] for profile in days(ids, 4)]
    assert not counts_up([*columns, columns[0]])
    assert not counts_up([])
    assert counts_up([None, *columns[-2:]])

"""Numbers in columns of text: judged by their size, and not by how they are written where they count up."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.learn.counting import count_of
from airflow_dq.learn.rule import learn_rule, pattern_of
from airflow_dq.options.rule import LearnedRule
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


Frame = str
FRAMES = ["ORD-{n}", "C{n}", "{n}-A", "DE{n}/b", "https://shop.example/v2/orders/{n}?view=1", "{n}-{m}", "{n:03}"]


def framed(form: Frame, first: int = FIRST) -> Texts:
    return lambda day: [form.format(n=n, m=3 * n) for n in range(first + day * ROWS, first + (day + 1) * ROWS)]


def lines(day: int) -> list[str]:
    """Orders, each with one to three rows."""
    return [f"{n}/{line}" for n in map(int, ids(day)) for line in range(1, 2 + n % 3)]


def anew(day: int) -> list[str]:
    """Numbers from one on, every day; how many there are varies around a thousand."""
    return [f"T-{n}" for n in range(1, 1_000 + 40 * (day % 3 - 1))]


@pytest.mark.parametrize("form", FRAMES)
@pytest.mark.parametrize("known", [1, 2, 3, 8, 21])
def test_one_more_digit_in_a_frame_is_no_news(form: Frame, known: int) -> None:
    """On the day of the new digit, and on the days after it."""
    profiles = days(framed(form, 10_000 - known * ROWS - ROWS // 3), known + 3)
    for day in (known, known + 1, known + 2):
        past = profiles[:day]
        assert {one.metric for one in evaluate(synthesize(past), profiles[day], past).findings} == set()


def of_a_day(day: int) -> list[str]:
    """The same behind a date; the thousandth of a day comes on some days only."""
    return [f"202601{day + 1:02}-{n}" for n in range(1, 1_000 + (60 if day in (4, 9, 20) else -day))]


def countries(day: int) -> list[str]:
    """One sequence of numbers behind three prefixes."""
    return [f"{('DE', 'FR', 'IT')[n * 7 % 3]}-{n}" for n in map(int, ids(day, 10_000 - 9 * ROWS - 100))]


def shops(day: int) -> list[str]:
    """A sequence for each of two shops."""
    return [f"{shop}{number + day * 100 + n}" for shop, number in (("A", 9_060), ("B", 98_000)) for n in range(100)]


@pytest.mark.parametrize(
    "texts",
    [lines, anew, of_a_day, countries, shops, lambda day: [f"week {day + 1}"] * 20],
    ids=["lines", "anew", "of a day", "countries", "shops", "week"],
)
@pytest.mark.parametrize("known", [4, 9, 20])
def test_other_counts_go_on_as_well(texts: Texts, known: int) -> None:
    past = days(texts, known)
    assert not evaluate(synthesize(past), of(known, texts(known)), past).findings


def test_leading_zeros_that_go_are_no_news() -> None:
    profiles = days(framed("INV/2026/{n:06}", 1_000 - 9 * ROWS % 1_000), 12)
    for day in range(1, 12):
        past = profiles[:day]
        assert not evaluate(synthesize(past), profiles[day], past).findings


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace("ORD", "OR"),
        lambda text: text.removeprefix("ORD-"),
        lambda text: text[:-1],
        lambda text: text[:6] + "O" + text[7:],
        str.lower,
        lambda text: text + " ",
        lambda text: text[:6] + "-" + text[6:],
    ],
    ids=["prefix", "no prefix", "cut", "letter", "case", "padding", "dash"],
)
@pytest.mark.parametrize("known", [1, 3, 12])
def test_a_broken_frame_and_a_broken_number_alarm(damage: Callable[[str], str], known: int) -> None:
    """One value in five is damaged, the day before the count gets its next digit."""
    texts = framed("ORD-{n}", 10_000 - (known + 1) * ROWS)
    past, today = days(texts, known), texts(known)
    today[::5] = map(damage, today[::5])
    assert evaluate(synthesize(past), of(known, today), past).findings


@pytest.mark.parametrize("form", ["{n}", "ORD-{n}"])
def test_a_count_is_guarded_from_the_first_partition_on(form: Frame) -> None:
    rule = learn_rule(days(framed(form, 4_000), 1), "x")
    assert isinstance(rule, LearnedRule)
    assert str(pattern_of(rule)) == form.format(n="<digit>{4,7}")


def test_each_frame_has_its_own_digits() -> None:
    rule = learn_rule(days(shops, 4), "x")
    assert isinstance(rule, LearnedRule)
    assert pattern_of(rule).patterns == ("A<digit>{4,7}", "B<digit>{5,7}")


@pytest.mark.parametrize(
    ("texts", "counting"),
    [
        (ids, True),
        (framed("A{n}"), True),
        (framed("{n:05}"), True),
        (lambda day: [*ids(day)[:-30], *ids(day)[:30]], True),
        (countries, True),
        (lambda day: [*countries(day)[:-30], *(f"{name}-x" for name in range(30))], False),
        (prices, False),
        (lambda day: list(map(str, np.random.default_rng(day).permutation(90_000)[:ROWS] + 10_000)), False),
        (lambda day: [f"K{n}" for n in np.random.default_rng(day).integers(1, 400, ROWS)], False),
        (lambda day: [f"{price} EUR" for price in prices(day)], False),
        (lambda day: [f"2026-01-{day + 1:02} {n // 60:02}:{n % 60:02}" for n in range(ROWS)], False),
        (lambda day: [f"{n % 28 + 1}-Jan-{2000 + day}" for n in range(ROWS)], False),
        (lambda day: [f"v{day}.{n}" for n in range(9)] * 20, False),
    ],
    ids=[
        "ids",
        "letter",
        "padded",
        "some twice",
        "frames",
        "some others",
        "prices",
        "drawn",
        "codes",
        "amounts",
        "times",
        "dates",
        "versions",
    ],
)
@pytest.mark.parametrize("number", [1, 2, 4, 8])
def test_what_counts_up(texts: Texts, counting: bool, number: int) -> None:
    profiles = days(texts, number)
    assert (count_of([profile.columns["x"] for profile in profiles]) is not None) is counting


def test_a_restart_of_the_count_is_no_growth() -> None:
    columns = [profile.columns["x"] for profile in days(lines, 4)]
    assert count_of(columns) is not None
    assert count_of([*columns, columns[0]]) is None
    assert count_of([]) is None
    assert count_of([None, *columns[-2:]]) is not None


def test_a_day_of_one_other_value_alarms_as_a_day_of_many_does() -> None:
    past = days(framed("ORD-{n}"), 3)
    for today in (["??"] * ROWS, [f"??{n}" for n in range(ROWS)]):
        assert {one.rule for one in evaluate(synthesize(past), of(3, today), past).findings} >= {"pattern"}

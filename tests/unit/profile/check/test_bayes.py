"""How well other columns foretell a column: measured on rows that were held out, beside the most frequent value."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from airflow_dq import ProfileOptions, profile_table
from airflow_dq.check import Checks
from airflow_dq.check.file import read_checks
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.profile.check import bayes
from airflow_dq.profile.check.answer import answer
from airflow_dq.profile.check.measured import NO_ROWS, NO_VALUES, Measured
from airflow_dq.profile.check.total import with_totals

COUNTRIES = {"DE": ("1", "Stadt"), "FR": ("7", "Ville"), "CH": ("3", "Dorf")}


def table(rows: int, wrong: float = 0.0, seed: int = 0) -> pa.Table:
    """Orders, of which some name another country than zip and city do."""
    draw = random.Random(seed)
    found = []
    for row in range(rows):
        country = draw.choices(list(COUNTRIES), [6, 3, 1])[0]
        digit, city = COUNTRIES[country]
        said = draw.choice(list(COUNTRIES)) if draw.random() < wrong else country
        place = (said, f"{digit}{draw.randrange(999):03d}", f"{city} {draw.randrange(30)}")
        found.append((f"{seed}-{row}", *place, draw.random()))
    return pa.table(dict(zip(("id", "country", "zip", "city", "x"), zip(*found, strict=True), strict=True)))


def measured(given: pa.Table, *inputs: str, **more: Any) -> Measured:
    checks = Checks("t")
    checks.add("predictable", ("country", *inputs), error=">=0.9", **more)
    (check,) = checks
    return answer(check, profile_table(given, "1", ProfileOptions(checks=(check,), sample_rows=0)))


def test_what_others_tell_is_foretold_and_what_they_do_not_tell_is_not() -> None:
    right = measured(table(3000), "zip", "city")
    assert right.value == 1.0
    assert right.denominator == pytest.approx(600, abs=80)
    wrong = measured(table(3000, 0.3), "zip", "city")
    assert wrong.value == pytest.approx(0.8, abs=0.05)
    noise = measured(table(3000), "x")
    assert noise.value == pytest.approx(0.6, abs=0.06)
    assert noise.seen == "the most frequent value is right in 57.3% of them"


def test_the_score_may_be_f1() -> None:
    assert measured(table(500), "city", score="f1").value == 1.0
    lower = measured(table(2000, 0.3), "zip", score="f1")
    assert lower.numerator is None
    assert lower.value == pytest.approx(0.8, abs=0.06)


def test_with_a_key_the_same_rows_are_held_out_whatever_else_is_in_them() -> None:
    given = table(400)
    more = given.append_column("y", pa.array(range(400)))
    assert measured(given, "zip", key=("id",)) == measured(more, "zip", key=("id",))
    checks = Checks("t", key="id")
    checks.col("country").predictable_from("zip", precision=">=0.99")
    assert tuple(checks)[1].key == ("id",)


def test_the_model_of_all_partitions_is_that_of_all_rows() -> None:
    checks = Checks("t", key="id")
    checks.col("country").predictable_from("zip", "city", precision=">=0.9", scope="total")
    checks.col("country").predictable_from("zip", "city", precision=">=0.9")
    _, total, delta = checks
    options = ProfileOptions(checks=(total, delta), sample_rows=0)
    parts = [table(500, 0.1, seed) for seed in range(3)]
    *_, last = with_totals(profile_table(part, str(place), options) for place, part in enumerate(parts))
    whole = answer(delta, profile_table(pa.concat_tables(parts), "all", options))
    found = answer(total, last)
    assert (found.value, found.numerator, found.denominator) == (whole.value, whole.numerator, whole.denominator)
    assert found.denominator is not None
    assert found.denominator > (answer(delta, last).denominator or 0)


def test_held_out_rows_are_bounded_and_the_same_however_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bayes, "MOST_TRIED", 20)
    checks = Checks("t", key="id")
    checks.col("country").predictable_from("zip", precision=">=0", scope="total")
    check = tuple(checks)[1]
    options = ProfileOptions(checks=(check,), sample_rows=0)
    given = table(600, 0.3)
    for cut in (1, 300, 599):
        parts = (given.slice(0, cut), given.slice(cut))
        *_, last = with_totals(profile_table(part, str(place), options) for place, part in enumerate(parts))
        assert answer(check, last).denominator == 20
        assert answer(check, last).numerator == 17


def test_what_nothing_can_be_learned_from_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert measured(table(1).slice(1), "zip").nothing == NO_ROWS
    empty = pa.table({"country": pa.nulls(3, pa.string()), "zip": ["1", "2", "3"]})
    assert measured(empty, "zip").nothing == NO_VALUES
    assert "too few rows" in str(measured(table(1), "zip").nothing)
    nested = table(5).append_column("l", pa.array([[1]] * 5))
    assert "from which nothing is foretold" in str(measured(nested, "l").problem)
    monkeypatch.setattr(bayes, "MOST_VALUES", 2)
    assert "more than 2 different values" in str(measured(table(100), "zip").problem)


def test_it_is_declared_in_a_file_as_in_python() -> None:
    found = read_checks(
        "dataset: t\nkey: id\nchecks:\n  - predictable: {columns: [country, zip], error: '>=0.99', score: f1}"
    )
    checks = Checks("t", key="id")
    checks.col("country").predictable_from("zip", precision=">=0.99", score="f1")
    assert found.checks == checks.checks
    for wrong in ({"score": "recall"}, {"by": "zip"}):
        with pytest.raises(ConfigurationError, match=r"predictable takes no by|allowed: precision, f1"):
            Checks("t").add("predictable", ("country", "zip"), **wrong)

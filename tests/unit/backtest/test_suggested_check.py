"""Suggested checks: found in the older partitions, tried on all, and none that its own data breaks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq import ProfileOptions, profile_table
from airflow_dq.backtest.suggested_check import suggest_checks, withheld_checks
from airflow_dq.backtest.suggested_rule import completeness_bound
from airflow_dq.check.file import read_checks
from airflow_dq.cli.suggest import yaml_lines
from airflow_dq.exceptions import SynthesisError
from airflow_dq.profile import Profile
from airflow_dq.profile.check.between import relation_of
from airflow_dq.relation import Order
from airflow_dq.relation.dependency import Counter, Key
from airflow_dq.relation.rule import RelationRule
from airflow_dq.store.rule_list import StoredRule

ROWS = 120
PLAIN = ProfileOptions(sample_rows=0)


def day(index: int, **changed: Any) -> Profile:
    rng = np.random.default_rng(index)
    columns: dict[str, Any] = {
        "id": [f"{index:04d}-{row:04d}" for row in range(ROWS)],
        "amount": rng.gamma(2.0, 10.0, ROWS),
        "change": rng.normal(0, 1, ROWS),
        "status": rng.choice(["new", "it's", "paid: yes"], ROWS).tolist(),
        "mail": [f"a{row % 7}@b.org" for row in range(ROWS)],
        "note": [None if row % 10 == 0 else f"n{rng.integers(0, 90)}" for row in range(ROWS)],
    }
    return profile_table(pa.table(columns | changed), f"2026-01-{index + 1:02d}", PLAIN)


@pytest.fixture(scope="module")
def days() -> list[Profile]:
    return [day(index) for index in range(6)]


def test_what_the_past_suggests_has_a_reason_and_has_held(days: list[Profile]) -> None:
    found = {f"{one.check.metric}.{one.check.reads[0]}": one for one in suggest_checks(days)}
    assert {"completeness.id", "uniqueness.id", "max_length.id", "min.amount"} <= set(found)
    assert {"isin.status", "format.mail", "type.amount"} <= set(found)
    least = found["min.change"].check.error
    assert least is not None
    assert least.holds(-3)
    assert not least.holds(-300)
    assert "isin.note" not in found
    assert set(found["isin.status"].check.values) == {"new", "it's", "paid: yes"}
    note = found["completeness.note"].check.error
    assert note is not None
    assert note.lower == completeness_bound(108, 120)
    assert all((one.held, one.of) == (6, 6) and one.reason for one in found.values())


def _without_values(profile: Profile) -> Profile:
    """As the store keeps an older one."""
    return replace(profile, columns={name: replace(one, states={}) for name, one in profile.columns.items()})


def test_what_asks_for_values_is_found_in_the_partitions_that_keep_them() -> None:
    days = [day(index) for index in range(12)]
    stored = [*map(_without_values, days[:8]), *days[8:]]
    found = {f"{one.check.metric}.{one.check.reads[0]}": one for one in suggest_checks(stored)}
    assert {"isin.status", "format.mail", "min.amount"} <= set(found)
    assert (found["isin.status"].held, found["isin.status"].of) == (4, 4)
    # That there were more values once is still known.
    fourth = _without_values(day(0, status=["new", "it's", "paid: yes", "held"] * (ROWS // 4)))
    assert "isin.status" not in {
        f"{one.check.metric}.{one.check.reads[0]}" for one in suggest_checks([fourth, *stored])
    }


def test_of_a_counter_no_range_is_suggested() -> None:
    days = [day(index, change=np.arange(ROWS) + index * ROWS, amount=np.full(ROWS, 5.0)) for index in range(9)]
    found = {f"{one.check.metric}.{one.check.reads[0]}": one.reason for one in suggest_checks(days)}
    assert {"min.change", "type.change"} <= set(found)
    assert not {"max.change", "mean.change"} & set(found)
    assert found["max.amount"] == "the largest values always lay at 5"


def test_what_a_newer_partition_breaks_is_not_suggested(days: list[Profile]) -> None:
    broken = day(6, status=["other"] * ROWS, amount=np.full(ROWS, -1.0))
    names = {f"{one.check.metric}.{one.check.reads[0]}" for one in suggest_checks([*days, broken])}
    assert "uniqueness.id" in names
    assert not {"isin.status", "min.amount"} & names


def test_what_could_be_tried_on_none_is_commented_out(days: list[Profile]) -> None:
    bare = [
        replace(one, columns={name: replace(column, states={}) for name, column in one.columns.items()}) for one in days
    ]
    found = suggest_checks(bare)
    (guess,) = [one for one in found if one.check.id == "uniqueness.id"]
    assert (guess.held, guess.of) == (0, 0)
    assert "  # - uniqueness: {columns: [id], error: 1}\n" in "".join(yaml_lines("orders", found, 6))


def test_the_file_declares_what_was_suggested(days: list[Profile]) -> None:
    found = suggest_checks(days)
    text = "".join(yaml_lines("orders: all", found, 6))
    assert read_checks(text).dataset == "orders: all"
    assert read_checks(text).checks == tuple(one.check for one in found)
    assert text.count("held on 6 of 6 past partitions") == len(found)
    assert read_checks("".join(yaml_lines("orders", [], 6))).checks == ()


def test_what_a_limit_keeps_out_is_named() -> None:
    codes = [f"c{row % 60}" for row in range(ROWS)]
    rare = ["x" if row % 10 == 0 else None for row in range(ROWS)]
    days = [day(index, code=codes, rare=rare) for index in range(6)]
    said = withheld_checks(days)
    assert said == [
        "code: no set of values: there are 60, and a person looks through 50 at most",
        "rare: no share of rows with a value: down to 10.0% have one, and of 20% or fewer nothing is asked",
    ]
    lines = list(yaml_lines("orders", suggest_checks(days), 6, withheld=said))
    assert lines[-2:] == [f"# not suggested of {one}\n" for one in said]


def test_the_empty_text_is_one_of_a_set_of_values() -> None:
    marks = ["", "a", "b's"] * (ROWS // 3)
    found = {one.check.id: one for one in suggest_checks([day(index, mark=marks) for index in range(6)])}
    assert [one.check.values for one in found.values() if one.check.metric == "isin"][-1] == ("", "a", "b's")
    empty = [day(index, mark=[""] * ROWS) for index in range(6)]
    assert "mark" not in {one.check.reads[0] for one in suggest_checks(empty) if one.check.metric == "isin"}


def test_relations_are_comments_that_say_how_often_they_held(days: list[Profile]) -> None:
    relations = Order("low", "high"), Key(("id",)), Counter(("id",), "n", 1.0, 1.0)
    rules = [RelationRule(one).learned(()) for one in relations]
    stored = [
        StoredRule(place, "active", rule, str(relation_of(rule)), "", 9, 90, broken, 9 - broken)
        for place, (rule, broken) in enumerate(zip(rules, (0, 1, 0), strict=True))
    ]
    text = "".join(yaml_lines("orders", suggest_checks(days), 6, stored))
    assert read_checks(text).checks == read_checks("".join(yaml_lines("orders", suggest_checks(days), 6))).checks
    assert f"# rule 0: low <= high; held on 9 of 9 past partitions\n# {stored[0].check_line}\n" in text
    assert stored[0].check_line is not None
    assert "held on 8 of 9 past partitions, 1 of 90 rows break it\n# - key: {columns: [id]}\n" in text
    assert "# (no check remembers what the rows of the partitions before were)\n" in text


def test_an_interval_is_wilson_s() -> None:
    assert completeness_bound(90, 100) == 0.82
    assert completeness_bound(1, 4) == 0.04


def test_a_column_that_an_estimate_takes_for_unique_is_a_guess(days: list[Profile]) -> None:
    off = [
        replace(
            one,
            columns={
                "id": replace(
                    one.columns["id"], states={}, metrics={**one.columns["id"].metrics, "unique_ratio": 62 / 60}
                )
            },
        )
        for one in days
    ]
    assert "uniqueness.id" in {one.check.id for one in suggest_checks(off)}


def test_too_few_partitions_suggest_nothing(days: list[Profile]) -> None:
    with pytest.raises(SynthesisError, match="suggestions need 3"):
        suggest_checks(days[:2])


def test_numbers_and_texts_have_ranges_with_slack(days: list[Profile]) -> None:
    found = {one.check.id: one.check for one in suggest_checks([*days, *(day(index) for index in range(6, 12))])}
    mean = found["mean.amount"].error
    assert mean is not None
    assert mean.holds(20.0)
    assert not mean.holds(2_000.0)
    most = found["max_length.mail"].error
    assert most is not None
    assert not most.holds(50)
    assert {"max.amount", "min.change", "mean.change", "mean_length.note"} <= set(found)
    assert any(one.sql == "`mail` = lower(`mail`)" for one in found.values())
    assert any(one.sql == "`status` = trim(`status`)" for one in found.values())


def test_numbers_that_differ_by_chance_are_not_called_unique(days: list[Profile]) -> None:
    """Every amount differs, and so would any floats; a running number does not by chance."""
    rows = range(ROWS)
    more = [day(index, number=list(rows), order_id=[7**9 * row + index for row in rows]) for index in range(12)]
    found = {one.check.id for one in suggest_checks(more, "orders")}
    assert "uniqueness.number" in found
    assert not {"uniqueness.amount", "uniqueness.order_id"} & found


def test_where_the_data_cannot_say_the_name_does_and_it_is_said() -> None:
    few = [day(index, id=[7**9 * row + index for row in range(ROWS)]) for index in range(4)]
    (found,) = [one for one in suggest_checks(few, "orders") if one.check.id == "uniqueness.id"]
    assert "by its name (a classifier trained on open-source schemas) it is unique with 9" in found.reason


def test_of_a_column_that_is_mostly_empty_no_range_is_known(days: list[Profile]) -> None:
    thin = [day(number, rare=[1.0 + number % 2 if number < 3 else None] * ROWS) for number in range(8)]
    names = {f"{one.check.metric}.{one.check.reads[0]}" for one in suggest_checks(thin)}
    assert "type.rare" in names
    assert "max.amount" in names
    assert not {"max.rare", "mean.rare"} & names


def test_what_varies_by_factors_has_as_much_again_left() -> None:
    large = [day(number, amount=np.linspace(0, top, ROWS)) for number, top in enumerate((2, 40, 9, 60, 5, 30, 12, 80))]
    (most,) = [one.check.error for one in suggest_checks(large) if one.check.id == "max.amount"]
    assert most is not None
    assert most.upper == 800  # an error of unit, by ten, is one all the same


def test_a_share_that_has_varied_has_as_much_again_left() -> None:
    shares = (1.0, 0.9, 0.95, 1.0, 0.8, 0.95, 1.0, 0.9)
    some = [
        day(number, note=[f"n{row}" if row < share * ROWS else None for row in range(ROWS)])
        for number, share in enumerate(shares)
    ]
    (least,) = [one.check.error for one in suggest_checks(some) if one.check.id == "completeness.note"]
    assert least is not None
    assert least.lower == 0.6

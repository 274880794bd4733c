"""The rows that a check finds wrong: the same ones however a partition is divided, none that must not be shown."""

from __future__ import annotations

import random
from functools import reduce
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq import ProfileOptions, evaluate, profile_table, synthesize
from airflow_dq.check import Checks
from airflow_dq.check.metric import METRICS
from airflow_dq.exceptions import CodecError
from airflow_dq.explain.lines import evidence
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.check.failed_rows import CHARACTERS, COLUMNS, HIDDEN, ROWS, FailedRows
from airflow_dq.profile.check.failing import Sampled, draw_more
from airflow_dq.profile.table import TableState
from airflow_dq.settings import HASH_KEY_VARIABLE


def rule(**more: Any) -> Checks:
    checks = Checks("t", key="id")
    checks.rule("a <= 3", id="small", **more)
    return checks


def table(values: list[int | None], **more: list[Any]) -> pa.Table:
    numbers = pa.array(values, pa.int64())
    return pa.table({"a": numbers, **more, "id": pa.array(range(len(values)), pa.int64())})


@given(st.lists(st.none() | st.integers(0, 6), max_size=60), st.sampled_from([0, 3]), st.randoms())
def test_however_a_partition_is_divided_the_same_rows_are_shown(
    values: list[int | None], sample_rows: int, shuffled: random.Random
) -> None:
    options = ProfileOptions(checks=tuple(rule(nulls="fail")), sample_rows=sample_rows)
    (_, check), whole = options.checks, table(values)
    found = profile_table(whole, "1", options).failing.get(check.measure)
    parts = [TableState.of(whole.slice(start, 7), options) for start in range(0, len(values), 7)]
    parts = [TableState.decode(part.encode()) for part in parts] or [TableState.of(whole, options)]
    shuffled.shuffle(parts)
    assert reduce(TableState.merge, parts).profile("1", options).failing.get(check.measure) == found
    wrong = [row for row, value in enumerate(values) if value is None or value > 3]
    shown = [] if found is None else [int(row[0] or 0) for row in found.rows]
    assert len(shown) == min(ROWS, len(wrong))
    assert set(shown) <= set(wrong)
    # Read again they are the same, and the first of more.
    again = draw_more(Sampled((), 40), whole, check, options).shown(check, options.checks)
    assert again.rows[:ROWS] == (() if found is None else found.rows)
    assert len(again.rows) == min(40, len(wrong))


@pytest.mark.parametrize(
    ("declare", "wrong"),
    [
        (lambda checks: checks.rule("a <= 3"), {1, 3}),
        (lambda checks: checks.rule("a <= 3", nulls="fail"), {1, 2, 3}),
        (lambda checks: checks.rule("a <= 3", where="s = 'x'"), {1}),
        (lambda checks: checks.col("a").complete(), {2}),
        (lambda checks: checks.col("s").complete(), {2, 3}),
        (lambda checks: checks.col("s").isin(["x"]), {2}),
        (lambda checks: checks.col("s").matches("x", nulls="fail"), {2, 3}),
        (lambda checks: checks.col("a").between(0, 4), {1, 3}),
    ],
)
def test_which_rows_fail_is_what_the_check_counts(declare: Any, wrong: set[int]) -> None:
    checks = Checks("t", key="id")
    declare(checks)
    profile = profile_table(table([1, 5, None, 7], s=["x", "x", "", None]), "1", ProfileOptions(checks=tuple(checks)))
    (_, check) = checks
    found = profile.failing[check.measure]
    assert found.columns[0] == "id"
    assert {int(row[0] or 0) for row in found.rows} == wrong
    if (measured := profile.checks.get(check.measure)) is not None:
        assert (measured.denominator or 0) - (measured.numerator or 0) == len(wrong)


def test_every_share_of_rows_has_rows_to_show() -> None:
    assert {name for name, entry in METRICS.items() if entry.by_row} >= {"rule", "completeness", "isin", "between"}
    assert not any(entry.by_row for entry in METRICS.values() if entry.unit != "share")


def test_a_check_that_holds_keeps_no_row() -> None:
    checks = Checks("t")
    checks.rule("a <= 3", error=">=0.5")
    checks.rule("b > 0", id="cannot be computed")
    profile = profile_table(table([1, 5, 2]), "1", ProfileOptions(checks=tuple(checks)))
    assert not profile.failing


def test_hidden_values_are_masked_and_without_values_there_are_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HASH_KEY_VARIABLE, "a secret of ours")
    given_table, checks = table([1, 5], s=["person-1", "person-2"]), tuple(rule())
    found = profile_table(given_table, "1", ProfileOptions(checks=checks, hidden=("s",))).failing[checks[1].measure]
    assert found.rows == (("1", "5", HIDDEN),)
    options = ProfileOptions(checks=checks, store_values=False)
    assert not profile_table(given_table, "1", options).failing


def test_what_is_kept_is_bounded_and_readable() -> None:
    wide: dict[str, list[Any]] = {f"c{n}": [n] for n in range(30)}
    odd = {"long": ["x" * 900], "bytes": [b"\0\1"], "list": [[1, None]], "empty": [""]}
    options = ProfileOptions(checks=tuple(rule()))
    found = profile_table(table([9], **odd, **wide), "1", options).failing[options.checks[1].measure]
    assert found.columns[:6] == ("id", "a", "long", "bytes", "list", "empty")
    assert len(found.columns) == COLUMNS
    assert found.rows[0][2] == "x" * (CHARACTERS - 1) + "…"
    assert found.rows[0][3:6] == ("2 bytes", "[1, None]", "")
    assert list(found.lines) == ["id = 0, a = 9"]


def test_an_alert_shows_them() -> None:
    checks = rule()
    profile = profile_table(table([1, 5, None]), "1", ProfileOptions(checks=tuple(checks)))
    verdict = evaluate(synthesize([], SynthesisOptions(checks=tuple(checks))), profile, [])
    (problem,) = verdict.problems
    assert problem.alerts[0].failing == FailedRows(("id", "a"), (("1", "5"),), 2)
    assert "fails: id = 1, a = 5" in list(evidence(problem))


@pytest.mark.parametrize("stored", [None, {}, {"columns": ["a"], "rows": [["1", "2"]], "leading": 1}])
def test_rows_that_cannot_be_read_are_damage(stored: Any) -> None:
    with pytest.raises(CodecError, match="rows that fail"):
        FailedRows.of_dict(stored)

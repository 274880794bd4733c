"""Exceptions to learned rules: exact however the rows are divided, and in shapes where the values are hidden."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.options.profile import ProfileOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.pattern import PatternRule
from airflow_dq.profile.check.learned import Exceptions, answer_rule
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.check.tallies import Tallies
from airflow_dq.profile.table import TableState, profile_table
from airflow_dq.settings import HASH_KEY_VARIABLE
from airflow_dq.states.category import CategoryDistribution

PATTERN = PatternRule(("K<digit>+",), min_length=2, max_length=9, values=10, distinct=10)
RULE = LearnedRule("pattern", ("code",), "a condition", PATTERN.to_json())
OPTIONS = ProfileOptions(rules=(RULE,), sample_rows=0)
ODD = [f"odd {number % 90}" for number in range(200)]
VALUES = [*(f"K{number}" for number in range(500)), *ODD, None, "", " ", "K1234567890", "é"]


@pytest.fixture(autouse=True)
def hash_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of a hidden column are hashed with a secret."""
    monkeypatch.setenv(HASH_KEY_VARIABLE, "a secret of ours")


def measured(values: list[str | None], options: ProfileOptions = OPTIONS) -> Measured:
    return profile_table(pa.table({"code": pa.array(values, pa.string())}), "1", options).checks[RULE.measure]


def test_exceptions_are_counted_over_all_values_and_missing_ones_are_none() -> None:
    found = measured(VALUES)
    # Null, the empty and the blank text are missing; one is too long, one is no code.
    assert (found.numerator, found.denominator) == (202, 702)
    assert [rows for _, rows in found.examples] == [3] * 5
    assert all(value.startswith("odd ") for value, _ in found.examples)
    assert found.learned


@pytest.mark.parametrize("hidden", [(), ("code",)])
def test_any_division_of_the_rows_counts_the_same(hidden: tuple[str, ...]) -> None:
    options = replace(OPTIONS, hidden=hidden)
    whole = measured(VALUES, options)
    rng = np.random.default_rng(3)
    for _ in range(5):
        cuts = [0, *sorted(rng.integers(0, len(VALUES), 4).tolist()), len(VALUES)]
        parts = [VALUES[a:b] for a, b in pairwise(cuts)]
        states = [TableState.of(pa.table({"code": pa.array(part, pa.string())}), options) for part in parts]
        rng.shuffle(states)
        travelled = [TableState.decode(state.encode()) for state in states]
        assert reduce(TableState.merge, travelled).profile("1", options).checks[RULE.measure] == whole


def test_no_value_of_a_hidden_column_is_kept() -> None:
    found = measured(["K1", "Anna-17", "Otto-23"], replace(OPTIONS, hidden=("code",)))
    assert (found.numerator, found.examples) == (2, ((r"\l\l\l\l\.\d\d", 2),))
    state = TableState.of(pa.table({"code": ["Anna-17"]}), replace(OPTIONS, store_values=False))
    assert b"Anna" not in state.tallies.encode()


def test_kept_counts_answer_where_every_value_was_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"code": pa.array(VALUES, pa.string())})
    plain = profile_table(table, "1", ProfileOptions(sample_rows=0))
    found = answer_rule(RULE, plain)
    assert found is not None
    assert (found.numerator, found.denominator, found.examples) == (202, 702, measured(VALUES).examples)
    assert answer_rule(RULE, profile_table(pa.table({"other": [1]}))) is None
    hidden = profile_table(table, "1", ProfileOptions(sample_rows=0, hidden=("code",)))
    assert answer_rule(RULE, hidden) is None
    monkeypatch.setattr(CategoryDistribution, "limit", 10)
    assert answer_rule(RULE, profile_table(table, "2", ProfileOptions(sample_rows=0))) is None


def test_the_rules_of_other_columns_and_kinds_are_left_out() -> None:
    number = profile_table(pa.table({"code": [1, 2]}), "1", OPTIONS)
    assert number.checks[RULE.measure].nothing
    assert profile_table(pa.table({"other": ["a"]}), "1", OPTIONS).checks == {}


@pytest.mark.parametrize(
    "broken", [replace(RULE, document="{"), replace(RULE, document="[]"), replace(RULE, family="unheard-of")]
)
def test_a_damaged_rule_is_told_and_loses_nothing(broken: LearnedRule) -> None:
    found = profile_table(pa.table({"code": ["a"]}), "1", replace(OPTIONS, rules=(broken,)))
    assert found.columns["code"].metrics
    assert found.checks[broken.measure].problem


def test_a_rule_that_was_counted_changes_no_fingerprint() -> None:
    table = pa.table({"code": ["K1", "x"]})
    with_rule, without = profile_table(table, "1", OPTIONS), profile_table(table, "1", ProfileOptions(sample_rows=0))
    assert with_rule.fingerprint == without.fingerprint


def test_rules_of_one_condition_have_one_count() -> None:
    assert replace(RULE, document="other training", partitions=("1",)).measure == RULE.measure
    assert replace(RULE, condition="another").measure != RULE.measure
    assert replace(RULE, columns=("other",)).measure != RULE.measure


def test_nothing_was_counted_of_no_rows() -> None:
    assert Exceptions().share.nothing
    assert Tallies().exceptions((RULE,)) == {}

"""Relations between rows in a profile: counted in the scan, held against the partitions before, hidden where asked."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.options.profile import ProfileOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.check.between import answer_of, held_of
from airflow_dq.profile.check.learned import row_rule
from airflow_dq.profile.check.tally import Failed
from airflow_dq.profile.table import TableState, profile_table
from airflow_dq.relation.condition import Order
from airflow_dq.relation.dependency import Counter, Dependency, Key, Step
from airflow_dq.relation.inclusion import Inclusion
from airflow_dq.relation.rule import BETWEEN, RelationRule
from airflow_dq.settings import HASH_KEY_VARIABLE

NAME = RelationRule(Dependency(("code",), "name", lasting=True)).learned(())
KEY = RelationRule(Key(("code",))).learned(())
COUNT = RelationRule(Counter(("code",), "cases", 0.5, 10.0)).learned(())
PARENT = RelationRule(Inclusion("code", "name", lasting=False)).learned(())
STEP = RelationRule(Step(("code",), "cases", "cases")).learned(())
RULES = (NAME, KEY, COUNT)
OPTIONS = ProfileOptions(rules=RULES)


@pytest.fixture(autouse=True)
def hash_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of a hidden column are hashed with a secret."""
    monkeypatch.setenv(HASH_KEY_VARIABLE, "a secret of ours")


def table(codes: str, names: str, cases: list[float]) -> pa.Table:
    return pa.table({"code": codes.split(), "name": names.split(), "cases": cases})


BEFORE = table("JFK LGA EWR", "Kennedy LaGuardia Newark", [100.0, 200.0, 300.0])
NOW = table("JFK LGA LGA", "Idlewild LaGuardia LaGuardia", [50.0, 210.0, 210.0])


@pytest.mark.parametrize("options", [OPTIONS, ProfileOptions()])
def test_a_partition_is_held_against_those_before_by_all_rows_or_by_those_that_were_drawn(
    options: ProfileOptions,
) -> None:
    before, now = profile_table(BEFORE, "1", options), profile_table(NOW, "2", options)
    name, key, count = (answer_of(rule, now, [before]) for rule in RULES)
    assert name is not None
    assert (name.numerator, name.denominator, name.examples) == (1, 3, (("JFK: Idlewild, before Kennedy", 1),))
    assert key is not None
    assert (key.numerator, key.denominator, key.examples) == (2, 3, (("LGA", 2),))
    assert count is not None
    assert (count.numerator, count.denominator, count.examples) == (1, 3, (("JFK: 50, before 100", 1),))


def test_rows_that_have_changed_places_are_other_rows_though_every_column_is_the_same() -> None:
    swapped = BEFORE.set_column(1, "name", BEFORE.column("name").take(pa.array([1, 0, 2])))
    before, same, now = (profile_table(one, "1") for one in (BEFORE, BEFORE, swapped))
    assert now.fingerprint == same.fingerprint
    told = [answer_of(NAME, one, [before]) for one in (same, now)]
    assert [one.numerator for one in told if one is not None] == [0, 2]


def test_what_is_held_travels_and_merges() -> None:
    parts = [TableState.of(NOW.slice(at, 1), OPTIONS) for at in range(3)]
    merged = reduce(TableState.merge, [TableState.decode(one.encode()) for one in parts]).profile("2", OPTIONS)
    whole = profile_table(NOW, "2", OPTIONS)
    assert {name: one.to_bytes() for name, one in merged.held.items()} == {
        name: one.to_bytes() for name, one in whole.held.items()
    }
    assert set(whole.held) == {rule.measure for rule in RULES}


def test_of_hidden_columns_only_keyed_hashes_are_held() -> None:
    options = replace(OPTIONS, store_values=False)
    before, now = profile_table(BEFORE, "1", options), profile_table(NOW, "2", options)
    name = answer_of(NAME, now, [before])
    assert name is not None
    assert (name.numerator, name.denominator, name.examples) == (1, 3, ())
    assert not any(b"LaGuardia" in one.to_bytes() for one in now.held.values())
    counted = answer_of(COUNT, now, [before])
    assert counted is not None
    assert counted.value is None, "a number would have to be held as it is"
    other = held_of(NAME, profile_table(NOW, "2", OPTIONS))
    held = held_of(NAME, now)
    assert other is not None
    assert held is not None
    assert not set(held.groups.tolist()) & set(other.groups.tolist())


def test_inclusion_and_steps_merge_and_keep_no_hidden_value() -> None:
    shown = ProfileOptions(rules=(PARENT, STEP))
    for options in (shown, replace(shown, store_values=False)):
        parts = [TableState.of(NOW.slice(at, 1), options) for at in range(3)]
        merged = reduce(TableState.merge, [TableState.decode(one.encode()) for one in parts]).profile("2", options).held
        whole = profile_table(NOW, "2", options).held
        assert {name: one.to_bytes() for name, one in merged.items()} == {
            name: one.to_bytes() for name, one in whole.items()
        }
        kept = b"".join(one.to_bytes() for one in whole.values())
        assert (b"LaGuardia" in kept) is options.store_values
        assert (np.float64(210.0).tobytes() in kept) is options.store_values


def test_a_column_that_is_not_there_is_not_counted() -> None:
    now = profile_table(NOW.select(["code"]), "2", OPTIONS)
    assert answer_of(NAME, now, []) is None
    empty = profile_table(pa.table({"code": pa.nulls(3), "name": pa.nulls(3)}), "2", OPTIONS)
    found = answer_of(NAME, empty, [])
    assert found is not None
    assert found.nothing is not None


def test_a_damaged_rule_or_one_within_a_row_says_so() -> None:
    order = RelationRule(Order("a", "b"))
    assert isinstance(row_rule(LearnedRule(BETWEEN, ("a", "b"), "", order.to_json())), Failed)
    assert isinstance(row_rule(LearnedRule(BETWEEN, ("a", "b"), "", "{")), Failed)

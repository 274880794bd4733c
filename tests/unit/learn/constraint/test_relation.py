"""Relations in a program: judged once enough partitions have kept them, by what all of these have shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.judge.evaluation import evaluate
from airflow_dq.learn.constraint.base import Finding, Learned, NotEvaluated, Skipped
from airflow_dq.learn.constraint.relation import METRIC, Holding, RelationDetector
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.learn.pipeline import synthesize
from airflow_dq.learn.relation import mine_profile, new_relations, relations_of
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import profile_table
from airflow_dq.relation import Order, Sum
from airflow_dq.relation.rule import RelationRule

ROWS = 400
RULE = RelationRule(Sum("total", ("price", "fee"))).learned(("2025-12-31",))
COUNTING = ProfileOptions(sample_rows=0, rules=(RULE,))


def sales(number: int, wrong: int = 0, rows: int = ROWS) -> pa.Table:
    """Amounts that add up, but for some rows."""
    rng = np.random.default_rng(number)
    price, fee = np.round(rng.lognormal(3, 0.3, rows), 2), np.round(rng.exponential(2, rows), 2)
    total = np.round(price + fee, 2)
    fee[:wrong] += 5.0
    return pa.table({"price": price, "fee": fee, "total": total})


def day(number: int, wrong: int = 0, options: ProfileOptions = COUNTING, rows: int = ROWS) -> Profile:
    return profile_table(sales(number, wrong, rows), f"2026-01-{1 + number:02d}", options)


@pytest.fixture(scope="module")
def clean() -> list[Profile]:
    return [day(number) for number in range(12)]


def _constraints(history: Sequence[Profile]) -> list[Holding]:
    learned = RelationDetector().learn(History.of(history, rules=(RULE,)), SynthesisOptions())
    assert isinstance(learned, Learned)
    return [one for one in learned.constraints if isinstance(one, Holding)]


def found(history: Sequence[Profile], now: Profile, **options: object) -> Finding | NotEvaluated | None:
    past = History.of(history, rules=(RULE,))
    learned = RelationDetector().learn(past, SynthesisOptions(**options))  # type: ignore[arg-type]
    assert isinstance(learned, Learned)
    (one,) = learned.constraints
    return one.check(PartitionView(now, past))


def test_a_few_rows_that_break_what_none_ever_did_are_told_with_examples(clean: list[Profile]) -> None:
    finding = found(clean, day(12, wrong=8))
    assert isinstance(finding, Finding)
    assert (finding.rule, finding.metric, finding.rows, finding.observed) == ("relation", METRIC, 8, 8 / ROWS)
    assert finding.expected == "total = price + fee"
    assert len(finding.examples) == 3
    assert all(one.startswith("total = ") for one in finding.examples)
    assert found(clean, day(12)) is None


def test_a_bigger_error_is_never_easier_to_miss(clean: list[Profile]) -> None:
    odd = [found(clean, day(12, wrong=wrong)) is not None for wrong in (0, 1, 2, 4, 8, 40, ROWS)]
    assert odd == sorted(odd)
    assert (odd[0], odd[-1]) == (False, True)


def test_a_stable_share_of_exceptions_is_judged_by_its_range() -> None:
    usual = [day(number, wrong=2 + number % 3) for number in range(20)]
    assert found(usual, day(20, wrong=4)) is None
    assert isinstance(found(usual, day(20, wrong=40)), Finding)


def test_partitions_without_names_are_judged_by_the_same_shares() -> None:
    broken = [0] * 18
    broken[4] = broken[11] = 30
    named = [day(number, wrong) for number, wrong in enumerate(broken)]
    now = day(18, wrong=30)
    unnamed = [replace(one, partition=None) for one in named]
    assert found(named, now) is None
    assert found(unnamed, replace(now, partition=None)) is None
    (shares,) = {one.shares(PartitionView(now, History.of(unnamed, rules=(RULE,)))) for one in _constraints(unnamed)}
    assert [share for _, share in shares] == [wrong / ROWS for wrong in broken]


def test_it_is_judged_once_enough_partitions_have_kept_it(clean: list[Profile]) -> None:
    def learned(history: Sequence[Profile]) -> Learned | Skipped:
        return RelationDetector().learn(History.of(history, rules=(RULE,)), SynthesisOptions())

    assert isinstance(learned(clean[:6]), Skipped)
    assert isinstance(learned(clean[:7]), Learned)
    assert isinstance(learned([day(number, wrong=40) for number in range(8)]), Skipped)
    assert isinstance(learned([day(number, rows=5) for number in range(8)]), Skipped)


def test_what_was_not_counted_is_not_judged(clean: list[Profile]) -> None:
    uncounted = found(clean, day(12, options=ProfileOptions(sample_rows=0)))
    assert isinstance(uncounted, NotEvaluated)
    assert not uncounted.applies
    nothing = profile_table(sales(12).slice(0, 0), "2026-01-13", COUNTING)
    assert isinstance(found(clean, nothing), NotEvaluated)


@pytest.mark.parametrize("options", [{"relations": False}, {"exclude": ("fee",)}, {"columns": ("price",)}])
def test_who_does_not_ask_for_relations_gets_none(clean: list[Profile], options: dict[str, object]) -> None:
    history = History.of(clean, rules=(RULE,))
    assert isinstance(RelationDetector().learn(history, SynthesisOptions(**options)), Skipped)  # type: ignore[arg-type]


def test_a_column_of_its_own_rate_lends_it_to_its_relations(clean: list[Profile]) -> None:
    history = History.of(clean, rules=(RULE,))
    for own, expected in ((1e-6, 1e-6), (0.1, SynthesisOptions().target_fpr)):
        options = SynthesisOptions(overrides={"fee": {"target_fpr": own}})
        (one,) = [each for each in synthesize(history, options).constraints if isinstance(each, Holding)]
        assert one.fpr == expected


def test_one_row_is_told_once_enough_partitions_have_kept_what_it_breaks() -> None:
    """What adds up in each of twenty rows a day, for a month, and now does not in one."""
    past = [day(number, rows=20) for number in range(31)]
    assert found(past[:10], day(40, wrong=1, rows=20)) is None
    assert isinstance(found(past, day(40, wrong=1, rows=20)), Finding)


def test_where_nothing_is_stored_drawn_rows_answer(clean: list[Profile]) -> None:
    history = [day(number, options=ProfileOptions(), rows=600) for number in range(8)]
    assert [rule.measure for rule in relations_of(History.of(history))] == [RULE.measure]
    now = day(12, wrong=12, options=ProfileOptions(), rows=2_000)
    verdict = evaluate(synthesize(history), now, history)
    (alert,) = [one for one in verdict.alerts if one.rule == "relation"]
    assert "rows drawn) break total = price + fee" in alert.message
    assert relations_of(History.of([replace(one, sample=None) for one in history])) == ()


def test_what_is_known_already_is_not_new() -> None:
    (rule,) = mine_profile(day(0, options=ProfileOptions()))
    assert new_relations([rule], []) == [rule]
    assert new_relations([rule], [rule]) == []

    def learned(relation: Order) -> LearnedRule:
        return RelationRule(relation).learned(("d",))

    other = learned(Order("price", "total"))
    assert new_relations([rule, other], [other]) == [rule]

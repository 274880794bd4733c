"""Relations between rows as constraints: learned of drawn rows, judged by their history, told with examples."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.codec import from_json, to_json
from airflow_dq.judge.evaluation import evaluate
from airflow_dq.judge.verdict import Status
from airflow_dq.learn.constraint.base import Finding, NotEvaluated, Skipped
from airflow_dq.learn.constraint.between import BetweenDetector, Keeping
from airflow_dq.learn.constraint.earned import EARNED
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.learn.pipeline import synthesize
from airflow_dq.learn.program import Program
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import profile_table
from airflow_dq.relation.dependency import Key
from airflow_dq.relation.rule import RelationRule

PLACES = 60
DAYS = 24


def day(number: int, *, renamed: int = 0, swapped: int = 0, cases: dict[int, float] | None = None) -> Profile:
    rng = np.random.default_rng(5)
    steps = rng.poisson(4, (DAYS + 2, PLACES)).cumsum(axis=0) + rng.integers(100, 999, PLACES)
    total = steps[number].astype(float)
    for place, value in (cases or {}).items():
        total[place] = value
    names = [f"Town {(place + 1) * 7}" for place in range(PLACES)]
    for place in range(renamed):
        names[place] = f"Other {place}"
    names[: 2 * swapped] = names[swapped : 2 * swapped] + names[:swapped]
    table = {"place": [f"P{place}" for place in range(PLACES)], "name": names, "total": total}
    return profile_table(pa.table(table), f"2024-03-{number + 1:02d}")


@cache
def past() -> tuple[Profile, ...]:
    return tuple(day(number) for number in range(DAYS))


@cache
def constraints() -> dict[str, Keeping]:
    learned = BetweenDetector().learn(History.of(past()), SynthesisOptions())
    return {str(one.relation.relation): one for one in learned.constraints}  # type: ignore[union-attr]


def found(text: str, profile: Profile) -> Finding | NotEvaluated | None:
    (name,) = [name for name in constraints() if name.startswith(text)]
    return constraints()[name].check(PartitionView(profile, History.of(past())))


def test_keys_lasting_names_and_counters_are_learned_of_snapshots() -> None:
    assert set(constraints()) >= {"place determines name, as in the partitions before", "each place occurs once"}
    assert any(name.startswith("total of each place does not fall") for name in constraints())


def test_a_right_partition_breaks_none() -> None:
    now = PartitionView(day(DAYS), History.of(past()))
    assert [one.check(now) for one in constraints().values()] == [None] * len(constraints())


@pytest.mark.parametrize("renamed", [1, 5])
def test_a_name_that_a_place_never_had_is_found(renamed: int) -> None:
    finding = found("place determines name", day(DAYS, renamed=renamed))
    assert isinstance(finding, Finding)
    assert (finding.rows, finding.partitions) == (renamed, DAYS - 1)
    assert {"P0: Other 0, before Town 7", "P4: Other 4, before Town 35"} & set(finding.examples)


@pytest.mark.parametrize("value", [1.0, 99_999.0])
def test_a_count_that_falls_or_leaps_is_found(value: float) -> None:
    finding = found("total of each place", day(DAYS, cases={3: value}))
    assert isinstance(finding, Finding)
    assert finding.rows == 1


@pytest.mark.parametrize(("rows", "severity"), [(1, "warn"), (40, "fail")])
def test_few_rows_that_are_not_as_before_only_warn_and_many_fail(rows: int, severity: str) -> None:
    def of(key: str, renamed: int) -> Profile:
        codes = np.arange(1_000) % 500
        names = [f"{'Other' if code < renamed / 2 else 'Town'} {code * 7}" for code in codes]
        table = {"row": np.arange(1_000), "place": [f"P{code}" for code in codes], "name": names}
        return profile_table(pa.table(table), key)

    history = [of(f"2024-03-{number + 1:02d}", 0) for number in range(EARNED + 1)]
    learned = BetweenDetector().learn(History.of(history), SynthesisOptions())
    (lasting,) = (
        one
        for one in learned.constraints  # type: ignore[union-attr]
        if str(one.relation.relation) == "place determines name, as in the partitions before"
    )
    finding = lasting.check(PartitionView(of("2024-03-31", rows), History.of(history)))
    assert isinstance(finding, Finding)
    assert finding.severity == severity


def test_a_partition_without_its_columns_is_not_evaluated() -> None:
    bare = profile_table(pa.table({"other": [1.0]}), "2024-03-30")
    assert isinstance(found("place determines name", bare), NotEvaluated)


def test_an_alert_says_what_it_was_before_and_the_program_travels() -> None:
    program = synthesize(past(), SynthesisOptions())
    verdict = evaluate(program, day(DAYS, renamed=1), past())
    assert verdict.status is Status.FAIL
    assert any("P0: Other 0, before Town 7" in alert.message for alert in verdict.alerts)
    assert from_json(Program, to_json(program)) == program


def test_a_name_that_changed_is_blamed_and_of_two_columns_that_name_each_other_neither() -> None:
    program = synthesize(past(), SynthesisOptions())
    renamed, swapped = (evaluate(program, now, past()) for now in (day(DAYS, renamed=1), day(DAYS, swapped=5)))
    assert (renamed.columns["name"].status, renamed.columns["place"].status) == (Status.FAIL, Status.PASS)
    # Each relation speaks against the other's key: nothing tells whether the names or the places were swapped.
    assert swapped.table.status is Status.FAIL
    relations = [alert for alert in swapped.alerts if alert.rule == "relation"]
    assert len(relations) > 1
    assert {alert.cause for alert in relations} == {None}


@pytest.mark.parametrize("adds_up", [True, False])
def test_a_subject_that_another_relation_vouches_for_is_not_blamed(adds_up: bool) -> None:
    def of(number: int, fallen: dict[int, float]) -> Profile:
        whole = day(number, cases=fallen).sample
        assert whole is not None
        rows = whole.expand(["place", "total"])
        parts = np.random.default_rng(number).integers(0, 90, PLACES).astype(float)
        table = {"place": rows.column("place"), "total": rows.column("total")}
        if adds_up:
            table |= {"part": pa.array(parts), "rest": pa.array(rows.column("total").to_numpy() - parts)}
        return profile_table(pa.table(table), f"2024-03-{number + 1:02d}")

    history = [of(number, {}) for number in range(DAYS)]
    verdict = evaluate(synthesize(history, SynthesisOptions()), of(DAYS, {3: 150.0}), history)
    falls = [alert for alert in verdict.alerts if "total of each place does not fall" in alert.statement]
    blamed = {alert.column for alert in falls}
    assert blamed == ({None} if adds_up else {"total"})


@pytest.mark.parametrize("doubled", [1, 12], ids=["once before", "as often before"])
def test_a_key_of_two_columns_is_judged_by_the_partitions_in_which_one_of_them_was_none(doubled: int) -> None:
    def match_day(number: int, double: bool, drawn: bool = False) -> Profile:
        scores = [str(player % 5) for player in range(PLACES)]
        again = 20 if double else 0
        table = {
            "player": [f"P{player}" for player in (*range(PLACES), *range(again))],
            "score": scores + [str((player + (0 if drawn else 1)) % 5) for player in range(again)],
        }
        return profile_table(pa.table(table), f"2024-03-{number + 1:02d}")

    rules = tuple(RelationRule(Key(columns)).learned(()) for columns in (("player",), ("player", "score")))
    history = History.of([match_day(number, number >= DAYS - doubled) for number in range(DAYS)], rules=rules)
    learned = BetweenDetector().learn(history, SynthesisOptions())
    assert not isinstance(learned, Skipped)
    (whole,) = [one for one in learned.constraints if one.scope.columns == ("player", "score")]
    outcome = whole.check(PartitionView(match_day(DAYS, True, drawn=True), history))
    assert isinstance(outcome, Finding if doubled > 1 else NotEvaluated)


def sold(number: int, *, wrong: float = 0.0, gone: int | None = None) -> Profile:
    """What each region has sold, and the country's total, which may be wrong or lack a region that is in it."""
    units = np.random.default_rng(number).poisson(90, 20).astype(float)
    regions = pa.array([*(f"R{one}" for one in range(20)), "All"])
    table = pa.table({"region": regions, "units": [*units, units.sum() + wrong]})
    if gone is not None:
        table = table.take(pa.array([one for one in range(21) if one != gone]))
    return profile_table(table, str(np.datetime64("2024-03-01") + number))


@pytest.mark.parametrize(("days", "severity"), [(12, "warn"), (EARNED + 1, "fail")])
def test_a_total_that_is_not_the_sum_of_the_others_is_told_and_fails_once_it_has_held_for_long(
    days: int, severity: str
) -> None:
    history = [sold(number) for number in range(days)]
    program = synthesize(history, SynthesisOptions(novelty="off"))
    assert evaluate(program, sold(days), history).alerts == ()
    for odd in (sold(days, wrong=10.0), sold(days, gone=3)):
        (alert,) = [one for one in evaluate(program, odd, history).alerts if one.rule == "relation"]
        assert "(1 of 1) break units where region is 'All' is the sum of the other rows" in alert.message
        assert ", the others " in alert.message
        assert (alert.column, alert.severity) == ("units", severity)


def test_drawn_rows_of_a_larger_partition_say_nothing_of_a_total() -> None:
    history = [sold(number) for number in range(12)]
    (total,) = [
        one
        for one in BetweenDetector().learn(History.of(history), SynthesisOptions()).constraints  # type: ignore[union-attr]
        if one.scope.columns == ("region", "units")
    ]
    large = pa.table({"region": [*(f"R{one}" for one in range(5_000)), "All"], "units": [1.0] * 5_001})
    outcome = total.check(PartitionView(profile_table(large, "2024-03-30"), History.of(history)))
    assert isinstance(outcome, NotEvaluated)


def test_relations_can_be_switched_off() -> None:
    program = synthesize(past(), SynthesisOptions(relations=False))
    assert "between" not in {one.family for one in program.constraints}
    assert program.skipped["between"] == "relations are switched off"

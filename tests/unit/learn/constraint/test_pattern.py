"""Patterns in a program: from the second partition on, by the training first and by their own history later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
import pytest

from airflow_dq.judge.evaluation import evaluate
from airflow_dq.judge.verdict import Status, Verdict
from airflow_dq.learn.constraint.base import Learned, Skipped
from airflow_dq.learn.constraint.pattern import METRIC, TIERS, Conforming, PatternDetector
from airflow_dq.learn.constraint.range_detector import equal_share
from airflow_dq.learn.history.history import History
from airflow_dq.learn.pipeline import synthesize
from airflow_dq.learn.rule import LEARNED_FROM, learn_rule, newest_texts, pattern_of
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.pattern import learn_pattern
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import profile_table
from airflow_dq.states.text_sample import TextSample

ROWS = 500
PLAIN = ProfileOptions(sample_rows=0)


def day(number: int, odd: Sequence[str] = (), rows: int = ROWS) -> Profile:
    """Codes that no two days share, some of them replaced."""
    codes = [f"ORD-{1_000_000 + 7919 * number + row}" for row in range(rows)]
    table = pa.table({"code": [*odd, *codes[len(odd) :]], "amount": [float(row) for row in range(rows)]})
    return profile_table(table, f"2026-{1 + number // 28:02d}-{1 + number % 28:02d}", PLAIN)


def judged(history: Sequence[Profile], now: Profile, **options: object) -> Verdict:
    return evaluate(synthesize(history, SynthesisOptions(**options)), now, history)  # type: ignore[arg-type]


def broken(history: Sequence[Profile], now: Profile) -> bool:
    learned = PatternDetector().learn(History.of(history), SynthesisOptions())
    assert isinstance(learned, Learned)
    return any(finding.rule == "pattern" for finding in judged(history, now).findings)


def test_one_partition_is_enough() -> None:
    verdict = judged([day(0)], day(1, ["??"] * 50))
    assert (verdict.status, verdict.columns["code"].status) == (Status.FAIL, Status.FAIL)
    (finding,) = verdict.findings
    assert (finding.metric, finding.rows, finding.examples) == (METRIC, 50, ("'??' (50)",))
    assert judged([day(0)], day(1)).status is Status.WARMING_UP


def test_a_bigger_error_is_never_easier_to_miss() -> None:
    history = [day(number) for number in range(12)]
    found = [broken(history, day(12, ["??"] * number)) for number in (0, 1, 5, 20, 100, ROWS)]
    assert found == sorted(found)
    assert (found[0], found[-1]) == (False, True)


def test_a_stable_share_of_exceptions_has_a_range_of_its_own() -> None:
    usual = [day(number, ["n/a?"] * (14 + number % 4)) for number in range(20)]
    assert not broken(usual, day(20, ["n/a?"] * 17))
    assert broken(usual, day(20, ["n/a?"] * 100))


def test_what_came_before_the_rule_says_what_is_usual() -> None:
    # The rule is learned of the newest partitions; older ones with many exceptions widen what may come.
    now = day(20, ["n/a?"] * 40)
    clean = [day(number) for number in range(20)]
    odd = [day(number, ["n/a?"] * 40) if number in (3, 6, 9, 12) else clean[number] for number in range(20)]
    assert broken(clean, now)
    assert not broken(odd, now)


def test_one_odd_partition_hides_nothing() -> None:
    # A person may have accepted it: that is no range yet, and a bigger or smaller error is an alarm again.
    history = [day(number, ["n/a?"] * 250 if number == 5 else ()) for number in range(20)]
    assert broken(history, day(20, ["??"] * 200))
    assert broken(history, day(20, ["??"] * 400))


def test_partitions_of_few_values_add_up_to_evidence() -> None:
    rule, four = (
        learn_pattern([str(120 + number) for number in range(8)]),
        Measured(0.0, numerator=0, denominator=4, unusual=0),
    )
    assert rule is not None
    two_odd = replace(four, unusual=2)
    after = [TIERS[1].surprise(rule, [(f"{day}", four) for day in range(days)], two_odd) for days in (0, 5, 20)]
    assert after == sorted(after, reverse=True)
    assert after[-1] < 0.001 < after[0]


@pytest.mark.parametrize("values", [["0-1"], ["0-1", "6+"], ["6+", "A7", "0-1"]])
def test_equal_values_of_a_partition_are_one_run_and_those_of_the_next_another(values: list[str]) -> None:
    # Samples are ordered by hash: whether the last value of one is the first of the next says nothing of rows.
    table = pa.table({"code": [value for value in values for _ in range(9)]})
    for partitions in (1, 2, 4):
        found = learn_rule([profile_table(table, str(number), PLAIN) for number in range(partitions)], "code")
        assert isinstance(found, LearnedRule)
        assert pattern_of(found).runs == partitions * len(values)


def test_a_partition_without_counts_is_not_judged_by_the_rule() -> None:
    history, now = [day(number) for number in range(8)], day(8, ["??"] * 50)
    columns = {name: replace(column, states={}) for name, column in now.columns.items()}
    program = synthesize(history)
    view = evaluate(program, replace(now, columns=columns), history)
    (skipped,) = [one for one in view.not_evaluated if one.rule == "pattern"]
    assert not skipped.applies
    assert "before the rule was learned" in skipped.reason


def test_nothing_of_the_target_is_spent_beside_it() -> None:
    options = SynthesisOptions(target_fpr=0.01)
    history = [day(number) for number in range(10)]
    program = synthesize(history, options)
    (pattern,) = [one for one in program.constraints if isinstance(one, Conforming)]
    ranges = program.columns["code"].fpr
    share = equal_share(options, list(program.columns))
    assert pattern.fpr > 0
    assert pattern.fpr + ranges <= 2.0 * share * 0.9 + 0.1 * share + 1e-12
    without = synthesize(history, replace(options, patterns=False))
    assert not any(isinstance(one, Conforming) for one in without.constraints)


def test_the_newest_partitions_in_a_row_whose_texts_are_known_are_learned_from() -> None:
    history = [day(number) for number in range(10)]
    assert newest_texts(history, "code") == history[-LEARNED_FROM:]
    assert newest_texts(history, "amount") == newest_texts(history, "other") == []
    nulls = profile_table(pa.table({"code": pa.nulls(3, pa.string())}), "2026-01-11", PLAIN)
    assert newest_texts([*history, nulls], "code") == history[-LEARNED_FROM:]
    bare = replace(history[8], columns={"code": replace(history[8].columns["code"], states={})})
    assert newest_texts([*history[:8], bare, history[9]], "code") == [history[9]]


def test_stored_rules_are_taken_as_they_are() -> None:
    history = [day(number) for number in range(3)]
    learned = PatternDetector().learn(History.of(history), SynthesisOptions())
    assert isinstance(learned, Learned)
    (one,) = learned.constraints
    assert isinstance(one, Conforming)
    stored = PatternDetector().learn(History.of(history, rules=(one.learned,)), SynthesisOptions())
    assert stored == learned
    assert isinstance(PatternDetector().learn(History.of(history, rules=()), SynthesisOptions()), Skipped)


def test_long_texts_have_no_pattern_and_say_why() -> None:
    texts = ["word " * 50 + str(number) for number in range(40)]
    profile = profile_table(pa.table({"text": texts}), "2026-01-01", PLAIN)
    state = profile.columns["text"].states[TextSample.key]
    assert isinstance(state, TextSample)
    assert (len(state.values), state.longer) == (0, 40)
    found = PatternDetector().learn(History.of([profile]), SynthesisOptions())
    assert isinstance(found, Skipped)
    assert found.reason == "text: free text"


@pytest.mark.parametrize("options", [{"patterns": False}, {"exclude": ("code",)}, {"columns": ("amount",)}])
def test_who_does_not_ask_for_patterns_gets_none(options: dict[str, object]) -> None:
    found = PatternDetector().learn(History.of([day(0)]), SynthesisOptions(**options))  # type: ignore[arg-type]
    assert isinstance(found, Skipped)


def players(number: int, names: Sequence[str], rows: int = 20) -> Profile:
    """Each name in as many rows: what players did in a game."""
    table = pa.table({"code": [name for name in names for _ in range(rows)]})
    return profile_table(table, f"2026-01-{1 + number:02d}", PLAIN)


FIRST = ("Adam", "Bela", "Carl", "Dora", "Emil", "Finn", "Gina", "Hugo")
NAMES = [f"{first} {last}" for first in FIRST for last in ("Abel", "Bauer", "Cohen", "Diaz", "Evans", "Fox")]


@pytest.mark.parametrize("odd", ["O.J. Mayo", "Shaquille O'Neal"])
def test_a_new_name_is_one_event_in_however_many_rows(odd: str) -> None:
    history = [players(number, NAMES[number : number + 25]) for number in range(4)]
    assert not broken(history, players(4, [*NAMES[4:28], odd]))
    assert broken(history, players(4, [f"#{place}" for place in range(25)]))
    assert broken(history, players(4, [*NAMES[4:28], *(["??"] * 8)]))


def test_rows_that_are_damaged_one_by_one_are_not_one_event() -> None:
    history = [players(number, NAMES[number : number + 25]) for number in range(4)]
    names = [name for name in NAMES[4:29] for _ in range(20)]
    damaged = [name.replace(" ", f"#{row}#") if row % 20 == 0 else name for row, name in enumerate(names)]
    assert broken(history, players(4, damaged, 1))

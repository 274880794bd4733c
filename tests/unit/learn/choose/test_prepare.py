"""A share of new values that has always been 0 is watched once the history is long enough for the table's width."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.learn.choose.prepare import _unproven
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.profile import Profile, profile_table
from airflow_dq.program import Status, SynthesisOptions, evaluate, synthesize
from airflow_dq.states.base import Kind
from tests.unit.learn.builder import column, profile

SHARES = {"new_ratio", "unseen_ratio"}
OF_PARTS = {"pat_new_ratio", "pat_unseen_ratio", "bigram_unseen_ratio"}


def test_the_shares_of_new_values_are_told_by_their_descriptors() -> None:
    assert {metric.name for metric in metrics_for(Kind.STRING) if metric.counts_new} == SHARES | OF_PARTS


def ignored(days: int, width: int, *, new_on: int | None = None, **options: Any) -> set[str]:
    """The metrics that the columns of a table are not watched by; on one day, if any, half of the values are new."""
    history = []
    for i in range(days):
        values = ["a", "b"] * 10 + ["n" if i == new_on else "a"] * 20
        one = column("0", Kind.STRING, values)
        columns = (replace(one, name=str(number), distances={}) for number in range(width))
        history.append(profile(f"2026-03-{i + 1:02d}", *columns))
    found = [set(program.ignored) for program in synthesize(history, SynthesisOptions(**options)).columns.values()]
    assert all(names == found[0] for names in found)
    return found[0] & SHARES


def test_a_short_history_without_new_values_does_not_say_that_none_will_come() -> None:
    reason = _unproven(np.zeros(6), 40)
    assert reason == "no new values in 6 partitions; with 40 columns 20 are needed to expect none"


@pytest.mark.parametrize(
    ("values", "columns"),
    [([0.0] * 20, 1000), ([0.0] * 6, 13), ([0.0, 0.001, 0.0], 40), ([1.0] * 6, 40)],
    ids=["long", "narrow", "some were new", "all are new"],
)
def test_everything_else_can_be_learned(values: list[float], columns: int) -> None:
    assert _unproven(np.array(values), columns) is None


def test_slots_without_a_partition_are_no_evidence() -> None:
    values = np.array([0.0, np.nan] * 12)
    assert _unproven(values, 26) is not None
    assert _unproven(values, 25) is None


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_a_filter_took_are_missed_at_the_end_they_come_from(seed: int) -> None:
    random = np.random.default_rng(seed)

    def day(number: int, least: float = 0.0) -> Profile:
        values = random.gamma(2.0, 11.0, random.integers(1200, 1800))
        return profile_table(pa.table({"distance": values[values >= least]}), partition=f"2026-03-{number:02d}")

    history = [day(number) for number in range(1, 31)]
    program = synthesize(history)
    assert evaluate(program, day(31), history).status is Status.PASS
    # A tenth of the rows is no odd number of them.
    verdict = evaluate(program, day(31, least=6.0), history)
    assert {alert.metric for alert in verdict.alerts} >= {"p05"}


def test_a_program_says_why_it_does_not_watch_new_values() -> None:
    # Of seven partitions the first share has six values, the other four.
    assert ignored(7, 14) == SHARES
    assert ignored(7, 12) == {"unseen_ratio"}
    assert ignored(7, 8) == set()


def test_new_values_are_watched_where_some_have_come_or_a_user_wants_it() -> None:
    assert ignored(7, 14, new_on=4) == set()
    assert ignored(7, 14, metrics=("new_ratio", "unseen_ratio", "l1")) == set()
    assert ignored(7, 14, scope="column") == set()
    assert ignored(7, 14, mode="paper") == set()


def test_codes_of_which_some_begin_with_a_zero_have_no_mean_on_any_day() -> None:
    def codes(zeros: int) -> list[str]:
        return [f"0{number}" for number in range(1000, 1000 + zeros)] + [str(10_000 + n) for n in range(200 - zeros)]

    def judged(now: int) -> Status:
        history = [profile(f"2026-03-{i + 1:02d}", column("0", Kind.STRING, codes(16 + i % 3))) for i in range(9)]
        program = synthesize(history, SynthesisOptions())
        assert program.columns["0"].ignored["mean"].endswith("they are codes, of which a mean says nothing")
        return evaluate(program, profile("2026-03-10", column("0", Kind.STRING, codes(now))), history).status

    # A tenth of the values, and one more: of the others there would be a mean before, and none now.
    assert judged(17) is Status.PASS
    assert judged(21) is Status.PASS

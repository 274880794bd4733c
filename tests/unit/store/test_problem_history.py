from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from airflow_dq.store.problem_history import JudgedDay, ProblemState, ProblemSummary, over_time, state_of

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def _problem(key: str, day: int, state: ProblemState = "open") -> ProblemSummary:
    return ProblemSummary("t", key, key, ("a",), str(day), str(day), 1, state, "fail", day, NOON)


def _told(*days: JudgedDay) -> list[tuple[str, str, str, int]]:
    return [(one.key, one.since, one.newest, one.partitions) for one in over_time(days)]


def test_a_problem_on_consecutive_partitions_is_one_since_the_first() -> None:
    days = [JudgedDay("0"), *(JudgedDay(str(day), (_problem("rows", day),)) for day in (1, 2, 3))]
    assert _told(*days) == [("rows", "1", "3", 3)]


def test_a_partition_without_it_ends_it() -> None:
    days = [JudgedDay("1", (_problem("rows", 1),)), JudgedDay("2"), JudgedDay("3", (_problem("rows", 3),))]
    assert _told(*days) == [("rows", "3", "3", 1), ("rows", "1", "1", 1)]


def test_a_cause_that_is_not_proven_every_day_does_not_make_it_another_one() -> None:
    keys = ["unit_change a", "column a", "unit_change a"]
    days = [JudgedDay(str(day), (_problem(key, day),)) for day, key in enumerate(keys)]
    assert _told(*days) == [("unit_change a", "0", "2", 3)]


def test_problems_of_one_partition_go_their_own_ways() -> None:
    both = (_problem("rows", 1), _problem("column b", 1))
    days = [JudgedDay("1", both), JudgedDay("2", (replace(_problem("rows", 2), state="rejected"),))]
    assert _told(*days) == [("rows", "1", "2", 2), ("column b", "1", "1", 1)]


@pytest.mark.parametrize("state", ["accepted", "new_normal", "resolved"])
def test_what_was_mended_or_found_right_does_not_go_on(state: ProblemState) -> None:
    days = [JudgedDay("1", (_problem("rows", 1, state),)), JudgedDay("2", (_problem("rows", 2),))]
    assert _told(*days) == [("rows", "2", "2", 1), ("rows", "1", "1", 1)]


def test_states() -> None:
    assert state_of("rejected", is_open=False, snoozed=False) == "rejected"
    assert state_of(None, is_open=False, snoozed=True) == "resolved"
    assert state_of(None, is_open=True, snoozed=True) == "snoozed"
    assert state_of(None, is_open=True, snoozed=False) == "open"

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from airflow_dq.exceptions import ReviewError
from airflow_dq.store.problem_history import JudgedDay, ProblemState, ProblemSummary, over_time, state_of
from airflow_dq.store.problem_writer import ticket_address
from airflow_dq.store.review_model import Action, ReviewEvent

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


def _event(number: int, action: Action, value: object = "", partition: str = "1") -> ReviewEvent:
    return ReviewEvent(number, "t", partition, action, "ann", NOON, None, None, "rows", value)


def test_what_is_said_on_any_of_its_partitions_holds_for_all_of_them_and_the_last_word_counts() -> None:
    first = replace(_problem("rows", 1), said=(_event(3, "assigned", "bob"), _event(1, "acknowledged")))
    second = replace(_problem("rows", 2), said=(_event(2, "assigned", "ann"), _event(4, "ticket", "https://x")))
    (one,) = over_time([JudgedDay("1", (first,)), JudgedDay("2", (second,)), JudgedDay("3", (_problem("rows", 3),))])
    assert (one.owner, one.ticket, one.state, one.is_open, one.lasts) == (
        "bob", "https://x", "acknowledged", True, True,
    )  # fmt: skip
    assert one.is_on("2")
    assert not one.is_on("4")


def test_an_owner_that_is_taken_back_is_the_default_one_again() -> None:
    said = (_event(1, "assigned", "bob"), _event(2, "assigned", ""))
    problem = replace(_problem("rows", 1), default_owner="team", said=said)
    assert (problem.owner, problem.assigned_to) == ("team", None)


def test_noise_is_said_of_one_partition_and_can_be_taken_back() -> None:
    problem = replace(_problem("rows", 1), said=(_event(1, "noise", [["a", "mean"]]),))
    assert problem.is_noise_on("1")
    assert not problem.is_noise_on("2")
    assert not replace(problem, said=(*problem.said, _event(2, "not_noise"))).is_noise_on("1")


@pytest.mark.parametrize(
    "text",
    ["javascript:alert(1)", "ftp://x/1", "https://", "https://a b", "//x/1", "tickets.example/1", "http://x/\u202e1",
     "https://[x", f"https://x/{'1' * 2000}"],
)  # fmt: skip
def test_a_ticket_is_the_address_of_a_page(text: str) -> None:
    with pytest.raises(ReviewError, match="no ticket's address"):
        ticket_address(text)


def test_a_ticket_may_be_taken_away() -> None:
    assert (ticket_address(" "), ticket_address(" https://x/1?a=b#c ")) == ("", "https://x/1?a=b#c")


def test_states() -> None:
    assert state_of("rejected", is_open=False, snoozed=False) == "rejected"
    assert state_of(None, is_open=False, snoozed=True) == "resolved"
    assert state_of(None, is_open=True, snoozed=True) == "snoozed"
    assert state_of(None, is_open=True, snoozed=False) == "open"

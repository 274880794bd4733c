"""Several people, a judge and the profile job at the same partition at once: one decision, and it stays."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from airflow_dq.exceptions import AlreadyDecidedError, NotJudgedError
from airflow_dq.gate.pipeline import judge
from airflow_dq.judge.verdict import Decision, Status
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.store import Repository, open_store
from tests.integration.sample import days, make_profile
from tests.reliability.server import Server
from tests.reliability.sight import assert_whole, put, report, rows

OPTIONS = SynthesisOptions(target_fpr=0.05, history=20, min_history=5)
TODAY = "2024-01-21"
PEOPLE = 20
ANSWERS: tuple[Decision, ...] = ("accepted", "rejected", "new_normal")


@pytest.fixture
def failed(store: Repository) -> Repository:
    """A partition with open alerts."""
    put(store, *days(20), make_profile(TODAY, mean=500.0))
    assert judge(store, "t", TODAY, OPTIONS).status is Status.FAIL
    return store


def test_people_decide_at_once(failed: Repository, server: Server) -> None:
    meet = threading.Barrier(PEOPLE)

    def decide(number: int) -> str | None:
        with open_store(server.dsn) as own:
            meet.wait()
            try:
                own.decide("t", TODAY, ANSWERS[number % 3], f"person {number}")
            except AlreadyDecidedError as error:
                return str(error)
        return None

    with ThreadPoolExecutor(PEOPLE) as pool:
        answers = list(pool.map(decide, range(PEOPLE)))
    (winner,) = [number for number, answer in enumerate(answers) if answer is None]
    assert all(f"person {winner}" in answer for answer in answers if answer is not None)
    assert rows(failed, "review_event") == 1
    kept = failed.decision("t", TODAY)
    assert kept is not None
    assert (kept.decision, kept.by) == (ANSWERS[winner % 3], f"person {winner}")
    assert rows(failed, "alert", "closed_at IS NULL") == 0
    report("concurrent reviews", people=PEOPLE, decisions=1, told_that_it_was_decided=PEOPLE - 1)


def test_decided_while_it_is_judged_again(failed: Repository, server: Server) -> None:
    """The same verdict again keeps the decision, whichever of the two comes first."""
    with open_store(server.dsn) as other, ThreadPoolExecutor(1) as pool:
        for number in range(4):
            judged = pool.submit(judge, other, "t", TODAY, OPTIONS)
            failed.decide("t", TODAY, "accepted", f"person {number}", revise=True)
            judged.result()
            kept = failed.decision("t", TODAY)
            assert kept is not None
            assert kept.by == f"person {number}"
            assert rows(failed, "alert", "closed_at IS NULL") == 0
    assert rows(failed, "review_event") == 4
    assert_whole(failed)
    report("decided while it is judged again", rounds=4, decisions_lost=0)


def test_decided_while_it_is_replaced(failed: Repository, server: Server) -> None:
    """A decision is about what was seen: other content is undecided, and the audit trail tells both."""
    with open_store(server.dsn) as other, ThreadPoolExecutor(1) as pool:
        saved = pool.submit(put, other, make_profile(TODAY, mean=700.0))
        try:
            failed.decide("t", TODAY, "accepted", "ann")
        except NotJudgedError:
            told = "profiled anew"
        else:
            told = "decided"
        saved.result()
    judge(failed, "t", TODAY, OPTIONS)
    assert failed.decision("t", TODAY) is None
    assert rows(failed, "review_event") == (1 if told == "decided" else 0)
    report("decided while it is profiled anew", person_told=told, new_content_accepted=0)

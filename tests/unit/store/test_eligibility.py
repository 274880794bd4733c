"""Which verdicts and decisions keep a partition out of every history."""

from __future__ import annotations

import pytest

from airflow_dq.judge.verdict import Decision, Status
from airflow_dq.store.eligibility import is_withheld
from airflow_dq.store.review_model import WORDS


@pytest.mark.parametrize("before", [False, True])
def test_a_pass_brings_in_and_what_is_no_pass_keeps_out(before: bool) -> None:
    assert not is_withheld(Status.PASS, None, before)
    for status in (Status.FAIL, Status.NOT_EVALUATED, Status.ERROR):
        assert is_withheld(status, None, before)


@pytest.mark.parametrize("before", [False, True])
def test_a_history_that_is_too_short_changes_nothing(before: bool) -> None:
    assert is_withheld(Status.WARMING_UP, None, before) is before


@pytest.mark.parametrize("decision", WORDS)
@pytest.mark.parametrize("status", Status)
def test_a_person_overrules_the_verdict(status: Status, decision: Decision) -> None:
    assert is_withheld(status, decision, before=True) is (decision == "rejected")

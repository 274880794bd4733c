"""What comes back from Airflow's "Required Action"."""

from __future__ import annotations

from typing import Any

import pytest

from airflow_dq.gate.answer import Answer, answer_of
from airflow_dq.judge.verdict import BUTTONS
from airflow_dq.store.review_model import WORDS

ACCEPT, REJECT = "Accept and go on", "Reject: stay blocked"


def test_every_decision_has_its_button() -> None:
    assert list(BUTTONS) == list(WORDS)


@pytest.mark.parametrize(
    ("event", "answer"),
    [
        (
            {
                "chosen_options": ["New normal"],
                "params_input": {"comment": " ok "},
                "responded_by_user": {"id": "1", "name": "ann"},
            },
            Answer("new_normal", "ann", "ok"),
        ),
        (
            {"chosen_options": ["Reject: stay blocked"], "params_input": None, "responded_by_user": None},
            Answer("rejected"),
        ),
        ({"chosen_options": [ACCEPT], "params_input": {"comment": ""}}, Answer("accepted")),
        (
            {"chosen_options": ["Accept and go on"], "responded_by_user": {"id": "1", "name": ""}},
            Answer("accepted", "1"),
        ),
        ({"error": "too late", "error_type": "timeout"}, Answer(None, problem="too late")),
    ],
)
def test_an_event_is_read(event: dict[str, Any], answer: Answer) -> None:
    assert answer_of(event) == answer


@pytest.mark.parametrize("chosen", [[], None, ["Maybe"], ["Accept and go on", "Reject: stay blocked"]])
def test_an_answer_that_is_none_decides_nothing(chosen: Any) -> None:
    answer = answer_of({"chosen_options": chosen})
    assert answer.decision is None
    assert answer.problem is not None
    assert "is none of ['Accept and go on', 'Reject: stay blocked', 'New normal']" in answer.problem

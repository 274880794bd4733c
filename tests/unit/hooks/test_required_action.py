"""What comes back from Airflow's "Required Action", and what is answered there."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import HTTPException

from airflow_dq.hooks.required_action import OPTIONS, Answer, answer_of, answer_parked
from airflow_dq.store.review_model import WORDS, Origin

ORIGIN = Origin("flights", "manual__1", "gate", 2)
ROUTE = "airflow.api_fastapi.core_api.routes.public.hitl.update_hitl_detail"


def test_every_decision_has_its_button() -> None:
    assert list(OPTIONS) == list(WORDS)


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
        ({"chosen_options": ["Reject"], "params_input": None, "responded_by_user": None}, Answer("rejected")),
        ({"chosen_options": ["Accept"], "params_input": {"comment": ""}}, Answer("accepted")),
        ({"chosen_options": ["Accept"], "responded_by_user": {"id": "1", "name": ""}}, Answer("accepted", "1")),
        ({"error": "too late", "error_type": "timeout"}, Answer(None, problem="too late")),
    ],
)
def test_an_event_is_read(event: dict[str, Any], answer: Answer) -> None:
    assert answer_of(event) == answer


@pytest.mark.parametrize("chosen", [[], None, ["Maybe"], ["Accept", "Reject"]])
def test_an_answer_that_is_none_decides_nothing(chosen: Any) -> None:
    answer = answer_of({"chosen_options": chosen})
    assert answer.decision is None
    assert answer.problem is not None
    assert "is none of ['Accept', 'Reject', 'New normal']" in answer.problem


def test_airflows_own_route_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(ROUTE, lambda **given: asked.append(given))
    assert answer_parked(ORIGIN, "Accept", None, "user", "session")  # type: ignore[arg-type]
    (given,) = asked
    payload = given.pop("update_hitl_detail_payload")
    assert (payload.chosen_options, payload.params_input) == (["Accept"], {"comment": ""})
    assert given == {
        "dag_id": "flights",
        "dag_run_id": "manual__1",
        "task_id": "gate",
        "map_index": 2,
        "user": "user",
        "session": "session",
    }


@pytest.mark.parametrize("code", [404, 409])
def test_where_nothing_waits_nothing_is_answered(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**given: Any) -> None:
        raise HTTPException(code)

    monkeypatch.setattr(ROUTE, refuse)
    assert not answer_parked(ORIGIN, "Accept", "x", None, None)  # type: ignore[arg-type]


def test_a_user_who_may_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**given: Any) -> None:
        raise HTTPException(403, "not a respondent")

    monkeypatch.setattr(ROUTE, refuse)
    with pytest.raises(HTTPException, match="not a respondent"):
        answer_parked(ORIGIN, "Accept", "x", None, None)  # type: ignore[arg-type]

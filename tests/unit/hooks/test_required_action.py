"""What is answered in Airflow's "Required Action"."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import HTTPException
from sqlalchemy import Select
from sqlalchemy.dialects.postgresql import dialect

from airflow_dq.hooks.required_action import answer_parked
from airflow_dq.store.review_model import Origin

ORIGIN = Origin("flights", "manual__1", "gate", 2)
ROUTE = "airflow.api_fastapi.core_api.routes.public.hitl.update_hitl_detail"


class FakeSession:
    """Remembers what was executed."""

    def __init__(self) -> None:
        self.executed: list[str] = []

    def execute(self, statement: Select[Any]) -> None:
        self.executed.append(str(statement.compile(dialect=dialect())))


def test_airflows_own_route_is_asked_when_the_task_is_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []
    session = FakeSession()
    monkeypatch.setattr(ROUTE, lambda **given: asked.append(given | {"executed": len(session.executed)}))
    assert answer_parked(ORIGIN, "Accept and go on", None, "user", session)  # type: ignore[arg-type]
    (given,) = asked
    (locked,) = session.executed
    assert locked.endswith("FOR UPDATE OF task_instance")
    # Nothing but the id: the session would not read anew what it knows.
    assert locked.startswith("SELECT task_instance.id \nFROM task_instance \nWHERE")
    payload = given.pop("update_hitl_detail_payload")
    assert (payload.chosen_options, payload.params_input) == (["Accept and go on"], {"comment": ""})
    assert given == {
        "dag_id": "flights",
        "dag_run_id": "manual__1",
        "task_id": "gate",
        "map_index": 2,
        "user": "user",
        "session": session,
        "executed": 1,
    }


@pytest.mark.parametrize("code", [404, 409])
def test_where_nothing_waits_nothing_is_answered(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**given: Any) -> None:
        raise HTTPException(code)

    monkeypatch.setattr(ROUTE, refuse)
    assert not answer_parked(ORIGIN, "Accept and go on", "x", None, FakeSession())  # type: ignore[arg-type]


def test_a_user_who_may_not_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**given: Any) -> None:
        raise HTTPException(403, "not a respondent")

    monkeypatch.setattr(ROUTE, refuse)
    with pytest.raises(HTTPException, match="not a respondent"):
        answer_parked(ORIGIN, "Accept and go on", "x", None, FakeSession())  # type: ignore[arg-type]

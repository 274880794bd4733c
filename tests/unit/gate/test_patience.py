"""What a gate waits for, and for how long."""

from __future__ import annotations

import logging
import time

import pytest

from airflow_dq.exceptions import StoreUnreachableError
from airflow_dq.gate import patience
from airflow_dq.gate.patience import Wait, when_reachable

LOG = logging.getLogger(__name__)


def test_only_a_database_that_was_there_is_waited_for() -> None:
    away = StoreUnreachableError("down")
    with pytest.raises(StoreUnreachableError):
        Wait().require_patience(away, has_waited=False)
    Wait().require_patience(away, has_waited=True)
    Wait(has_reached=True).require_patience(away, has_waited=False)


def test_the_first_and_the_last_look_compare() -> None:
    assert Wait(time.time() + 60).compares
    assert not Wait(time.time() + 60, has_reached=True).compares
    assert Wait(time.time() - 1, has_reached=True).compares
    assert not Wait(None, has_reached=True).is_late


def test_work_is_done_as_soon_as_the_database_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [StoreUnreachableError("down"), StoreUnreachableError("down"), "done"]

    def work() -> str:
        found = answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    assert when_reachable(work, 0, LOG) == "done"
    monkeypatch.setattr(patience, "ANSWER_SECONDS", 0)
    answers[:] = [StoreUnreachableError("gone"), "never"]
    with pytest.raises(StoreUnreachableError, match="gone"):
        when_reachable(work, 0, LOG)

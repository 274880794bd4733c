from __future__ import annotations

import asyncio
import itertools
import json
import time
from types import SimpleNamespace
from typing import Any

import pytest

from airflow_dq.exceptions import ProfileError, StoreNotMigratedError, StoreUnreachableError
from airflow_dq.gate.progress import Progress
from airflow_dq.store.summary import AttemptState
from airflow_dq.triggers.profile import ProfileTrigger
from tests.unit.gate.test_progress import FakeStore

SECRET = "postgresql://me:correct-horse@db/stats"


def fire(monkeypatch: pytest.MonkeyPatch, store: Any, deadline: float) -> list[dict[str, Any]]:
    def open_store(dsn: str) -> Any:
        assert dsn == SECRET
        if isinstance(store, Exception):
            raise store
        return store

    async def events() -> list[dict[str, Any]]:
        trigger = ProfileTrigger("flights", "1", "dq_default", 0.0, deadline)
        return [event.payload async for event in trigger.run()]

    monkeypatch.setenv("AIRFLOW_DQ_DSN", SECRET)
    monkeypatch.setattr("airflow_dq.store.open_store", open_store)
    return asyncio.run(events())


@pytest.mark.parametrize("end", ["succeeded", "failed"])
def test_it_waits_and_fires_once(end: AttemptState, monkeypatch: pytest.MonkeyPatch) -> None:
    deadline = time.time() + 60
    (event,) = fire(monkeypatch, FakeStore(None, "running", end), deadline)
    assert (event["status"], event["deadline"]) == ("ended", deadline)


def test_which_partitions_there_are_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    store = FakeStore(None, None, None, "succeeded")
    fire(monkeypatch, store, time.time() + 60)
    assert store.asked_for_others == 1


def test_the_last_message_says_which_partitions_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    store, seconds = FakeStore(None), itertools.count()
    monkeypatch.setattr("airflow_dq.triggers.profile.time", SimpleNamespace(time=lambda: next(seconds)))
    (event,) = fire(monkeypatch, store, 10.0)
    assert event["status"] == "timeout"
    assert event["message"].endswith("; the newest partition of this dataset is '2026-01-31'.")
    assert store.asked_for_others == 2


def test_after_the_deadline_it_says_what_it_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    (event,) = fire(monkeypatch, FakeStore("running"), time.time() - 1)
    assert event["status"] == "timeout"
    assert "being profiled (attempt 3, since 2026-01-01T00:00:00+00:00)" in event["message"]


@pytest.mark.parametrize(
    ("error", "retry"),
    [(ProfileError("busy"), True), (StoreNotMigratedError("old"), False), (KeyError("k"), True)],
)
def test_an_exception_becomes_the_event(error: Exception, retry: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    (event,) = fire(monkeypatch, error, time.time() + 60)
    assert (event["status"], event["retry"]) == ("error", retry)
    assert str(error) in event["message"]


def test_a_store_that_is_away_is_waited_for_at_its_newest_address(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []

    def look(self: ProfileTrigger, dsn: str, compare: bool) -> Progress:
        looked_at.append(dsn)
        if len(looked_at) < 3:
            monkeypatch.setenv("AIRFLOW_DQ_DSN", "postgresql://db/moved")
            raise StoreUnreachableError("down")
        return Progress("ready", "profiled")

    monkeypatch.setattr(ProfileTrigger, "_look", look)
    (event,) = fire(monkeypatch, None, time.time() + 60)
    assert event["status"] == "ended"
    assert looked_at == [SECRET, "postgresql://db/moved", "postgresql://db/moved"]


def test_a_store_that_stays_away_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    (event,) = fire(monkeypatch, StoreUnreachableError("down"), time.time() - 1)
    assert (event["status"], event["message"]) == ("timeout", "down")


def test_it_survives_serialization_and_carries_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", SECRET)
    path, arguments = ProfileTrigger("flights", "1", "dq_default", 5.0, 99.5).serialize()
    assert path == "airflow_dq.triggers.profile.ProfileTrigger"
    text = json.dumps(arguments)
    assert "correct-horse" not in text
    assert ProfileTrigger(**json.loads(text)).serialize() == (path, arguments)

from __future__ import annotations

import asyncio
import itertools
import json
import time
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from airflow_dq.exceptions import ProfileError, StoreNotMigratedError, StoreUnreachableError
from airflow_dq.store.summary import AttemptState, AttemptStatus
from airflow_dq.triggers.profile import ProfileTrigger, Progress, progress

SECRET = "postgresql://me:correct-horse@db/stats"


class FakeStore:
    """Answers one attempt state after the other, the last one for ever."""

    def __init__(self, *states: AttemptState | None) -> None:
        self.states = list(states)
        self.asked_for_others = 0

    def __enter__(self) -> FakeStore:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def partitions(self, dataset: str, limit: int) -> list[Any]:
        self.asked_for_others += 1
        return [SimpleNamespace(partition="2026-01-31")][:limit] if dataset == "flights" else []

    def attempt_status(self, dataset: str, partition: str) -> AttemptStatus | None:
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        if state is None:
            return None
        ended = state == "succeeded"
        moment = datetime(2026, 1, 1, tzinfo=UTC)
        return AttemptStatus(3, state, "No folder." if state == "failed" else None, moment, None, True, ended)


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


def test_what_waits_for_the_wrong_name_says_which_there_are() -> None:
    seen = [progress(FakeStore(None), dataset, "20260131").message for dataset in ("flights", "flight")]  # type: ignore[arg-type]
    assert "not profiled yet" in seen[0]
    assert seen[0].endswith("; the newest partition of this dataset is '2026-01-31'.")
    assert seen[1].endswith("; nothing of a dataset of this name ever was.")


@pytest.mark.parametrize(
    ("state", "seen"), [(None, "waiting"), ("running", "waiting"), ("failed", "failed"), ("succeeded", "ready")]
)
def test_only_the_newest_attempt_counts(state: AttemptState | None, seen: str) -> None:
    # The fake always has an earlier profile: while a newer attempt runs, it must not be judged.
    assert progress(FakeStore(state), "flights", "1").state == seen  # type: ignore[arg-type]


def test_a_failed_attempt_brings_its_reason() -> None:
    message = progress(FakeStore("failed"), "flights", "1").message  # type: ignore[arg-type]
    assert message == "Dataset 'flights', partition '1': profiling failed (attempt 3): No folder."


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

"""PostgreSQL dies, restarts or drops connections in the middle of our writes: they are done once, as a whole."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import psycopg2
import pytest
from sqlalchemy import event

from airflow_dq.exceptions import StoreUnreachableError
from airflow_dq.gate.pipeline import judge
from airflow_dq.judge.verdict import Status
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.store import Repository, open_store, transaction
from airflow_dq.store.patience import TASK
from airflow_dq.triggers.profile import ProfileTrigger
from tests.integration.sample import days, make_profile
from tests.reliability.server import Server
from tests.reliability.sight import assert_whole, put, report, rows

pytestmark = pytest.mark.slow

OPTIONS = SynthesisOptions(target_fpr=0.05, history=20, min_history=5)
TODAY = "2024-01-21"


@contextmanager
def interrupted(store: Repository, words: str, strike: Any) -> Iterator[list[str]]:
    """Does ``strike(cursor)`` once, just before the first statement that starts with these words."""
    struck: list[str] = []

    def look(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if not struck and statement.startswith(words):
            struck.append(statement)
            strike(cursor)

    event.listen(store._engine, "before_cursor_execute", look)
    try:
        yield struck
    finally:
        event.remove(store._engine, "before_cursor_execute", look)


def test_committed_is_there_after_the_server_was_killed(store: Repository, server: Server) -> None:
    profiles = days(20)
    put(store, *profiles)
    verdict = judge(store, "t", "2024-01-20", OPTIONS)
    server.kill()
    began = time.monotonic()
    server.start()
    recovery = time.monotonic() - began
    assert store.load_verdict("t", "2024-01-20") == verdict
    kept = store.load_history("t", TODAY, 30)
    assert [one.fingerprint for one in kept] == [one.fingerprint for one in profiles]
    assert_whole(store)
    report("kill -9 of PostgreSQL after commits", profiles=len(kept), lost=0, recovery_seconds=recovery)


@pytest.mark.parametrize("moment", ["INSERT INTO airflow_dq.column_state", "UPDATE airflow_dq.profile_attempt"])
def test_killed_in_the_middle_of_a_save(store: Repository, server: Server, moment: str) -> None:
    put(store, make_profile("p", rows=10))
    attempt = store.begin_attempt("t", "p")
    new = make_profile("p", rows=99)
    started = threading.Event()

    def strike(cursor: Any) -> None:
        server.kill()
        threading.Thread(target=lambda: (server.start(), started.set())).start()

    began = time.monotonic()
    with interrupted(store, moment, strike) as struck:
        assert store.save_profile(attempt, "t", new)
    assert struck
    assert started.wait(60)
    assert store.load_profile("t", "p") == new
    assert (rows(store, "profile"), rows(store, "column_profile")) == (1, 2)
    assert_whole(store)
    report("kill -9 of PostgreSQL in a save", at=moment.rpartition(".")[2], seconds=time.monotonic() - began, lost=0)


def test_restarted_in_the_middle_of_a_judgement(store: Repository, server: Server) -> None:
    put(store, *days(20), make_profile(TODAY, mean=500.0))
    began = time.monotonic()
    with interrupted(store, "INSERT INTO airflow_dq.alert", lambda cursor: server.restart()) as struck:
        verdict = judge(store, "t", TODAY, OPTIONS)
    assert struck
    assert verdict.status is Status.FAIL
    assert store.load_verdict("t", TODAY) == verdict
    assert (rows(store, "verdict"), rows(store, "alert")) == (1, len(verdict.alerts))
    report("restart of PostgreSQL in a judgement", seconds=time.monotonic() - began, verdicts=1)


def test_every_dropped_connection_is_made_again(store: Repository, server: Server) -> None:
    """The connection is cut before each statement of a save in turn."""
    statements: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transaction, "PAUSE_SECONDS", 0)
        cut_at = 0
        while True:
            seen = [0]

            def cut(
                connection: Any, cursor: Any, statement: str, *rest: Any, at: int = cut_at, seen: list[int] = seen
            ) -> None:
                if seen[0] == at:
                    statements.append(statement)
                    _terminate(server.dsn, cursor.connection.get_backend_pid())
                seen[0] += 1

            profile = make_profile("p", rows=1000 + cut_at)
            attempt = store.begin_attempt("t", "p")
            event.listen(store._engine, "before_cursor_execute", cut)
            try:
                assert store.save_profile(attempt, "t", profile)
            finally:
                event.remove(store._engine, "before_cursor_execute", cut)
            assert store.load_profile("t", "p") == profile
            if len(statements) == cut_at:
                break  # fewer statements than this
            cut_at += 1
    assert rows(store, "profile") == 1
    assert len(statements) >= 10
    assert_whole(store)
    report("dropped connections", cut=len(statements), saved=cut_at + 1, lost=0)


def _terminate(dsn: str, backend: int) -> None:
    killer = psycopg2.connect(dsn)
    killer.autocommit = True
    # With a timeout the call waits until the process is gone.
    killer.cursor().execute("SELECT pg_terminate_backend(%s, 5000)", (backend,))
    killer.close()


def test_restarted_while_a_trigger_waits(store: Repository, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_DSN", server.dsn)
    # A look that the outage catches in the middle waits so long for the server before it says so.
    monkeypatch.setitem(open_store.__kwdefaults__, "patience", replace(TASK, restart=1))
    store.begin_attempt("t", "p")
    waiting, outage = threading.Event(), threading.Event()
    looks: list[str] = []
    look = ProfileTrigger._look

    def watched(self: ProfileTrigger, dsn: str, compare: bool) -> Any:
        try:
            seen = look(self, dsn, compare)
        except StoreUnreachableError:
            looks.append("unreachable")
            outage.set()
            raise
        looks.append(seen.state)
        waiting.set()
        return seen

    monkeypatch.setattr(ProfileTrigger, "_look", watched)

    async def wait() -> list[dict[str, Any]]:
        trigger = ProfileTrigger("t", "p", "dq_default", 0.05, time.time() + 120)
        return [one.payload async for one in trigger.run()]

    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(lambda: asyncio.run(wait()))
        assert waiting.wait(60)
        server.stop()
        assert outage.wait(60)
        server.start()
        with open_store(server.dsn) as worker:
            put(worker, make_profile("p"))
        (event_,) = events.result(120)
    assert (event_["status"], looks[0], looks[-1]) == ("ended", "waiting", "ready")
    assert "unreachable" in looks
    report("restart of PostgreSQL while a trigger waits", looks_in_vain=looks.count("unreachable"), events=1)


def test_a_server_that_does_not_come_back_is_told(store: Repository, server: Server) -> None:
    hasty = open_store(server.dsn, patience=replace(TASK, restart=1))
    hasty.datasets()
    server.stop()
    try:
        began = time.monotonic()
        with pytest.raises(StoreUnreachableError, match="cannot be reached"):
            hasty.load_verdict("t", "p")
        waited = time.monotonic() - began
        began = time.monotonic()
        with pytest.raises(StoreUnreachableError), open_store(server.dsn):
            pass
        at_once = time.monotonic() - began
    finally:
        hasty.close()
        server.start()
    assert waited >= 1 > at_once or at_once < waited
    report("PostgreSQL stays away", waited_seconds=waited, new_connection_told_after=at_once)

"""kill -9 of a process that writes: a profile and a judgement are there as a whole or not at all, and never a pass.

The processes stop themselves at the worst moment and wait to be killed; each kill is a real SIGKILL.
"""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from airflow_dq.gate.pipeline import judge
from airflow_dq.judge.verdict import Status
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.store import Repository
from airflow_dq.triggers.profile import progress
from tests.integration.sample import days, make_profile
from tests.reliability.server import Server
from tests.reliability.sight import assert_whole, put, report, rows, script, until

pytestmark = pytest.mark.slow

OPTIONS = SynthesisOptions(target_fpr=0.05, history=20, min_history=5)
TODAY = "2024-01-21"

_STOPS = """
import os, threading
from sqlalchemy import event
from airflow_dq.store import open_store
from tests.integration.sample import make_profile

store = open_store(os.environ["AIRFLOW_DQ_DSN"])


def stop_before(words):
    def look(connection, cursor, statement, *rest):
        if statement.startswith(words):
            print("there", flush=True)
            threading.Event().wait()

    event.listen(store._engine, "before_cursor_execute", look)
"""
_SAVES = """
stop_before({words!r})
attempt = store.begin_attempt("t", "{partition}")
store.save_profile(attempt, "t", make_profile("{partition}", rows=77))
print("done", flush=True)
"""
_JUDGES = """
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.gate.pipeline import judge

stop_before({words!r})
judge(store, "t", "{partition}", SynthesisOptions(target_fpr=0.05, history=20, min_history=5))
print("done", flush=True)
"""


def killed(text: str, server: Server, folder: Path) -> float:
    """Start the process, wait until it is at the worst moment, kill it; the seconds to that moment."""
    began = time.monotonic()
    process = script(text, server.dsn, folder)
    assert process.stdout is not None
    try:
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line == "there\n":
                break
        assert lines[-1:] == ["there\n"], "".join(lines)
    finally:
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        process.stdout.close()
    return time.monotonic() - began


def free(store: Repository) -> None:
    """Wait until the server has noticed that its client is gone."""
    until(lambda: rows(store, "profile_attempt", _LOCKED) == 0, "the dead process's locks are released")


_LOCKED = (
    "EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory') "
    "OR EXISTS (SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction')"
)


@pytest.mark.parametrize(
    "moment",
    [
        "DELETE FROM airflow_dq.profile",
        "INSERT INTO airflow_dq.column_profile",
        "INSERT INTO airflow_dq.column_state",
        "INSERT INTO airflow_dq.column_variant",
        "UPDATE airflow_dq.profile_attempt",
    ],
)
def test_killed_while_it_replaces_a_profile(store: Repository, server: Server, tmp_path: Path, moment: str) -> None:
    old = make_profile("2024-01-01", rows=10)
    put(store, old)
    counts = {table: rows(store, table) for table in ("column_profile", "column_state", "column_variant")}
    seconds = killed(_STOPS + _SAVES.format(words=moment, partition="2024-01-01"), server, tmp_path)
    free(store)
    assert store.load_profile("t", "2024-01-01") == old
    assert {table: rows(store, table) for table in counts} == counts
    # The dead attempt is the newest: what is stored is not what was to be judged, so the gate waits.
    seen = progress(store, "t", "2024-01-01")
    assert seen.state == "waiting"
    new = make_profile("2024-01-01", rows=77)
    put(store, new)
    assert store.load_profile("t", "2024-01-01") == new
    assert progress(store, "t", "2024-01-01").state == "ready"
    assert_whole(store)
    report("kill -9 of a save", at=moment.split(" ", 1)[0] + " " + moment.rpartition(".")[2], seconds=seconds, lost=0)


@pytest.mark.parametrize(
    "moment", ["INSERT INTO airflow_dq.program", "INSERT INTO airflow_dq.verdict", "INSERT INTO airflow_dq.alert"]
)
def test_killed_while_it_judges(store: Repository, server: Server, tmp_path: Path, moment: str) -> None:
    put(store, *days(20), make_profile(TODAY, mean=500.0))
    seconds = killed(_STOPS + _JUDGES.format(words=moment, partition=TODAY), server, tmp_path)
    free(store)
    assert store.load_verdict("t", TODAY) is None
    assert [rows(store, table) for table in ("program", "verdict", "alert")] == [0, 0, 0]
    verdict = judge(store, "t", TODAY, OPTIONS)
    assert verdict.status is Status.FAIL
    assert store.load_verdict("t", TODAY) == verdict
    assert rows(store, "verdict") == 1
    assert rows(store, "alert") == len(verdict.alerts)
    assert_whole(store)
    report("kill -9 of a judge", at=moment.rpartition(".")[2], seconds=seconds, verdicts_before=0, verdicts_after=1)


def test_killed_while_retention_drops_states(store: Repository, server: Server, tmp_path: Path) -> None:
    put(store, *days(4))
    text = _STOPS + _SAVES.format(words="DELETE FROM airflow_dq.column_state", partition="2024-01-09")
    put(store, *days(8)[4:])
    killed(text, server, tmp_path)
    free(store)
    # The profile was stored before: only the tidying up is undone, and the next save does it.
    assert progress(store, "t", "2024-01-09").state == "ready"
    assert rows(store, "profile") == 9
    before = rows(store, "profile", "has_states")
    put(store, make_profile("2024-01-10"))
    assert rows(store, "profile", "has_states") == before - 1
    assert_whole(store)
    report("kill -9 of retention", profiles=10, with_states=rows(store, "profile", "has_states"))

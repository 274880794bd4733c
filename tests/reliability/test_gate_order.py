"""A gate that comes before its profile, and clocks that disagree: it waits, and never passes what is not there."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from sqlalchemy import text

from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.sensors.gate import DQGateSensor
from airflow_dq.store import Repository
from airflow_dq.triggers.profile import ProfileTrigger, progress
from airflow_dq.version_compat import AirflowException, AirflowFailException
from tests.integration.sample import days, make_profile
from tests.reliability.server import Server
from tests.reliability.sight import put, report, rows

TODAY = "2024-01-21"


@pytest.fixture
def gate(store: Repository, server: Server, monkeypatch: pytest.MonkeyPatch) -> DQGateSensor:
    """A gate on the store, in mode poke."""
    monkeypatch.setenv("AIRFLOW_DQ_DSN", server.dsn)
    options = SynthesisOptions(target_fpr=0.05, history=20, min_history=5)
    return DQGateSensor(task_id="gate", dataset="t", partition=TODAY, options=options, timeout=60)


def test_gate_before_its_profile(store: Repository, gate: DQGateSensor) -> None:
    put(store, *days(20))
    assert not gate.poke({}).is_done  # nobody has begun
    attempt = store.begin_attempt("t", TODAY)
    assert not gate.poke({}).is_done  # begun
    assert rows(store, "verdict") == 0
    store.save_profile(attempt, "t", make_profile(TODAY))
    done = gate.poke({})
    assert done.is_done
    assert done.xcom_value["outcome"] == "pass"
    # A re-run has begun: what is stored may be of data that is being replaced.
    again = store.begin_attempt("t", TODAY)
    assert not gate.poke({}).is_done
    store.fail_attempt(again, "The folder is gone.")
    with pytest.raises(AirflowFailException, match="The folder is gone"):
        gate.poke({})
    report("gate before its profile", waits=3, passes_in_vain=0)


def test_gate_without_a_database_does_not_pass(store: Repository, server: Server, gate: DQGateSensor) -> None:
    put(store, *days(20), make_profile(TODAY))
    server.stop()
    try:
        with pytest.raises(AirflowException, match="cannot be reached"):
            gate.poke({})
    finally:
        server.start()
    assert gate.poke({}).is_done
    report("gate while PostgreSQL is down", passes_in_vain=0)


def test_gate_waits_for_a_database_that_goes_away(store: Repository, server: Server, gate: DQGateSensor) -> None:
    put(store, *days(20))
    assert not gate.poke({}).is_done
    server.stop()
    try:
        assert not any(gate.poke({}).is_done for _ in range(3))
    finally:
        server.start()
    put(store, make_profile(TODAY))
    assert gate.poke({}).xcom_value["outcome"] == "pass"
    report("gate waits while PostgreSQL is down", looks_in_vain=3, failed_tries=0)


@pytest.mark.parametrize("skew", ["-1 day", "1 day"])
def test_newest_is_by_number_not_by_clock(store: Repository, skew: str) -> None:
    """The database's clock was set: an earlier attempt looks later, or much earlier."""
    put(store, *days(20))
    first = store.begin_attempt("t", TODAY)
    second = store.begin_attempt("t", TODAY)
    with store._engine.begin() as connection:
        query = "UPDATE airflow_dq.profile_attempt SET started_at = started_at + CAST(:skew AS interval) WHERE id = :id"
        connection.execute(text(query), {"skew": skew, "id": first})
    assert progress(store, "t", TODAY).message.count(f"attempt {second}") == 1
    store.save_profile(second, "t", make_profile(TODAY, rows=2))
    with pytest.raises(Exception, match=f"attempt {second}"):
        store.save_profile(first, "t", make_profile(TODAY, rows=1))
    assert progress(store, "t", TODAY).state == "ready"
    loaded = store.load_profile("t", TODAY)
    assert loaded is not None
    assert loaded.row_count == 2
    report("clock of the database set", by=skew, stale_writes=0)


@pytest.mark.parametrize(
    ("skew", "profiled", "status"), [(3600, True, "ended"), (3600, False, "timeout"), (-3600, True, "ended")]
)
def test_triggerer_with_another_clock(
    store: Repository, server: Server, monkeypatch: pytest.MonkeyPatch, skew: float, profiled: bool, status: str
) -> None:
    """The deadline was set on a worker, by its clock: one that is ahead gives up early, and none passes."""
    monkeypatch.setenv("AIRFLOW_DQ_DSN", server.dsn)
    deadline = time.time() + 60
    real = time.time
    monkeypatch.setattr("airflow_dq.triggers.profile.time.time", lambda: real() + skew)
    if profiled:
        put(store, make_profile(TODAY))

    async def wait() -> list[dict[str, Any]]:
        return [one.payload async for one in ProfileTrigger("t", TODAY, "dq_default", 0.01, deadline).run()]

    (event,) = asyncio.run(wait())
    assert event["status"] == status
    report("clock of the triggerer", seconds_ahead=skew, profiled=str(profiled), event=status)

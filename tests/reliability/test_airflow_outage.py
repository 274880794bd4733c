"""PostgreSQL goes away and comes back while a gate of a real DAG run waits: no try fails, and nothing passes unseen."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from airflow_dq.store import open_store
from tests.integration.airflow_home import AirflowHome
from tests.integration.sample import make_profile
from tests.reliability.server import Server
from tests.reliability.sight import put, report, until

pytestmark = pytest.mark.slow

DAG_TEXT = """
from datetime import datetime
from airflow.sdk import DAG
from airflow_dq.sensors.gate import DQGateSensor

with DAG("outage", schedule=None, start_date=datetime(2026, 1, 1), default_args={"retries": 0}) as dag:
    DQGateSensor(task_id="gate", dataset="t", partition="{{ ds }}", mode="reschedule", deferrable=False,
                 poke_interval=0.5, timeout=300)
"""


def test_a_rescheduled_gate_outlives_an_outage(server: Server, tmp_path: Path) -> None:
    home = AirflowHome(tmp_path, server.dsn)
    home.migrate()
    home.add_dag("outage", DAG_TEXT)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(home.run, "outage", "2026-01-15")
        try:
            until(lambda: running.done() or _looks(home) >= 2, "the gate has looked twice")
            server.stop()
            before = _looks(home)
            until(lambda: running.done() or _looks(home) >= before + 3, "it looks on")
            looks = _looks(home) - before
        finally:
            server.start()
        with open_store(server.dsn) as store:
            put(store, make_profile("2026-01-15"))
        run = running.result(300)
    assert run.states == {"gate": "success"}, run.output
    assert run.returned["gate"]["outcome"] == "warming_up"
    assert looks >= 3
    assert "Looking again." in run.output
    report("a rescheduled gate while PostgreSQL is down", looks_in_vain=looks, failed_tries=0)


def _looks(home: AirflowHome) -> int:
    """How often the gate has gone back to wait."""
    with closing(sqlite3.connect(f"file:{home.folder / 'airflow.db'}?mode=ro", uri=True, timeout=30)) as connection:
        return int(connection.execute("SELECT count(*) FROM task_reschedule").fetchone()[0])

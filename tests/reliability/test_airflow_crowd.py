"""Twenty people decide at once about a parked gate, with PostgreSQL as Airflow's own database: one of them does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import text

from airflow_dq.store import Repository
from airflow_dq.store.address import parse_dsn
from airflow_dq.store.engine import make_engine
from tests.integration.airflow_home import AirflowHome
from tests.integration.test_airflow_gate import DAYS, TODAY, orders, save
from tests.reliability.server import Server
from tests.reliability.sight import assert_whole, report, rows

pytestmark = pytest.mark.slow

PEOPLE = 20
DAG_TEXT = """
from datetime import datetime
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG
from airflow_dq.sensors.gate import DQGateSensor

OPTIONS = {"scope": "column", "target_fpr": 0.01, "min_history": 7}

with DAG("crowd", schedule=None, start_date=datetime(2026, 1, 1), default_args={"retries": 0}) as dag:
    DQGateSensor(
        task_id="gate", dataset="crowd", partition="2026-01-15", options=OPTIONS, on_violation="review",
    ) >> EmptyOperator(task_id="publish")
"""


def test_twenty_people_decide_at_once(store: Repository, server: Server, tmp_path: Path) -> None:
    save(store, "crowd", DAYS, orders(99, factor=100.0))
    engine = make_engine(parse_dsn(server.dsn)).execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("CREATE DATABASE airflow"))
    engine.dispose()
    own = parse_dsn(server.dsn).set(database="airflow").render_as_string(hide_password=False)
    home = AirflowHome(tmp_path, server.dsn, database=own)
    (home.folder / "dags").mkdir()
    home.add_dag("crowd", DAG_TEXT)
    result = home.folder / "result.json"
    script = Path(__file__).parents[1] / "integration" / "airflow_crowd.py"
    done = subprocess.run(
        [sys.executable, str(script), str(home.folder / "dags" / "crowd.py"), str(result)],
        env=home.environment, capture_output=True, text=True, check=False, timeout=550,
    )  # fmt: skip
    output = done.stdout + done.stderr + home.task_logs()
    assert result.exists(), output
    found = json.loads(result.read_text())

    assert Counter(status for status, _ in found["told"]) == {303: 1, 409: PEOPLE - 1}, output
    (winner,) = [number for number, (status, _) in enumerate(found["told"]) if status == 303]
    assert "done=resumed" in found["told"][winner][1]
    kept = store.decision("crowd", TODAY)
    assert kept is not None
    decision = ("accepted", "rejected", "new_normal")[winner % 3]
    assert (kept.decision, kept.by) == (decision, f"person{winner}")
    assert rows(store, "review_event") == 1
    assert found["responded"] == [f"person{winner}"]
    # The gate went on with this decision, and with no other.
    passed = decision != "rejected"
    assert found["states"] == {
        "gate": ["success" if passed else "failed"],
        "publish": ["success" if passed else "upstream_failed"],
    }, output
    (returned,) = found["returned"]["gate"]
    assert (returned["decision"], returned["decided_by"]) == (decision, f"person{winner}")
    assert_whole(store)
    report("decisions at once, Airflow on PostgreSQL", people=PEOPLE, decided=1, told_that_it_was_decided=PEOPLE - 1)

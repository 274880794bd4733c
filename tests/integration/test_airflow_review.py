"""A gate that asks a person, on a real Airflow: parked, answered, and gone by."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from airflow_dq.store import open_store
from airflow_dq.store.migration import upgrade
from tests.integration.airflow_home import AirflowHome
from tests.integration.test_airflow_gate import DAYS, TODAY, orders, save

pytestmark = pytest.mark.slow

KINDS = ("accept", "reject", "normal", "elsewhere")
DAG_TEXT = """
from datetime import datetime
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG, Asset
from airflow_dq.sensors.gate import DQGateSensor

OPTIONS = {"scope": "column", "target_fpr": 0.01, "min_history": 7}

with DAG("review", schedule=None, start_date=datetime(2026, 1, 1), default_args={"retries": 0}) as dag:
    for kind, how in {
        "accept": {"deferrable": False}, "reject": {"deferrable": True},
        "normal": {"mode": "reschedule", "deferrable": False}, "elsewhere": {"deferrable": False},
    }.items():
        gate = DQGateSensor(
            task_id=f"gate_{kind}", dataset=f"review_{kind}", partition="2026-01-15", options=OPTIONS, poke_interval=1,
            on_violation="review", outlets=[Asset(f"asset_{kind}")], **how,
        )
        gate >> EmptyOperator(task_id=f"publish_{kind}")
"""


@pytest.fixture(scope="module")
def run(postgres_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One run in which four gates park, and a person answers."""
    upgrade(postgres_dsn)
    with open_store(postgres_dsn) as store:
        for kind in KINDS:
            save(store, f"review_{kind}", DAYS, orders(99, factor=100.0))
    home = AirflowHome(tmp_path_factory.mktemp("airflow"), postgres_dsn)
    home.migrate()
    home.add_dag("review", DAG_TEXT)
    result = home.folder / "review.json"
    script = str(Path(__file__).with_name("airflow_review.py"))
    done = subprocess.run(
        [sys.executable, script, str(home.folder / "dags" / "review.py"), str(result)],
        env=home.environment, capture_output=True, text=True, check=False, timeout=550,
    )  # fmt: skip
    assert result.exists(), done.stdout + done.stderr
    with open_store(postgres_dsn) as store:
        details = {kind: store.verdict_of_partition(f"review_{kind}", TODAY) for kind in KINDS}
    return {
        **json.loads(result.read_text()),
        "output": done.stdout + done.stderr + home.task_logs(),
        "details": details,
    }


def test_the_answer_decides(run: dict[str, Any]) -> None:
    states = {kind: (*run["states"][f"gate_{kind}"], *run["states"][f"publish_{kind}"]) for kind in KINDS}
    passed, failed = ("success", "success"), ("failed", "upstream_failed")
    assert states == {"accept": passed, "reject": failed, "normal": passed, "elsewhere": failed}, run["output"]


def test_the_store_has_who_decided_what(run: dict[str, Any]) -> None:
    found = {
        kind: (detail.partition.decision, detail.partition.decided_by, detail.comment, detail.partition.open_count)
        for kind, detail in run["details"].items()
    }
    assert found == {
        "accept": ("accepted", "ann", "seen it", 0),
        "reject": ("rejected", "ann", "seen it", 0),
        "normal": ("new_normal", "ann", "seen it", 0),
        "elsewhere": ("rejected", "bob", "on the command line", 0),
    }
    origin = run["details"]["accept"].partition.origin
    assert (origin.dag_id, origin.task_id, origin.map_index) == ("review", "gate_accept", -1)


def test_what_was_asked(run: dict[str, Any]) -> None:
    asked = run["asked"]["gate_accept"]
    detail = run["details"]["accept"]
    assert asked["subject"].endswith(f"(review_accept {TODAY})")
    assert f"/dq-alerts/dags/review/alerts/{detail.partition.first_alert_id}/chart.svg" in asked["body"]
    assert [one["answered"] for one in run["asked"].values()] == [[True, False]] * 4


def test_the_decision_is_in_xcom_and_in_the_assets_event(run: dict[str, Any]) -> None:
    (accepted,) = run["returned"]["gate_accept"]
    assert (accepted["outcome"], accepted["decision"], accepted["decided_by"]) == ("accepted", "accepted", "ann")
    (rejected,) = run["returned"]["gate_elsewhere"]
    assert (rejected["outcome"], rejected["decided_by"]) == ("fail", "bob")
    events = dict(run["events"])
    assert set(events) == {"asset_accept", "asset_normal"}
    assert events["asset_normal"]["decision"] == "new_normal"


def test_the_link_leads_to_the_alert(run: dict[str, Any]) -> None:
    alerts = {kind: detail.partition.first_alert_id for kind, detail in run["details"].items()}
    assert run["links"] == {f"gate_{kind}": f"/dq-alerts/dags/review/alerts/{alerts[kind]}" for kind in KINDS}


def test_a_differing_answer_is_told(run: dict[str, Any]) -> None:
    assert "ann answered 'accepted', and it stays: rejected by bob: on the command line." in run["output"]

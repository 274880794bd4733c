from __future__ import annotations

from types import SimpleNamespace

import pytest

from airflow_dq.links.alert import DQAlertLink, alert_path
from airflow_dq.sensors.gate import DQGateSensor


def test_the_path_is_below_airflows_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__API__BASE_URL", "https://example.com/air/flow/")
    assert alert_path("my dag/x", 3) == "/air/flow/dq-alerts/dags/my%20dag%2Fx/alerts/3"
    monkeypatch.setenv("AIRFLOW__API__BASE_URL", "http://localhost:8080")
    assert alert_path("flights", 3) == "/dq-alerts/dags/flights/alerts/3"


def test_the_gate_has_the_link_once_there_is_an_alert() -> None:
    gate = DQGateSensor(task_id="gate", dataset="t", partition="1")
    (link,) = gate.operator_extra_links
    ti = SimpleNamespace(dag_id="flights")
    assert isinstance(link, DQAlertLink)
    assert link.get_link(gate, ti_key=ti) == ""  # type: ignore[arg-type]
    gate.alert_id = 5
    assert link.get_link(gate, ti_key=ti) == "/dq-alerts/dags/flights/alerts/5"  # type: ignore[arg-type]

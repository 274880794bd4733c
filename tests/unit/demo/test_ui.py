from __future__ import annotations

import socket
from io import StringIO
from pathlib import Path

import pytest

from airflow_dq.demo.airflow_api import AirflowApi, NoAnswerError
from airflow_dq.demo.console import Console
from airflow_dq.demo.standalone import HOST, Airflow, service_environment, standalone
from airflow_dq.demo.ui import _make_anew, _tell
from airflow_dq.demo.workspace import DemoError, Workspace
from airflow_dq.store.embedded import free_port


def test_it_tells_where_it_is_and_how_to_get_in():
    said = StringIO()
    _tell(Console(1, said), Airflow("http://127.0.0.1:8080", {"admin": "s3cret", "viewer": "lens"}))
    assert "http://127.0.0.1:8080/required_actions" in said.getvalue()
    assert "admin / s3cret" in said.getvalue()
    assert "viewer / lens" in said.getvalue()


def test_the_gate_of_this_airflow_asks_a_person(tmp_path: Path):
    environment = service_environment(Workspace(tmp_path), "postgresql://h/d", 8123)
    assert environment["AIRFLOW_DQ_DEMO_ON_VIOLATION"] == "review"
    assert environment["AIRFLOW__API__BASE_URL"] == "http://127.0.0.1:8123"


def test_a_port_in_use_is_said_before_anything_starts(tmp_path: Path):
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        environment = service_environment(Workspace(tmp_path), "postgresql://h/d", port)
        with pytest.raises(DemoError, match=f"Port {port} is in use"), standalone(Workspace(tmp_path), environment):
            pass


def test_a_folder_that_is_not_ours_is_left_alone(tmp_path: Path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(DemoError, match="was not made by this program"):
        _make_anew(Workspace(tmp_path))
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_our_own_folder_is_made_anew(tmp_path: Path):
    workspace = Workspace(tmp_path / "home")
    _make_anew(workspace)
    (workspace.home / "old").touch()
    _make_anew(workspace)
    assert [file.name for file in workspace.home.iterdir()] == ["demo.log"]


def test_an_airflow_that_does_not_answer_is_told_from_one_that_refuses():
    api = AirflowApi(f"http://{HOST}:{free_port()}", "admin", "x")
    assert api.is_up() is False
    with pytest.raises(NoAnswerError, match="does not answer GET /api/v2/dags/x"):
        api.get("/api/v2/dags/x")

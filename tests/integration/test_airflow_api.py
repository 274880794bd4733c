"""The commands that ask Airflow, with a real API server, scheduler and workers, and tokens of real users."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from airflow_dq.gate.pipeline import judge
from airflow_dq.program import SynthesisOptions
from airflow_dq.store import open_store
from airflow_dq.store.review_model import AlertFilter
from tests.integration.airflow_home import AirflowHome
from tests.integration.airflow_service import Service, airflow_service, wait_until
from tests.integration.test_airflow_gate import orders, save
from tests.integration.test_airflow_run import home_with_lake

pytestmark = pytest.mark.slow

DAYS = [f"2026-01-{day:02d}" for day in range(1, 16)]
TODAY = DAYS[-1]
BEFORE = [f"2025-12-{day}" for day in range(18, 32)]
BAD = DAYS[2]
"""A day of the backfill, about which a gate of any other run would ask."""
ENDED = ("success", "failed", "skipped", "upstream_failed")
WAITING = ("accept", "reject", "by_hand")

DAG_TEXT = """
from datetime import datetime, timedelta
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG
from airflow_dq.operators.guard import dq_guard
from airflow_dq.sensors.gate import DQGateSensor

OPTIONS = {{"scope": "column", "target_fpr": 0.01, "min_history": 7}}
FAST = {{"retries": 2, "retry_delay": timedelta(seconds=1)}}

with DAG("api_backfill", schedule="@daily", start_date=datetime(2026, 1, 1), end_date=datetime(2026, 1, 5),
         catchup=False, default_args=FAST):
    dq_guard(dataset="api_backfilled", source="{lake}/day={{{{ ds }}}}.parquet", partition="{{{{ ds }}}}",
             engine="arrow", group_id="guard", gate={{"options": OPTIONS, "on_violation": "review"}})

for name in ("accept", "reject", "by_hand"):
    with DAG(f"api_{{name}}", schedule="@once", start_date=datetime(2026, 1, 1), default_args=FAST) as dag:
        gate = DQGateSensor(task_id="gate", dataset=f"api_{{name}}", partition="{today}", options=OPTIONS,
                            on_violation="review", deferrable=name == "reject")
        gate >> EmptyOperator(task_id="publish")
    globals()[dag.dag_id] = dag
"""


@pytest.fixture(scope="module")
def home(postgres_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AirflowHome:
    """Files to backfill from behind a history, one of them bad, and three datasets whose newest partition is bad."""
    made, lake = home_with_lake(postgres_dsn, tmp_path_factory.mktemp("airflow"), DAYS[:5])
    pq.write_table(orders(99, factor=100.0), lake / f"day={BAD}.parquet")
    with open_store(postgres_dsn) as store:
        save(store, "api_backfilled", BEFORE, orders(0))
        for name in WAITING:
            save(store, f"api_{name}", DAYS, orders(99, factor=100.0))
    made.migrate()
    made.add_dag("api", DAG_TEXT.format(lake=lake, today=TODAY))
    # Read before anything runs: a backfill can be asked for as soon as Airflow is up.
    done = made.airflow("dags", "reserialize")
    assert done.returncode == 0, done.stdout + done.stderr
    return made


@pytest.fixture(scope="module")
def service(home: AirflowHome) -> Iterator[Service]:
    """Airflow, once all three gates wait for a person."""
    with airflow_service(home) as running:
        try:
            wait_until(lambda: all(_state(home, name, "gate") == "awaiting_input" for name in WAITING), 300)
        except TimeoutError:
            pytest.fail(running.told())
        yield running


def _state(home: AirflowHome, name: str, task: str) -> str | None:
    return home.task_states().get((f"api_{name}", "scheduled", task))


def _ended(home: AirflowHome, service: Service, name: str, task: str) -> str | None:
    try:
        wait_until(lambda: _state(home, name, task) in ENDED, 300)
    except TimeoutError:
        pytest.fail(service.told())
    return _state(home, name, task)


@pytest.fixture
def command(home: AirflowHome, service: Service, tmp_path: Path) -> Command:
    return Command(home, service, tmp_path)


class Command:
    """The command line of a user who has a token in a file."""

    def __init__(self, home: AirflowHome, service: Service, folder: Path) -> None:
        self._home, self._service, self._folder = home, service, folder

    def __call__(self, *arguments: str, user: str | None) -> subprocess.CompletedProcess[str]:
        given = [sys.executable, "-m", "airflow_dq", *arguments, "--api-url", self._service.url]
        if user is not None:
            token = self._folder / "token"
            token.write_text(self._service.token(user))
            given += ["--token-file", str(token)]
        return subprocess.run(
            given, env=self._home.environment, capture_output=True, text=True, check=False, timeout=300
        )


def _alert(home: AirflowHome, name: str) -> str:
    with open_store(home.dsn) as store:
        (found,) = store.verdicts(AlertFilter(dataset=f"api_{name}"))
    return str(found.first_alert_id)


def test_a_dags_backfill_only_profiles(home: AirflowHome, service: Service, command: Command) -> None:
    asked = ("backfill-dag", "api_backfill", "--since", DAYS[0], "--until", DAYS[2])
    refused = command(*asked, user="viewer")
    assert refused.returncode == 2
    assert "the token's user may not start backfills of this DAG" in refused.stderr
    unknown = command("backfill-dag", "api_unknown", *asked[2:], user="admin")
    assert unknown.returncode == 2
    assert "Airflow does not know this DAG" in unknown.stderr
    done = command(*asked, user="admin")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"of api_backfill from {DAYS[0]} to {DAYS[2]} has started; its gates only profile." in done.stdout
    gates = [("api_backfill", day, "guard.gate") for day in DAYS[:3]]
    try:
        wait_until(lambda: all(home.task_states().get(gate) in ENDED for gate in gates), 300)
    except TimeoutError:
        pytest.fail(service.told())
    assert [home.task_states()[gate] for gate in gates] == ["success"] * 3
    with open_store(home.dsn) as store:
        lines = {line.partition: line.verdict for line in store.partitions("api_backfilled")}
        assert judge(store, "api_backfilled", BAD, SynthesisOptions(scope="column", target_fpr=0.01)).status == "fail"
    assert {day: lines[day] for day in DAYS[:3]} == dict.fromkeys(DAYS[:3])


def test_accept_wakes_the_waiting_gate(home: AirflowHome, service: Service, command: Command) -> None:
    done = command("accept", _alert(home, "accept"), "--by", "ann", "--comment", "seen it", user="admin")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "waited for this, and goes on." in done.stdout
    assert _ended(home, service, "accept", "publish") == "success"
    with open_store(home.dsn) as store:
        decision = store.decision("api_accept", TODAY)
    assert decision is not None
    assert (decision.decision, decision.by, decision.comment) == ("accepted", "ann", "seen it")
    again = command("accept", _alert(home, "accept"), "--by", "ann", "--revise", user="admin")
    assert "does not wait for a person" in again.stdout


def test_reject_wakes_and_fails_the_waiting_gate(home: AirflowHome, service: Service, command: Command) -> None:
    done = command("reject", _alert(home, "reject"), "--by", "ann", user="admin")
    assert done.returncode == 0, done.stdout + done.stderr
    assert _ended(home, service, "reject", "gate") == "failed"
    assert _ended(home, service, "reject", "publish") == "upstream_failed"


def test_whoever_may_not_answer_decides_and_is_told_what_to_do(
    home: AirflowHome, service: Service, command: Command
) -> None:
    alert = _alert(home, "by_hand")
    refused = command("accept", alert, "--by", "ann", user="viewer")
    assert refused.returncode == 2
    assert "The decision is stored, but api_by_hand.gate" in refused.stderr
    assert "the token's user may not answer for this task" in refused.stderr
    assert _state(home, "by_hand", "gate") == "awaiting_input"
    told = command("accept", alert, "--by", "ann", "--revise", user=None)
    assert told.returncode == 0
    assert f"give any answer at {service.url}/dags/api_by_hand/runs/" in told.stdout
    # Any answer will do: the decision that is stored wins.
    woken = command("accept", alert, "--by", "bob", "--revise", user="admin")
    assert woken.returncode == 0, woken.stdout + woken.stderr
    assert _ended(home, service, "by_hand", "publish") == "success"

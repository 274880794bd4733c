"""The gate in real DAG runs: every outcome, in every mode of waiting."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.corruption.variant import with_variants
from airflow_dq.profile import profile_table
from airflow_dq.store import Repository, open_store
from airflow_dq.store.address import parse_dsn
from airflow_dq.store.migration import upgrade
from tests.integration.airflow_home import AirflowHome, Run

pytestmark = pytest.mark.slow

MODES = ("poke", "reschedule", "deferrable")
PASSED = ("good", "warned", "new")
BLOCKED = ("bad", "broken", "absent")

DAG_TEXT = """
from datetime import datetime
from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG
from airflow_dq.sensors.gate import DQGateSensor

MODES = {
    "poke": {"deferrable": False},
    "reschedule": {"mode": "reschedule", "deferrable": False},
    "deferrable": {"deferrable": True},
}
OPTIONS = {"scope": "column", "target_fpr": 0.01, "min_history": 7}

def publish():
    pass

with DAG("gates", schedule=None, start_date=datetime(2026, 1, 1), default_args={"retries": 0}) as dag:
    for mode, how in MODES.items():
        for name in ("good", "warned", "new", "bad", "broken", "absent"):
            gate = DQGateSensor(
                task_id=f"gate_{name}_{mode}", dataset="gate_bad" if name == "warned" else f"gate_{name}",
                partition="{{ ds }}", options=OPTIONS, poke_interval=1, timeout=0 if name == "absent" else 60,
                on_violation="warn" if name == "warned" else "fail", **how,
            )
            gate >> PythonOperator(task_id=f"publish_{name}_{mode}", python_callable=publish)
"""

DAYS = [f"2026-01-{day:02d}" for day in range(1, 16)]
TODAY = DAYS[-1]


def orders(day: int, factor: float = 1.0) -> pa.Table:
    """A day's orders; amounts around 100, times the factor."""
    random = np.random.default_rng(day)
    rows = int(random.integers(480, 520))
    return pa.table(
        {
            "amount": random.normal(100.0, 10.0, rows) * factor,
            "country": random.choice(["DE", "FR", "IT"], rows, p=[0.5, 0.3, 0.2]),
        }
    )


def save(store: Repository, dataset: str, days: list[str], today: pa.Table) -> None:
    attempts = store.begin_attempts(dataset, days)
    for number, day in enumerate(days):
        profile = profile_table(today if day == TODAY else orders(number), partition=day)
        if day == DAYS[-2]:
            profile = with_variants(profile)
        store.save_profile(attempts[day], dataset, profile)


@pytest.fixture(scope="module")
def home(postgres_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AirflowHome:
    """A history of 14 days and a day to judge: good, bad (amounts in cents), with no history, failed, and absent."""
    upgrade(postgres_dsn)
    with open_store(postgres_dsn) as store:
        save(store, "gate_good", DAYS, orders(99))
        save(store, "gate_bad", DAYS, orders(99, factor=100.0))
        save(store, "gate_new", DAYS[-3:], orders(99))
        store.fail_attempt(store.begin_attempt("gate_broken", TODAY), "The folder lake/day=2026-01-15 is missing.")
    made = AirflowHome(tmp_path_factory.mktemp("airflow"), postgres_dsn)
    made.migrate()
    made.add_dag("gates", DAG_TEXT)
    return made


@pytest.fixture(scope="module")
def run(home: AirflowHome) -> Run:
    return home.run("gates", TODAY)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_of_waiting_gives_every_outcome(run: Run, mode: str) -> None:
    gates = {name: run.states[f"gate_{name}_{mode}"] for name in PASSED + BLOCKED}
    published = {name: run.states[f"publish_{name}_{mode}"] for name in PASSED + BLOCKED}
    assert gates == dict.fromkeys(PASSED, "success") | dict.fromkeys(BLOCKED, "failed"), run.output
    assert published == dict.fromkeys(PASSED, "success") | dict.fromkeys(BLOCKED, "upstream_failed")


@pytest.mark.parametrize("name", PASSED)
def test_every_mode_returns_the_same_verdict(run: Run, name: str) -> None:
    first, *others = (run.returned[f"gate_{name}_{mode}"] for mode in MODES)
    assert first["status"] == {"good": "pass", "warned": "fail", "new": "warming_up"}[name]
    assert others == [first, first]


def test_the_log_says_why_a_gate_is_closed(run: Run, home: AirflowHome) -> None:
    with open_store(home.dsn) as store:
        verdict = store.load_verdict("gate_bad", TODAY)
    assert verdict is not None
    assert {alert.column for alert in verdict.alerts} == {"amount"}
    for sentence in (
        *(problem.headline for problem in verdict.problems),
        "profiling failed (attempt",
        "The folder lake/day=2026-01-15 is missing.",
        "not profiled yet",
    ):
        assert sentence in run.output


def test_nine_judgements_of_three_partitions_leave_three_verdicts(run: Run, home: AirflowHome) -> None:
    with open_store(home.dsn) as store:
        assert [store.load_verdict(f"gate_{name}", TODAY).status for name in ("good", "bad", "new")] == [  # type: ignore[union-attr]
            "pass",
            "fail",
            "warming_up",
        ]
        (summary,) = [line for line in store.partitions("gate_bad") if line.partition == TODAY]
        verdict = store.load_verdict("gate_bad", TODAY)
    assert verdict is not None
    assert summary.alerts == len(verdict.alerts)


def test_the_password_is_nowhere_in_airflow(run: Run, home: AirflowHome) -> None:
    password = parse_dsn(home.dsn).password
    assert password
    assert password not in run.output
    assert password not in str(run.rendered)
    for file in home.folder.rglob("*"):
        assert not file.is_file() or password.encode() not in file.read_bytes(), file

"""Every kind of run that a scheduler makes of a guarded table, on real Airflow, with the in-process engine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import text

from airflow_dq.profile import JobSpec
from airflow_dq.store import Repository, open_store
from airflow_dq.store.migration import upgrade
from tests.integration.airflow_home import AirflowHome

pytestmark = pytest.mark.slow

DAYS = [f"2026-01-{day:02d}" for day in range(1, 16)]
TODAY = DAYS[-1]

DAG_TEXT = """
from datetime import datetime, timedelta
import pendulum
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG, Asset, Param
from airflow.sdk.bases.notifier import BaseNotifier
from airflow_dq.notifications.alert import DQAlertNotifier
from airflow_dq.operators.guard import dq_guard
from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.sensors.gate import DQGateSensor

LAKE = "{lake}"
OPTIONS = {{"scope": "column", "target_fpr": 0.01, "min_history": 7}}
FAST = {{"retries": 1, "retry_delay": timedelta(seconds=0)}}

def dag(name, **arguments):
    return DAG(name, schedule=None, start_date=datetime(2026, 1, 1), default_args=FAST, **arguments)

with dag("run_guard", params={{"day": Param(None, type=["null", "string"])}}) as guarded:
    DAY = "{{{{ params.day or ds }}}}"
    guard = dq_guard(
        dataset="run_orders", source=LAKE + "/day=" + DAY + ".parquet", partition=DAY, engine="arrow",
        group_id="guard", gate={{"options": OPTIONS, "outlets": [Asset("orders")], "deferrable": True}},
    )
    guard >> EmptyOperator(task_id="publish")
    guard >> EmptyOperator(task_id="clean_up", trigger_rule="all_done")

with dag("run_default") as default:
    dq_guard(dataset="run_orders", source=LAKE + "/day={{{{ ds }}}}.parquet", engine="arrow", group_id="guard",
             gate={{"options": OPTIONS}})

with dag("run_violation") as violation:
    for name, arguments in {{
        "skip": {{"on_violation": "skip"}},
        "warn": {{"on_violation": "warn", "outlets": [Asset("warned")]}},
        "soft": {{"severity": {{"column:amount": "warn"}}}},
        "told": {{"on_failure_callback": DQAlertNotifier()}},
    }}.items():
        gate = DQGateSensor(task_id=name, dataset="run_broken", partition="{{{{ ds }}}}", options=OPTIONS, **arguments)
        gate >> EmptyOperator(task_id=name + "_next")
        gate >> EmptyOperator(task_id=name + "_always", trigger_rule="all_done")

with dag("run_mapped") as mapped:
    profile = DQProfileOperator.partial(task_id="profile", dataset="run_mapped", engine="arrow").expand_kwargs(
        [{{"source": LAKE + f"/day={{day}}.parquet", "partition": day}} for day in ("2026-01-01", "2026-01-02")]
    )
    profile >> DQGateSensor.partial(task_id="gate", dataset="run_mapped", options=OPTIONS).expand(
        partition=["2026-01-01", "2026-01-02"]
    )

def deliver(context):
    import shutil
    shutil.copy(LAKE + "/day=2026-01-01.parquet", LAKE + "/late.parquet")

with dag("run_retry") as retry:
    profile = DQProfileOperator(task_id="profile", dataset="run_late", source=LAKE + "/late.parquet", partition="1",
                                engine="arrow", on_retry_callback=deliver)
    profile >> DQGateSensor(task_id="gate", dataset="run_late", partition="1")

with dag("run_hourly") as hourly:
    HOUR = "{{{{ logical_date.in_timezone('Europe/Berlin').strftime('%Y-%m-%dT%H%z') }}}}"
    dq_guard(dataset="run_hourly", source=LAKE + "/day=2026-01-01.parquet", partition=HOUR, engine="arrow",
             group_id="guard", gate={{"options": OPTIONS}})
"""


def orders(number: int, factor: float = 1.0) -> pa.Table:
    """A day's orders; amounts around 100, times the factor."""
    random = np.random.default_rng(number)
    rows = int(random.integers(480, 520))
    countries = random.choice(["DE", "FR", "IT"], rows, p=[0.5, 0.3, 0.2])
    return pa.table({"amount": random.normal(100.0, 10.0, rows) * factor, "country": countries})


def backfill(store: Repository, dataset: str, lake: Path) -> None:
    from airflow_dq.engine.arrow.engine import ArrowEngine
    from airflow_dq.job.pipeline import ProfileJob

    paths = {day: str(lake / f"day={day}.parquet") for day in DAYS[:-1]}
    ProfileJob(ArrowEngine(JobSpec(dataset=dataset, paths=paths)), store, lambda line: None).run()
    if dataset == "run_broken":
        broken = JobSpec(dataset=dataset, paths={TODAY: str(lake / "broken.parquet")})
        ProfileJob(ArrowEngine(broken), store, lambda line: None).run()


def home_with_lake(dsn: str, folder: Path, days: Sequence[str]) -> tuple[AirflowHome, Path]:
    """An Airflow beside an empty store, and a folder with the orders of each day."""
    upgrade(dsn)
    made = AirflowHome(folder, dsn)
    lake = made.folder / "lake"
    lake.mkdir()
    for number, day in enumerate(days):
        pq.write_table(orders(number), lake / f"day={day}.parquet")
    return made, lake


@pytest.fixture(scope="module")
def home(postgres_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AirflowHome:
    made, lake = home_with_lake(postgres_dsn, tmp_path_factory.mktemp("airflow"), DAYS)
    pq.write_table(orders(99, factor=100.0), lake / "broken.parquet")
    pq.write_table(orders(99), lake / "repaired.parquet")
    with open_store(postgres_dsn) as store:
        backfill(store, "run_orders", lake)
        backfill(store, "run_broken", lake)
    made.migrate()
    made.add_dag("runs", DAG_TEXT.format(lake=lake))
    return made


@pytest.fixture(scope="module")
def done(home: AirflowHome) -> tuple[dict[str, Any], str]:
    lake = home.folder / "lake"
    today = str(lake / f"day={TODAY}.parquet")

    def step(name: str, dag_id: str, day: str | None = f"{TODAY}T00:00:00+00:00", **more: Any) -> dict[str, Any]:
        return {"name": name, "dag_id": dag_id, "day": day, **more}

    return home.scenario(
        "runs",
        [
            step("broken", "run_guard", copy=[str(lake / "broken.parquet"), today]),
            step("repaired", "run_guard", copy=[str(lake / "repaired.parquet"), today]),
            step("manual", "run_guard", None, conf={"day": DAYS[-1]}),
            step("manual_without_a_key", "run_default", None),
            step("default", "run_default"),
            step("violation", "run_violation"),
            step("mapped", "run_mapped"),
            step("retry", "run_retry"),
            # The clocks go back at 01:00 UTC: two hours are 02:00 in Berlin.
            step("first_two", "run_hourly", "2026-10-25T00:00:00+00:00"),
            step("second_two", "run_hourly", "2026-10-25T01:00:00+00:00"),
        ],
    )


@pytest.fixture(scope="module")
def runs(done: tuple[dict[str, Any], str]) -> dict[str, Any]:
    return done[0]


@pytest.fixture(scope="module")
def output(done: tuple[dict[str, Any], str]) -> str:
    return done[1]


def test_a_broken_day_is_stopped_and_a_cleared_run_after_the_repair_is_green(
    runs: dict[str, Any], home: AirflowHome
) -> None:
    broken, repaired = runs["broken"], runs["repaired"]
    assert broken["states"] == {
        "guard.profile": ["success"],
        "guard.gate": ["failed"],
        "publish": ["upstream_failed"],
        "clean_up": ["success"],
    }
    assert broken["tries"]["guard.gate"] == 1  # a violation is not tried again
    assert (broken["returned"]["guard.gate"][0]["outcome"], broken["events"]) == ("fail", [])
    assert set(map(tuple, repaired["states"].values())) == {("success",)}
    with open_store(home.dsn) as store:
        alerts = text(
            "SELECT a.closed_reason FROM airflow_dq.alert a JOIN airflow_dq.verdict v ON v.id = a.verdict_id "
            "JOIN airflow_dq.dataset d ON d.id = v.dataset_id WHERE d.name = 'run_orders' AND v.partition_key = :day"
        )
        with store._engine.connect() as connection:
            reasons = [row[0] for row in connection.execute(alerts, {"day": TODAY})]
        (line,) = store.partitions("run_orders", 1)
    assert reasons
    assert all("profiled again with other content" in reason for reason in reasons)
    assert (line.partition, str(line.verdict), line.alerts) == (TODAY, "pass", 0)


def test_a_pass_makes_one_event_with_the_verdict(runs: dict[str, Any]) -> None:
    ((name, extra),) = runs["repaired"]["events"]
    assert name == "orders"
    assert extra == runs["repaired"]["returned"]["guard.gate"][0]
    assert (extra["outcome"], extra["partition"], extra["alert_count"]) == ("pass", TODAY, 0)


def test_the_profile_returns_what_it_did(runs: dict[str, Any]) -> None:
    (returned,) = runs["repaired"]["returned"]["guard.profile"]
    assert returned == {"dataset": "run_orders", "partition": TODAY, "partitions": 1, "rows": orders(99).num_rows}


def test_a_manual_run_without_a_logical_date_takes_its_key_from_a_parameter(runs: dict[str, Any]) -> None:
    assert runs["manual"]["states"]["publish"] == ["success"]
    assert runs["manual"]["returned"]["guard.gate"][0]["partition"] == DAYS[-1]


def test_a_manual_run_without_any_key_says_what_to_give(runs: dict[str, Any], output: str) -> None:
    assert runs["manual_without_a_key"]["states"]["guard.profile"] == ["failed"]
    assert runs["manual_without_a_key"]["states"]["guard.gate"] == ["upstream_failed"]
    assert "a run without a logical date has no" in output


def test_the_guards_default_partition_is_the_logical_date(runs: dict[str, Any]) -> None:
    assert runs["default"]["returned"]["guard.gate"][0]["partition"] == TODAY


def test_what_a_violation_does(runs: dict[str, Any], output: str) -> None:
    states = {task: found[0] for task, found in runs["violation"]["states"].items()}
    assert {name: states[name] for name in ("skip", "warn", "soft", "told")} == {
        "skip": "skipped",
        "warn": "success",
        "soft": "success",
        "told": "failed",
    }
    followed = {name: (states[f"{name}_next"], states[f"{name}_always"]) for name in ("skip", "warn", "soft", "told")}
    assert followed == {
        "skip": ("skipped", "success"),
        "warn": ("success", "success"),
        "soft": ("success", "success"),
        "told": ("upstream_failed", "success"),
    }
    outcomes = {task: found[0]["outcome"] for task, found in runs["violation"]["returned"].items() if "_" not in task}
    assert outcomes == {"skip": "skip", "warn": "warn", "soft": "warn", "told": "fail"}
    assert runs["violation"]["events"] == []
    assert f"Data quality: run_broken {TODAY}: fail" in output  # the notifier's words


def test_mapped_tasks_are_partitions_of_their_own(runs: dict[str, Any]) -> None:
    assert runs["mapped"]["states"] == {"profile": ["success"] * 2, "gate": ["success"] * 2}
    gates = runs["mapped"]["returned"]["gate"]
    assert [(gate["partition"], gate["outcome"]) for gate in gates] == [(day, "warming_up") for day in DAYS[:2]]


def test_a_late_file_is_profiled_by_a_retry(runs: dict[str, Any]) -> None:
    assert runs["retry"]["states"] == {"profile": ["success"], "gate": ["success"]}
    assert runs["retry"]["tries"]["profile"] == 2


def test_the_repeated_hour_of_a_clock_change_is_two_partitions(runs: dict[str, Any]) -> None:
    keys = [runs[name]["returned"]["guard.gate"][0]["partition"] for name in ("first_two", "second_two")]
    assert keys == ["2026-10-25T02+0200", "2026-10-25T02+0100"]


def test_no_run_broke(runs: dict[str, Any]) -> None:
    assert [name for name, run in runs.items() if "error" in run] == [], json.dumps(runs, indent=1)

"""A scheduler, a triggerer and workers: catch-up by partition, a gate that waits deferred, and a backfill."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.profile import JobSpec
from airflow_dq.store import open_store
from tests.integration.airflow_home import AirflowHome
from tests.integration.airflow_service import airflow_service, wait_until
from tests.integration.test_airflow_run import home_with_lake

pytestmark = pytest.mark.slow

DAYS = [f"2026-01-{day:02d}" for day in range(1, 17)]
CAUGHT_UP = DAYS[-2:]

DAG_TEXT = """
from datetime import datetime, timedelta
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG, CronPartitionTimetable
from airflow_dq.operators.guard import dq_guard
from airflow_dq.sensors.gate import DQGateSensor

OPTIONS = {{"scope": "column", "target_fpr": 0.01, "min_history": 7}}
FAST = {{"retries": 2, "retry_delay": timedelta(seconds=1)}}

with DAG("service_partitions", schedule=CronPartitionTimetable("0 0 * * *", timezone="UTC", key_format="%Y-%m-%d"),
         start_date=datetime(2026, 1, 15), end_date=datetime(2026, 1, 16), catchup=True, max_active_runs=1,
         default_args=FAST):
    dq_guard(dataset="service_orders", source="{lake}/day={{{{ partition_key }}}}.parquet", engine="arrow",
             group_id="guard", gate={{"options": OPTIONS, "deferrable": True}}) >> EmptyOperator(task_id="publish")

with DAG("service_waiting", schedule="@once", start_date=datetime(2026, 1, 1), default_args=FAST):
    DQGateSensor(task_id="gate", dataset="service_late", partition="1", deferrable=True, poke_interval=1)

with DAG("service_backfill", schedule="@daily", start_date=datetime(2026, 1, 1), catchup=False, default_args=FAST,
         is_paused_upon_creation=False, end_date=datetime(2026, 1, 5)):
    dq_guard(dataset="service_backfilled", source="{lake}/day={{{{ ds }}}}.parquet", partition="{{{{ ds }}}}",
             engine="arrow", group_id="guard", gate={{"options": OPTIONS}})
"""


@pytest.fixture(scope="module")
def home(postgres_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AirflowHome:
    made, lake = home_with_lake(postgres_dsn, tmp_path_factory.mktemp("airflow"), DAYS)
    with open_store(postgres_dsn) as store:
        paths = {day: str(lake / f"day={day}.parquet") for day in DAYS[:-2]}
        ProfileJob(ArrowEngine(JobSpec(dataset="service_orders", paths=paths)), store, lambda line: None).run()
    made.migrate()
    made.add_dag("service", DAG_TEXT.format(lake=lake))
    return made


@pytest.fixture(scope="module")
def states(home: AirflowHome) -> Iterator[dict[tuple[str, str, str], str]]:
    """What became of every task: (DAG, partition or day or run type, task) -> state."""
    # Asked for before anything runs: beside a scheduler, SQLite may refuse a second writer ("database is locked").
    for command in (
        ("dags", "reserialize"),
        ("backfill", "create", "--dag-id", "service_backfill", "--from-date", DAYS[0], "--to-date", DAYS[1]),
    ):
        done = home.airflow(*command)
        assert done.returncode == 0, done.stdout + done.stderr
    with airflow_service(home) as service:
        try:
            wait_until(lambda: home.task_states().get(("service_waiting", "scheduled", "gate")) == "deferred", 300)
            # The profile that the deferred gate waits for.
            with open_store(home.dsn) as store:
                paths = {"1": str(home.folder / "lake" / f"day={DAYS[0]}.parquet")}
                ProfileJob(ArrowEngine(JobSpec(dataset="service_late", paths=paths)), store, lambda line: None).run()
            wait_until(lambda: _all_done(home.task_states()), 300)
        except TimeoutError:
            pytest.fail(service.told())
        yield home.task_states()


def _all_done(states: dict[tuple[str, str, str], str]) -> bool:
    wanted = {("service_partitions", day, "publish") for day in CAUGHT_UP}
    wanted |= {("service_backfill", day, "guard.gate") for day in DAYS[:2]}
    wanted.add(("service_waiting", "scheduled", "gate"))
    ended = ("success", "failed", "skipped", "upstream_failed")
    return all(states.get(one) in ended for one in wanted)


def test_catch_up_runs_each_partition_by_its_key(states: dict[tuple[str, str, str], str], home: AirflowHome) -> None:
    for day in CAUGHT_UP:
        found = {task: states["service_partitions", day, task] for task in ("guard.profile", "guard.gate", "publish")}
        assert found == dict.fromkeys(found, "success")
    with open_store(home.dsn) as store:
        verdicts = [store.load_verdict("service_orders", day) for day in CAUGHT_UP]
    assert [str(verdict.status) for verdict in verdicts if verdict] == ["pass", "pass"]


def test_a_deferred_gate_is_resumed_by_the_profile(states: dict[tuple[str, str, str], str], home: AirflowHome) -> None:
    assert states["service_waiting", "scheduled", "gate"] == "success"
    with open_store(home.dsn) as store:
        verdict = store.load_verdict("service_late", "1")
    assert verdict is not None
    assert str(verdict.status) == "warming_up"


def test_a_backfill_only_profiles(states: dict[tuple[str, str, str], str], home: AirflowHome) -> None:
    assert [states["service_backfill", day, "guard.gate"] for day in DAYS[:2]] == ["success", "success"]
    with open_store(home.dsn) as store:
        lines = store.partitions("service_backfilled")
    assert [(line.partition, line.verdict) for line in lines if line.partition in DAYS[:2]] == [
        (DAYS[1], None),
        (DAYS[0], None),
    ]

"""Metrics that a DAG file registers, through real Spark and the gate: profiled, learned from, and what stops a day."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_dq.store import open_store
from airflow_dq.store.migration import upgrade
from tests.integration.airflow_home import AirflowHome, Run

pytestmark = pytest.mark.slow

DAYS = [f"2026-01-{day:02d}" for day in range(1, 12)]
TODAY = DAYS[-1]
DATASET = "own_orders"
OWN = {"above_limit_ratio", "median_moved"}

DAG_TEXT = """
from datetime import datetime
from airflow.sdk import DAG
from airflow_dq.metrics.descriptor import Bound, Reason, Scale
from airflow_dq.metrics.registry import metric
from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.sensors.gate import DQGateSensor
from airflow_dq.states.number import NumberDistribution

LIMIT = 120.0

@metric(NumberDistribution, bound=Bound.CHEBYSHEV, scale=Scale.SHARE)
def above_limit_ratio(numbers):
    "Share of the values above the limit."
    return float(numbers.counts[numbers.values > LIMIT].sum() / numbers.total) if numbers.total else Reason.NO_VALUES

@metric(NumberDistribution, bound=Bound.CANTELLI, pair=True)
def median_moved(now, before):
    "Distance of the medians as a share of the larger one."
    if not now.total or not before.total:
        return Reason.NO_VALUES
    after, earlier = now.quantile(0.5), before.quantile(0.5)
    return abs(after - earlier) / max(abs(after), abs(earlier), 1e-9)

with DAG("own", schedule=None, start_date=datetime(2026, 1, 1), default_args={{"retries": 0}}) as dag:
    profile = DQProfileOperator(
        task_id="profile", dataset="own_orders", source="{lake}/day=*", master="local[2]",
        conf={{"spark.ui.enabled": "false"}},
    )
    profile >> DQGateSensor(
        task_id="gate", dataset="own_orders", partition="{{{{ ds }}}}", deferrable=False,
        options={{"metrics": ["above_limit_ratio", "median_moved"], "scope": "column", "target_fpr": 0.01}},
    )
"""


def write(lake: Path) -> None:
    for number, day in enumerate(DAYS):
        amounts = np.random.default_rng(number).normal(100.0, 10.0, 500) * (1.5 if day == TODAY else 1.0)
        (lake / f"day={day}").mkdir(parents=True)
        pq.write_table(pa.table({"amount": amounts}), lake / f"day={day}" / "part-0.parquet")


@pytest.fixture(scope="module")
def home(postgres_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> AirflowHome:
    made = AirflowHome(tmp_path_factory.mktemp("airflow"), postgres_dsn)
    made.migrate()
    upgrade(postgres_dsn)
    write(made.folder / "lake")
    made.add_dag("own", DAG_TEXT.format(lake=made.folder / "lake"))
    return made


@pytest.fixture(scope="module")
def run(home: AirflowHome) -> Run:
    return home.run("own", TODAY)


def test_spark_measures_them_on_partitions_and_on_injected_errors(run: Run, home: AirflowHome) -> None:
    assert run.states["profile"] == "success", run.output
    with open_store(home.dsn) as store:
        first, newest = (store.load_profile(DATASET, day) for day in (DAYS[0], TODAY))
    assert first is not None
    assert newest is not None
    written = pq.read_table(home.folder / "lake" / f"day={DAYS[0]}")["amount"].to_numpy()
    assert first.columns["amount"].metrics["above_limit_ratio"] == np.mean(written > 120.0)
    assert newest.columns["amount"].metrics["above_limit_ratio"] > 0.5
    variants = newest.variants["amount"]
    assert len(variants) > 10
    assert all("above_limit_ratio" in one.metrics for one in variants)


def test_the_gate_learns_from_them_and_stops_the_day(run: Run, home: AirflowHome) -> None:
    assert run.states["gate"] == "failed", run.output
    with open_store(home.dsn) as store:
        program, verdict = store.load_program(DATASET, TODAY), store.load_verdict(DATASET, TODAY)
    assert program is not None
    assert verdict is not None
    clauses = {clause.metric: clause for clause in program.columns["amount"].clauses}
    assert set(clauses) == OWN
    assert clauses["above_limit_ratio"].catches
    (alert,) = (alert for alert in verdict.alerts if alert.metric == "above_limit_ratio")
    assert alert.message.startswith("amount: above limit ratio was ")

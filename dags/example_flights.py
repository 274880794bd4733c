"""One real day of flights: write -> profile -> gate -> publish.

Trigger it with ``{"partition": "2013-02-15"}`` (or with that logical date), and with ``{"broken": true}`` to see what
the gate does when the upstream system changes its mind about units and casing.  The folder of the data is
``AIRFLOW_DQ_DEMO_HOME``; the 45 days of history come from ``airflow dq backfill``, see the README.
"""

from __future__ import annotations

import os
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from airflow.sdk import DAG, Param, task

from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.sensors.gate import DQGateSensor

HOME = Path(os.environ.get("AIRFLOW_DQ_DEMO_HOME", ".demo")).resolve()
MASTER = os.environ.get("AIRFLOW_DQ_DEMO_MASTER")  # None: the connection spark_default, else Spark on this machine
ENGINE: Any = os.environ.get("AIRFLOW_DQ_DEMO_ENGINE", "spark")
ON_VIOLATION: Any = os.environ.get("AIRFLOW_DQ_DEMO_ON_VIOLATION", "fail")  # "review" asks a person
PARTITION = "{{ params.partition or ds }}"


@task
def write(partition: str, params: dict[str, Any] | None = None) -> None:
    """Write the day's folder of the lake, as it was or as a changed upstream would send it."""
    from airflow_dq.demo.flights import break_upstream, flights_of, write_day

    day = date.fromisoformat(partition)
    flights = flights_of(day)
    if params and params["broken"]:
        flights = break_upstream(flights)
    write_day(flights, HOME / "lake", day)


@task
def publish(partition: str) -> None:
    """What must not happen to a broken day."""
    folder = HOME / "published"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / partition).touch()


with DAG(
    "dq_example_flights",
    description="Gate a day of flights on constraints learned from the days before",
    schedule=None,
    start_date=datetime(2013, 1, 1),
    default_args={"retries": 1, "retry_delay": timedelta(seconds=30)},
    params={
        "partition": Param(None, type=["null", "string"], description="day to run, as 2013-02-15 (default: the run's)"),
        "broken": Param(False, type="boolean", description="air_time in seconds, half of the tail numbers lower-cased"),
    },
    tags=["data quality", "example"],
) as dag:
    profile = DQProfileOperator(
        task_id="profile",
        dataset="flights",
        source=f"{HOME}/lake/day={PARTITION}",
        partition=PARTITION,
        engine=ENGINE,
        master=MASTER,
    )
    gate = DQGateSensor(
        task_id="gate",
        dataset="flights",
        partition=PARTITION,
        on_violation=ON_VIOLATION,
        deferrable=True,
        poke_interval=10,
    )
    write(partition=PARTITION) >> profile >> gate >> publish(partition=PARTITION)

from __future__ import annotations

from typing import Any

import pytest
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.operators.guard import PARTITION, dq_guard


def test_it_is_profile_and_gate_between_the_neighbours() -> None:
    with DAG("d") as dag:
        first, last = EmptyOperator(task_id="write"), EmptyOperator(task_id="publish")
        first >> dq_guard(dataset="flights", source="lake/day={{ ds }}", partition="{{ ds }}") >> last
    profile, gate = dag.get_task("dq_flights.profile"), dag.get_task("dq_flights.gate")
    assert profile.upstream_task_ids == {"write"}
    assert profile.downstream_task_ids == {"dq_flights.gate"}
    assert gate.downstream_task_ids == {"publish"}
    assert (profile.dataset, profile.source, profile.partition) == ("flights", "lake/day={{ ds }}", "{{ ds }}")
    assert (gate.dataset, gate.partition) == ("flights", "{{ ds }}")


def test_arguments_find_their_task() -> None:
    with DAG("d") as dag:
        dq_guard(
            dataset="sales/eu",
            source="lake/x.parquet",
            group_id="check",
            dq_conn_id="stats",
            engine="arrow",
            gate={"on_violation": "warn", "deferrable": True},
            default_args={"retries": 3},
        )
    profile, gate = dag.get_task("check.profile"), dag.get_task("check.gate")
    assert (profile.engine, gate.on_violation, gate.deferrable) == ("arrow", "warn", True)
    assert {task.retries for task in (profile, gate)} == {3}
    assert {task.dq_conn_id for task in (profile, gate)} == {"stats"}


def test_a_key_column_finds_the_rows_of_the_partition_that_is_gated() -> None:
    with DAG("d") as dag:
        dq_guard(dataset="flights", partition="{{ ds }}", table="lake.flights", partition_by="day")
    profile = dag.get_task("dq_flights.profile")
    assert (profile.partition, profile.partition_by) == ("{{ ds }}", "day")


def test_a_pattern_names_its_keys_and_is_gated_by_one_of_them() -> None:
    with DAG("d") as dag:
        dq_guard(dataset="flights", partition="{{ ds }}", source="lake/day=*")
    assert dag.get_task("dq_flights.profile").partition is None
    assert dag.get_task("dq_flights.gate").partition == "{{ ds }}"


def test_a_name_with_odd_characters_makes_a_valid_id() -> None:
    with DAG("d") as dag:
        dq_guard(dataset="sales/eu west", source="x")
    assert dag.task_ids == ["dq_sales_eu_west.profile", "dq_sales_eu_west.gate"]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ({"partition_key": "eu|7", "ds": "2026-01-01"}, "eu|7"),
        ({"partition_key": None, "ds": "2026-01-01"}, "2026-01-01"),
        ({"ds": "2026-01-01"}, "2026-01-01"),
    ],
)
def test_by_default_the_partition_is_the_runs_own(run: dict[str, Any], expected: str) -> None:
    with DAG("d") as dag:
        environment = dag.get_template_env()
    assert environment.from_string(PARTITION).render(run) == expected


def test_a_drill_comes_after_the_gate_and_holds_up_nothing() -> None:
    with DAG("d") as dag:
        last = EmptyOperator(task_id="publish")
        (
            dq_guard(
                dataset="flights", source="x", dq_conn_id="stats", engine="arrow", master="local", drill={"rows": 5}
            )
            >> last
        )
        dq_guard(dataset="plain", source="x") >> last
    drill, gate = dag.get_task("dq_flights.drill"), dag.get_task("dq_flights.gate")
    assert drill.upstream_task_ids == {"dq_flights.gate"}
    # Airflow lets nothing wait for a teardown, and no run succeed or fail by one.
    assert (drill.is_teardown, drill.on_failure_fail_dagrun, drill.downstream_task_ids) == (True, False, set())
    assert gate.downstream_task_ids == {"dq_flights.drill", "publish"}
    assert last.upstream_task_ids == {"dq_flights.gate", "dq_plain.gate"}
    assert (drill.engine, drill.master, drill.dq_conn_id, drill.partition) == ("arrow", "local", "stats", PARTITION)
    assert (drill.rows, drill.on_alarm) == (5, True)
    assert "dq_plain.drill" not in dag.task_ids


def test_values_that_must_not_be_shown_are_not_drilled() -> None:
    with DAG("d"), pytest.raises(ConfigurationError, match="'flights': drill shows values"):
        dq_guard(dataset="flights", source="x", store_values=False, drill=True)


def test_a_wrong_argument_is_told_when_the_dag_is_parsed() -> None:
    with DAG("d"), pytest.raises(ConfigurationError, match="on_violation is 'stop'"):
        dq_guard(dataset="flights", source="x", gate={"on_violation": "stop"})

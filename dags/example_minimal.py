"""The smallest gated pipeline."""

from __future__ import annotations

from datetime import datetime

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.sensors.gate import DQGateSensor

with DAG("dq_example_minimal", schedule="@daily", start_date=datetime(2026, 1, 1), catchup=False):
    write = BashOperator(task_id="write", bash_command="echo write /data/orders/day={{ ds }}")
    profile = DQProfileOperator(
        task_id="profile", dataset="orders", source="/data/orders/day={{ ds }}", partition="{{ ds }}"
    )
    gate = DQGateSensor(task_id="gate", dataset="orders", partition="{{ ds }}")
    publish = BashOperator(task_id="publish", bash_command="echo publish {{ ds }}")
    write >> profile >> gate >> publish

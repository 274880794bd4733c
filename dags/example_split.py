"""Rows that break a rule are set aside, and the rest goes on."""

from __future__ import annotations

from datetime import datetime

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

from airflow_dq.check import Checks
from airflow_dq.operators.split import DQSplitOperator

checks = Checks("orders")
checks.rule("discount <= price", id="discount")
checks.col("customer_id").complete(id="customer")

with DAG("dq_example_split", schedule="@daily", start_date=datetime(2026, 1, 1), catchup=False):
    write = BashOperator(task_id="write", bash_command="echo write /data/raw/day={{ ds }}")
    split = DQSplitOperator(
        task_id="split",
        dataset="orders",
        checks=checks,
        source="/data/raw/day={{ ds }}",
        good="/data/orders/day={{ ds }}",
        bad="/data/quarantine/day={{ ds }}",
    )
    publish = BashOperator(task_id="publish", bash_command="echo publish {{ ds }}")
    write >> split >> publish

"""Who submits a profile job: ``DQProfileOperator(submit=to_livy(code="s3://bucket/dq"), result="s3://bucket/found")``.

``submit`` is any function from a :class:`SparkJob` to an operator, which the task then runs inside of itself.
"""

from __future__ import annotations

from airflow_dq.operators.submit.amazon import to_emr, to_emr_serverless
from airflow_dq.operators.submit.databricks import to_databricks
from airflow_dq.operators.submit.google import to_dataproc
from airflow_dq.operators.submit.job import SparkJob, Submit
from airflow_dq.operators.submit.kubernetes import to_kubernetes
from airflow_dq.operators.submit.livy import to_livy

__all__ = [
    "SparkJob",
    "Submit",
    "to_databricks",
    "to_dataproc",
    "to_emr",
    "to_emr_serverless",
    "to_kubernetes",
    "to_livy",
]

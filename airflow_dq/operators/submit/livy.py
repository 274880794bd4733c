"""Submitting a profile job through Apache Livy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airflow_dq.operators.submit.job import SparkJob, Submit, provided

if TYPE_CHECKING:
    from airflow.sdk import BaseOperator


def to_livy(code: str, **options: Any) -> Submit:
    """By ``LivyOperator`` of ``apache-airflow-providers-apache-livy``.

    :param code: folder to which the job's files were copied, as the cluster knows it
    :param options: more arguments of the operator: ``livy_conn_id``, ``conf``, ``queue`` ...
    """

    def submit(job: SparkJob) -> BaseOperator:
        operator = provided("apache-livy", "apache.livy.operators.livy", "LivyOperator")
        given: dict[str, Any] = {
            "task_id": job.task_id,
            "file": job.entry(code),
            "py_files": [job.package(code)],
            "args": list(job.arguments),
            # Livy takes a name once at a time.
            "name": job.token,
            # Without an interval the operator does not wait.
            "polling_interval": 10,
            "deferrable": job.deferrable,
            **options,
        }
        return operator(**given)  # type: ignore[no-any-return]

    return submit

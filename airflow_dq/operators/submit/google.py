"""Submitting a profile job to Google Cloud's Dataproc."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airflow_dq.operators.submit.job import SparkJob, Submit, provided

if TYPE_CHECKING:
    from airflow.sdk import BaseOperator


def to_dataproc(
    code: str, *, cluster: str, region: str, conf: Mapping[str, str] | None = None, **options: Any
) -> Submit:
    """By ``DataprocSubmitJobOperator`` of ``apache-airflow-providers-google``, on a cluster that runs.

    :param code: ``gs://...`` folder to which the job's files were copied
    :param cluster: its name
    :param region: where it runs
    :param conf: properties of Spark
    :param options: more arguments of the operator: ``project_id``, ``gcp_conn_id`` ...
    """

    def submit(job: SparkJob) -> BaseOperator:
        operator = provided("google", "google.cloud.operators.dataproc", "DataprocSubmitJobOperator")
        pyspark = {
            "main_python_file_uri": job.entry(code),
            "python_file_uris": [job.package(code)],
            "args": list(job.arguments),
            "properties": dict(conf or {}),
        }
        order = {"reference": {"job_id": job.token}, "placement": {"cluster_name": cluster}, "pyspark_job": pyspark}
        given: dict[str, Any] = {
            "task_id": job.task_id,
            "job": order,
            "region": region,
            # The same request again gives the job that there is.
            "request_id": job.token,
            "deferrable": job.deferrable,
            **options,
        }
        return operator(**given)  # type: ignore[no-any-return]

    return submit

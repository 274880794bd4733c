"""Submitting a profile job to Databricks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.operators.submit.job import SparkJob, Submit, provided

if TYPE_CHECKING:
    from airflow.sdk import BaseOperator


def to_databricks(
    code: str, *, cluster: str | Mapping[str, Any], secret_scope: str | None = None, **options: Any
) -> Submit:
    """By ``DatabricksSubmitRunOperator`` of ``apache-airflow-providers-databricks``, as a run with one Python task.

    :param code: folder to which the job's files were copied: ``/Volumes/...``, ``s3://...``, ``abfss://...``
    :param cluster: id of a cluster that runs, or what ``new_cluster`` takes
    :param secret_scope: of a new cluster: the scope in which the job's secrets lie under the names of their variables
    :param options: more arguments of the operator: ``databricks_conn_id``, ``polling_period_seconds`` ...
    """

    def submit(job: SparkJob) -> BaseOperator:
        operator = provided("databricks", "databricks.operators.databricks", "DatabricksSubmitRunOperator")
        if isinstance(cluster, str):
            place: dict[str, Any] = {"existing_cluster_id": cluster}
        else:
            place = {"new_cluster": _with_secrets(cluster, job, secret_scope)}
        arguments = ["--package", job.package(code), *job.arguments]
        given: dict[str, Any] = {
            "task_id": job.task_id,
            "run_name": job.name,
            "spark_python_task": {"python_file": job.entry(code), "parameters": arguments},
            "idempotency_token": job.token,
            "deferrable": job.deferrable,
            **place,
            **options,
        }
        return operator(**given)  # type: ignore[no-any-return]

    return submit


def _with_secrets(cluster: Mapping[str, Any], job: SparkJob, scope: str | None) -> dict[str, Any]:
    """The new cluster, whose environment names the secrets; Databricks puts their values there."""
    variables = dict(cluster.get("spark_env_vars") or {})
    missing = [name for name in job.secrets if name not in variables]
    if missing and scope is None:
        raise ConfigurationError(
            f"The job's driver needs {', '.join(missing)} in its environment: give to_databricks(secret_scope=...), or "
            "spark_env_vars of the cluster."
        )
    # Braces are Jinja's as well, which looks at the operator's arguments first.
    secrets = {name: f"{{% raw %}}{{{{secrets/{scope}/{name}}}}}{{% endraw %}}" for name in missing}
    return {**cluster, "spark_env_vars": {**variables, **secrets}}

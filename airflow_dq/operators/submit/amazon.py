"""Submitting a profile job to Amazon EMR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import unwrap
from typing import TYPE_CHECKING, Any

from airflow_dq.operators.submit.job import SparkJob, Submit, provided

if TYPE_CHECKING:
    from airflow.sdk import BaseOperator

_PACKAGE = "amazon"
_MODULE = "amazon.aws.operators.emr"
_PATIENCE = 24 * 60
"""Looks, one a minute, after which the provider gives up a job: a day.  Its own are 25 minutes, or half an hour."""


def to_emr(code: str, *, cluster: str, conf: Mapping[str, str] | None = None, **options: Any) -> Submit:
    """By ``EmrAddStepsOperator`` of ``apache-airflow-providers-amazon``, as a step of a cluster that runs.

    EMR has no token for steps: the operator looks for one of the job's name before it adds one, which takes the
    permission ``elasticmapreduce:ListSteps``.  Two tries that do so at the same moment would add two.

    :param code: ``s3://...`` folder to which the job's files were copied
    :param cluster: its id (``j-...``)
    :param conf: properties of Spark
    :param options: more arguments of the operator: ``aws_conn_id``, ``waiter_delay`` ...
    """

    def submit(job: SparkJob) -> BaseOperator:
        operator = _once(provided(_PACKAGE, _MODULE, "EmrAddStepsOperator"))
        command = [
            *("spark-submit", "--deploy-mode", "cluster", "--name", job.name, "--py-files", job.package(code)),
            *_properties(conf),
            *(job.entry(code), *job.arguments),
        ]
        step = {
            "Name": job.token,
            # The cluster is for other steps, too.
            "ActionOnFailure": "CONTINUE",
            "HadoopJarStep": {"Jar": "command-runner.jar", "Args": command},
        }
        given: dict[str, Any] = {
            "task_id": job.task_id,
            "job_flow_id": cluster,
            "steps": [step],
            "wait_for_completion": True,
            "waiter_delay": 60,
            "waiter_max_attempts": _PATIENCE,
            "deferrable": job.deferrable,
            **options,
        }
        return operator(**given)  # type: ignore[no-any-return]

    return submit


def to_emr_serverless(
    code: str, *, application: str, role: str, conf: Mapping[str, str] | None = None, **options: Any
) -> Submit:
    """By ``EmrServerlessStartJobOperator`` of ``apache-airflow-providers-amazon``.

    :param code: ``s3://...`` folder to which the job's files were copied
    :param application: id of the application
    :param role: name of the role under which the job runs
    :param conf: properties of Spark, such as ``spark.archives`` with the packages that the job needs
    :param options: more arguments of the operator: ``aws_conn_id``, ``configuration_overrides`` ...
    """

    def submit(job: SparkJob) -> BaseOperator:
        operator = provided(_PACKAGE, _MODULE, "EmrServerlessStartJobOperator")
        driver = {
            "entryPoint": job.entry(code),
            "entryPointArguments": list(job.arguments),
            "sparkSubmitParameters": " ".join(["--py-files", job.package(code), *_properties(conf)]),
        }
        given: dict[str, Any] = {
            "task_id": job.task_id,
            "application_id": application,
            "execution_role_arn": role,
            "job_driver": {"sparkSubmit": driver},
            "client_request_token": job.token,
            "name": job.name,
            "waiter_delay": 60,
            "waiter_max_attempts": _PATIENCE,
            "deferrable": job.deferrable,
            **options,
        }
        return operator(**given)  # type: ignore[no-any-return]

    return submit


def _once(operator: Any) -> Any:
    """The operator, which takes a step of the same name for its own where there is one."""

    class Once(operator):  # type: ignore[misc]  # known when its provider is
        def execute(self, context: Any) -> Any:
            client = self.hook.get_conn()
            added = client.add_job_flow_steps

            def add(**given: Any) -> Any:
                (step,) = given["Steps"]
                there = _step_named(client, given["JobFlowId"], step["Name"])
                if there is None:
                    return added(**given)
                self.log.info("The step %s was added by an earlier try.", there)
                return {"StepIds": [there], "ResponseMetadata": {"HTTPStatusCode": 200}}

            client.add_job_flow_steps = add
            # Without Airflow's guard, which takes an operator that another one runs for a mistake.
            return unwrap(operator.execute)(self, context)

    Once.__name__ = Once.__qualname__ = operator.__name__
    return Once


def _step_named(client: Any, cluster: str, name: str) -> str | None:
    """The id of the newest step of a name."""
    for page in client.get_paginator("list_steps").paginate(ClusterId=cluster):
        for step in page["Steps"]:
            if step["Name"] == name:
                return str(step["Id"])
    return None


def _properties(conf: Mapping[str, str] | None) -> Sequence[str]:
    return [part for name, value in (conf or {}).items() for part in ("--conf", f"{name}={value}")]

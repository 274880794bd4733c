"""The job that a profile task starts: through spark-submit, or by another operator."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.hooks.task import require_rendered
from airflow_dq.operators.submit.job import Submit
from airflow_dq.operators.submitted import SubmittedJob
from airflow_dq.options.fleet import Orders
from airflow_dq.options.job import JobSpec

if TYPE_CHECKING:
    from airflow_dq.operators.profile import DQProfileOperator
    from airflow_dq.operators.spark import SparkSubmission


def spark_submission(task: DQProfileOperator, orders: Orders) -> SparkSubmission:
    """The job through spark-submit.

    :raises ConfigurationError: when the task's arguments contradict each other
    """
    # Only now: the Spark provider need not be installed where Spark is not used.
    from airflow_dq.operators.spark import SparkSubmission, require_known

    options = task.spark_arguments()
    require_known(options)
    return SparkSubmission(
        task_id=task.task_id,
        orders=_equipped(task, orders),
        dq_conn_id=task.dq_conn_id,
        master=task.master,
        dsn_on_cluster=task.dsn_on_cluster,
        source_conn_id=task.source_conn_id,
        result=task.result,
        deferrable=task.deferrable,
        **options,
    )


def submitted_job(task: DQProfileOperator, submit: Submit, orders: Orders) -> SubmittedJob:
    """The job by another operator.

    :param submit: makes it
    :raises ConfigurationError: as :func:`spark_submission` does
    """
    unused = sorted(task.spark_arguments().keys() - {"conn_id", "name"})
    if unused:
        raise ConfigurationError(
            f"{orders.name}: with submit=, {', '.join(unused)} would reach no job: give what it takes in their place "
            "to the function that makes the operator."
        )
    return SubmittedJob(
        submit,
        task=task,
        orders=_equipped(task, orders),
        result=task.result,
        name=task.name or "airflow-dq-profile",
        dq_conn_id=task.dq_conn_id,
        dsn_on_cluster=task.dsn_on_cluster,
        deferrable=task.deferrable,
    )


def _equipped(task: DQProfileOperator, orders: Orders) -> Orders:
    """The orders with what the process that profiles cannot know."""
    from airflow_dq.engine.spark.user_metric import pack_metrics

    # The DAG file has been loaded in this process, not in that one.
    metrics = pack_metrics()
    return replace(orders, each=tuple(replace(_with_rules(task, one), metrics=metrics) for one in orders))


def _with_rules(task: DQProfileOperator, spec: JobSpec) -> JobSpec:
    """The order for a job that cannot ask the database what has been learned of the rows."""
    if task.result is None:
        return spec
    require_rendered(task.result, "result", spec.dataset)
    if spec.key_folder is not None:
        raise ConfigurationError(
            f"Dataset {spec.dataset!r}: with result=, totals are added up by this task, which does not read a "
            "key_folder: leave one of the two out."
        )
    if spec.key is None:
        return spec  # only the data tells from which partition on rules are known
    with DQHook(task.dq_conn_id).get_store() as store:
        return replace(spec, rules=store.learn_rules(spec.dataset, spec.key))

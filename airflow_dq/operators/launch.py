"""The job that a profile task starts: through spark-submit, or by another operator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.hooks.task import require_rendered
from airflow_dq.operators.submit.job import Submit
from airflow_dq.operators.submitted import SubmittedJob
from airflow_dq.options.fleet import Orders
from airflow_dq.options.job import JobSpec

if TYPE_CHECKING:
    from airflow_dq.operators.spark import SparkSubmission
    from airflow_dq.operators.spark_argument import SparkArguments


@dataclass(frozen=True, slots=True)
class Way:
    """Where a job runs, and how its profiles come into the database: arguments of ``DQProfileOperator``."""

    dq_conn_id: str
    master: str | None
    dsn_on_cluster: bool
    source_conn_id: str | None
    result: str | None
    deferrable: bool


def spark_submission(task: SparkArguments, way: Way, orders: Orders) -> SparkSubmission:
    """The job through spark-submit.

    :raises ConfigurationError: when the task's arguments contradict each other
    """
    # Only now: the Spark provider need not be installed where Spark is not used.
    from airflow_dq.operators.spark import SparkSubmission, require_known

    options = task.spark_arguments()
    require_known(options)
    return SparkSubmission(
        task_id=task.task_id,
        orders=_equipped(way, orders),
        dq_conn_id=way.dq_conn_id,
        master=way.master,
        dsn_on_cluster=way.dsn_on_cluster,
        source_conn_id=way.source_conn_id,
        result=way.result,
        deferrable=way.deferrable,
        **options,
    )


def submitted_job(task: SparkArguments, way: Way, submit: Submit, orders: Orders) -> SubmittedJob:
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
        orders=_equipped(way, orders),
        result=way.result,
        name=task.name or "airflow-dq-profile",
        dq_conn_id=way.dq_conn_id,
        dsn_on_cluster=way.dsn_on_cluster,
        deferrable=way.deferrable,
    )


def _equipped(way: Way, orders: Orders) -> Orders:
    """The orders with what the process that profiles cannot know."""
    from airflow_dq.engine.spark.user_metric import pack_metrics

    # The DAG file has been loaded in this process, not in that one.
    metrics = pack_metrics()
    return replace(orders, each=tuple(replace(_with_rules(way, one), metrics=metrics) for one in orders))


def _with_rules(way: Way, spec: JobSpec) -> JobSpec:
    """The order for a job that cannot ask the database what has been learned of the rows."""
    if way.result is None:
        return spec
    require_rendered(way.result, "result", spec.dataset)
    if spec.key_folder is not None:
        raise ConfigurationError(
            f"Dataset {spec.dataset!r}: with result=, totals are added up by this task, which does not read a "
            "key_folder: leave one of the two out."
        )
    if spec.key is None:
        return spec  # only the data tells from which partition on rules are known
    with DQHook(way.dq_conn_id).get_store() as store:
        return replace(spec, rules=store.learn_rules(spec.dataset, spec.key))

"""Carrying out a profile job in the task's own process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from airflow_dq.engine.store_access import NO_ACCESS, StoreAccess
from airflow_dq.hooks.dq import DQHook
from airflow_dq.job.fleet import Fleet
from airflow_dq.job.result import JobResult
from airflow_dq.options.fleet import Orders
from airflow_dq.options.job import JobSpec


def run_here(orders: Orders, dq_conn_id: str, log: Any, access: StoreAccess = NO_ACCESS) -> Iterator[JobResult]:
    """Profile and store every partition of the orders with pyarrow; those that fail are in the results.

    :param access: the way to the object store that holds the rows, if one does
    :return: the result of each order, as soon as it is there
    """
    from airflow_dq.engine.arrow.engine import ArrowEngine
    from airflow_dq.job.pipeline import ProfileJob

    with DQHook(dq_conn_id).get_store() as store:

        def job_of(order: JobSpec) -> ProfileJob:
            return ProfileJob(ArrowEngine(order, access), store, log.info)

        for done in Fleet(orders, job_of).carry_out():
            for stack in done.stacks:
                log.error("%s", stack)
            for outcome in done.outcomes:
                if outcome.error is not None and outcome.traceback is None:
                    log.error("%s", outcome.line(done.order.dataset))
            yield done.result

"""Carrying out a profile job in the task's own process."""

from __future__ import annotations

import time
from typing import Any

from airflow_dq.engine.store_access import NO_ACCESS, StoreAccess
from airflow_dq.hooks.dq import DQHook
from airflow_dq.job.result import JobResult
from airflow_dq.options.job import JobSpec


def run_here(spec: JobSpec, dq_conn_id: str, log: Any, access: StoreAccess = NO_ACCESS) -> JobResult:
    """Profile and store every partition of the order with pyarrow; those that fail are in the result.

    :param access: the way to the object store that holds the rows, if one does
    :raises ConfigurationError: when the order needs Spark
    :raises DQError: when there is nothing to profile
    """
    from airflow_dq.engine.arrow.engine import ArrowEngine
    from airflow_dq.job.pipeline import ProfileJob

    began, engine = time.monotonic(), ArrowEngine(spec, access)
    with DQHook(dq_conn_id).get_store() as store:
        outcomes = ProfileJob(engine, store, log.info).run()
    for outcome in outcomes:
        if outcome.error is not None:
            log.error("%s", outcome.traceback or outcome.line(spec.dataset))
    return JobResult.of(spec.dataset, outcomes, time.monotonic() - began)

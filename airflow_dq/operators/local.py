"""Carrying out a profile job in the task's own process."""

from __future__ import annotations

import time
from typing import Any

from airflow_dq.exceptions import ProfileError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.hooks.spark import JobResult
from airflow_dq.profile import JobSpec


def run_here(spec: JobSpec, dq_conn_id: str, log: Any) -> JobResult:
    """Profile and store every partition of the order with pyarrow.

    :raises ConfigurationError: when the order needs Spark
    :raises ProfileError: when a partition could not be profiled; the others are stored
    """
    from airflow_dq.job.local import LocalJob
    from airflow_dq.job.outcome import summary

    began = time.monotonic()
    with DQHook(dq_conn_id).get_store() as store:
        outcomes = LocalJob(spec, store, log.info).run()
    line = summary(spec.dataset, outcomes, time.monotonic() - began)
    failed = [outcome for outcome in outcomes if outcome.error is not None]
    for outcome in failed:
        log.error("%s", outcome.trace or outcome.line(spec.dataset))
    if failed:
        more = f" ({len(failed) - 1} more partitions failed, see the log)" if len(failed) > 1 else ""
        raise ProfileError(f"{failed[0].error}{more}")
    return JobResult(line, len(outcomes), sum(outcome.rows for outcome in outcomes))

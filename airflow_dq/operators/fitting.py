"""Looking at the checks of a Spark job before it is submitted: a mistake in them need not wait for a cluster."""

from __future__ import annotations

from typing import Any

from airflow_dq.engine.store_access import NO_ACCESS, kind_of
from airflow_dq.exceptions import DQError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.hooks.source import source_access
from airflow_dq.options.job import JobSpec


def look_ahead(spec: JobSpec, dq_conn_id: str, source_conn_id: str | None, log: Any) -> None:
    """Refuse checks that no partition could answer, as far as this task can see the source.

    What earlier partitions had costs one query.  Only where that leaves a doubt the source itself is looked at, if this
    process can read it: its schema, or the head of its files.  Where it cannot, the job's driver does, before its scan.

    :raises ConfigurationError: naming each check with its place, and what is wrong with it
    """
    if not spec.checks:
        return
    from airflow_dq.engine.arrow.engine import ArrowEngine
    from airflow_dq.job.fitting import doubtful, require_fitting, told

    try:
        with DQHook(dq_conn_id).get_store() as store:
            seen = store.seen_columns(spec.dataset)
    except DQError:
        return  # the job may reach the database where this task does not; if none does, that is told elsewhere
    found = doubtful(spec, seen)
    if not found:
        return
    try:
        engine = ArrowEngine(spec, NO_ACCESS if source_conn_id is None else source_access(source_conn_id))
        keys = engine.partitions() if _is_near(spec, source_conn_id) else ()
    except Exception as error:
        # Whatever it is: what this task cannot read Spark may well be able to.
        kind = type(error).__name__
        log.info("The checks are not tried on the source before Spark starts: this task cannot read it (%s).", kind)
        keys = ()
    if keys:
        require_fitting(engine, keys, seen)
    elif seen:
        log.warning(
            "No partition of %r so far could have answered %s. If that is no mistake but new, the next one can; "
            "otherwise the job will refuse it before its scan.",
            spec.dataset,
            told(found),
        )


def _is_near(spec: JobSpec, source_conn_id: str | None) -> bool:
    """Whether looking at the source is no matter of waiting for a store that this machine may have no way to."""
    place = spec.table or spec.pattern or next(iter(spec.paths.values()), "")
    return not kind_of(place) or source_conn_id is not None

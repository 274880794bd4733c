"""An attempt that a task begins before its job runs, so that a gate which looks meanwhile waits for this job."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from airflow_dq.engine.order import describe
from airflow_dq.exceptions import DQError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.options.job import JobSpec
from airflow_dq.version_compat import TaskDeferred


class Announced:
    """The attempt of one task.  What the job stores, or what is imported of it, begins one that takes its place."""

    def __init__(self, spec: JobSpec, dq_conn_id: str, log: Any, *, may_fail: bool) -> None:
        """Nothing is begun yet.

        :param may_fail: the job reaches the database, this machine need not
        """
        self._spec = spec
        self._dq_conn_id = dq_conn_id
        self._log = log
        self._may_fail = may_fail
        self.number: int | None = None
        """The attempt's id, once it has begun."""

    def begin(self) -> None:
        """Begin the attempt, where the order says which partition it is about: else only the data tells the keys, and a
        gate beside the job needs ``newer_than``.

        :raises DQError: when the database is needed here, and cannot be used
        """
        if self._spec.key is None:
            return
        try:
            with DQHook(self._dq_conn_id).get_store() as store:
                self.number = store.begin_attempt(self._spec.dataset, self._spec.key, source=describe(self._spec))
        except DQError as error:
            if not self._may_fail:
                raise
            self._log.warning("A gate does not know of this job until it has started: %s", error)

    @contextmanager
    def closing(self) -> Iterator[None]:
        """Ends the attempt when the block fails: the job may not have come to beginning its own.  A task that goes on
        later has not failed."""
        try:
            yield
        except TaskDeferred:
            raise
        except BaseException as error:
            if self.number is not None:
                with suppress(DQError), DQHook(self._dq_conn_id).get_store() as store:
                    store.fail_attempt(self.number, f"The Spark job ended: {type(error).__name__}: {error}")
            raise

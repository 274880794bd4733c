"""Attempts that a task begins before its job runs, so that a gate which looks meanwhile waits for this job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from airflow_dq.engine.order import describe
from airflow_dq.exceptions import DQError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.options.job import JobSpec
from airflow_dq.version_compat import TaskDeferred


class Announced:
    """The attempts of one task, one for each order.  What the job stores, or what is imported of it, begins others that
    take their place."""

    def __init__(self, orders: Iterable[JobSpec], dq_conn_id: str, log: Any, *, may_fail: bool) -> None:
        """Nothing is begun yet.

        :param may_fail: the job reaches the database, this machine need not
        """
        self._orders = tuple(orders)
        self._dq_conn_id = dq_conn_id
        self._log = log
        self._may_fail = may_fail
        self.numbers: list[int] = []
        """The attempts' ids, once they have begun."""

    def begin(self) -> None:
        """Begin the attempt of each order that says which partition it is about: of others only the data tells the
        keys, and a gate beside the job needs ``newer_than``.

        :raises DQError: when the database is needed here, and cannot be used
        """
        keyed = [(order, order.key) for order in self._orders if order.key is not None]
        if not keyed:
            return
        try:
            with DQHook(self._dq_conn_id).get_store() as store:
                for order, key in keyed:
                    self.numbers.append(store.begin_attempt(order.dataset, key, source=describe(order)))
        except DQError as error:
            if not self._may_fail:
                raise
            self._log.warning("A gate does not know of this job until it has started: %s", error)

    @contextmanager
    def closing(self) -> Iterator[None]:
        """Ends the attempts when the block fails: the job may not have come to beginning its own.  A task that goes on
        later has not failed."""
        try:
            yield
        except TaskDeferred:
            raise
        except BaseException as error:
            if self.numbers:
                with suppress(DQError), DQHook(self._dq_conn_id).get_store() as store:
                    for number in self.numbers:
                        store.fail_attempt(number, f"The Spark job ended: {type(error).__name__}: {error}")
            raise

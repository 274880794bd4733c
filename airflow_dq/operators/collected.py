"""The second half of a profile task whose job leaves its profiles in a folder: they are imported, or the task fails."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from typing import Any

from airflow_dq.exceptions import DQError, ProfileError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.job.result import JobResult, result_in
from airflow_dq.job.result_folder import ORDER, ResultFolder
from airflow_dq.job.result_import import find_result
from airflow_dq.options.fleet import Orders
from airflow_dq.options.job import JobSpec

_FAILED = "failed"
"""A file that says that a job has ended without a result, and is not to be looked for again."""
_IMPORTED = "imported"
"""A file that is left of a result that is stored: a later try of the same task finds its job done."""


class Collection:
    """The folder of one job's results, as its task sees it."""

    def __init__(self, result: str, token: str, orders: Orders, dq_conn_id: str, log: Any) -> None:
        """Take the folder.

        :param result: where the results of all jobs lie
        :param token: names the folder of this one in it
        """
        self._folder = ResultFolder(result).inside(token)
        self._orders = orders
        self._dq_conn_id = dq_conn_id
        self._log = log

    @property
    def path(self) -> str:
        """The folder, for the job."""
        return self._folder.path

    def empty(self) -> None:
        """Begin: what an earlier job has left is none of this one's."""
        self._folder.remove()

    def put_order(self) -> None:
        """Leave the order there, which may be longer than what a service takes as arguments."""
        self._folder.put(ORDER, io.BytesIO(self._orders.to_json().encode()))

    @property
    def is_there(self) -> bool:
        """Whether the job has left a result of each dataset, imported or not."""
        return all(find_result(one) is not None or one.get(_IMPORTED) is not None for one in self._places())

    @property
    def has_failed(self) -> bool:
        """Whether a job is known to have ended with something that could not be imported whole."""
        found = (find_result(one) for one in self._places())
        return self._folder.get(_FAILED) is not None or any(one is not None and one.result.error for one in found)

    @property
    def has_begun(self) -> bool:
        """Whether the job has left any result that is not imported."""
        return any(find_result(one) is not None for one in self._places())

    def mark_failed(self) -> None:
        """Let a later try know that there is no job to be waited for."""
        try:
            self._folder.put(_FAILED, io.BytesIO())
        except DQError as error:
            self._log.warning("A later try will look for this job once more: %s", error)

    def collect(self) -> tuple[JobResult, ...]:
        """Import what the job has left, each dataset by itself.

        :return: the result of each order; with an error where there is nothing, it is damaged, or the job says why it
            has failed
        """
        return tuple(self._collected(order) for order in self._orders)

    def _places(self) -> Iterator[ResultFolder]:
        return map(self._place, self._orders)

    def _place(self, order: JobSpec) -> ResultFolder:
        place = self._orders.place(order)
        return self._folder if place is None else self._folder.inside(place)

    def _collected(self, order: JobSpec) -> JobResult:
        folder = self._place(order)
        try:
            found = find_result(folder)
            if found is None:
                return self._imported(order, folder)
            with DQHook(self._dq_conn_id).get_store() as store:
                found.store(store, order)
        except DQError as error:
            return JobResult(order.dataset, error=str(error), retryable=error.retryable)
        if found.result.error is None:
            self._tidy(folder, found.result)
        return found.result

    def _tidy(self, folder: ResultFolder, result: JobResult) -> None:
        try:
            folder.remove()
            folder.put(_IMPORTED, io.BytesIO(result.to_line().encode()))
        except DQError as error:
            # It is stored; whoever may read there need not be allowed to remove anything.
            self._log.warning("%s", error)

    def _imported(self, order: JobSpec, folder: ResultFolder) -> JobResult:
        done = result_in([(folder.get(_IMPORTED) or b"").decode()])
        if done is None:
            raise ProfileError(
                f"Dataset {order.dataset!r}: the job has ended and left no result in {folder}: see its log. "
                "Nothing is stored."
            )
        self._log.info("Dataset %r: an earlier try has imported the result of this job.", order.dataset)
        return done


def token_of(context: Any, first_try: int) -> str:
    """What names the jobs of one task: the same in all of its tries until it is cleared, and in no other task."""
    ti = context["ti"]
    names = [ti.dag_id, ti.task_id, ti.run_id, str(ti.map_index), str(first_try)]
    return "dq-" + hashlib.blake2b("\0".join(names).encode(), digest_size=15).hexdigest()

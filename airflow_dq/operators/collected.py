"""The second half of a profile task whose job leaves its profiles in a folder: they are imported, or the task fails."""

from __future__ import annotations

import hashlib
import io
from typing import Any

from airflow_dq.exceptions import ConfigurationError, DQError, ProfileError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.job.result import JobResult, result_in
from airflow_dq.job.result_folder import ORDER, ResultFolder
from airflow_dq.job.result_import import FoundResult, find_result
from airflow_dq.options.job import JobSpec

_FAILED = "failed"
"""A file that says that a job has ended without a result, and is not to be looked for again."""
_IMPORTED = "imported"
"""A file that is left of a result that is stored: a later try of the same task finds its job done."""


class Collection:
    """The folder of one job's result, as its task sees it."""

    def __init__(self, result: str, token: str, spec: JobSpec, dq_conn_id: str, log: Any) -> None:
        """Take the folder.

        :param result: where the results of all jobs lie
        :param token: names the folder of this one in it
        """
        self._folder = ResultFolder(result).inside(token)
        self._spec = spec
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
        self._folder.put(ORDER, io.BytesIO(self._spec.to_json().encode()))

    @property
    def is_there(self) -> bool:
        """Whether the job has left a result, imported or not."""
        return self.find() is not None or self._folder.get(_IMPORTED) is not None

    def find(self) -> FoundResult | None:
        """What the job has left, if it has ended."""
        return find_result(self._folder)

    @property
    def has_failed(self) -> bool:
        """Whether a job is known to have ended with nothing that could be imported whole."""
        found = self.find()
        return self._folder.get(_FAILED) is not None or (found is not None and found.result.error is not None)

    def mark_failed(self) -> None:
        """Let a later try know that there is no job to be waited for."""
        try:
            self._folder.put(_FAILED, io.BytesIO())
        except DQError as error:
            self._log.warning("A later try will look for this job once more: %s", error)

    def collect(self) -> JobResult:
        """Import what the job has left.

        :raises ProfileError: when there is nothing, it is damaged, or the job says why it has failed
        :raises ConfigurationError: when that will not pass by itself
        """
        found = self.find()
        if found is None:
            return self._imported()
        with DQHook(self._dq_conn_id).get_store() as store:
            found.store(store, self._spec)
        if found.result.error is not None:
            raise (ProfileError if found.result.retryable else ConfigurationError)(found.result.error)
        try:
            self._folder.remove()
            self._folder.put(_IMPORTED, io.BytesIO(found.result.to_line().encode()))
        except DQError as error:
            # It is stored; whoever may read there need not be allowed to remove anything.
            self._log.warning("%s", error)
        return found.result

    def _imported(self) -> JobResult:
        done = result_in([(self._folder.get(_IMPORTED) or b"").decode()])
        if done is None:
            raise ProfileError(
                f"Dataset {self._spec.dataset!r}: the job has ended and left no result in {self._folder}: see its log. "
                "Nothing is stored."
            )
        self._log.info("An earlier try has imported the result of this job.")
        return done


def token_of(context: Any, first_try: int) -> str:
    """What names the jobs of one task: the same in all of its tries until it is cleared, and in no other task."""
    ti = context["ti"]
    names = [ti.dag_id, ti.task_id, ti.run_id, str(ti.map_index), str(first_try)]
    return "dq-" + hashlib.blake2b("\0".join(names).encode(), digest_size=15).hexdigest()

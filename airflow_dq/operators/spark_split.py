"""Splitting rows through spark-submit, on this machine or on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airflow_dq.exceptions import ConfigurationError, ProfileError
from airflow_dq.hooks.spark import ProfileSubmitHook
from airflow_dq.job.split_result import SplitResult, split_result_in
from airflow_dq.operators.spark import JobSubmission
from airflow_dq.options.split import SplitSpec
from airflow_dq.version_compat import AirflowException

if TYPE_CHECKING:
    from airflow.sdk import Context


class SplitSubmission(JobSubmission):
    """A job that splits rows; it needs no database.

    :param split: the job's order
    :param master: Spark master that wins over the connection's
    :param options: the arguments of ``SparkSubmitOperator``
    """

    def __init__(self, *, split: SplitSpec, master: str | None, **options: Any) -> None:
        super().__init__(script="split.py", order=split.to_json(), master=master, **options)

    def run_split(self, context: Context, retries: int | None) -> SplitResult | None:
        """Submit the job, and wait for it.

        :param retries: of the task
        :return: None when the driver ran on a cluster, where its log stays
        :raises ProfileError: when the rows could not be split, and this may pass by itself
        :raises ConfigurationError: when it may not
        :raises AirflowException: when the job failed without an explanation
        """
        try:
            self.submit_and_wait(context, retries)
        except AirflowException:
            result = self._result
            if result is None or result.error is None:
                raise
            raise (ProfileError if result.retryable else ConfigurationError)(result.error) from None
        return self._result

    @property
    def _result(self) -> SplitResult | None:
        return split_result_in(self._hook.output) if isinstance(self._hook, ProfileSubmitHook) else None

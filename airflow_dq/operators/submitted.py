"""A profile job that another operator submits: it is made when the task runs, and is in no DAG."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import unwrap
from typing import TYPE_CHECKING, Any

from airflow_dq.exceptions import ConfigurationError, DQError, ProfileError
from airflow_dq.hooks.kill import end_in_time
from airflow_dq.hooks.task import first_try
from airflow_dq.job.fleet import require_done
from airflow_dq.job.package import secrets_of
from airflow_dq.job.result import JobResult
from airflow_dq.operators.announced import Announced
from airflow_dq.operators.collected import Collection, token_of
from airflow_dq.operators.submit.job import SparkJob, Submit
from airflow_dq.options.argument import compressed
from airflow_dq.options.fleet import Orders
from airflow_dq.version_compat import AirflowException, TaskDeferred

if TYPE_CHECKING:
    from airflow.sdk import BaseOperator, Context


class SubmittedJob:
    """The job of one task, over all of its tries.

    The n-th try may submit a job with the n-th token.  Before it does, it asks for those of the tries before, with
    their tokens: one that runs is waited for, one that is done is imported, and only behind those that have failed a
    new one is started.
    """

    def __init__(
        self,
        submit: Submit,
        *,
        task: BaseOperator,
        orders: Orders,
        result: str | None,
        name: str,
        dq_conn_id: str,
        dsn_on_cluster: bool,
        deferrable: bool,
    ) -> None:
        """Take the order.

        :raises ConfigurationError: when its profiles would have no way into the database
        """
        if result is None and not dsn_on_cluster:
            raise ConfigurationError(
                f"{orders.name}: with submit= the driver runs elsewhere, and no password is sent there: "
                "give result= (a folder that it and this task reach, from which the profiles are imported), or provide "
                "AIRFLOW_DQ_DSN to the driver yourself and set dsn_on_cluster=True."
            )
        self._submit = submit
        self._task = task
        self._orders = orders
        self._result = result
        self._name = name
        self._dq_conn_id = dq_conn_id
        self._deferrable = deferrable
        self._announced = Announced(orders, dq_conn_id, task.log, may_fail=dsn_on_cluster)
        self._inner: BaseOperator | None = None
        self.results: tuple[JobResult, ...] = ()
        """What is known to have become of each dataset."""

    @property
    def announced(self) -> Sequence[int]:
        """The attempts that this try has begun."""
        return self._announced.numbers

    def run(self, context: Context) -> tuple[JobResult, ...]:
        """Submit the job, or find that of an earlier try, wait for it, and import its result.

        :return: what has become of each dataset; nothing when the job has stored the profiles itself
        :raises TaskDeferred: when its operator waits in the triggerer
        :raises DQError: when the job has said why it failed, or its result cannot be imported
        :raises AirflowException: when it failed without an explanation
        """
        self._announced.begin()
        return self._through(context, 1, None)

    def resume(self, context: Context, event: Any, state: Mapping[str, Any]) -> tuple[JobResult, ...]:
        """Go on where :meth:`run` has deferred.

        :param state: what it has left for this
        """
        self._announced.numbers = list(state["announced"])
        given = {**state["kwargs"], "event": event}
        return self._through(
            context, state["number"], lambda inner: inner.resume_execution(state["method"], given, context)
        )

    def on_kill(self) -> None:
        """End the job, if it has been submitted in this process.  Always returns."""
        if self._inner is not None:
            end_in_time(self._inner.on_kill, self._task.log)

    def _through(self, context: Context, first: int, go_on: Wait | None) -> tuple[JobResult, ...]:
        """The result of the first job from this number on that does not fail."""
        start = first_try(context, self._task.retries)
        last = max(first, int(getattr(context["ti"], "try_number", start)) - start + 1)
        with self._announced.closing():
            for number in range(first, last):
                try:
                    return self._once(context, number, go_on, earlier=True)
                except (DQError, AirflowException) as error:
                    self._task.log.info("The job of try %d has failed, a new one follows: %s", number, error)
                go_on = None
            return self._once(context, last, go_on, earlier=False)

    def _once(self, context: Context, number: int, go_on: Wait | None, *, earlier: bool) -> tuple[JobResult, ...]:
        """The results of one job, which is submitted unless they are there.

        :param go_on: how it is waited for, when this task has deferred for it
        :param earlier: whether an earlier try may have submitted it
        """
        token = f"{token_of(context, first_try(context, self._task.retries))}-{number}"
        collection = None
        if self._result is not None:
            collection = Collection(self._result, token, self._orders, self._dq_conn_id, self._task.log)
        if collection is not None and go_on is None:
            if earlier and collection.has_failed:
                raise ProfileError("it has ended without a result that could be imported")
            if earlier and collection.is_there:
                return self._collected(collection)
            collection.put_order()
        try:
            self._wait(context, self._job(token, collection), go_on)
        except TaskDeferred as deferred:
            raise self._deferred(deferred, number) from None
        except AirflowException as error:
            if collection is None or not collection.has_begun:
                if collection is not None:
                    collection.mark_failed()
                raise
            self._task.log.warning("The job has left a result, and its service says: %s", error)
        return () if collection is None else self._collected(collection)

    def _collected(self, collection: Collection) -> tuple[JobResult, ...]:
        self.results = collection.collect()
        require_done(self._orders, self.results)
        return self.results

    def _wait(self, context: Context, job: SparkJob, go_on: Wait | None) -> None:
        """Run the other operator to its end."""
        inner = self._inner = self._submit(job)
        if hasattr(inner, "external_id_key"):
            # Airflow keeps a task's state when it is cleared: under this key the operator finds its job again.
            inner.external_id_key = f"{inner.external_id_key}_{job.token}"
        inner.render_template_fields(context)
        if go_on is not None:
            go_on(inner)
        else:
            # Without Airflow's guard, which takes an operator that another one runs for a mistake.
            unwrap(type(inner).execute)(inner, context)

    def _job(self, token: str, collection: Collection | None) -> SparkJob:
        if collection is None:
            arguments = ("--spec", compressed(self._orders.to_json()))
        else:
            arguments = ("--result", collection.path)
        secrets = secrets_of(self._orders, without_database=collection is not None)
        return SparkJob(self._task.task_id, self._name, token, arguments, secrets, self._deferrable)

    def _deferred(self, deferred: TaskDeferred, number: int) -> TaskDeferred:
        """The other operator's deferral as one of this task."""
        state = {
            "number": number,
            "announced": self._announced.numbers,
            "method": deferred.method_name,
            "kwargs": deferred.kwargs or {},
        }
        timeout = deferred.timeout or self._task.execution_timeout
        return TaskDeferred(trigger=deferred.trigger, method_name="resume", kwargs={"state": state}, timeout=timeout)


Wait = Callable[["BaseOperator"], Any]

"""Carrying out a job through spark-submit, on this machine or on a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from inspect import signature, unwrap
from typing import TYPE_CHECKING, Any

from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

from airflow_dq.engine.order import describe
from airflow_dq.exceptions import ConfigurationError, DQError, ProfileError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.hooks.source import source_variable
from airflow_dq.hooks.spark import ProfileSubmitHook, spark_connection
from airflow_dq.hooks.spark_connect import ConnectSubmitHook, is_remote
from airflow_dq.hooks.task import first_try
from airflow_dq.job.result import JobResult
from airflow_dq.options.argument import packed
from airflow_dq.options.job import JobSpec
from airflow_dq.settings import DSN_VARIABLE
from airflow_dq.version_compat import AirflowException

if TYPE_CHECKING:
    from airflow.sdk import Context


class JobSubmission(SparkSubmitOperator):
    """One job of a task: all that Airflow's operator can do.  A task makes one of these when it runs; it is in no DAG.

    :param script: name of the entry point in ``spark_jobs``
    :param order: its specification, JSON
    :param master: Spark master that wins over the connection's
    :param options: the arguments of ``SparkSubmitOperator``
    """

    def __init__(self, *, script: str, order: str, master: str | None, **options: Any) -> None:
        from airflow_dq.resource import resource_dir

        super().__init__(
            application=str(resource_dir("spark_jobs") / script), application_args=["--spec", packed(order)], **options
        )
        self.master = master

    def submit_and_wait(self, context: Context, retries: int | None) -> None:
        """Submit the job, or find that of an earlier try again, and wait for it.

        :param retries: of the task
        :raises AirflowException: when the job failed
        """
        # Airflow keeps a task's state when it is cleared: the job that ran before must not be taken for this one.
        self.external_id_key = f"dq_spark_job_id_{first_try(context, retries)}"
        self._K8S_DRIVER_STATUS_KEY = f"dq_k8s_driver_status_{first_try(context, retries)}"
        # Without Airflow's guard, which takes an operator that another one runs for a mistake.
        unwrap(SparkSubmitOperator.execute)(self, context)

    def prepare(self, hook: ProfileSubmitHook) -> None:
        """Get ready what is to be submitted from this machine.

        :raises DQError: when it cannot run there
        """
        from airflow_dq.engine.spark.environment import spark_environment

        hook.check_machine()
        if not hook.on_cluster:
            hook.environment |= spark_environment(hook.master)

    def on_kill(self) -> None:
        """End the Spark job, if one has been started or was found again by a retry."""
        if self._hook is not None:
            super().on_kill()

    def poll_until_complete(self, external_id: Any, context: Context) -> None:
        """Wait for a job that runs on a cluster, one that an earlier try submitted included."""
        if self._hook is not None and self._hook._is_yarn_cluster_mode:
            # The parent sets it when it submits; on_kill must find it after a retry too.
            self._hook._yarn_application_id = external_id
        super().poll_until_complete(external_id, context)

    def _get_hook(self) -> ProfileSubmitHook:
        connection = spark_connection(self._conn_id, self.master)
        kind = ConnectSubmitHook if is_remote(connection) else ProfileSubmitHook
        hook = kind(connection=connection, **self._hook_options())
        hook.check_master()
        self.prepare(hook)
        return hook

    def _hook_options(self) -> dict[str, Any]:
        # The parent keeps each option of its hook under the option's name, some behind an underscore; which options
        # there are differs from version to version of the Spark provider.
        names = [name for name in signature(SparkSubmitHook.__init__).parameters if name not in ("self", "conn_id")]
        found = {name: attribute for name in names for attribute in (name, f"_{name}") if hasattr(self, attribute)}
        return {name: getattr(self, attribute) for name, attribute in found.items()}


class StoringSubmission(JobSubmission):
    """A job that uses the statistics database, with its DSN kept off the command line.

    :param script: name of the entry point in ``spark_jobs``
    :param order: its specification, JSON
    :param dataset: what it is about, for messages
    :param dq_conn_id: connection to the statistics database
    :param master: Spark master that wins over the connection's
    :param dsn_on_cluster: in deploy mode ``cluster`` the driver finds the DSN in its own environment
    :param source_conn_id: connection to the database that holds the rows, if one does
    :param options: the arguments of ``SparkSubmitOperator``
    """

    def __init__(
        self,
        *,
        script: str,
        order: str,
        dataset: str,
        dq_conn_id: str,
        master: str | None,
        dsn_on_cluster: bool,
        source_conn_id: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(script=script, order=order, master=master, **options)
        self.dataset = dataset
        self.dq_conn_id = dq_conn_id
        self.dsn_on_cluster = dsn_on_cluster
        self.source_conn_id = source_conn_id

    def run(self, context: Context, retries: int | None) -> JobResult | None:
        """Submit the job, or find that of an earlier try again, and wait for it.

        :param retries: of the task
        :return: None when the driver ran on a cluster, where its log stays
        :raises ProfileError: when it could not be done, and this may pass by itself
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
    def _result(self) -> JobResult | None:
        return self._hook.result if isinstance(self._hook, ProfileSubmitHook) else None

    def prepare(self, hook: ProfileSubmitHook) -> None:
        """Hand over the database's DSN, unless the driver runs where it finds one by itself."""
        if hook.on_cluster:
            self._check_cluster(hook)
        super().prepare(hook)
        if hook.on_cluster:
            return
        dq_hook = DQHook(self.dq_conn_id)
        with dq_hook.get_store():
            pass  # a wrong DSN is told now, not after Spark has started
        hook.environment |= {DSN_VARIABLE: dq_hook.get_dsn()}
        if self.source_conn_id is not None:
            hook.environment |= source_variable(self.source_conn_id)

    def _check_cluster(self, hook: ProfileSubmitHook) -> None:
        if not self.dsn_on_cluster:
            raise ConfigurationError(
                f"Dataset {self.dataset!r}: in deploy mode 'cluster' (master {hook.master}) the driver does not "
                "see this process's environment, and the database's password is never put on a command line. Use "
                f"deploy mode 'client', or provide {DSN_VARIABLE} to the driver yourself (a Kubernetes secret, say) "
                "and set dsn_on_cluster=True."
            )


class SparkSubmission(StoringSubmission):
    """A profile job.

    :param spec: the job's order
    :param options: the other arguments of :class:`StoringSubmission`
    """

    def __init__(self, *, spec: JobSpec, **options: Any) -> None:
        from airflow_dq.engine.spark.user_metric import pack_metrics

        # The DAG file has been loaded in this process, not in the one that profiles.
        spec = replace(spec, metrics=pack_metrics())
        super().__init__(script="profile.py", order=spec.to_json(), dataset=spec.dataset, **options)
        self.spec = spec
        self._announced: int | None = None

    def submit_and_wait(self, context: Context, retries: int | None) -> None:
        """Submit the job and wait for it; when it fails, an attempt that was announced is ended."""
        with self._closing():
            super().submit_and_wait(context, retries)

    def prepare(self, hook: ProfileSubmitHook) -> None:
        """Announce the attempt before Spark starts."""
        hook.before_submit = self._announce
        super().prepare(hook)

    def _announce(self) -> None:
        """Begin an attempt before Spark starts, which takes a while: a gate that looks meanwhile waits for this job.

        The job begins one of its own, which takes this one's place.  A job that is found again by a retry is not
        announced: it has.
        """
        if self.spec.key is None:
            return  # only the data tells the keys: a gate beside the job needs newer_than
        try:
            with DQHook(self.dq_conn_id).get_store() as store:
                self._announced = store.begin_attempt(self.spec.dataset, self.spec.key, source=describe(self.spec))
        except DQError as error:
            if not self.dsn_on_cluster:
                raise
            # The driver reaches the database, this machine need not.
            self.log.warning("A gate does not know of this job until it has started: %s", error)

    @contextmanager
    def _closing(self) -> Iterator[None]:
        """Ends an attempt that was announced, when the job fails: it may not have come to beginning its own."""
        try:
            yield
        except BaseException as error:
            if self._announced is not None:
                with suppress(DQError), DQHook(self.dq_conn_id).get_store() as store:
                    store.fail_attempt(self._announced, f"The Spark job ended: {type(error).__name__}: {error}")
            raise


def require_known(options: Mapping[str, Any]) -> None:
    """Refuse arguments that the installed Spark provider does not have.

    :raises ConfigurationError: naming them
    """
    inits = [vars(one)["__init__"] for one in SparkSubmitOperator.__mro__ if "__init__" in vars(one)]
    known = {name for init in inits for name in signature(init).parameters}
    if unknown := sorted(options.keys() - known):
        raise ConfigurationError(
            f"The installed Spark provider's SparkSubmitOperator has no {', '.join(unknown)}: leave it out, or install "
            "a newer apache-airflow-providers-apache-spark."
        )

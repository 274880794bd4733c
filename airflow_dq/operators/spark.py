"""Carrying out a job through spark-submit, on this machine or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature, unwrap
from typing import TYPE_CHECKING, Any

from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

from airflow_dq.exceptions import ConfigurationError, DQError, ProfileError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.hooks.source import source_variable
from airflow_dq.hooks.spark import ProfileSubmitHook, spark_connection
from airflow_dq.hooks.spark_connect import ConnectSubmitHook, is_remote
from airflow_dq.hooks.spark_driver import require_manager
from airflow_dq.hooks.task import first_try
from airflow_dq.job.fleet import require_done
from airflow_dq.job.result import JobResult
from airflow_dq.operators.announced import Announced
from airflow_dq.operators.collected import Collection, token_of
from airflow_dq.options.argument import packed
from airflow_dq.options.fleet import Orders
from airflow_dq.settings import DSN_VARIABLE
from airflow_dq.version_compat import AirflowException, TaskDeferred

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
    :param about: what it is about, for messages
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
        about: str,
        dq_conn_id: str,
        master: str | None,
        dsn_on_cluster: bool,
        source_conn_id: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(script=script, order=order, master=master, **options)
        self.about = about
        self.dq_conn_id = dq_conn_id
        self.dsn_on_cluster = dsn_on_cluster
        self.source_conn_id = source_conn_id

    def run(self, context: Context, retries: int | None) -> tuple[JobResult, ...]:
        """Submit the job, or find that of an earlier try again, and wait for it.

        :param retries: of the task
        :return: as :meth:`carry_out`
        :raises ProfileError: when it could not be done, and this may pass by itself
        :raises ConfigurationError: when it may not
        :raises AirflowException: when the job failed without an explanation
        """
        told = self.carry_out(context, retries)
        for one in told:
            if one.error is not None:
                raise (ProfileError if one.retryable else ConfigurationError)(one.error)
        return told

    def carry_out(self, context: Context, retries: int | None) -> tuple[JobResult, ...]:
        """As :meth:`run`, whatever the job has explained.

        :return: what it has told of each dataset; nothing when the driver ran on a cluster, where its log stays
        :raises AirflowException: when the job failed without an explanation
        """
        try:
            self.submit_and_wait(context, retries)
        except AirflowException:
            if all(one.error is None for one in self._told):
                raise
        return self._told

    @property
    def needs_database(self) -> bool:
        """Whether the driver opens the statistics database."""
        return True

    @property
    def _told(self) -> tuple[JobResult, ...]:
        return self._hook.results if isinstance(self._hook, ProfileSubmitHook) else ()

    def prepare(self, hook: ProfileSubmitHook) -> None:
        """Hand over the database's DSN, unless the driver runs where it finds one by itself, or needs none."""
        if hook.on_cluster and self.needs_database:
            self._check_cluster(hook)
        super().prepare(hook)
        if hook.on_cluster:
            return
        if self.source_conn_id is not None:
            hook.environment |= source_variable(self.source_conn_id)
        if not self.needs_database:
            return
        dq_hook = DQHook(self.dq_conn_id)
        with dq_hook.get_store():
            pass  # a wrong DSN is told now, not after Spark has started
        hook.environment |= {DSN_VARIABLE: dq_hook.get_dsn()}

    def _check_cluster(self, hook: ProfileSubmitHook) -> None:
        if not self.dsn_on_cluster:
            raise ConfigurationError(
                f"{self.about}: in deploy mode 'cluster' (master {hook.master}) the driver does not "
                "see this process's environment, and the database's password is never put on a command line. Use "
                f"deploy mode 'client', or provide {DSN_VARIABLE} to the driver yourself (a Kubernetes secret, say) "
                "and set dsn_on_cluster=True; a profile job needs neither with result=."
            )


class SparkSubmission(StoringSubmission):
    """A profile job.

    :param orders: what it is to do
    :param result: a folder for the results of jobs, from which the profiles are imported; the job needs no database
    :param deferrable: in deploy mode ``cluster``: wait in the triggerer
    :param options: the other arguments of :class:`StoringSubmission`
    """

    def __init__(self, *, orders: Orders, result: str | None = None, deferrable: bool = False, **options: Any) -> None:
        super().__init__(script="profile.py", order=orders.to_json(), about=orders.name, **options)
        self.orders = orders
        self.results: tuple[JobResult, ...] = ()
        """What is known to have become of each dataset."""
        self._results = result
        self._deferrable = deferrable
        self._announced = Announced(orders, self.dq_conn_id, self.log, may_fail=self.dsn_on_cluster)
        self._collection: Collection | None = None

    @property
    def needs_database(self) -> bool:
        """Whether the driver opens the statistics database: not where it leaves its profiles in a folder."""
        return self._results is None

    @property
    def announced(self) -> Sequence[int]:
        """The attempts that this try has begun."""
        return self._announced.numbers

    def run(self, context: Context, retries: int | None) -> tuple[JobResult, ...]:
        """Submit the job, or find that of an earlier try again, wait for it, and import what it leaves in a folder.

        :return: what has become of each dataset; nothing when the driver ran on a cluster, where its log stays, and has
            stored the profiles itself
        :raises TaskDeferred: when the driver runs on a cluster, and is waited for in the triggerer
        :raises DQError: when it could not be done
        :raises AirflowException: when the job failed without an explanation
        """
        return self._ended(context, retries, lambda: self.carry_out(context, retries))

    def resume(
        self, context: Context, retries: int | None, event: Any, announced: Sequence[int]
    ) -> tuple[JobResult, ...]:
        """Go on where :meth:`run` has deferred, as it does.

        :param announced: the attempts that it has begun
        """
        self._announced.numbers = list(announced)
        return self._ended(context, retries, lambda: self._looked_at(event))

    def poll_until_complete(self, external_id: Any, context: Context) -> None:
        """Wait for a job on a cluster; in the triggerer, when the task is deferrable."""
        if not self._deferrable:
            super().poll_until_complete(external_id, context)
            return
        from airflow_dq.triggers.driver import DriverTrigger

        trigger = DriverTrigger(self._conn_id, self.master, str(external_id), float(self._status_poll_interval))
        raise TaskDeferred(trigger=trigger, method_name="resume")

    def prepare(self, hook: ProfileSubmitHook) -> None:
        """Announce the attempt before Spark starts, and let a driver be asked for that nobody here waits for."""
        hook.before_submit = self._begin
        if self._deferrable:
            self._track(hook)
        super().prepare(hook)

    def _ended(
        self, context: Context, retries: int | None, wait: Callable[[], tuple[JobResult, ...]]
    ) -> tuple[JobResult, ...]:
        """What the job has come to, once it has ended."""
        if self._results is not None:
            token = token_of(context, first_try(context, retries))
            self._collection = Collection(self._results, token, self.orders, self.dq_conn_id, self.log)
            self.application_args = [*(self.application_args or ()), "--result", self._collection.path]
        with self._announced.closing():
            try:
                told: tuple[JobResult, ...] = wait()
            except TaskDeferred as deferred:
                deferred.kwargs = {"state": {"announced": self._announced.numbers}}
                raise
            except (AirflowException, RuntimeError, DQError):  # Airflow's hooks raise either when a driver has failed
                if self._collection is None or not (self._collection.has_begun or self._collection.is_there):
                    raise
            self.results = told if self._collection is None else self._collection.collect()
            require_done(self.orders, self.results)
            return self.results

    def _looked_at(self, event: Mapping[str, Any]) -> tuple[JobResult, ...]:
        """Take what the trigger has seen.

        :raises AirflowException: when the driver has not come to a good end
        """
        if self.post_submit_commands:
            self._get_hook()._run_post_submit_commands()
        self.log.info("%s", event["message"])
        if event["status"] != "succeeded":
            raise AirflowException(event["message"])
        return ()

    def _track(self, hook: ProfileSubmitHook) -> None:
        """Let spark-submit end once the driver runs, which a trigger can then ask for."""
        if not hook.on_cluster:
            self.log.info("The driver runs in this task (deploy mode 'client'), which therefore does not defer.")
        elif hook._is_kubernetes:
            self._track_driver_via_k8s_api = hook._track_driver_via_k8s_api = True
        else:
            self._yarn_track_via_rm_api = hook._yarn_track_via_rm_api = True
            require_manager(hook)

    def _begin(self) -> None:
        """What comes before a job starts, and not before one is found again: that takes a while, and a gate waits."""
        self._announced.begin()
        if self._collection is not None:
            self._collection.empty()


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

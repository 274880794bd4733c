"""The operator that profiles partitions of a dataset, on Spark or in its own process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from airflow.providers.apache.spark.hooks.spark_submit import SparkSubmitHook
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

from airflow_dq.exceptions import ConfigurationError, ProfileError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.hooks.metric import gauge, timed
from airflow_dq.hooks.spark import JobResult, ProfileSubmitHook, spark_connection
from airflow_dq.hooks.task import explained, first_try, partition_key, rendering
from airflow_dq.operators.local import run_here
from airflow_dq.options.job import names_of
from airflow_dq.profile import JobSpec
from airflow_dq.settings import DSN_VARIABLE
from airflow_dq.version_compat import AirflowException

if TYPE_CHECKING:
    from airflow.sdk import Context

Engine = Literal["spark", "arrow"]

_RESERVED = ("application", "application_args", "java_class")


class DQProfileOperator(SparkSubmitOperator):
    """Scans each partition once and stores its profile: small per-column statistics.

    Exactly one of ``source``, ``table`` and ``sql`` names the data.  ``partition`` is its key; without it, the keys
    come from the ``*`` of a pattern (``lake/day=*``) or from the column ``partition_by``.  A re-run replaces the
    profile.  All other arguments are those of ``SparkSubmitOperator`` (``conf``, ``packages``, ``executor_memory``
    ...).  Without a Spark connection the job runs on this machine.

    It returns (XCom) ``dataset``, ``partition`` (None when the data names its keys itself), and the numbers of
    ``partitions`` and ``rows`` that were profiled (None when the driver ran on a cluster).  Airflow's metrics get
    ``dq.profile.rows`` and ``dq.profile.duration``; OpenLineage, when its provider is installed, gets the source as
    an input, with the partition's data-quality metrics.

    Metrics that the DAG file registers (:func:`airflow_dq.metrics.registry.metric`) are measured like built-in ones;
    what their functions use must be importable by Spark, through ``py_files`` for instance.

    The database's DSN is handed to the job in the environment of the local spark-submit process.  In deploy mode
    ``cluster`` the driver runs elsewhere: see ``dsn_on_cluster``.

    :param dataset: name under which the profiles are stored (templated)
    :param source: path of the partition's folder or file, or a pattern with one ``*`` (templated)
    :param partition: the partition's key, taken as raw text: ``"{{ ds }}"`` (templated)
    :param table: a table that the Spark session can read, instead of ``source`` (templated)
    :param sql: a query that the Spark session can run, instead of ``source`` (templated)
    :param partition_by: a column whose values are the partition keys, instead of ``partition`` (templated)
    :param since: with a pattern or ``partition_by``: ignore partition keys below this one (templated)
    :param until: with a pattern or ``partition_by``: ignore partition keys above this one (templated)
    :param limit: with a pattern or ``partition_by``: at most this many of the newest partitions
    :param source_format: format of Spark's reader: parquet, csv, json, orc ... (templated)
    :param read_options: options of Spark's reader; no secrets, they show on the command line (templated)
    :param columns: profile only these columns (default: all) (templated)
    :param exclude: do not profile these columns (templated)
    :param hidden: store no value of these columns, only hashes keyed by the variable ``AIRFLOW_DQ_HASH_KEY``, which the
        job's environment must have (templated)
    :param store_values: False hides all columns, as ``hidden`` does some
    :param sample_rows: number of rows to sample for the injected errors that programs are trained on; 0: none
    :param engine: ``spark``; or ``arrow``: read small Parquet, CSV or Arrow files of this machine in the task's own
        process, without Spark and Java, with the same profiles
    :param dq_conn_id: connection to the statistics database; the variable ``AIRFLOW_DQ_DSN`` wins over it (templated)
    :param conn_id: Spark connection; ``spark_default`` may be undefined
    :param master: Spark master that wins over the connection's (``local[*]``, ``spark://host:7077``, ``yarn``)
        (templated)
    :param name: name of the Spark application (templated)
    :param dsn_on_cluster: in deploy mode ``cluster``: the driver finds ``AIRFLOW_DQ_DSN`` in its own environment
        (from a Kubernetes secret, say) and has this package installed
    """

    template_fields: Sequence[str] = (
        *SparkSubmitOperator.template_fields,
        "dataset",
        "source",
        "partition",
        "table",
        "sql",
        "partition_by",
        "since",
        "until",
        "source_format",
        "read_options",
        "columns",
        "exclude",
        "hidden",
        "dq_conn_id",
        "master",
    )
    template_fields_renderers: ClassVar[dict[str, str]] = {"sql": "sql", "read_options": "json"}
    ui_color = "#e3f2e6"

    def __init__(
        self,
        *,
        dataset: str,
        source: str | None = None,
        partition: str | None = None,
        table: str | None = None,
        sql: str | None = None,
        partition_by: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        source_format: str = "parquet",
        read_options: Mapping[str, Any] | None = None,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] = (),
        hidden: Sequence[str] = (),
        store_values: bool = True,
        sample_rows: int = 1000,
        engine: Engine = "spark",
        dq_conn_id: str = DQHook.default_conn_name,
        conn_id: str = ProfileSubmitHook.default_conn_name,
        master: str | None = None,
        name: str = "airflow-dq-profile",
        dsn_on_cluster: bool = False,
        **kwargs: Any,
    ) -> None:
        if taken := [key for key in _RESERVED if key in kwargs]:
            raise ConfigurationError(f"DQProfileOperator sets {', '.join(taken)} itself; leave it out.")
        if engine not in get_args(Engine):
            raise ConfigurationError(f"engine is {engine!r}; allowed: {', '.join(get_args(Engine))}.")
        super().__init__(conn_id=conn_id, name=name, **kwargs)
        self.dataset = dataset
        self.source = source
        self.partition = partition
        self.table = table
        self.sql = sql
        self.partition_by = partition_by
        self.since = since
        self.until = until
        self.limit = limit
        self.source_format = source_format
        self.read_options = read_options
        self.columns = columns
        self.exclude = exclude
        self.hidden = hidden
        self.store_values = store_values
        self.sample_rows = sample_rows
        self.engine = engine
        self.dq_conn_id = dq_conn_id
        self.master = master
        self.dsn_on_cluster = dsn_on_cluster
        # After rendering, a key that came out empty must not look like one that was never given.
        self._keyed = partition is not None

    def render_template_fields(self, context: Context, jinja_env: Any = None) -> None:
        """Render the templated arguments; a value that the run does not have is explained."""
        with rendering(self.task_id, self.log):
            super().render_template_fields(context, jinja_env)

    def execute(self, context: Context) -> dict[str, Any]:  # type: ignore[override]  # the parent returns nothing
        """Run the job and wait for it.

        :return: ``dataset``, ``partition``, ``partitions`` and ``rows``
        :raises AirflowFailException: for what no later try can change (arguments, connections, the machine).
        :raises AirflowException: when the job failed; with its own explanation where there is one.
        """
        with explained(self.log), timed("profile.duration", self.dataset):
            spec = self.job_spec()
            done = run_here(spec, self.dq_conn_id, self.log) if self.engine == "arrow" else self._submit(spec, context)
        if done is not None:
            self.log.info("%s", done.summary)
            gauge("profile.rows", done.rows, self.dataset)
        return {
            "dataset": self.dataset,
            "partition": spec.key,
            "partitions": None if done is None else done.partitions,
            "rows": None if done is None else done.rows,
        }

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

    def get_openlineage_facets_on_complete(self, task_instance: Any) -> Any:
        """What was read, and its data-quality metrics; called by Airflow's OpenLineage provider."""
        from airflow_dq.operators.lineage import operator_lineage

        spec = self.job_spec()
        profile = None
        if spec.key is not None:
            with DQHook(self.dq_conn_id).get_store() as store:
                profile = store.load_profile(self.dataset, spec.key)
        return operator_lineage(spec, profile)

    def job_spec(self) -> JobSpec:
        """What the profile job is to do, from the rendered arguments.

        :raises ConfigurationError: when they contradict each other, or the partition key rendered to nothing.
        """
        partition = partition_key(self.partition, self.dataset) if self._keyed else None
        if not isinstance(self.read_options or {}, Mapping):
            raise ConfigurationError(
                f"Dataset {self.dataset!r}: read_options is {self.read_options!r}; give a dict, such as {{'sep': ';'}}."
            )
        paths = {partition: self.source} if partition is not None and self.source else {}
        if not (self._keyed or self.partition_by or "*" in (self.source or "*")):
            raise ConfigurationError(
                f"Dataset {self.dataset!r}: source {self.source!r} names no partition key; give "
                "partition='{{ ds }}', partition_by=<key column>, or a pattern with one '*'."
            )
        return JobSpec(
            dataset=self.dataset,
            paths=paths,
            pattern=None if paths else self.source,
            table=self.table,
            sql=self.sql,
            partition=None if paths else partition,
            partition_by=self.partition_by,
            format=self.source_format,
            options={key: str(value) for key, value in (self.read_options or {}).items()},
            since=self.since,
            until=self.until,
            limit=self.limit,
            columns=None if self.columns is None else names_of(self.columns, "columns", self.dataset),
            exclude=names_of(self.exclude, "exclude", self.dataset),
            hidden=names_of(self.hidden, "hidden", self.dataset),
            store_values=self.store_values,
            sample_rows=self.sample_rows,
        )

    def _submit(self, spec: JobSpec, context: Context) -> JobResult | None:
        from airflow_dq.engine.spark.user_metric import pack_metrics
        from airflow_dq.resource import resource_dir

        # The DAG file has been loaded in this process, not in the one that profiles.
        spec = replace(spec, metrics=pack_metrics())
        self.application = str(resource_dir("spark_jobs") / "profile.py")
        self.application_args = ["--spec", spec.to_json()]
        # Airflow keeps a task's state when it is cleared: the job that ran before must not be taken for this one.
        self.external_id_key = f"dq_spark_job_id_{first_try(context, self.retries)}"
        self._K8S_DRIVER_STATUS_KEY = f"dq_k8s_driver_status_{first_try(context, self.retries)}"
        try:
            super().execute(context)
        except AirflowException:
            hook = self._hook
            explanation = hook.explanation if isinstance(hook, ProfileSubmitHook) else None
            if explanation is None:
                raise
            raise ProfileError(explanation) from None
        return self._hook.result(self.dataset) if isinstance(self._hook, ProfileSubmitHook) else None

    def _get_hook(self) -> ProfileSubmitHook:
        from airflow_dq.engine.spark.environment import check_java, spark_environment

        hook = ProfileSubmitHook(connection=spark_connection(self._conn_id, self.master), **self._hook_options())
        hook.check_master()
        if hook.on_cluster:
            self._check_cluster(hook)
            return hook
        check_java()
        dq_hook = DQHook(self.dq_conn_id)
        with dq_hook.get_store():
            pass  # a wrong DSN is told now, not after Spark has started
        hook.environment |= spark_environment(hook.master) | {DSN_VARIABLE: dq_hook.get_dsn()}
        return hook

    def _check_cluster(self, hook: ProfileSubmitHook) -> None:
        if not self.dsn_on_cluster:
            raise ConfigurationError(
                f"Dataset {self.dataset!r}: in deploy mode 'cluster' (master {hook.master}) the driver does not "
                "see this process's environment, and the database's password is never put on a command line. Use "
                f"deploy mode 'client', or provide {DSN_VARIABLE} to the driver yourself (a Kubernetes secret, say) "
                "and set dsn_on_cluster=True."
            )

    def _hook_options(self) -> dict[str, Any]:
        # The parent keeps each option of its hook under the option's name, some behind an underscore; which options
        # there are differs from version to version of the Spark provider.
        names = [name for name in signature(SparkSubmitHook.__init__).parameters if name not in ("self", "conn_id")]
        found = {name: attribute for name in names for attribute in (name, f"_{name}") if hasattr(self, attribute)}
        return {name: getattr(self, attribute) for name, attribute in found.items()}

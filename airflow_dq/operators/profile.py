"""The operator that profiles partitions of a dataset, or of many, on Spark or in its own process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from airflow_dq.check.builder import Checks
from airflow_dq.check.file import declared_checks
from airflow_dq.engine.store_access import NO_ACCESS
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.hooks.metric import gauge, timed
from airflow_dq.hooks.source import source_access
from airflow_dq.hooks.task import explained, rendering
from airflow_dq.job.fleet import require_done
from airflow_dq.job.result import JobResult
from airflow_dq.operators.fitting import look_ahead
from airflow_dq.operators.fleet import Tries
from airflow_dq.operators.given_up import given_up, remember_announced
from airflow_dq.operators.launch import Way, spark_submission, submitted_job
from airflow_dq.operators.local import run_here
from airflow_dq.operators.order import OWN, SHARED, fleet_of, order_of, require_fleet
from airflow_dq.operators.spark_argument import SparkArguments
from airflow_dq.operators.submit.job import Submit
from airflow_dq.options.fleet import Orders
from airflow_dq.options.job import JobSpec
from airflow_dq.version_compat import AirflowException, TaskDeferred, conf

if TYPE_CHECKING:
    from airflow.sdk import Context

    from airflow_dq.operators.spark import SparkSubmission
    from airflow_dq.operators.submitted import SubmittedJob

Engine = Literal["spark", "arrow"]

_RESERVED = ("application", "application_args", "java_class")


class DQProfileOperator(SparkArguments):
    """Scans each partition once and stores its profile: small per-column statistics.

    With ``datasets`` one application profiles many datasets, each of which succeeds or fails by itself::

        DQProfileOperator(
            task_id="profile", partition="{{ ds }}",
            datasets=[{"dataset": name, "source": f"lake/{name}/day={{{{ ds }}}}"} for name in TABLES],
        )

    Else exactly one of ``source``, ``table`` and ``sql`` names the data.  ``partition`` is its key; without it, the
    keys come from the ``*`` of a pattern (``lake/day=*``) or from the column ``partition_by``.  A re-run replaces the
    profile.  All other arguments are those of ``SparkSubmitOperator`` (``conf``, ``packages``, ``executor_memory``
    ...), which ``engine="arrow"`` leaves aside.  Without a Spark connection the job runs on this machine.

    It returns (XCom) ``dataset``, ``partition`` (None when the data names its keys itself), and the numbers of
    ``partitions`` and ``rows`` that were profiled (None when the driver ran on a cluster); of many datasets these by
    dataset, under ``datasets``, for as long as none has failed.  Airflow's metrics get
    ``dq.profile.rows`` and ``dq.profile.duration``; OpenLineage, when its provider is installed, gets the source as
    an input, with the partition's data-quality metrics.

    Metrics that the DAG file registers (:func:`airflow_dq.metrics.registry.metric`) are measured like built-in ones;
    what their functions use must be importable by Spark, through ``py_files`` for instance.

    The database's DSN is handed to the job in the environment of the local spark-submit process.  In deploy mode
    ``cluster`` the driver runs elsewhere: see ``dsn_on_cluster``.

    :param dataset: name under which the profiles are stored (templated)
    :param datasets: instead: a list of dicts, each with the arguments of one dataset: its ``dataset`` and ``source``
        (or ``table``, ``sql``), and where they are its own ``partition``, ``checks``, ``columns`` and all that says
        what is read and stored.  What it leaves out, but for the source and the checks, is the task's.  A dataset that
        fails does not keep the others from being stored; then the task fails, and the next try does those alone that
        failed (Airflow 3.3 and newer) (templated)
    :param source: path of the partition's folder or file, or a pattern with one ``*`` (templated)
    :param partition: the partition's key, taken as raw text: ``"{{ ds }}"`` (templated)
    :param table: a table that the Spark session can read, instead of ``source`` (templated)
    :param sql: a query that the Spark session can run, instead of ``source`` (templated)
    :param partition_by: a column whose values are the partition keys, instead of ``partition``; or beside it: then the
        rows in which it has that key are profiled (templated)
    :param where: a condition in Spark's SQL on the rows of a table, such as ``"day = '{{ ds }}'"`` (templated).  A
        table with a ``partition`` needs it or ``partition_by``, unless it has one partition column of its own, which is
        then taken; ``"true"`` says that the whole table is the partition
    :param version: of a Delta table: the version to read (default: the newest) (templated)
    :param snapshot: of an Iceberg table: the id of the snapshot to read, or a branch or tag (templated)
    :param as_of: read a Delta or Iceberg table as it was at this moment: ``"{{ data_interval_end }}"``, ``"{{ ds }} +
        30h"``; ``"* + 30h"`` counts from each partition's key (templated)
    :param since: with a pattern or ``partition_by``: ignore partition keys below this one (templated)
    :param until: with a pattern or ``partition_by``: ignore partition keys above this one (templated)
    :param limit: with a pattern or ``partition_by``: at most this many of the newest partitions
    :param source_format: format of Spark's reader: parquet, csv, json, orc ..., or ``delta`` or ``iceberg`` (templated)
    :param read_options: options of Spark's reader; no secrets, they show on the command line.  Of an Iceberg catalog
        with ``engine="arrow"``: its properties (``uri``, ``warehouse`` ...) (templated)
    :param source_conn_id: connection to the database that ``source_format="jdbc"`` reads, or to the object store (type
        ``aws``, ``wasb``, ``adls`` ...) that holds the source: its address, login and password reach the job in the
        environment of ``spark-submit`` (templated)
    :param columns: profile only these columns (default: all) (templated)
    :param exclude: do not profile these columns (templated)
    :param hidden: store no value of these columns, only hashes keyed by the variable ``AIRFLOW_DQ_HASH_SECRET``, which
        the job's environment must have (templated)
    :param segments: columns of few values, such as a country: the rows of each value are profiled and judged by
        themselves as well (templated)
    :param store_values: False hides all columns, as ``hidden`` does some
    :param sample_rows: number of rows to sample for the injected errors that programs are trained on; 0: none
    :param checks: declared checks, as ``Checks`` or the path of a file ``orders.dq.yml``: what they need of the rows is
        counted in the same scan, for the gate to judge
    :param key_folder: folder for how often keys occur in all partitions (``scope="total"``), where they are too many
        for the database: any that Spark writes to, or with ``engine="arrow"`` one of this machine (templated)
    :param engine: ``spark``; or ``arrow``: read small Parquet, CSV or Arrow files, and Delta and Iceberg tables, of
        this machine or of an object store in the task's own process, without Spark and Java, with the same profiles
    :param dq_conn_id: connection to the statistics database; the variable ``AIRFLOW_DQ_DSN`` wins over it (templated)
    :param conn_id: Spark connection, of type ``spark`` or ``spark_connect``; ``spark_default`` may be undefined
    :param master: Spark master that wins over the connection's (``local[*]``, ``spark://host:7077``, ``yarn``,
        ``sc://host:15002``) (templated)
    :param name: name of the Spark application (templated)
    :param dsn_on_cluster: in deploy mode ``cluster``: the driver finds ``AIRFLOW_DQ_DSN`` in its own environment
        (from a Kubernetes secret, say), ``AIRFLOW_DQ_SOURCE_SECRET`` too where there is a ``source_conn_id``, and has
        this package installed
    :param result: a folder that the job's driver and this task reach (``s3://``, ``gs://``, ``abfss://``, ``hdfs://``,
        or a path on a shared disk): the job leaves its profiles there, and this task imports them.  The driver then
        needs no database (templated)
    :param submit: who submits the job, instead of ``spark-submit``: any function from a
        :class:`~airflow_dq.operators.submit.SparkJob` to an operator, such as those of ``airflow_dq.operators.submit``
    :param deferrable: wait in the triggerer while the driver runs on a cluster: in deploy mode ``cluster``, and with
        ``submit`` where its operator can; a driver of this machine, or a client of Spark Connect, is waited for here
    """

    template_fields: Sequence[str] = (
        *SparkArguments.template_fields,
        "dataset",
        "datasets",
        "source",
        "partition",
        "table",
        "sql",
        "partition_by",
        "where",
        "version",
        "snapshot",
        "as_of",
        "since",
        "until",
        "source_format",
        "read_options",
        "source_conn_id",
        "columns",
        "exclude",
        "hidden",
        "key_folder",
        "segments",
        "dq_conn_id",
        "master",
        "result",
    )
    template_fields_renderers: ClassVar[dict[str, str]] = {"sql": "sql", "read_options": "json"}
    ui_color = "#e3f2e6"

    def __init__(
        self,
        *,
        dataset: str | None = None,
        datasets: Sequence[Mapping[str, Any]] | None = None,
        source: str | None = None,
        partition: str | None = None,
        table: str | None = None,
        sql: str | None = None,
        partition_by: str | None = None,
        where: str | None = None,
        version: str | int | None = None,
        snapshot: str | int | None = None,
        as_of: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        source_format: str = "parquet",
        read_options: Mapping[str, Any] | None = None,
        source_conn_id: str | None = None,
        columns: Sequence[str] | None = None,
        exclude: Sequence[str] = (),
        hidden: Sequence[str] = (),
        segments: Sequence[str] = (),
        store_values: bool = True,
        sample_rows: int = 1000,
        checks: Checks | str | Path | None = None,
        key_folder: str | None = None,
        engine: Engine = "spark",
        dq_conn_id: str = DQHook.default_conn_name,
        conn_id: str = "spark_default",
        master: str | None = None,
        name: str = "airflow-dq-profile",
        dsn_on_cluster: bool = False,
        result: str | None = None,
        submit: Submit | None = None,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        **kwargs: Any,
    ) -> None:
        if taken := [key for key in _RESERVED if key in kwargs]:
            raise ConfigurationError(f"DQProfileOperator sets {', '.join(taken)} itself; leave it out.")
        if engine not in get_args(Engine):
            raise ConfigurationError(f"engine is {engine!r}; allowed: {', '.join(get_args(Engine))}.")
        if engine != "spark" and (result is not None or submit is not None):
            raise ConfigurationError(f"engine={engine!r} works in this task: leave out result and submit.")
        if (dataset is None) == (datasets is None):
            raise ConfigurationError("DQProfileOperator takes either dataset=<name>, or datasets=[...] for many.")
        super().__init__(conn_id=conn_id, name=name, **kwargs)
        self.dataset: str = dataset or ""
        self.datasets = datasets
        self.source = source
        self.partition = partition
        self.table = table
        self.sql = sql
        self.partition_by = partition_by
        self.where = where
        self.version = version
        self.snapshot = snapshot
        self.as_of = as_of
        self.since = since
        self.until = until
        self.limit = limit
        self.source_format = source_format
        self.read_options = read_options
        self.source_conn_id = source_conn_id
        self.columns = columns
        self.exclude = exclude
        self.hidden = hidden
        self.segments = segments
        self.store_values = store_values
        self.sample_rows = sample_rows
        # A mistake in them is told when the DAG is parsed.
        self.checks = () if dataset is None else declared_checks(checks, dataset)
        self.key_folder = key_folder
        self.engine = engine
        self.dq_conn_id = dq_conn_id
        self.master = master
        self.dsn_on_cluster = dsn_on_cluster
        self.result = result
        self.submit = submit
        self.deferrable = deferrable
        # After rendering, a key that came out empty must not look like one that was never given.
        self._keyed = partition is not None
        if datasets is not None:
            self._require_fleet(checks)
        self._submission: SparkSubmission | SubmittedJob | None = None
        self._results: tuple[JobResult, ...] = ()

    def _require_fleet(self, checks: object) -> None:
        """Tell a mistake in ``datasets`` when the DAG is parsed, unless another task gives them."""
        taken = {**{name: getattr(self, name) for name in OWN}, "checks": checks}
        if alone := [name for name, value in taken.items() if value not in (None, ())]:
            raise ConfigurationError(
                f"Task {self.task_id!r}: with datasets=, {', '.join(alone)} belongs to each dataset: put it there."
            )
        if isinstance(self.datasets, list | tuple | Mapping):
            require_fleet(self.datasets)

    def render_template_fields(self, context: Context, jinja_env: Any = None) -> None:
        """Render the templated arguments; a value that the run does not have is explained."""
        with rendering(self.task_id, self.log):
            super().render_template_fields(context, jinja_env)

    def execute(self, context: Context) -> dict[str, Any]:
        """Run the job and wait for it.

        :return: ``dataset``, ``partition``, ``partitions`` and ``rows``; of many datasets these under ``datasets``
        :raises AirflowFailException: for what no later try can change (arguments, connections, the machine).
        :raises AirflowException: when the job failed; with its own explanation where there is one.
        """
        if self.datasets is not None:
            Tries(context, self.retries).begin(context)
        with explained(self.log), timed("profile.duration", self.dataset or self.task_id):
            return self._carried_out(context, lambda orders: self._begin(orders, context))

    def resume(self, context: Context, event: Any = None, state: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Go on when the trigger has fired, to the same end as :meth:`execute`.

        :param state: what was left for this when the task deferred
        """
        with explained(self.log):
            return self._carried_out(context, lambda orders: self._go_on(orders, context, event, state or {}))

    def resume_execution(self, next_method: str, next_kwargs: dict[str, Any] | None, context: Context) -> Any:
        """Go on; but where Airflow's triggerer has given up, end what was begun."""
        try:
            return super().resume_execution(next_method, next_kwargs, context)
        except AirflowException as error:
            if next_method == "resume":
                raise
            given_up(self._subject, self.dq_conn_id, context, error)

    def _carried_out(self, context: Context, work: Callable[[Orders], tuple[JobResult, ...]]) -> dict[str, Any]:
        """What the task returns, once its orders are done."""
        if self.datasets is None:
            spec = self.job_spec()
            told = work(Orders.of(spec))
            return {"dataset": self.dataset, **self._told(spec, told[0] if told else None)}
        tries = Tries(context, self.retries)
        orders = self.fleet()
        left = tries.left(orders)
        if left is not None:
            try:
                work(left)
            finally:
                tries.note(left, self._results)
        known = {one.dataset: one for one in self._results}
        each = {order.dataset: self._told(order, known.get(order.dataset)) for order in left or ()}
        return {"datasets": {**each, **tries.done}}

    def _told(self, spec: JobSpec, done: JobResult | None) -> dict[str, Any]:
        if done is not None:
            self.log.info("%s", done.summary)
            gauge("profile.rows", done.rows, spec.dataset)
        return {
            "partition": spec.key,
            "partitions": None if done is None else done.profiled,
            "rows": None if done is None else done.rows,
        }

    def on_kill(self) -> None:
        """End the Spark job, if one has been started or was found again by a retry."""
        if self._submission is not None:
            self._submission.on_kill()

    def get_openlineage_facets_on_complete(self, task_instance: Any) -> Any:
        """What was read, and its data-quality metrics; called by Airflow's OpenLineage provider."""
        from airflow_dq.operators.lineage import operator_lineage

        orders = Orders.of(self.job_spec()) if self.datasets is None else self.fleet()
        with DQHook(self.dq_conn_id).get_store() as store:
            return operator_lineage(
                (one, None if one.key is None else store.load_profile(one.dataset, one.key)) for one in orders
            )

    @property
    def _way(self) -> Way:
        return Way(**{field.name: getattr(self, field.name) for field in fields(Way)})

    @property
    def _subject(self) -> str:
        return f"{len(self.datasets)} datasets" if self.datasets is not None else f"dataset {self.dataset!r}"

    def job_spec(self) -> JobSpec:
        """What the job on one dataset is to do, from the rendered arguments.

        :raises ConfigurationError: when they contradict each other, or the partition key rendered to nothing.
        """
        given = {name: getattr(self, name) for name in (*OWN, *SHARED)}
        return order_of(self.dataset, given, self.checks, keyed=self._keyed)

    def fleet(self) -> Orders:
        """What the job on many datasets is to do, from the rendered arguments.

        :raises ConfigurationError: when those of one dataset contradict each other
        """
        shared = {name: getattr(self, name) for name in SHARED if name != "partition" or self._keyed}
        return fleet_of(self.datasets, shared)

    def _begin(self, orders: Orders, context: Context) -> tuple[JobResult, ...]:
        if self.engine == "arrow":
            return self._run_here(orders)
        if self.datasets is None:
            # Of many datasets the job refuses those that are wrong, and profiles the others.
            look_ahead(orders.each[0], self.dq_conn_id, self.source_conn_id, self.log)
        if self.submit is not None:
            job = self._submission = submitted_job(self, self._way, self.submit, orders)
            return self._waited(context, job, lambda: job.run(context))
        submission = self._submission = spark_submission(self, self._way, orders)
        return self._waited(context, submission, lambda: submission.run(context, self.retries))

    def _go_on(self, orders: Orders, context: Context, event: Any, state: Mapping[str, Any]) -> tuple[JobResult, ...]:
        if self.submit is not None:
            job = self._submission = submitted_job(self, self._way, self.submit, orders)
            return self._waited(context, job, lambda: job.resume(context, event, state))
        submission = self._submission = spark_submission(self, self._way, orders)
        announced = state.get("announced", ())
        return self._waited(context, submission, lambda: submission.resume(context, self.retries, event, announced))

    def _run_here(self, orders: Orders) -> tuple[JobResult, ...]:
        access = NO_ACCESS if self.source_conn_id is None else source_access(self.source_conn_id)
        for result in run_here(orders, self.dq_conn_id, self.log, access):
            self._results = (*self._results, result)
        require_done(orders, self._results)
        return self._results

    def _waited(
        self, context: Context, job: SparkSubmission | SubmittedJob, wait: Callable[[], tuple[JobResult, ...]]
    ) -> tuple[JobResult, ...]:
        """Wait, and keep what is known of each dataset, however it ends."""
        try:
            return wait()
        except TaskDeferred:
            remember_announced(context, job.announced)
            raise
        finally:
            self._results = job.results

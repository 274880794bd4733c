"""The operator that looks for the slices of rows in which a partition has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.hooks.metric import timed
from airflow_dq.hooks.task import explained, partition_key, rendering
from airflow_dq.links.alert import DQAlertLink
from airflow_dq.operators.spark_argument import SparkArguments
from airflow_dq.options.argument import require_no_secret
from airflow_dq.options.drill import ROWS, SLICES, DrillSpec
from airflow_dq.options.job import JobSpec, names_of
from airflow_dq.version_compat import AirflowSkipException

if TYPE_CHECKING:
    from airflow.sdk import Context

    from airflow_dq.drill.report import DrillReport
    from airflow_dq.engine.base import Engine as AnyEngine
    from airflow_dq.operators.spark import StoringSubmission
    from airflow_dq.store import Repository

Engine = Literal["spark", "arrow"]


class DQDrillOperator(SparkArguments):
    """Finds where a partition has changed: reads it and the last good one again, and compares them slice by slice.

    ::

        drill = DQDrillOperator(task_id="drill", dataset="orders", partition="{{ ds }}", on_alarm=True)
        gate >> drill.as_teardown()

    A *slice* is the rows with one value of a column of few values, or with one pair of values of two.  Named are those
    that have changed while the other rows have not: with their number of rows, a Spark SQL filter that finds them,
    values before and now, and some rows, in which hidden columns are masked.  That is stored with the partition's
    profile: the page of its problems shows it, ``airflow dq report`` and ``airflow dq drill --last`` as well.
    Where the rows are is known from their profiles.  All other arguments are those of ``SparkSubmitOperator``, which
    ``engine="arrow"`` leaves aside.

    As a teardown it runs whatever has become of the gate, holds up nothing behind it, and the run stays as failed as
    the gate has left it; :func:`~airflow_dq.operators.guard.dq_guard` makes one with ``drill=True``.

    It returns (XCom) ``dataset``, ``partition``, ``against``, ``everywhere`` (columns that have changed in all rows
    alike) and ``slices``, each with ``headline``, ``filter``, ``columns``, ``rows``, ``rows_before`` and ``share``; no
    rows.

    :param dataset: name under which the profiles are stored (templated)
    :param partition: key of the partition to look into (templated)
    :param against: key of the partition to compare with (default: the newest one before that passed) (templated)
    :param on_alarm: skip when the gate found nothing in the partition, when it was profiled with
        ``store_values=False``, or when no good partition is before it
    :param columns: columns whose change is looked into (default: those that alarmed; all, where none has) (templated)
    :param slices: most slices
    :param rows: most rows of each that are kept; 0: none
    :param read_options: options of Spark's reader besides those that are stored; no secrets (templated)
    :param source_conn_id: connection to the database that holds the rows, as for ``DQProfileOperator`` (templated)
    :param engine: ``spark``; or ``arrow``: read small files of this machine in the task's own process
    :param dq_conn_id: connection to the statistics database; the variable ``AIRFLOW_DQ_DSN`` wins over it (templated)
    :param conn_id: Spark connection; ``spark_default`` may be undefined
    :param master: Spark master that wins over the connection's (templated)
    :param name: name of the Spark application (templated)
    :param dsn_on_cluster: in deploy mode ``cluster``: the driver finds ``AIRFLOW_DQ_DSN`` in its own environment, as
        for ``DQProfileOperator``
    """

    template_fields: Sequence[str] = (
        *SparkArguments.template_fields,
        *("dataset", "partition", "against", "columns", "read_options", "source_conn_id", "dq_conn_id", "master"),
    )
    template_fields_renderers: ClassVar[dict[str, str]] = {"read_options": "json"}
    operator_extra_links = (DQAlertLink(),)
    ui_color = "#e3f2e6"

    alert_id: int | None = None
    """The alert that speaks for the partition; for the link to its page."""

    def __init__(
        self,
        *,
        dataset: str,
        partition: str,
        against: str | None = None,
        on_alarm: bool = False,
        columns: Sequence[str] | None = None,
        slices: int = SLICES,
        rows: int = ROWS,
        read_options: Mapping[str, Any] | None = None,
        source_conn_id: str | None = None,
        engine: Engine = "spark",
        dq_conn_id: str = DQHook.default_conn_name,
        conn_id: str = "spark_default",
        master: str | None = None,
        name: str = "airflow-dq-drill",
        dsn_on_cluster: bool = False,
        **kwargs: Any,
    ) -> None:
        if engine not in get_args(Engine):
            raise ConfigurationError(f"engine is {engine!r}; allowed: {', '.join(get_args(Engine))}.")
        super().__init__(conn_id=conn_id, name=name, **kwargs)
        # A number that makes no sense is told when the DAG is parsed.
        DrillSpec(dataset, partition, slices=slices, rows=rows)
        self.dataset = dataset
        self.partition = partition
        self.against = against
        self.on_alarm = on_alarm
        self.columns = columns
        self.slices = slices
        self.rows = rows
        self.read_options = read_options
        self.source_conn_id = source_conn_id
        self.engine = engine
        self.dq_conn_id = dq_conn_id
        self.master = master
        self.dsn_on_cluster = dsn_on_cluster
        self._submission: StoringSubmission | None = None

    def render_template_fields(self, context: Context, jinja_env: Any = None) -> None:
        """Render the templated arguments; a value that the run does not have is explained."""
        with rendering(self.task_id, self.log):
            super().render_template_fields(context, jinja_env)

    def execute(self, context: Context) -> dict[str, Any]:
        """Run the job and wait for it.

        :return: what was found, without rows
        :raises AirflowSkipException: with ``on_alarm``, when there is nothing to look into
        :raises AirflowFailException: for what no later try can change (arguments, connections, the machine)
        :raises AirflowException: when the job failed; with its own explanation where there is one
        """
        with explained(self.log), timed("drill.duration", self.dataset):
            spec = self.drill_spec()
            with DQHook(self.dq_conn_id).get_store() as store:
                self._skip_where_pointless(store, spec)
                if self.engine == "arrow":
                    self._run_here(store, spec)
            if self.engine != "arrow":
                self._submit(spec, context)
            with DQHook(self.dq_conn_id).get_store() as store:
                report = store.load_drill(spec.dataset, spec.partition)
                detail = store.verdict_of_partition(spec.dataset, spec.partition)
        self.alert_id = None if detail is None else detail.partition.first_alert_id
        if report is None:
            # It has been profiled anew since: then there is another verdict to wait for.
            return {"dataset": self.dataset, "partition": spec.partition, "against": None, "slices": []}
        self._tell(report)
        return report.to_dict(self.dataset)

    def on_kill(self) -> None:
        """End the Spark job, if one has been started."""
        if self._submission is not None:
            self._submission.on_kill()

    def drill_spec(self) -> DrillSpec:
        """What the job is to do, from the rendered arguments.

        :raises ConfigurationError: when one rendered to nothing, or names a secret
        """
        partition = partition_key(self.partition, self.dataset)
        options = {key: str(value) for key, value in (self.read_options or {}).items()}
        require_no_secret(options, self.dataset)
        return DrillSpec(
            dataset=self.dataset,
            partition=partition,
            against=None if self.against is None else partition_key(self.against, self.dataset),
            columns=None if self.columns is None else names_of(self.columns, "columns", self.dataset),
            slices=self.slices,
            rows=self.rows,
            options=options,
        )

    def _skip_where_pointless(self, store: Repository, spec: DrillSpec) -> None:
        if not self.on_alarm:
            return
        from airflow_dq.job.drill import why_not

        if (reason := why_not(store, spec)) is not None:
            raise AirflowSkipException(f"{spec.dataset} {spec.partition} is not looked into: {reason}.")

    def _run_here(self, store: Repository, spec: DrillSpec) -> None:
        from airflow_dq.job.drill import carry_out, plan

        if self.source_conn_id is not None:
            raise ConfigurationError(
                f"Dataset {self.dataset!r}: engine='arrow' reads files, for which source_conn_id is none: leave out "
                f"{self.source_conn_id!r}, or use engine='spark'."
            )
        store.save_drill(spec.dataset, carry_out(plan(store, spec), spec, _arrow))

    def _submit(self, spec: DrillSpec, context: Context) -> None:
        # Only now: the Spark provider need not be installed where Spark is not used.
        from airflow_dq.operators.spark import StoringSubmission, require_known

        options = self.spark_arguments()
        require_known(options)
        self._submission = StoringSubmission(
            task_id=self.task_id,
            script="drill.py",
            order=spec.to_json(),
            about=f"Dataset {spec.dataset!r}",
            dq_conn_id=self.dq_conn_id,
            master=self.master,
            dsn_on_cluster=self.dsn_on_cluster,
            source_conn_id=self.source_conn_id,
            **options,
        )
        self._submission.run(context, self.retries)

    def _tell(self, report: DrillReport) -> None:
        self.log.info("%s: %s", self.dataset, report.title)
        for one in report.slices:
            self.log.info("%s; filter: %s", one.headline, one.filter)
        for remark in report.remarks:
            self.log.info("%s", remark)


@contextmanager
def _arrow(order: JobSpec, engine: str) -> Iterator[AnyEngine]:
    from airflow_dq.engine.arrow.engine import ArrowEngine

    yield ArrowEngine(order)

"""The operator that writes good and bad rows to two places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from airflow_dq.check.builder import Checks
from airflow_dq.check.file import declared_checks
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.task import explained, rendering, require_rendered
from airflow_dq.job.split_result import SplitResult
from airflow_dq.operators.spark_argument import SparkArguments
from airflow_dq.options.job import JobSpec
from airflow_dq.options.split import SplitSpec, chosen_checks, require_row_checks

if TYPE_CHECKING:
    from airflow.sdk import Context

    from airflow_dq.operators.spark_split import SplitSubmission

Engine = Literal["spark", "arrow"]


class DQSplitOperator(SparkArguments):
    """Writes the rows that follow all checks to one place, and the others to another (quarantine).

    ::

        split = DQSplitOperator(
            task_id="split", dataset="orders", checks="orders.dq.yml", source="raw/day={{ ds }}",
            good="clean/day={{ ds }}", bad="quarantine/day={{ ds }}",
        )

    A bad row has one more column, ``dq_failed_checks``: the ids of the checks it fails.  Every row is in one of the
    two places, which is counted before either is touched: both are written beside their places and then moved there.
    When anything fails, both are as they were; a re-run replaces them.  A check that cannot be computed fails the task:
    no row could be called good.  All other arguments are those of ``SparkSubmitOperator``, which ``engine="arrow"``
    leaves aside.

    It returns (XCom) ``dataset``, ``rows``, ``good``, ``bad`` and ``failed`` (rows by check id); None for each number
    when the driver ran on a cluster.

    :param dataset: name of the dataset, for messages and that of the checks (templated)
    :param checks: rules on single rows (``rule``, ``completeness``, ``isin``, ``not_in``, ``matches``, ``format``,
        ``between`` ...), as ``Checks`` or the path of a file ``orders.dq.yml``; others are refused by name
    :param good: folder of the rows that follow all of them (templated)
    :param bad: folder of the others (templated)
    :param check_ids: split by these of the checks only (default: all)
    :param source: path of the rows' folder or file (templated)
    :param table: a table that the Spark session can read, instead of ``source`` (templated)
    :param sql: a query that the Spark session can run, instead of ``source`` (templated)
    :param source_format: format of Spark's reader: parquet, csv, json, orc ... (templated)
    :param read_options: options of Spark's reader; no secrets, they show on the command line (templated)
    :param target_format: format of both places: parquet, orc, json or avro
    :param engine: ``spark``; or ``arrow``: split small Parquet, CSV or Arrow files of this machine in the task's own
        process, into Parquet
    :param conn_id: Spark connection; ``spark_default`` may be undefined
    :param master: Spark master that wins over the connection's (templated)
    :param name: name of the Spark application (templated)
    """

    template_fields: Sequence[str] = (
        *SparkArguments.template_fields,
        *("dataset", "good", "bad", "source", "table", "sql", "source_format", "read_options", "master"),
    )
    template_fields_renderers: ClassVar[dict[str, str]] = {"sql": "sql", "read_options": "json"}
    ui_color = "#e3f2e6"

    def __init__(
        self,
        *,
        dataset: str,
        checks: Checks | str | Path,
        good: str,
        bad: str,
        check_ids: Sequence[str] | None = None,
        source: str | None = None,
        table: str | None = None,
        sql: str | None = None,
        source_format: str = "parquet",
        read_options: Mapping[str, Any] | None = None,
        target_format: str = "parquet",
        engine: Engine = "spark",
        conn_id: str = "spark_default",
        master: str | None = None,
        name: str = "airflow-dq-split",
        **kwargs: Any,
    ) -> None:
        if engine not in get_args(Engine):
            raise ConfigurationError(f"engine is {engine!r}; allowed: {', '.join(get_args(Engine))}.")
        super().__init__(conn_id=conn_id, name=name, **kwargs)
        self.dataset = dataset
        self.good = good
        self.bad = bad
        # A mistake in them is told when the DAG is parsed.
        where = f"Dataset {dataset!r}"
        self.checks = chosen_checks(declared_checks(checks, dataset), check_ids, where)
        require_row_checks(self.checks, where)
        self.source = source
        self.table = table
        self.sql = sql
        self.source_format = source_format
        self.read_options = read_options
        self.target_format = target_format
        self.engine = engine
        self.master = master
        self._submission: SplitSubmission | None = None

    def render_template_fields(self, context: Context, jinja_env: Any = None) -> None:
        """Render the templated arguments; a value that the run does not have is explained."""
        with rendering(self.task_id, self.log):
            super().render_template_fields(context, jinja_env)

    def execute(self, context: Context) -> dict[str, Any]:
        """Split the rows.

        :return: ``dataset``, ``rows``, ``good``, ``bad`` and ``failed``
        :raises AirflowFailException: for what no later try can change (arguments, checks, the machine)
        :raises AirflowException: when the job failed; with its own explanation where there is one
        """
        with explained(self.log):
            spec = self.split_spec()
            done = self._split_here(spec) if self.engine == "arrow" else self._submit(spec, context)
        if done is None:
            return {"dataset": self.dataset, "rows": None, "good": None, "bad": None, "failed": None}
        self.log.info("%s", done.summary)
        return {name: value for name, value in asdict(done).items() if name not in ("error", "retryable")}

    def on_kill(self) -> None:
        """End the Spark job, if one has been started."""
        if self._submission is not None:
            self._submission.on_kill()

    def split_spec(self) -> SplitSpec:
        """What the job is to do, from the rendered arguments.

        :raises ConfigurationError: when they contradict each other, or a place rendered to nothing
        """
        for name in ("dataset", "good", "bad", "source", "table", "sql"):
            if getattr(self, name) is not None:
                require_rendered(getattr(self, name), name, self.dataset)
        order = JobSpec(
            dataset=self.dataset,
            paths={"split": self.source} if self.source else {},
            table=self.table,
            sql=self.sql,
            partition=None if self.source else "split",
            format=self.source_format,
            options={key: str(value) for key, value in (self.read_options or {}).items()},
            checks=self.checks,
        )
        return SplitSpec(order, self.good, self.bad, self.target_format)

    def _split_here(self, spec: SplitSpec) -> SplitResult:
        from airflow_dq.engine.arrow.split import split_files

        good, bad, failed = split_files(spec)
        return SplitResult(self.dataset, good + bad, good, bad, failed)

    def _submit(self, spec: SplitSpec, context: Context) -> SplitResult | None:
        # Only now: the Spark provider need not be installed where Spark is not used.
        from airflow_dq.operators.spark import require_known
        from airflow_dq.operators.spark_split import SplitSubmission

        options = self.spark_arguments()
        require_known(options)
        self._submission = SplitSubmission(task_id=self.task_id, split=spec, master=self.master, **options)
        return self._submission.run_split(context, self.retries)

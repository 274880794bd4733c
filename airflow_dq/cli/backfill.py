"""``airflow dq backfill``: many partitions, one Spark job."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import deque
from typing import Any

from airflow_dq.check.file import declared_checks
from airflow_dq.cli.argument import names, pairs
from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import tell
from airflow_dq.exceptions import ConfigurationError, ProfileError
from airflow_dq.job.result import PREFIX, JobResult, result_in
from airflow_dq.options.argument import packed
from airflow_dq.options.job import JobSpec

_HIDDEN = re.compile(rf"\d\d/\d\d/\d\d \d\d:\d\d:\d\d [A-Z]+ |WARNING: |Using |airflow_dq: error: |{re.escape(PREFIX)}")
"""How lines begin that are not shown as they come: those of Spark itself and of the JVM, which are of interest only
when the job fails without an explanation, and the last ones, which are shown at the end."""


def backfill(arguments: Any) -> int:
    """Profile; progress goes to stderr.

    :raises ProfileError: with the job's own explanation of what went wrong.
    """
    from airflow_dq.engine.spark.environment import check_environment

    if arguments.dag_id is not None:
        return _dag(arguments)
    if arguments.dataset is None:
        raise ConfigurationError("Name the DATASET to profile, or give --dag-id DAG to start a DAG's own backfill.")
    spec = job_spec(arguments)
    environment = _environment(arguments)
    check_environment()
    code, lines = _submit(_command(arguments, spec), environment)
    result = result_in(lines)
    if code or result is None:
        _explain(code, lines, result)
        return 1
    profiled, asked, seconds = result.profiled, result.partitions, round(result.seconds)
    document = {"dataset": spec.dataset, "partitions": asked, "profiled": profiled, "seconds": seconds}
    tell(arguments, document, f"{spec.dataset}: {profiled} of {asked} partitions profiled in {seconds} s")
    return 0


def _dag(arguments: Any) -> int:
    from airflow_dq.cli.dag_backfill import dag_backfill

    given = [f"--{name}" for name in ("source", "table", "sql", "checks") if getattr(arguments, name)]
    if given or arguments.dataset is not None:
        named = ", ".join(given) or "a DATASET"
        raise ConfigurationError(f"--dag-id starts the DAG's own tasks, which know what to profile: leave out {named}.")
    return dag_backfill(arguments)


def job_spec(arguments: Any) -> JobSpec:
    """The order to the Spark job.

    :raises ConfigurationError: when the arguments contradict each other.
    """
    return JobSpec(
        dataset=arguments.dataset,
        pattern=arguments.source,
        table=arguments.table,
        sql=arguments.sql,
        partition_by=arguments.partition_by,
        format=arguments.format,
        options=pairs("--option", arguments.option),
        since=arguments.since,
        until=arguments.until,
        limit=arguments.limit,
        columns=names(arguments.columns),
        exclude=names(arguments.exclude) or (),
        hidden=names(arguments.hidden) or (),
        checks=declared_checks(arguments.checks, arguments.dataset),
        key_folder=arguments.key_folder,
    )


def _command(arguments: Any, spec: JobSpec) -> list[str]:
    from airflow_dq.engine.spark.environment import find_spark_submit
    from airflow_dq.resource import resource_dir

    properties = pairs("--conf", arguments.conf)
    if properties.get("spark.submit.deployMode") == "cluster":
        raise ConfigurationError(
            "A backfill runs its driver on this machine: leave out spark.submit.deployMode=cluster."
        )
    command = [str(find_spark_submit()), "--master", arguments.master, "--name", f"airflow-dq-backfill {spec.dataset}"]
    for name, value in properties.items():
        command += ["--conf", f"{name}={value}"]
    return [*command, str(resource_dir("spark_jobs") / "profile.py"), "--spec", packed(spec.to_json())]


def _environment(arguments: Any) -> dict[str, str]:
    from airflow_dq.engine.spark.environment import spark_environment
    from airflow_dq.settings import DSN_VARIABLE

    return {**os.environ, **spark_environment(arguments.master), DSN_VARIABLE: find_dsn(arguments.dq_conn_id)}


def _submit(command: list[str], environment: dict[str, str]) -> tuple[int, list[str]]:
    """Run spark-submit to its end: its exit code and last lines; the job's own lines are shown as they come."""
    lines: deque[str] = deque(maxlen=500)
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            for line in process.stdout or ():
                lines.append(line.rstrip("\n"))
                if not _HIDDEN.match(line):
                    print(lines[-1], file=sys.stderr, flush=True)
        except BaseException:
            process.terminate()
            raise
    return process.returncode, list(lines)


def _explain(code: int, lines: list[str], result: JobResult | None) -> None:
    error = None if result is None else result.error
    if code == 2 and error:
        raise ProfileError(error)
    print(error or "\n".join(lines[-50:]), file=sys.stderr)
    print(f"airflow dq: the Spark job ended with exit code {code}.", file=sys.stderr)

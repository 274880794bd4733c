"""``airflow dq backfill``: many partitions, one Spark job."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import deque
from typing import Any

from airflow_dq.check.file import declared_checks
from airflow_dq.cli.argument import names, pairs
from airflow_dq.cli.connection import find_access, find_dsn, find_source
from airflow_dq.cli.progress import Progress
from airflow_dq.cli.run import tell
from airflow_dq.engine.store_access import NO_ACCESS, StoreAccess
from airflow_dq.exceptions import ConfigurationError, ProfileError
from airflow_dq.job.result import PREFIX, JobResult, result_in
from airflow_dq.options.argument import packed, require_no_secret
from airflow_dq.options.job import JobSpec

_HIDDEN = re.compile(rf"\d\d/\d\d/\d\d \d\d:\d\d:\d\d [A-Z]+ |WARNING: |Using |airflow_dq: error: |{re.escape(PREFIX)}")
"""How lines begin that are not shown as they come: those of Spark itself and of the JVM, which are of interest only
when the job fails without an explanation, and the last ones, which are shown at the end."""
_DONE = re.compile(r"profiled (\d+)/(\d+) partitions")
"""How the lines begin that say how far the job has come."""


def backfill(arguments: Any) -> int:
    """Profile; progress goes to stderr.

    :raises ProfileError: with the job's own explanation of what went wrong.
    """
    from airflow_dq.engine.spark.environment import check_java

    spec = job_spec(arguments)
    if arguments.engine == "arrow":
        access = NO_ACCESS if arguments.source_conn_id is None else find_access(arguments.source_conn_id)
        result = _here(spec, find_dsn(arguments.dq_conn_id), access)
    else:
        environment, command = _environment(arguments), _command(arguments, spec)
        if not arguments.master.startswith("sc://"):
            check_java()
        _require_partitions(spec, arguments)
        code, lines = _submit(command, environment)
        found = result_in(lines)
        if code or found is None:
            _explain(code, lines, found)
            return 1
        result = found
    profiled, asked, seconds = result.profiled, result.partitions, round(result.seconds)
    document = {"dataset": spec.dataset, "partitions": asked, "profiled": profiled, "seconds": seconds}
    lines = [f"{spec.dataset}: {profiled} of {asked} partitions profiled in {seconds} s"]
    if arguments.judge:
        lines.append(_judged(spec, find_dsn(arguments.dq_conn_id)))
    tell(arguments, document, "\n".join(lines))
    return 0


def _judged(spec: JobSpec, dsn: str) -> str:
    """What the gate would have said of what is stored now, which the pages show from now on."""
    from airflow_dq.cli.replay import judge_newest
    from airflow_dq.store import open_store

    with open_store(dsn) as repository:
        return judge_newest(repository, spec.dataset)


def _require_partitions(spec: JobSpec, arguments: Any) -> None:
    """Look whether anything matches, where this machine can: Spark takes a while to start only to say so.

    :raises SourceMissingError: when nothing matches the pattern
    :raises SourceEmptyError: when ``since`` and ``until`` leave none
    """
    from airflow_dq.engine.arrow.listing import locate

    elsewhere = "://" in (spec.pattern or "") or any("fs.defaultFS" in name for name in pairs("--conf", arguments.conf))
    here = arguments.master.startswith("local") and not os.environ.get("HADOOP_CONF_DIR") and not elsewhere
    if here and spec.pattern is not None and spec.pattern.count("*") == 1 and spec.partition_by is None:
        locate(spec)


def _here(spec: JobSpec, dsn: str, access: StoreAccess) -> JobResult:
    """Profile in this process.

    :raises ProfileError: when any partition could not be profiled
    """
    from airflow_dq.engine.arrow.engine import ArrowEngine
    from airflow_dq.job.pipeline import ProfileJob
    from airflow_dq.store import open_store

    began, shown = time.monotonic(), _Shown()
    with open_store(dsn) as store:
        outcomes = ProfileJob(ArrowEngine(spec, access), store, shown.line).run()
    shown.close()
    result = JobResult.of(spec.dataset, outcomes, time.monotonic() - began)
    if result.error is not None:
        raise ProfileError(result.error)
    return result


class _Shown:
    """The lines of a job, as a person wants to see them: how far it has come as a bar."""

    def __init__(self) -> None:
        self._progress = Progress("partitions profiled")

    def line(self, text: str) -> None:
        """Show one line."""
        done = _DONE.match(text)
        if done is not None:
            self._progress.at(int(done[1]), int(done[2]))
        elif not _HIDDEN.match(text):
            self._progress.line(text)

    def close(self) -> None:
        """Nothing more will come."""
        self._progress.close()


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
        where=arguments.where,
        version=arguments.version,
        snapshot=arguments.snapshot,
        as_of=arguments.as_of,
        format=arguments.format,
        options=pairs("--option", arguments.option),
        since=arguments.since,
        until=arguments.until,
        limit=arguments.limit,
        columns=names(arguments.columns),
        exclude=names(arguments.exclude) or (),
        hidden=names(arguments.hidden) or (),
        segments=names(arguments.segments) or (),
        checks=declared_checks(arguments.checks, arguments.dataset),
        key_folder=arguments.key_folder,
    )


def _command(arguments: Any, spec: JobSpec) -> list[str]:
    from airflow_dq.engine.spark.environment import driver_python, find_spark_submit
    from airflow_dq.resource import resource_dir

    require_no_secret(spec.options, spec.dataset)
    properties = pairs("--conf", arguments.conf)
    if properties.get("spark.submit.deployMode") == "cluster":
        raise ConfigurationError(
            "A backfill runs its driver on this machine: leave out spark.submit.deployMode=cluster."
        )
    job = [str(resource_dir("spark_jobs") / "profile.py"), "--spec", packed(spec.to_json())]
    if arguments.master.startswith("sc://"):
        if properties:
            raise ConfigurationError("A Spark Connect server runs already: leave out --conf and set it on the server.")
        return [sys.executable, *job]
    command = [str(find_spark_submit()), "--master", arguments.master, "--name", f"airflow-dq-backfill {spec.dataset}"]
    for name, value in (driver_python(os.environ) | properties).items():
        command += ["--conf", f"{name}={value}"]
    return [*command, *job]


def _environment(arguments: Any) -> dict[str, str]:
    from airflow_dq.engine.spark.environment import spark_environment
    from airflow_dq.settings import DSN_VARIABLE

    secret = {} if arguments.source_conn_id is None else find_source(arguments.source_conn_id)
    found = {**os.environ, **spark_environment(arguments.master), **secret}
    return {**found, DSN_VARIABLE: find_dsn(arguments.dq_conn_id)}


def _submit(command: list[str], environment: dict[str, str]) -> tuple[int, list[str]]:
    """Run spark-submit to its end: its exit code and last lines; the job's own lines are shown as they come."""
    lines: deque[str] = deque(maxlen=500)
    shown = _Shown()
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            for line in process.stdout or ():
                lines.append(line.rstrip("\n"))
                shown.line(lines[-1])
        except BaseException:
            process.terminate()
            raise
        finally:
            shown.close()
    return process.returncode, list(lines)


def _explain(code: int, lines: list[str], result: JobResult | None) -> None:
    error = None if result is None else result.error
    if code == 2 and error:
        raise ProfileError(error)
    print(error or "\n".join(lines[-50:]), file=sys.stderr)
    print(f"airflow dq: the Spark job ended with exit code {code}.", file=sys.stderr)

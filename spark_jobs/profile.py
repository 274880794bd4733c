"""Entry point of a profile job: ``spark-submit profile.py --spec '<JSON>'`` or ``--spec-file <path>``.

The JSON is a :class:`airflow_dq.options.job.JobSpec`.  The database's URL comes from the environment variable
``AIRFLOW_DQ_DSN``, which only this process, the driver, needs; and what no command line may show from
``AIRFLOW_DQ_SOURCE_SECRET``: read options, such as a source's password, and properties of Hadoop (``fs....``), by which
an object store is reached.  Executors need numpy and pyarrow; the job sends them the package's pure part by itself, so
nothing of ours belongs into ``--py-files``.

Exit code 0: every partition is profiled and stored; 2: a problem that the last line on stderr explains; 1: a bug.
(spark-submit puts the script's stderr on its own stdout.)  The last line on stdout is a
:class:`airflow_dq.job.result.JobResult`, for the program that waits.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

# This folder comes first on the path and would hide the standard library's `profile`, which pyspark needs; and an
# executors' bundle given by --py-files would hide the installed package's store.
_HERE = Path(__file__).resolve().parent
sys.path.sort(key=lambda entry: Path(entry).resolve() == _HERE or Path(entry).name.startswith("airflow_dq_executor"))

from airflow_dq.exceptions import ConfigurationError, DQError  # noqa: E402 - the path comes first
from airflow_dq.job.result import JobResult  # noqa: E402
from airflow_dq.options.argument import source_options_from_environment, unpacked  # noqa: E402
from airflow_dq.options.job import JobSpec  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """Run the job and return its exit code."""
    parser = argparse.ArgumentParser(description="Profile partitions of a dataset and store their statistics.")
    order = parser.add_mutually_exclusive_group(required=True)
    order.add_argument("--spec", help="the job's specification, JSON")
    order.add_argument("--spec-file", type=Path, help="a file that holds it")
    given = parser.parse_args(arguments)
    dataset = ""
    try:
        spec = JobSpec.from_json(_text(given))
        dataset = spec.dataset
        secret = source_options_from_environment()
        store = {name: value for name, value in secret.items() if name.startswith("fs.")}
        read = {name: value for name, value in secret.items() if name not in store}
        return run(replace(spec, options={**read, **spec.options}), store)
    except DQError as error:
        _end(JobResult(dataset, error=str(error), retryable=error.retryable))
        return 2


def _text(given: argparse.Namespace) -> str:
    if given.spec_file is None:
        return unpacked(given.spec)
    try:
        return str(given.spec_file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"The specification {given.spec_file} cannot be read: {error}") from error


def run(spec: JobSpec, store_options: Mapping[str, str]) -> int:
    """Check what the job needs, profile, and report one line for each partition.

    :param store_options: properties of Hadoop by which the object store of the source is reached
    :raises DQError: when nothing could be profiled
    """
    from airflow_dq.engine.spark.environment import check_environment
    from airflow_dq.metrics.user_metric import unpack_metrics
    from airflow_dq.profile.check.stored import require_measured
    from airflow_dq.store import open_store
    from airflow_dq.store.address import dsn_of_job

    began = time.monotonic()
    check_environment()
    unpack_metrics(spec.metrics)
    require_measured(spec.checks)
    # Before Spark starts: a wrong address shows at once.
    with open_store(dsn_of_job()) as store:
        from airflow_dq.engine.spark.engine import SparkEngine
        from airflow_dq.engine.spark.session import open_session
        from airflow_dq.job.pipeline import ProfileJob

        with open_session(store_options) as spark:
            outcomes = ProfileJob(SparkEngine(spark, spec, _say), store, _say).run()
    result = JobResult.of(spec.dataset, outcomes, time.monotonic() - began)
    for outcome in outcomes:
        _say(outcome.line(spec.dataset))
    _say(result.summary)
    bugs = [outcome for outcome in outcomes if outcome.traceback is not None]
    for outcome in bugs:
        print(outcome.traceback, file=sys.stderr)
    _end(result)
    return 0 if result.error is None else 1 if bugs else 2


def _say(line: str) -> None:
    print(line, flush=True)


def _end(result: JobResult) -> None:
    """The last words: for the program that waits, and of a failure for a person."""
    _say(result.to_line())
    if result.error is not None:
        print(f"airflow_dq: error: {result.error}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        code = main()
    except Exception:
        traceback.print_exc()
        code = 1
    sys.exit(code)

"""Entry point of a profile job: ``spark-submit profile.py --spec '<JSON>'``, or ``--result <folder>``.

The JSON is a :class:`airflow_dq.options.job.JobSpec`.  The database's URL comes from the environment variable
``AIRFLOW_DQ_DSN``, which only this process, the driver, needs; and what no command line may show from
``AIRFLOW_DQ_SOURCE_SECRET``: read options, such as a source's password, and properties of Hadoop (``fs....``), by which
an object store is reached.  With a folder for results neither a database nor its driver is needed: the profiles are
left there, where the order may lie, too (``order.json``).  Executors need numpy and pyarrow; the job sends them the
package's pure part by itself, so nothing of ours belongs into ``--py-files``.

Exit code 0: every partition is profiled and stored; 2: a problem that the last line on stderr explains; 1: a bug.
(spark-submit puts the script's stderr on its own stdout.)  The last line on stdout is a
:class:`airflow_dq.job.result.JobResult`, for the program that waits.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

# This folder comes first on the path and would hide the standard library's `profile`, which pyspark needs; and an
# executors' bundle given by --py-files would hide the installed package's store.
_HERE = Path(globals().get("__file__", sys.argv[0])).resolve().parent  # a notebook's service runs text, not a file
if "--package" in sys.argv:
    sys.path.append(sys.argv[sys.argv.index("--package") + 1])
sys.path.sort(key=lambda entry: Path(entry).resolve() == _HERE or Path(entry).name.startswith("airflow_dq_executor"))

from airflow_dq.exceptions import ConfigurationError, DQError  # noqa: E402 - the path comes first
from airflow_dq.job.result import JobResult  # noqa: E402
from airflow_dq.options.argument import source_options_from_environment, unpacked  # noqa: E402
from airflow_dq.options.job import JobSpec  # noqa: E402

if TYPE_CHECKING:
    from airflow_dq.job.keeper import Keeper
    from airflow_dq.job.outcome import Outcome


def main(arguments: list[str] | None = None) -> int:
    """Run the job and return its exit code."""
    parser = argparse.ArgumentParser(description="Profile partitions of a dataset and store their statistics.")
    parser.add_argument("--spec", help="the job's specification, JSON")
    parser.add_argument("--spec-file", type=Path, help="a file that holds it")
    parser.add_argument("--result", help="a folder for the profiles, instead of the database; it may hold the order")
    parser.add_argument("--package", help="the package's zip, where whoever submits the job has no --py-files")
    given = parser.parse_args(arguments)
    if given.spec is None and given.spec_file is None and given.result is None:
        parser.error("give the specification: --spec, --spec-file, or --result with an order.json in it")
    dataset = ""
    try:
        spec = JobSpec.from_json(_text(given))
        dataset = spec.dataset
        secret = source_options_from_environment()
        store = {name: value for name, value in secret.items() if name.startswith("fs.")}
        read = {name: value for name, value in secret.items() if name not in store}
        return run(replace(spec, options={**read, **spec.options}), store, given.result)
    except DQError as error:
        failed = JobResult(dataset, error=str(error), retryable=error.retryable)
        _end(failed)
        if given.result is not None:
            _leave(failed, given.result)
        return 2


def _text(given: argparse.Namespace) -> str:
    if given.spec is not None:
        return unpacked(given.spec)
    if given.spec_file is None:
        return _order_in(given.result)
    try:
        return str(given.spec_file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"The specification {given.spec_file} cannot be read: {error}") from error


def _order_in(result: str) -> str:
    from airflow_dq.job.result_folder import ORDER, ResultFolder

    found = ResultFolder(result).get(ORDER)
    if found is None:
        raise ConfigurationError(f"There is no {ORDER} in {result}: give --spec, or --spec-file.")
    return found.decode()


def run(spec: JobSpec, store_options: Mapping[str, str], result: str | None) -> int:
    """Check what the job needs, profile, and report one line for each partition.

    :param store_options: properties of Hadoop by which the object store of the source is reached
    :param result: the folder for the profiles, where they are not for the database
    :raises DQError: when nothing could be profiled
    """
    from airflow_dq.engine.spark.environment import check_environment
    from airflow_dq.metrics.user_metric import unpack_metrics
    from airflow_dq.profile.check.stored import require_measured

    began = time.monotonic()
    check_environment()
    unpack_metrics(spec.metrics)
    require_measured(spec.checks)
    if result is None:
        with _store() as store:
            return _report(spec, _outcomes(spec, store_options, store), began)
    from airflow_dq.job.result_folder import ResultFolder
    from airflow_dq.job.result_writer import ResultWriter

    writer = ResultWriter(ResultFolder(result), spec.rules)
    outcomes = _outcomes(spec, store_options, writer)
    writer.finish(JobResult.of(spec.dataset, outcomes, time.monotonic() - began))
    return _report(spec, outcomes, began)


@contextmanager
def _store() -> Iterator[Keeper]:
    """The statistics database; before Spark starts, so that a wrong address shows at once."""
    from airflow_dq.store import open_store
    from airflow_dq.store.address import dsn_of_job

    with open_store(dsn_of_job()) as store:
        yield store


def _outcomes(spec: JobSpec, store_options: Mapping[str, str], keeper: Keeper) -> list[Outcome]:
    from airflow_dq.engine.spark.engine import SparkEngine
    from airflow_dq.engine.spark.session import open_session
    from airflow_dq.job.pipeline import ProfileJob

    with open_session(store_options) as spark:
        return ProfileJob(SparkEngine(spark, spec, _say), keeper, _say).run()


def _leave(result: JobResult, folder: str) -> None:
    """Tell the task that imports why there are no profiles; the cluster's log may be out of its reach."""
    from airflow_dq.job.result_folder import ResultFolder
    from airflow_dq.job.result_writer import ResultWriter

    try:
        ResultWriter(ResultFolder(folder), ()).finish(result)
    except DQError as error:
        _say(str(error))


def _report(spec: JobSpec, outcomes: list[Outcome], began: float) -> int:
    """Tell what became of each partition; the exit code."""
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
    if code:
        sys.exit(code)

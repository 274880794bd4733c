"""Entry point of a profile job: ``spark-submit profile.py --spec '<JSON>'``, or ``--result <folder>``.

The JSON is a :class:`airflow_dq.options.job.JobSpec`, or a list of them: a fleet of datasets that share the
application, each of which succeeds or fails by itself.  The database's URL comes from the environment variable
``AIRFLOW_DQ_DSN``, which only this process, the driver, needs; and what no command line may show from
``AIRFLOW_DQ_SOURCE_SECRET``: read options, such as a source's password, and properties of Hadoop (``fs....``), by which
an object store is reached.  With a folder for results neither a database nor its driver is needed: the profiles are
left there, where the order may lie, too (``order.json``).  Executors need numpy and pyarrow; the job sends them the
package's pure part by itself, so nothing of ours belongs into ``--py-files``.

Exit code 0: every partition is profiled and stored; 2: a problem that the last line on stderr explains; 1: a bug.
(spark-submit puts the script's stderr on its own stdout.)  The last line on stdout is a
:class:`airflow_dq.job.result.JobResult`, for the program that waits; of a fleet each dataset has such a line.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

# This folder comes first on the path and would hide the standard library's `profile`, which pyspark needs; and an
# executors' bundle given by --py-files would hide the installed package's store.
_HERE = Path(globals().get("__file__", sys.argv[0])).resolve().parent  # a notebook's service runs text, not a file
if "--package" in sys.argv:
    sys.path.append(sys.argv[sys.argv.index("--package") + 1])
sys.path.sort(key=lambda entry: Path(entry).resolve() == _HERE or Path(entry).name.startswith("airflow_dq_executor"))

from airflow_dq.exceptions import ConfigurationError, DQError  # noqa: E402 - the path comes first
from airflow_dq.job.fleet import Done, Fleet, failure_of  # noqa: E402
from airflow_dq.job.result import JobResult  # noqa: E402
from airflow_dq.options.argument import (  # noqa: E402
    source_options_from_environment,
    store_options_from_environment,
    unpacked,
)
from airflow_dq.options.fleet import Orders  # noqa: E402
from airflow_dq.options.job import JobSpec  # noqa: E402

if TYPE_CHECKING:
    from airflow_dq.job.keeper import Keeper
    from airflow_dq.job.result_folder import ResultFolder

AT_ONCE = 4
"""Datasets of a fleet side by side: each waits for the cluster and the database more than it keeps the driver busy."""


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
    orders = None
    try:
        orders = Orders.from_json(_text(given))
        source = source_options_from_environment()
        each = tuple(replace(one, options={**source, **one.options}) for one in orders)
        return run(replace(orders, each=each), store_options_from_environment(), given.result)
    except DQError as error:
        _refuse(orders, error, given.result)
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


def run(orders: Orders, store_options: Mapping[str, str], result: str | None) -> int:
    """Check what the job needs, profile, and report one line for each partition.

    :param store_options: properties of Hadoop by which the object store of the source is reached
    :param result: the folder for the profiles, where they are not for the database
    :raises DQError: when nothing could be profiled
    """
    from airflow_dq.engine.spark.engine import SparkEngine
    from airflow_dq.engine.spark.environment import check_environment
    from airflow_dq.engine.spark.session import open_session
    from airflow_dq.engine.spark.together import scan_together
    from airflow_dq.job.pipeline import ProfileJob
    from airflow_dq.metrics.user_metric import unpack_metrics
    from airflow_dq.profile.check.stored import require_measured

    check_environment()
    for metrics in {order.metrics for order in orders}:
        unpack_metrics(metrics)
    if not orders.fleet:
        require_measured(orders.each[0].checks)  # before Spark starts
    done: list[Done] = []
    with _keeping(orders, result) as (keeper_of, end), open_session(store_options) as spark:

        def job_of(order: JobSpec) -> ProfileJob:
            return ProfileJob(SparkEngine(spark, order, _say), keeper_of(order), _say)

        for one in Fleet(orders, job_of, partial(scan_together, spark, _say)).carry_out(AT_ONCE):
            try:
                end(one)
            except DQError as error:
                one = replace(one, result=replace(one.result, error=str(error), retryable=error.retryable))
            done.append(one)
            _report(one)
    return _end(orders, done)


@contextmanager
def _keeping(
    orders: Orders, result: str | None
) -> Iterator[tuple[Callable[[JobSpec], Keeper], Callable[[Done], None]]]:
    """What keeps the profiles of an order, and what is to be done at its end.

    The statistics database is opened before Spark starts, so that a wrong address shows at once.
    """
    if result is None:
        from airflow_dq.store import open_store
        from airflow_dq.store.address import dsn_of_job

        with open_store(dsn_of_job(), connections=min(AT_ONCE, len(orders))) as store:
            yield lambda order: store, lambda done: None
        return
    from airflow_dq.job.result_writer import ResultWriter

    writers = {order.dataset: ResultWriter(_folder(orders, order, result), order.rules) for order in orders}
    yield (
        lambda order: writers[order.dataset],
        lambda done: writers[done.order.dataset].finish(done.result),
    )


def _folder(orders: Orders, order: JobSpec, result: str) -> ResultFolder:
    from airflow_dq.job.result_folder import ResultFolder

    folder, place = ResultFolder(result), orders.place(order)
    return folder if place is None else folder.inside(place)


def _refuse(orders: Orders | None, error: DQError, result: str | None) -> None:
    """Tell why nothing was profiled; also the task that imports, for the cluster's log may be out of its reach."""
    from airflow_dq.job.result_folder import ResultFolder
    from airflow_dq.job.result_writer import ResultWriter

    for order in orders or (None,):
        failed = JobResult("" if order is None else order.dataset, error=str(error), retryable=error.retryable)
        _say(failed.to_line())
        if result is None:
            continue
        try:
            folder = ResultFolder(result) if orders is None or order is None else _folder(orders, order, result)
            ResultWriter(folder, ()).finish(failed)
        except DQError as problem:
            _say(str(problem))
    _explain(str(error))


def _report(done: Done) -> None:
    """Tell what became of each partition of an order."""
    for outcome in done.outcomes:
        _say(outcome.line(done.order.dataset))
    if done.result.summary:
        _say(done.result.summary)
    for stack in done.stacks:
        print(stack, file=sys.stderr)
    _say(done.result.to_line())


def _end(orders: Orders, done: Sequence[Done]) -> int:
    """The last words, of a failure for a person; the exit code."""
    error = failure_of(orders, [one.result for one in done])
    if error is not None:
        _explain(error)
    return 0 if error is None else 1 if any(one.stacks for one in done) else 2


def _say(line: str) -> None:
    print(line, flush=True)


def _explain(error: str) -> None:
    print(f"airflow_dq: error: {error}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        code = main()
    except Exception:
        traceback.print_exc()
        code = 1
    if code:
        sys.exit(code)

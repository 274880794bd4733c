"""Entry point of a job that looks for the slices of a change: ``spark-submit drill.py --spec '<JSON>'``.

The JSON is an :class:`airflow_dq.options.drill.DrillSpec`.  Both partitions are read where their profiles were read;
the database's URL comes from the environment variable ``AIRFLOW_DQ_DSN``, and read options that no command line may
show from ``AIRFLOW_DQ_SOURCE_SECRET``.  What is found is stored with the partition's profile.

Exit code 0: it is stored; 2: a problem that the last line on stderr explains; 1: a bug.  The last line on stdout is a
:class:`airflow_dq.job.result.JobResult`, for the program that waits.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

# This folder comes first on the path and has a `profile`, which would hide the standard library's from pyspark.
_HERE = Path(__file__).resolve().parent
sys.path.sort(key=lambda entry: Path(entry).resolve() == _HERE or Path(entry).name.startswith("airflow_dq_executor"))

from airflow_dq.exceptions import DQError  # noqa: E402 - the path comes first
from airflow_dq.job.result import JobResult  # noqa: E402
from airflow_dq.options.argument import source_options_from_environment, unpacked  # noqa: E402
from airflow_dq.options.drill import DrillSpec  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """Run the job and return its exit code."""
    parser = argparse.ArgumentParser(description="Find the slices that carry a partition's change, and store them.")
    parser.add_argument("--spec", required=True, help="the job's specification, JSON")
    given = parser.parse_args(arguments)
    dataset = ""
    try:
        spec = DrillSpec.from_json(unpacked(given.spec))
        dataset = spec.dataset
        run(replace(spec, options={**source_options_from_environment(), **spec.options}))
    except DQError as error:
        print(JobResult(dataset, error=str(error), retryable=error.retryable).to_line(), flush=True)
        print(f"airflow_dq: error: {error}", file=sys.stderr, flush=True)
        return 2
    print(JobResult(dataset, partitions=1).to_line(), flush=True)
    return 0


def run(spec: DrillSpec) -> None:
    """Find the slices, and store them.

    :raises DQError: when that cannot be done
    """
    from airflow_dq.engine.spark.environment import check_environment
    from airflow_dq.job.drill import carry_out, plan
    from airflow_dq.store import open_store
    from airflow_dq.store.address import dsn_of_job

    check_environment()
    # Before Spark starts: a wrong address, and a partition that there is nothing to say of, show at once.
    with open_store(dsn_of_job()) as store:
        report = carry_out(plan(store, spec), spec, _spark)
        store.save_drill(spec.dataset, report)
    print(f"{spec.dataset}: {report.title}")
    for line in (*(one.headline for one in report.slices), *report.remarks):
        print(line, flush=True)


@contextmanager
def _spark(order: Any, engine: str) -> Iterator[Any]:
    from airflow_dq.engine.spark.engine import SparkEngine
    from airflow_dq.engine.spark.session import open_session

    with open_session() as spark:
        yield SparkEngine(spark, order, lambda line: None)


if __name__ == "__main__":
    try:
        code = main()
    except Exception:
        traceback.print_exc()
        code = 1
    sys.exit(code)

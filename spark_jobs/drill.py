"""Entry point of a job that looks for the slices of a change: ``spark-submit drill.py --spec '<JSON>'``.

The JSON is an :class:`airflow_dq.options.drill.DrillSpec`.  Both partitions are read where their profiles were read;
the database's URL comes from the environment variable ``AIRFLOW_DQ_DSN``, and read options that no command line may
show from ``AIRFLOW_DQ_SOURCE_SECRET``.  What is found is stored with the partition's profile.

Exit code 0: it is stored; 2: a problem that the last line on stderr explains; 1: a bug.  The last line on stdout is a
:class:`airflow_dq.job.result.JobResult`, for the program that waits.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

# This folder comes first on the path and has a `profile`, which would hide the standard library's from pyspark.
_HERE = Path(__file__).resolve().parent
sys.path.sort(key=lambda entry: Path(entry).resolve() == _HERE or Path(entry).name.startswith("airflow_dq_executor"))

from airflow_dq.job.entry import answer, leave  # noqa: E402 - the path comes first
from airflow_dq.job.result import JobResult  # noqa: E402
from airflow_dq.options.argument import (  # noqa: E402
    source_options_from_environment,
    store_options_from_environment,
)
from airflow_dq.options.drill import DrillSpec  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """Run the job and return its exit code."""
    return answer("Find the slices that carry a partition's change, and store them.", arguments, read, run, JobResult)


def read(text: str) -> tuple[str, DrillSpec]:
    """The dataset and the order, with the read options that no command line may show."""
    spec = DrillSpec.from_json(text)
    return spec.dataset, replace(spec, options={**source_options_from_environment(), **spec.options})


def run(spec: DrillSpec) -> JobResult:
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
    return JobResult(spec.dataset, partitions=1)


@contextmanager
def _spark(order: Any, engine: str) -> Iterator[Any]:
    from airflow_dq.engine.spark.engine import SparkEngine
    from airflow_dq.engine.spark.session import open_session

    with open_session(store_options_from_environment()) as spark:
        yield SparkEngine(spark, order, lambda line: None)


if __name__ == "__main__":
    leave(main)

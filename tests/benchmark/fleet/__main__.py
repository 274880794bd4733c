"""``python -m tests.benchmark.fleet``: what each of many small datasets costs in one Spark application."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from airflow_dq.engine.spark.engine import SparkEngine
from airflow_dq.engine.spark.together import scan_together
from airflow_dq.job.fleet import Fleet
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.options.fleet import Orders
from airflow_dq.options.job import JobSpec
from airflow_dq.store import open_store
from tests.benchmark.profile.process import Cost, measured
from tests.benchmark.profile.stage import Stage, open_stage
from tests.benchmark.profile.table import SEED, make

DAY = "2026-01-01"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the first dataset, which starts Java's and Python's workers, and then all the others as one fleet."""
    order = argparse.ArgumentParser(prog="python -m tests.benchmark.fleet", description=__doc__)
    order.add_argument("--datasets", type=int, default=200, help="beyond the first (default %(default)s)")
    order.add_argument("--rows", type=int, default=2_000, help="of each (default %(default)s)")
    order.add_argument("--columns", type=int, default=10, help="of each (default %(default)s)")
    order.add_argument("--at-once", type=int, default=4, help="side by side (default %(default)s)")
    given = order.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="airflow-dq-benchmark-") as temporary:
        home = Path(temporary)
        orders = _write(home / "lake", given.datasets + 1, given.rows, given.columns)
        with open_stage(home) as stage:
            first = _run(stage, orders[:1], 1)
            rest = _run(stage, orders[1:], given.at_once)
    count = max(1, given.datasets)
    print(f"first: {first.wall:.2f} s, {first.cpu:.2f} CPU s")
    print(f"{given.datasets} more: each {rest.wall / count:.3f} s, {rest.cpu / count:.3f} CPU s")
    return 0


def _write(lake: Path, count: int, rows: int, columns: int) -> list[JobSpec]:
    orders = []
    for number in range(count):
        folder = lake / f"t{number}" / f"day={DAY}"
        folder.mkdir(parents=True)
        pq.write_table(make(rows, columns, np.random.default_rng([SEED, number])), folder / "part-0.parquet")
        orders.append(JobSpec(f"t{number}", paths={DAY: str(folder)}))
    return orders


def _run(stage: Stage, orders: Sequence[JobSpec], at_once: int) -> Cost:
    with open_store(stage.dsn, connections=at_once) as store, measured(stage.roots) as cost:

        def job_of(order: JobSpec) -> ProfileJob:
            return ProfileJob(SparkEngine(stage.spark, order, lambda line: None), store, lambda line: None)

        together = partial(scan_together, stage.spark, lambda line: None)
        done = list(Fleet(Orders(tuple(orders), fleet=True), job_of, together).carry_out(at_once))
    failed = [one.result.error for one in done if one.result.error is not None]
    if failed:
        raise RuntimeError(f"{len(failed)} datasets failed, the first: {failed[0]}")
    return cost


if __name__ == "__main__":
    sys.exit(main())

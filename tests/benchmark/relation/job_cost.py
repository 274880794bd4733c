"""What counting 50 relations adds to the whole Spark job on a long and a wide table: CPU of the JVM, workers, database.

python -m tests.benchmark.relation.job_cost --scale 0.2
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from airflow_dq.engine.spark.engine import SparkEngine
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile import JobSpec
from airflow_dq.store import open_store
from tests.benchmark.profile.process import Cost, measured
from tests.benchmark.profile.stage import Stage, open_stage
from tests.benchmark.profile.table import SEED, TABLES, make
from tests.benchmark.relation.scan_cost import fifty, following


@dataclass(frozen=True)
class Knowing:
    """A store that knows some rules of whatever dataset."""

    store: Any
    rules: tuple[LearnedRule, ...]

    def learn_rules(self, dataset: str, before: str) -> tuple[LearnedRule, ...]:
        """These."""
        return self.rules

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


def report(stage: Stage, folder: Path, scale: float, rounds: int) -> Iterator[str]:
    """A line for each table: seconds of the job without and with relations, in turns, and the median ratios."""
    for name in ("A", "W"):
        shape = TABLES[name].scaled(scale)
        table = following(make(shape.rows, shape.columns, np.random.default_rng(SEED)))
        path = folder / f"{name}.parquet"
        pq.write_table(table, path, row_group_size=250_000)
        rules = fifty(table.column_names)
        pairs = [(_run(stage, path, ()), _run(stage, path, rules)) for _ in range(rounds + 1)][1:]
        cpu, wall = (median(getattr(b, of) / getattr(a, of) for a, b in pairs) - 1.0 for of in ("cpu", "wall"))
        shown = ", ".join(f"{a.cpu:.1f} and {b.cpu:.1f} CPU s" for a, b in pairs)
        what = f"{name}, {shape.rows:,} x {shape.columns}: {len(rules)} relations"
        yield f"{what}, {shown}: {cpu:+.1%} CPU, {wall:+.1%} time"


def _run(stage: Stage, path: Path, rules: tuple[LearnedRule, ...]) -> Cost:
    stage.clear()
    spec = JobSpec(dataset="t", paths={"2026-01-01": str(path)})
    with open_store(stage.dsn) as store, measured(stage.roots) as cost:
        job = ProfileJob(SparkEngine(stage.spark, spec, lambda line: None), Knowing(store, rules), lambda line: None)
        (outcome,) = job.run()
    if outcome.error is not None:
        raise RuntimeError(outcome.line("t"))
    return cost


def main() -> None:
    """Print each line as it is known."""
    order = argparse.ArgumentParser(description=__doc__)
    order.add_argument("--scale", type=float, default=0.2, help="share of the tables' rows")
    order.add_argument("--rounds", type=int, default=3, help="that count, after one to warm up")
    given = order.parse_args()
    with tempfile.TemporaryDirectory(prefix="airflow-dq-relations-") as folder, open_stage(Path(folder)) as stage:
        for line in report(stage, Path(folder), given.scale, given.rounds):
            print(line, flush=True)


if __name__ == "__main__":
    main()

"""``python -m tests.benchmark.checks``: what declared checks cost, as ratios to Spark's no-op scan of the same data."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from airflow_dq.check import Checks
from airflow_dq.check.file import load_checks
from airflow_dq.check.model import Check
from airflow_dq.engine.spark.engine import SparkEngine
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.profile import JobSpec
from airflow_dq.store import open_store
from tests.benchmark.checks.declared import by_rows, keys, many, many_as_yaml, stored
from tests.benchmark.profile.process import Cost, measured
from tests.benchmark.profile.report import grid
from tests.benchmark.profile.stage import Stage, open_stage
from tests.benchmark.profile.table import TABLES, Shape, write

SETS: dict[str, Callable[[], Checks | None]] = {
    "profile alone": lambda: None,
    "+ 60 stored": stored,
    "+ 60 one-pass": by_rows,
    "+ 60, uniqueness x12, entropy x8": keys,
}
"""What is profiled with which checks, each in every round."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmark.checks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="that count, after one to warm up (default %(default)s)")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the 500,000 rows (default %(default)s)")
    given = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="airflow-dq-benchmark-") as folder:
        shape = TABLES["P"].scaled(given.scale)
        path = write(shape, Path(folder) / "tables")
        with open_stage(Path(folder)) as stage:
            print(_ratios(_measure(stage, shape, path, given.rounds)), flush=True)
            print("\n".join(_thousand(stage, Path(folder))), flush=True)
    return 0


def _measure(stage: Stage, shape: Shape, path: Path, rounds: int) -> dict[str, list[Cost]]:
    """The costs by what was done, round by round; the first round warms up."""
    found: dict[str, list[Cost]] = {name: [] for name in ("scan", *SETS)}
    for number in range(rounds + 1):
        for name in found:
            stage.clear()
            with measured(stage.roots) as cost:
                if name == "scan":
                    stage.scan(shape, path)
                else:
                    _profile(stage, path, tuple(SETS[name]() or ()))
            if number:
                found[name].append(cost)
        print(f"round {number} of {rounds}", file=sys.stderr, flush=True)
    return found


def _profile(stage: Stage, path: Path, checks: tuple[Check, ...]) -> None:
    """The whole job: states, checks, samples of failing rows, injected errors, and the write to PostgreSQL."""
    spec = JobSpec(dataset="t", paths={"2026-01-01": str(path)}, checks=checks)
    with open_store(stage.dsn) as store:
        outcomes = ProfileJob(SparkEngine(stage.spark, spec, lambda line: None), store, lambda line: None).run()
        profile = store.load_profile("t", "2026-01-01", variants=False)
    problems = [] if profile is None else [one.problem for one in profile.checks.values() if one.problem]
    if profile is None or problems or any(outcome.error for outcome in outcomes):
        raise RuntimeError(f"not everything was measured: {problems or outcomes}")


def _ratios(found: dict[str, list[Cost]]) -> str:
    lines = [("", "wall s", "CPU s", "wall x", "CPU x")]
    for name, costs in found.items():
        pairs = list(zip(costs, found["scan"], strict=True))
        numbers = (
            median(cost.wall for cost in costs),
            median(cost.cpu for cost in costs),
            median(cost.wall / scan.wall for cost, scan in pairs),
            median(cost.cpu / scan.cpu for cost, scan in pairs),
        )
        lines.append((name, *(f"{number:.2f}" for number in numbers)))
    return "\n".join(grid(lines))


def _thousand(stage: Stage, folder: Path) -> list[str]:
    """A thousand checks: how long they take to load, what they add to a DAG file, and to a small table's profile."""
    from airflow_dq.operators.guard import dq_guard

    file = folder / "t.dq.yml"
    file.write_text(many_as_yaml(1000), encoding="utf-8")
    checks = load_checks(file)
    loading = _cpu(lambda: load_checks(file))

    def parse(declared: Checks | None) -> None:
        from datetime import datetime

        from airflow.sdk import DAG

        with DAG("d", schedule=None, start_date=datetime(2026, 1, 1)):
            dq_guard(dataset="t", source="/data/t/day={{ ds }}", checks=declared)

    adding = _cpu(lambda: parse(checks)) - _cpu(lambda: parse(None))
    path = write(TABLES["S"], folder / "tables")
    walls = {}
    for number in (0, 100, 1000):
        costs = []
        for _ in range(4):
            stage.clear()
            began = time.perf_counter()
            _profile(stage, path, tuple(many(number)) if number else ())
            costs.append(time.perf_counter() - began)
        walls[number] = median(costs[1:])
    told = ", ".join(f"{number:,} checks {wall:.2f} s" for number, wall in walls.items())
    return [
        f"1,000 checks: YAML {loading:.3f} s, in a DAG file {1000 * adding:.1f} ms (CPU)",
        f"profile job of {TABLES['S'].rows:,} rows: {told}",
    ]


def _cpu(work: Callable[[], object]) -> float:
    """CPU seconds, the least of five."""
    found = []
    for _ in range(5):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


if __name__ == "__main__":
    sys.exit(main())

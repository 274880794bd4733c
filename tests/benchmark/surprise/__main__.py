"""``python -m tests.benchmark.surprise --out DIR``: how far off the next value of a metric is, and the law of that."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from airflow_dq.learn.expect import pooled
from airflow_dq.profile import Profile, profile_table
from tests.benchmark.program.dataset import Recurring, recurring
from tests.benchmark.simulated import profiled
from tests.benchmark.simulated.table import TUNING, SimulatedTable
from tests.benchmark.surprise import report
from tests.benchmark.surprise.collect import surprises
from tests.benchmark.surprise.fit import fit, left_out
from tests.benchmark.surprise.sample import Sample, Surprise
from tests.benchmark.surprise.source import source

WIDEST = 24
"""Simulated tables with more columns are left out: they would take most of the time, and outweigh the others."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay or read, fit, and write the page, the plot and, if asked to, the package's constants."""
    given = _parser().parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    if given.read is not None:
        sample = Sample.read(given.read)
    else:
        sample = Sample.of(_collected(given))
        sample.write(given.out / "surprises.parquet")
    fitted = fit(sample)
    page = report.page(sample)
    (given.out / "surprise.md").write_text(page)
    (given.out / "surprise.svg").write_text(report.plot(sample, fitted))
    print(page)
    if given.write:
        Path(given.constants).write_text(source(sample, fitted, left_out(sample)))
        print(f"Wrote {given.constants}.")
    return 0


def _collected(given: argparse.Namespace) -> Iterator[Surprise]:
    """The surprises of one table after the other."""
    for name, profiles in _tables(given):
        start, count = time.time(), 0
        for one in surprises(name, profiles, given.points):
            count += 1
            yield one
        print(f"{name}: {count} series, {time.time() - start:.0f} s", file=sys.stderr, flush=True)


def _tables(given: argparse.Namespace) -> Iterator[tuple[str, Sequence[Profile]]]:
    """Simulated tables to tune on, then the real ones; distances that were measured on them are remembered."""
    narrow = (seed for seed in TUNING if len(SimulatedTable.draw(seed, 1).columns) <= given.widest)
    for seed in islice(narrow, given.tables):
        table, profiles = profiled.simulated(seed, given.days, given.cache)
        yield table.name, profiles
        profiled.keep(f"simulated-{seed}-{given.days}", profiles, given.cache)
    if given.corpus is not None and given.corpus.is_dir():
        for found in recurring(given.corpus):
            kept = f"corpus-{found.name}"
            profiles = profiled.kept(kept, partial(_profiles, found), given.cache)
            yield found.name, profiles
            profiled.keep(kept, profiles, given.cache)


def _profiles(found: Recurring) -> list[Profile]:
    return [profile_table(table, partition=key) for key, table in found.tables()]


def _parser() -> argparse.ArgumentParser:
    order = argparse.ArgumentParser(prog="python -m tests.benchmark.surprise", description=__doc__)
    order.add_argument("--out", type=Path, required=True, help="folder for the page, the plot and the surprises")
    order.add_argument("--corpus", type=Path, help="folder of real datasets, one file per partition, to replay too")
    order.add_argument("--tables", type=int, default=20, help="simulated tables to tune on (default %(default)s)")
    order.add_argument("--widest", type=int, default=WIDEST, help="most columns of those (default %(default)s)")
    order.add_argument("--days", type=int, default=75, help="partitions of a simulated table (default %(default)s)")
    order.add_argument(
        "--points", type=int, default=12, help="partitions judged with each length of history (default %(default)s)"
    )
    order.add_argument("--read", type=Path, help="fit these surprises, written before, instead of replaying")
    order.add_argument("--write", action="store_true", help="write the constants into the package")
    order.add_argument("--constants", type=Path, default=Path(pooled.__file__), help="where to write them")
    order.add_argument("--cache", type=Path, default=profiled.CACHE, help="folder of profiles (default %(default)s)")
    return order


if __name__ == "__main__":
    sys.exit(main())

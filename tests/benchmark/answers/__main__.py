"""``python -m tests.benchmark.answers``: what answers change on clean tables, where all are accepted."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from airflow_dq.program import SynthesisOptions
from tests.benchmark.answers.series import lines
from tests.benchmark.answers.walk import Total, walk
from tests.benchmark.simulated import profiled
from tests.benchmark.simulated.table import HELD_OUT, TUNING, SimulatedTable


def main(arguments: Sequence[str] | None = None) -> int:
    """Walk through each table twice, without and with the answers, and print both."""
    given = _parser().parse_args(arguments)
    if given.series:
        print("\n".join(lines(given.series)))
        return 0
    options = SynthesisOptions(target_fpr=given.target)
    seeds = HELD_OUT if given.held_out else TUNING
    narrow = (seed for seed in seeds if len(SimulatedTable.draw(seed, 1).columns) <= given.widest)
    totals = {heeded: Total() for heeded in (False, True)}
    for seed in islice(narrow, given.tables):
        _, profiles = profiled.simulated(seed, given.days, given.cache)
        for heeded, total in totals.items():
            found = walk(profiles, options, heeded=heeded, every=given.every)
            total += found
            print(f"simulated {seed}, {'with' if heeded else 'without'} answers: {found.words}", flush=True)
        profiled.keep(f"simulated-{seed}-{given.days}", profiles, given.cache)
    for heeded, total in totals.items():
        print(f"all, {'with' if heeded else 'without'} answers: {total.words}")
    return 0


def _parser() -> argparse.ArgumentParser:
    order = argparse.ArgumentParser(prog="python -m tests.benchmark.answers", description=__doc__)
    order.add_argument("--tables", type=int, default=20, help="simulated tables (default %(default)s)")
    order.add_argument("--widest", type=int, default=20, help="most columns of a table (default %(default)s)")
    order.add_argument("--days", type=int, default=150, help="partitions of a table (default %(default)s)")
    order.add_argument("--target", type=float, default=0.001, help="target_fpr of the table (default %(default)s)")
    order.add_argument("--every", type=int, default=10, help="partitions between two recalls (default %(default)s)")
    order.add_argument("--series", type=int, default=0, help="compare factors on so many years of heavy tails instead")
    order.add_argument("--held-out", action="store_true", help="tables that nobody tunes on")
    order.add_argument("--cache", type=Path, default=profiled.CACHE, help="where profiles are kept")
    return order


if __name__ == "__main__":
    raise SystemExit(main())

"""The scale test: ``python -m tests.reliability.scale [--datasets 1000] [--partitions 100] [--dsn URL]``.

It fills an empty store with so many datasets of 20 columns (2 million column profiles by default, some minutes and some
gigabytes), and prints: what they take, how long a gate takes, how long each list and page of the plug-in takes and that
it finds its rows by an index, and how long a gate takes while the older half is pruned.  It ends with exit code 1 when
a limit is missed.
"""

from __future__ import annotations

import argparse
import sys
import time

from airflow_dq.store import open_store
from tests.reliability.generated import fill
from tests.reliability.measure import Figures, gate, pages, prune_beside_gates, sizes, vacuum
from tests.reliability.server import server


def main(arguments: list[str] | None = None) -> int:
    """Fill, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--datasets", type=int, default=1000)
    parser.add_argument("--partitions", type=int, default=100)
    parser.add_argument("--dsn", help="an empty, migrated store of one's own (default: a new embedded server)")
    given = parser.parse_args(arguments)
    if given.dsn:
        figures = measure(given.dsn, given.datasets, given.partitions)
    else:
        with server(durable=False) as made:
            figures = measure(made.dsn, given.datasets, given.partitions)
    missed = figures.missed()
    print("all limits kept" if not missed else f"MISSED: {'; '.join(missed)}")
    return 1 if missed else 0


def measure(dsn: str, datasets: int, partitions: int) -> Figures:
    """All figures of a store of this size; each is printed as soon as it is known."""
    figures = Figures()
    with open_store(dsn) as store:
        began = time.monotonic()
        fill(store, datasets, partitions, lambda line: print(f"  {line}", flush=True))
        figures.add("fill", time.monotonic() - began, "s")
        figures.add("vacuum", vacuum(store), "s")
        sizes(store, figures)
        gate(store, figures, partitions)
        pages(store, figures, partitions)
        prune_beside_gates(store, dsn, figures, partitions)
    return figures


if __name__ == "__main__":
    sys.exit(main())

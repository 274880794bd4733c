"""``python -m tests.benchmark.relation``: planted relations and decoys, errors within rows, and the time of a scan."""

from __future__ import annotations

import argparse
from pathlib import Path

from airflow_dq.options.learning import SynthesisOptions
from tests.benchmark.relation import clean, injected, planted, speed


def main() -> None:
    """Print each part as it is done."""
    order = argparse.ArgumentParser(description=__doc__)
    order.add_argument(
        "--corpus", type=Path, help="folder of real datasets, one file per partition, to replay as clean"
    )
    order.add_argument("--tables", type=int, default=20, help="generated tables")
    order.add_argument("--trials", type=int, default=50, help="errors of each kind")
    given = order.parse_args()
    for rows in (1_000, 100_000):
        print(*planted.report(given.tables if rows == 1_000 else 1, rows), sep="\n")
    print(*injected.report(12, given.trials, 1_000), sep="\n")
    print(*speed.report(), sep="\n")
    if given.corpus is not None and given.corpus.is_dir():
        print(*clean.report(given.corpus, SynthesisOptions()), sep="\n")


main()

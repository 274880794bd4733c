"""``python -m tests.benchmark.profile``: how long a profile takes, as ratios to Spark's no-op scan of the same data."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from tests.benchmark.profile import comparison
from tests.benchmark.profile.measure import Measurement, measure
from tests.benchmark.profile.report import save, text
from tests.benchmark.profile.stage import open_stage
from tests.benchmark.profile.table import TABLES

GROUPS = {
    "A": ("A",),
    "W": ("W100", "W"),
    "S": ("S",),
    "B": ("B1", "B"),
    "R": ("R1", "R2", "R4"),
    "P": ("P",),
    "C": ("C",),
    "D": ("D",),
}
"""What is measured together, round by round."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print one table, and write JSON."""
    order = argparse.ArgumentParser(prog="python -m tests.benchmark.profile", description=__doc__)
    order.add_argument("--tables", default="A,W,S,B,R", help="of A,W,S,B,R,P,C,D (default %(default)s); empty: none")
    order.add_argument("--rounds", type=int, default=3, help="that count, after one to warm up (default %(default)s)")
    order.add_argument("--scale", type=float, default=1.0, help="share of the rows (default %(default)s)")
    order.add_argument("--home", type=Path, help="folder for tables and environments, kept (default: one that goes)")
    order.add_argument("--json", type=Path, help="file for everything that was measured")
    order.add_argument("--peers", nargs="?", const="all", help="also time these other profilers, or all")
    given = order.parse_args(arguments)
    # Whoever ends it must not leave its database server behind.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    with ExitStack() as stack:
        temporary = stack.enter_context(tempfile.TemporaryDirectory(prefix="airflow-dq-benchmark-"))
        home = given.home or Path(temporary)
        found: dict[str, Measurement] = {}
        if given.tables:
            stage = stack.enter_context(open_stage(Path(temporary)))
            for group in given.tables.split(","):
                shapes = [TABLES[name].scaled(given.scale) for name in GROUPS[group]]
                for one in measure(stage, shapes, given.rounds, home / "tables", _say):
                    found[one.shape.name] = one
        print(text(found), flush=True)
        peers = []
        if given.peers:
            peers = comparison.compare(given.peers, TABLES["P"].scaled(given.scale), given.rounds, home, _say)
            print(f"\n{comparison.text(peers)}", flush=True)
    if given.json:
        save(given.json, found, peers, given.scale)
    return 0


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

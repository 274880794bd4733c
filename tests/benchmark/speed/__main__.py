"""``python -m tests.benchmark.speed``: CPU seconds of learning and judging, of wide tables and of a long history."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.benchmark.program.latency import wide
from tests.reliability import decade

SIZES = ((100, 30), (20, 15))
"""Columns and partitions of the wide tables, of 2,000 rows."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print.

    :return: 1 when a limit of the long history is missed
    """
    parser = argparse.ArgumentParser(prog="python -m tests.benchmark.speed", description=__doc__)
    parser.add_argument("--days", type=int, default=3650, help="days of the long history; 0: without (%(default)s)")
    parser.add_argument("--sizes", default=";".join(f"{c}x{p}" for c, p in SIZES), help="(default %(default)s)")
    given = parser.parse_args(arguments)
    for size in filter(None, given.sizes.split(";")):
        columns, partitions = (int(part) for part in size.split("x"))
        learned, judged = wide(columns, partitions)
        print(f"{columns} columns x {partitions} partitions: {learned:.2f} + {judged:.2f} s to learn and to judge")
    return decade.main(["--days", str(given.days), "--real", str(min(400, given.days))]) if given.days else 0


if __name__ == "__main__":
    sys.exit(main())

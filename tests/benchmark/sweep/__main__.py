"""``python -m tests.benchmark.sweep --out DIR``: from which size on errors are caught, and whether larger ones are."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from airflow_dq.program import SynthesisOptions
from tests.benchmark.sweep import report, scene
from tests.benchmark.sweep.curve import curves
from tests.benchmark.sweep.trial import LENGTHS, SIZES, Shot, shots

PARTS = ("columns", "scenes")


def main(arguments: Sequence[str] | None = None) -> int:
    """Sweep, and write a page, all counts as JSON and the curves; 1 when a larger error was missed than one caught."""
    order = argparse.ArgumentParser(prog="python -m tests.benchmark.sweep", description=__doc__)
    order.add_argument("--out", type=Path, required=True, help="folder for the page, the counts and the curves")
    order.add_argument("--draws", type=int, default=10, help="repetitions (default %(default)s)")
    order.add_argument("--quick", action="store_true", help="2 repetitions, every other size")
    order.add_argument("--rows", default=",".join(map(str, SIZES)), help="rows of the tables (default %(default)s)")
    order.add_argument("--only", choices=PARTS, help="a part of it")
    order.add_argument("--target", type=float, default=SynthesisOptions().target_fpr)
    given = order.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    options, draws, start = SynthesisOptions(target_fpr=given.target), 2 if given.quick else given.draws, time.time()
    pages, counted, holes = ["# Errors of growing size\n"], [], 0
    if given.only != "scenes":
        fired: list[Shot] = []
        for rows in map(int, given.rows.split(",")):
            for draw in range(draws):
                fired += shots(rows, draw, LENGTHS, options, 2 if given.quick else 1)
                print(f"{rows} rows, draw {draw}: {time.time() - start:.0f} s", file=sys.stderr, flush=True)
        found = curves(fired)
        holes += sum(len(one.holes) for one in found.values())
        pages += ["## Caught from this size on\n", report.thresholds(found), report.clean(found)]
        pages += ["## A smaller one is caught, a larger one is not\n", report.holes(found)]
        counted += report.counts(found)
        (given.out / "sweep.md").write_text("\n".join(pages))
        (given.out / "sweep.svg").write_text(report.sheet(found))
    if given.only != "columns":
        lost, small = curves(scene.losses(options, draws)), curves(scene.small_errors(options, draws))
        holes += sum(len(one.holes) for one in lost.values())
        pages += ["## Scenes\n", report.shares(lost), report.shares(small)]
        pages += [report.sundays(scene.sundays(options)), "Holes in the scenes:\n", report.holes(lost)]
        counted += report.counts(lost) + report.counts(small)
    pages.append(f"{draws} draws in {time.time() - start:.0f} s.\n")
    (given.out / "sweep.json").write_text(json.dumps(counted, indent=1))
    (given.out / "sweep.md").write_text("\n".join(pages))
    print("\n".join(pages))
    return 1 if holes else 0


if __name__ == "__main__":
    sys.exit(main())

"""``python -m tests.benchmark.program FOLDER --out DIR``: false alarms and recall, as in Figs. 4-10 of the paper."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from tests.benchmark.leave_out import source
from tests.benchmark.program import latency, report
from tests.benchmark.program.outcome import Outcome
from tests.benchmark.program.setting import Setting, ablations, figures
from tests.benchmark.program.trial import run
from tests.benchmark.simulated import profiled
from tests.benchmark.simulated.table import TUNING

DAYS = 75
"""Partitions of a simulated table."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and write one page of tables, all counts as JSON, and a PNG per figure."""
    order = argparse.ArgumentParser(prog="python -m tests.benchmark.program", description=__doc__)
    order.add_argument("folder", type=Path, help="folder of datasets, each a folder with one file per partition")
    order.add_argument("--simulated", type=int, default=0, help="simulated tables beside them (default %(default)s)")
    order.add_argument("--cache", type=Path, default=profiled.CACHE, help="folder of profiles (default %(default)s)")
    order.add_argument("--out", type=Path, required=True, help="folder for the tables and figures")
    order.add_argument("--only", default="", help="of ablation,fig5,...,fig10,latency, with commas (default: all)")
    order.add_argument("--points", type=int, default=4, help="partitions judged per dataset (default %(default)s)")
    order.add_argument(
        "--before", type=int, default=30, help="partitions before the first that is judged (default %(default)s)"
    )
    order.add_argument("--columns", type=int, default=6, help="columns per dataset (default %(default)s)")
    order.add_argument("--rows", default="1000,10000,100000", help="sizes of Fig. 4 (default %(default)s)")
    order.add_argument(
        "--wide", type=int, default=latency.COLUMNS, help="columns of the wide table (default %(default)s)"
    )
    given = order.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)

    def wanted(name: str) -> bool:
        return not given.only or any(name.startswith(part) for part in given.only.split(","))

    settings = {name: found for name, found in {"ablation": ablations(), **figures()}.items() if wanted(name)}
    measured: list[tuple[Setting, Outcome]] = []
    outcomes = {name: {one.label: _outcome(one, measured) for one in found} for name, found in settings.items()}
    real = source.real(given.folder, given.columns, given.cache)
    drawn = source.simulated(TUNING[: given.simulated], DAYS, given.columns, given.cache)
    for dataset in chain(real, drawn) if settings else ():
        print(dataset.name, file=sys.stderr, flush=True)
        run(dataset, measured, given.points, given.before)
    page = ["# False alarms and recall\n"]
    for name, rows in outcomes.items():
        page += [f"## {name}\n", report.summary(rows)]
        if name.startswith("fig5"):
            page.append(report.by_error(rows))
    timed = latency.by_rows([int(rows) for rows in given.rows.split(",")]) if wanted("latency") else []
    if timed:
        learned, judged = latency.wide(given.wide)
        page += ["## fig4_latency\n", report.latencies(timed)]
        page.append(
            f"{given.wide} columns of all kinds x {latency.PARTITIONS} partitions, from loaded profiles: "
            f"{learned:.2f} s of CPU to synthesize, {judged:.2f} s to evaluate, "
            f"{1000 * (learned + judged) / given.wide:.1f} ms per column.\n"
        )
    (given.out / "report.md").write_text("\n".join(page))
    report.save_json(given.out / "counts.json", outcomes)
    try:
        report.plot(given.out, {name: rows for name, rows in outcomes.items() if name != "ablation"}, timed)
    except ModuleNotFoundError as error:
        print(f"No PNG is written: {error}. Install matplotlib for them.", file=sys.stderr)
    print((given.out / "report.md").read_text())
    return 0


def _outcome(setting: Setting, measured: list[tuple[Setting, Outcome]]) -> Outcome:
    """Where a setting's counts are gathered: once for those of several figures that differ in their label only."""
    for known, outcome in measured:
        if replace(known, label=setting.label) == setting:
            return outcome
    measured.append((setting, Outcome()))
    return measured[-1][1]


if __name__ == "__main__":
    sys.exit(main())

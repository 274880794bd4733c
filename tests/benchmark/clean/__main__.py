"""``python -m tests.benchmark.clean --out DIR``: how often clean partitions alarm, and what was wrong about it."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from airflow_dq.program import SynthesisOptions
from tests.benchmark.clean import report
from tests.benchmark.clean.replay import Judged
from tests.benchmark.clean.work import CORPUS, SIMULATED, Order, results
from tests.benchmark.program.dataset import Recurring, recurring
from tests.benchmark.simulated import profiled
from tests.benchmark.simulated.table import HELD_OUT, MOST_COLUMNS, TUNING, SimulatedTable

TARGETS = "0.003,0.01,0.05"


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay, and write a page, the reliability plots and every alarm as JSON lines."""
    given = _parser().parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    order = Order(
        options=SynthesisOptions(target_fpr=given.default, scope=given.scope),
        targets=tuple(float(target) for target in given.targets.split(",") if target),
        points=given.points,
        every=given.every,
        unanswered=given.unanswered,
        days=given.days,
        months=given.months,
        cache=given.cache,
    )
    split = (HELD_OUT if given.held_out else TUNING)[given.first :]
    narrow = (seed for seed in split if len(SimulatedTable.draw(seed, 1).columns) <= given.widest)
    work: list[tuple[str, int | Recurring]] = [(SIMULATED, seed) for seed in islice(narrow, given.tables)]
    if given.corpus is not None and given.corpus.is_dir():
        work += [(CORPUS, found) for found in recurring(given.corpus)]
    judged: dict[str, list[Judged]] = {}
    start, page = time.time(), ""
    for done, (group, found) in enumerate(results(work, order, given.jobs), start=1):
        judged.setdefault(group, []).extend(found)
        # After every table: who stops a long run keeps what is done.
        page = _write(given.out, judged, given.scope, f"{done} of {len(work)} tables in {time.time() - start:.0f} s.\n")
    print(page)
    return 0


def _write(out: Path, judged: Mapping[str, Sequence[Judged]], scope: str, end: str) -> str:
    """Write the page, the plots and the alarms.

    :return: the page
    """
    pages = [f"# Alarms on clean partitions, scope {scope}\n"]
    with (out / "alarms.jsonl").open("w") as lines:
        for group, found in judged.items():
            pages.append(report.page(found, group))
            plot = report.reliability(found, f"{group} tables, scope {scope}")
            (out / f"reliability_{group}_{scope}.svg").write_text(plot)
            lines.writelines(json.dumps({"group": group, **one.document()}) + "\n" for one in found if one.causes)
    text = "\n".join([*pages, end])
    (out / "clean.md").write_text(text)
    return text


def _parser() -> argparse.ArgumentParser:
    order = argparse.ArgumentParser(prog="python -m tests.benchmark.clean", description=__doc__)
    order.add_argument("--out", type=Path, required=True, help="folder for the page, the plots and the alarms")
    order.add_argument("--tables", type=int, default=20, help="simulated tables (default %(default)s)")
    order.add_argument("--first", type=int, default=0, help="number of the first of them in its split")
    order.add_argument("--widest", type=int, default=MOST_COLUMNS, help="leave out simulated tables with more columns")
    order.add_argument("--held-out", action="store_true", help="the seeds that are not looked at while tuning")
    order.add_argument("--days", type=int, default=75, help="partitions of a simulated table (default %(default)s)")
    order.add_argument(
        "--months", action="store_true", help="judge the last ends of months and the days behind them too"
    )
    order.add_argument("--corpus", type=Path, help="folder of real datasets, one file per partition, to replay too")
    order.add_argument(
        "--points",
        type=int,
        default=4,
        help="partitions judged with 7 to 29 before them, twice as many with 30; 0: all (default %(default)s)",
    )
    order.add_argument(
        "--default",
        type=float,
        default=SynthesisOptions().target_fpr,
        help="the target that is always judged and whose causes are shown (default: the product's)",
    )
    order.add_argument("--targets", default=TARGETS, help="further targets, with commas (default %(default)s)")
    order.add_argument("--every", action="store_true", help="judge at each target even where the answer is implied")
    order.add_argument("--scope", choices=("partition", "column"), default="partition")
    order.add_argument(
        "--unanswered",
        action="store_true",
        help="alarmed partitions are not learned from: judges every partition, at the default target only",
    )
    order.add_argument("--cache", type=Path, default=profiled.CACHE, help="folder of profiles (default %(default)s)")
    order.add_argument("--jobs", type=int, default=1, help="processes (default %(default)s)")
    return order


if __name__ == "__main__":
    sys.exit(main())

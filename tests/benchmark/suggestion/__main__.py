"""``python -m tests.benchmark.suggestion FOLDER``: do suggested checks hold later, and what do they catch?"""

from __future__ import annotations

import argparse
import pickle
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from airflow_dq.profile import Profile, ProfileOptions, profile_table
from tests.benchmark.program.dataset import Recurring, recurring
from tests.benchmark.suggestion.measure import Outcome, measure


def main(given: Sequence[str] | None = None) -> None:
    """Measure on every table of a folder, and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmark.suggestion", description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder for each table, with a file for each partition")
    parser.add_argument("--history", type=int, default=30, help="partitions that checks are suggested by")
    parser.add_argument("--later", type=int, default=10, help="partitions behind them that checks are tried on")
    parser.add_argument("--points", type=int, default=3, help="places in each table's history")
    parser.add_argument("--columns", type=int, default=16, help="most columns of a table, always the same ones")
    parser.add_argument("--examples", action="store_true", help="list the checks that failed")
    parser.add_argument("--keep", type=Path, help="folder in which profiles are kept for the next run")
    arguments = parser.parse_args(given)
    total: dict[str, Outcome] = {}
    for table in recurring(arguments.folder):
        start = time.time()
        for way, outcome in _table(table, arguments).items():
            total.setdefault(way, Outcome()).merge(outcome)
        print(f"{table.name}: {time.time() - start:.0f} s", file=sys.stderr)
    print(report(total))
    if arguments.examples:
        print("\n".join(total["ours"].examples))


def _table(table: Recurring, arguments: argparse.Namespace) -> dict[str, Outcome]:
    found: dict[str, Outcome] = {}
    tables = dict(table.tables())
    keys = list(tables)
    first = min(arguments.history, len(keys) - 2)
    last = max(first, len(keys) - arguments.later)
    points = sorted(set(np.linspace(first, last, arguments.points).astype(int).tolist()))
    profiles: dict[str, Profile] = {}
    kept = None if arguments.keep is None else arguments.keep / f"{table.name}.pickle"
    if kept is not None and kept.exists():
        # Our own file: nobody else writes to the folder.
        profiles = pickle.loads(kept.read_bytes())
    names = tables[keys[0]].column_names
    if len(names) > arguments.columns:
        some = np.random.default_rng(7).choice(len(names), arguments.columns, replace=False)
        names = [names[place] for place in sorted(some.tolist())]
    for point in points:
        history = []
        for key in keys[max(0, point - arguments.history) : point]:
            if key not in profiles:
                chosen = tables[key].select([one for one in names if one in tables[key].column_names])
                profiles[key] = profile_table(chosen, key, ProfileOptions(sample_rows=0))
            history.append(profiles[key])
        later = [
            (key, tables[key].select([one for one in names if one in tables[key].column_names]))
            for key in keys[point : point + arguments.later]
        ]
        kinds = {name: column.kind for name, column in history[-1].columns.items()}
        for way, outcome in measure(table.name, history, later, kinds).items():
            found.setdefault(way, Outcome()).merge(outcome)
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps(profiles))
    return found


def report(total: dict[str, Outcome]) -> str:
    """Two tables: how many checks fail later, and how many errors they catch."""
    lines = ["| way | checks | fail on a later partition | ever fail | errors caught |", "|---|---|---|---|---|"]
    for way, one in total.items():
        judged, suggested, injected = one.judged.total(), one.suggested.total(), one.injected.total()
        lines.append(
            f"| {way} | {suggested} | {one.failed.total()} of {judged} ({one.failed.total() / max(1, judged):.2%}) | "
            f"{one.ever.total()} ({one.ever.total() / max(1, suggested):.1%}) | "
            f"{one.caught.total()} of {injected} ({one.caught.total() / max(1, injected):.1%}) |"
        )
    for way, one in total.items():
        lines += ["", f"{way}, by metric: checks, failed of judged"]
        lines += [
            f"  {metric}: {number}, {one.failed[metric]} of {one.judged[metric]}, ever {one.ever[metric]}"
            for metric, number in sorted(one.suggested.items())
        ]
    lines += ["", "| error | " + " | ".join(total) + " |", "|---" * (1 + len(total)) + "|"]
    for error in sorted({name for one in total.values() for name in one.injected}):
        shares = (f"{one.caught[error] / max(1, one.injected[error]):.1%}" for one in total.values())
        lines.append(f"| {error} | {' | '.join(shares)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()

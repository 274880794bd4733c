"""What counting rules adds to a scan: `python -m tests.benchmark.pattern.speed [ROWS]`.

The table is A of tests/benchmark/profile; the rules are those that a job learns of its string columns from one profile.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from airflow_dq.learn.rule import learn_rule, newest_texts
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.table import profile_table
from airflow_dq.states.base import Kind
from tests.benchmark.profile.table import make

COLUMNS, TIMES = 12, 6


def main(rows: int) -> None:
    """CPU seconds of a scan in this process, the fastest of some, taken in turn: the machine is busy."""
    table = make(rows, COLUMNS, np.random.default_rng(0))
    profile = profile_table(table.slice(0, 50_000), "d", ProfileOptions())
    texts = [name for name, column in profile.columns.items() if column.kind is Kind.STRING]
    learned = [learn_rule(newest_texts([profile], name), name) for name in texts]
    rules = tuple(one for one in learned if isinstance(one, LearnedRule))
    ruled = ", ".join(one.columns[0] for one in rules)
    print(f"{rows:,} rows of {COLUMNS} columns; rules of {ruled} among {', '.join(texts)}")
    taken: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(TIMES):
        for counted, seconds in taken.items():
            started = time.process_time()
            found = profile_table(table, "d", ProfileOptions(rules=rules if counted else ()))
            seconds.append(time.process_time() - started)
            assert len(found.checks) == len(rules) * counted
    without, counting = min(taken[False]), min(taken[True])
    print(f"without: {without:.2f} s, with rules: {counting:.2f} s, {counting / without - 1:.1%} more")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500_000)

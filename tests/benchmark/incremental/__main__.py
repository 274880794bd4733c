"""Growing data: totals over all partitions by merging what is kept of each, against a scan of all rows so far.

As Figure 6 of Schelter et al. (VLDB 2018): a partition of the same size is added again and again, and after each the
same checks of all rows are answered in both ways.

    python -m tests.benchmark.incremental                          # 20 partitions of 100,000 rows
    python -m tests.benchmark.incremental --partitions 4 --rows 1000
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from airflow_dq.check import Checks
from airflow_dq.check.model import Check
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.check.answer import answer
from airflow_dq.profile.check.tallies import Tallies
from airflow_dq.profile.check.total import Running, kept_for_totals, of_totals
from airflow_dq.profile.table import profile_table
from airflow_dq.states.layout import compress, decompress

KINDS = {
    "scan": ("rows", "completeness", "mean", "std", "rule"),
    "keys": ("uniqueness", "entropy"),
}
"""The paper's two families: what one pass tells, and what needs a group-by."""


@dataclass(frozen=True, slots=True)
class Step:
    """One more partition."""

    partitions: int
    incremental: float
    """CPU seconds to profile the new one, merge it with the total before, as it is stored, and store that."""
    full: float
    """CPU seconds to scan all rows so far."""
    stored: int
    """Bytes of the total."""


def declared(kind: str, scope: str) -> tuple[Check, ...]:
    """The checks of one family."""
    checks = Checks("orders")
    for metric in KINDS[kind]:
        if metric == "rule":
            checks.rule("amount >= 0", scope=scope)  # type: ignore[typeddict-item]
        else:
            column = () if metric == "rows" else ("key",) if kind == "keys" else ("amount",)
            checks.add(metric, column, error=">=0", scope=scope)
    return tuple(checks)


def partition(number: int, rows: int) -> pa.Table:
    """Orders of one day: keys that do not come again, amounts, some of them missing."""
    draw = np.random.default_rng(number)
    amount = pa.array(draw.lognormal(3, 1, rows), mask=draw.random(rows) < 0.01)
    return pa.table({"key": np.arange(number * rows, (number + 1) * rows), "amount": amount})


def measure(kind: str, partitions: int, rows: int) -> Iterator[Step]:
    """Both ways after each partition; their answers must be the same.

    :raises AssertionError: when they are not
    """
    total, whole = declared(kind, "total"), declared(kind, "delta")
    tables: list[pa.Table] = []
    stored, running = b"", Running()
    for number in range(partitions):
        tables.append(partition(number, rows))
        began = time.process_time()
        profile = profile_table(tables[-1], str(number), ProfileOptions(checks=total, sample_rows=0))
        if stored:
            running = Running(Tallies.decode(decompress(stored, 2**31)), number)
        running = running.add(str(number), kept_for_totals(profile), of_totals(total))
        found = running.measured(total)
        stored = compress(running.tallies.encode(), level=1)
        middle = time.process_time()
        scanned = profile_table(pa.concat_tables(tables), "all", ProfileOptions(checks=whole, sample_rows=0))
        wanted = [answer(check, scanned).value for check in whole]
        full = time.process_time() - middle
        for check, value in zip(total, wanted, strict=True):
            assert abs((found[check.measure].value or 0) - (value or 0)) <= 1e-9 * abs(value or 1), check.id
        yield Step(number + 1, middle - began, full, len(stored))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print a line for each number of partitions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partitions", type=int, default=20)
    parser.add_argument("--rows", type=int, default=100_000, help="of each partition")
    given = parser.parse_args(arguments)
    for kind in KINDS:
        print(f"{kind}: {', '.join(KINDS[kind])}; partitions of {given.rows:,} rows")
        print(" partitions  incremental s  full s  ratio  stored MB")
        for step in measure(kind, given.partitions, given.rows):
            ratio = step.full / max(step.incremental, 1e-9)
            print(
                f"{step.partitions:11,}{step.incremental:15.3f}{step.full:8.3f}{ratio:7.1f}{step.stored / 1e6:11.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()

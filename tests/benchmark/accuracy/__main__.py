"""``python -m tests.benchmark.accuracy``: how far metrics and sketches are from the raw values; 1 if too far."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import groupby

from tests.benchmark.accuracy import measure
from tests.benchmark.accuracy.measure import Finding


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print one table for each kind of error."""
    order = argparse.ArgumentParser(prog="python -m tests.benchmark.accuracy", description=__doc__)
    order.add_argument("--rows", type=int, default=300_000, help="values of a column (default %(default)s)")
    order.add_argument("--sets", type=int, default=200, help="sets whose values are counted (default %(default)s)")
    asked = order.parse_args(arguments)
    findings = [
        *measure.distances(asked.rows, 0.1),
        *measure.distances(asked.rows, 0.01),
        *measure.exact_distances(asked.rows),
        *measure.quantiles(asked.rows),
        *measure.entropies(asked.rows),
        *measure.distinct_counts(asked.sets),
        *measure.sizes(asked.rows),
    ]
    print(text(findings))
    return 0 if all(finding.holds for finding in findings) else 1


def text(findings: Sequence[Finding]) -> str:
    """The findings as tables; what is not allowed is marked."""
    lines = []
    for title, found in groupby(sorted(findings, key=lambda one: one.table), key=lambda one: one.table):
        lines.append(f"\n{title}")
        for one in found:
            allowed = "" if one.allowed is None else f"  allowed {one.allowed:<8g}{'' if one.holds else ' EXCEEDED'}"
            lines.append(f"  {one.subject:<28}{one.error:>12.3g}{allowed}")
    return "\n".join(lines).lstrip("\n")


if __name__ == "__main__":
    raise SystemExit(main())

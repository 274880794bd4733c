"""Clean real tables: how many partitions alarm because of a relation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from airflow_dq.options.learning import SynthesisOptions
from tests.benchmark.program.dataset import recurring
from tests.benchmark.relation.walk import replayed


def report(corpus: Path, options: SynthesisOptions) -> Iterator[str]:
    """One line for each table, one for each alarm, and the sum."""
    judged, alarmed = 0, 0
    for source in recurring(corpus):
        relations, own, wrong = 0, 0, list[str]()
        for key, found, held in replayed(source.tables(), options):
            own += held > 0
            relations = max(relations, held)
            if found:
                wrong.append(
                    f"    {key}: "
                    + "; ".join(f"{one.expected} ({one.rows} rows, {one.observed:.2%})" for one in found[:4])
                )
        yield f"{source.name}: {relations} relations, {len(wrong)} of {own} partitions alarmed"
        yield from wrong
        judged, alarmed = judged + own, alarmed + len(wrong)
    yield f"all: {alarmed} of {judged} partitions alarmed ({alarmed / max(1, judged):.4f})"

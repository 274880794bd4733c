"""What is found of planted relations between rows, what is caught of errors in them, and what alarms when clean."""

from __future__ import annotations

import argparse
from collections import Counter as Tally
from pathlib import Path

import numpy as np

from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.relation.rows_search import mine_between
from airflow_dq.relation.rule import RelationRule
from tests.benchmark.program.dataset import recurring
from tests.benchmark.relation.dependency_error import errors_of
from tests.benchmark.relation.dependency_table import SHAPES, name_of
from tests.benchmark.relation.dependency_walk import DependencyWalk, replayed

HISTORY = 28
"""Partitions before the one that errors are put into."""


def mined(seeds: int) -> list[str]:
    """Of each kind of table, how many planted relations are found, and how many others."""
    lines = []
    for shape, make in SHAPES.items():
        counts = Tally[str]()
        for seed in range(seeds):
            planted = make(seed)
            found = {name_of(one.relation) for one in mine_between(planted.partitions)}
            counts["planted"] += len(planted.relations)
            counts["found"] += len(planted.relations & found)
            counts["all"] += len(found)
            counts["false"] += len(found - planted.relations - planted.true)
        recall, false = counts["found"] / counts["planted"], counts["false"] / max(1, counts["all"])
        lines.append(f"{shape}: recall {recall:.3f} of {counts['planted']}, false discoveries {false:.3f}")
    return lines


def caught(seeds: int) -> list[str]:
    """Of each error, in how many partitions with a relation that it breaks it is caught."""
    tried, found = Tally[str](), Tally[str]()
    for shape, make in SHAPES.items():
        for seed in range(seeds):
            rng, walk = np.random.default_rng(seed), DependencyWalk()
            *past, now = make(seed, partitions=HISTORY + 1, **SMALL.get(shape, {})).partitions
            for place, table in enumerate(past):
                walk.learn(walk.profile(table, f"{place:03d}"))
            clean, _ = walk.judge(walk.profile(now, "now"))
            tried[f"{shape} clean"] += 1
            found[f"{shape} clean"] += bool(clean)
            for rule in walk.rules:
                relation = RelationRule.from_json(rule.document).relation
                for error in errors_of(relation):
                    name = f"{shape} {relation.kind} {error.__name__}"
                    tried[name] += 1
                    found[name] += bool(walk.judge(walk.profile(error(now, relation, rng), "now"))[0])
    return [f"{name}: {found[name]} of {tried[name]} ({found[name] / tried[name]:.2f})" for name in tried]


SMALL = {"events": {"rows": 1_500}, "lines": {"rows": 1_200}, "snapshots": {"keys": 150}, "shipments": {"rows": 1_500}}


def clean(corpus: Path, options: SynthesisOptions) -> list[str]:
    """One line for each real table, one for each alarm, and the sum."""
    lines, judged, alarmed, warned = list[str](), 0, 0, 0
    for source in recurring(corpus):
        relations, own, wrong, few = 0, 0, list[str](), 0
        for key, found, held in replayed(source.tables(), options):
            own += held > 0
            relations = max(relations, held)
            if found:
                few += all(one.severity == "warn" for one in found)
                wrong.append(f"    {key}: " + "; ".join(f"{one.expected} ({one.rows})" for one in found[:4]))
        said = f"{len(wrong)} of {own} partitions alarmed, {few} of them with warnings alone"
        lines += [f"{source.name}: {relations} relations, {said}", *wrong]
        judged, alarmed, warned = judged + own, alarmed + len(wrong), warned + few
    failed = f"{alarmed - warned} failed ({(alarmed - warned) / max(1, judged):.4f})"
    return [*lines, f"all: {alarmed} of {judged} partitions alarmed ({alarmed / max(1, judged):.4f}), {failed}"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--corpus", type=Path, help="folder of clean recurring tables")
    given = parser.parse_args()
    print("\n".join([*mined(given.seeds), *caught(given.seeds)]), flush=True)
    if given.corpus is not None:
        print("\n".join(clean(given.corpus, SynthesisOptions())))

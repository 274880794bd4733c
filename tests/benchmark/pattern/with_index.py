"""Does an index help ``calibrated``?  `python -m tests.benchmark.pattern.with_index LAKE --index FILE`.

Each query's rule is learned without the index and with it, in three ways: the published method's pattern as what is
usual, beside what is usual (wider), and as all that may be (narrower).  Told by how many distinct training values there
are: where these are few, a corpus may know more than they do.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from airflow_dq.pattern import FmdvOptions, PatternIndex, PatternRule, learn_pattern
from airflow_dq.pattern.fmdv import Corpus
from tests.benchmark.pattern.compare import Query, lake

WAYS = ("calibrated", "usual by index", "usual or index", "only index")
BOUNDS = ((1, 3), (4, 7), (8, 10_000), (1, 10_000))
"""Distinct training values, from and to."""
_OTHERS = 30
_FPR = 0.1
"""Of patterns that are taken from the index: the paper's, below which a pattern is the type's and no chance."""


def rules(query: Query, corpus: Corpus) -> Iterator[PatternRule | None]:
    """The rule of a query in each way."""
    own = learn_pattern(query.train)
    yield own
    found = learn_pattern(query.train, corpus, "fmdv-vh", FmdvOptions(r=_FPR))
    if own is None or found is None:
        yield from [own] * (len(WAYS) - 1)
        return
    yield replace(own, usual=found.patterns, unusual=max(own.nonconforming, found.nonconforming))
    yield replace(own, usual=(*own.usual, *found.patterns))
    yield replace(own, patterns=found.patterns, usual=(), unusual=0)


def outcome(rule: PatternRule | None, place: int, queries: Sequence[Query]) -> tuple[float, float]:
    """Whether its own future is accepted (NaN without a rule), and the share of others that are refused."""
    if rule is None:
        return float("nan"), 0.0
    if not rule.test(queries[place].future).accepted:
        return 0.0, 0.0
    drawn = np.random.default_rng([0, place]).permutation(len(queries))[:_OTHERS]
    return 1.0, float(np.mean([not rule.test(queries[j].future).accepted for j in drawn if j != place]))


def main() -> None:
    """Read the lake and the index."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("lake", type=Path)
    parser.add_argument("--index", type=Path, required=True, help="the lake's index, as compare saves it")
    given = parser.parse_args()
    compare(lake(given.lake, 0)[1], PatternIndex.load(given.index))


def compare(queries: Sequence[Query], index: PatternIndex) -> None:
    """Tell precision and recall of each way."""
    distinct, found = np.array([len(set(query.train)) for query in queries]), []
    for place, query in enumerate(queries):
        ways = list(rules(query, index.without(query.table)))
        same = {rule: outcome(rule, place, queries) for rule in dict.fromkeys(ways)}
        found.append([same[rule] for rule in ways])
    figures = np.array(found)
    for low, high in BOUNDS:
        chosen = figures[(distinct >= low) & (distinct <= high)]
        for number, way in enumerate(WAYS):
            told = f"precision {np.nanmean(chosen[:, number, 0]):.3f} recall {chosen[:, number, 1].mean():.3f}"
            print(f"{low:>2} to {high:<6} {len(chosen):>4} queries  {way:15} {told}")


if __name__ == "__main__":
    main()

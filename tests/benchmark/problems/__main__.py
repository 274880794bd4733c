"""How well accidents are told: ``python -m tests.benchmark.problems [--seed 1] [--all] [--of held-out]``.

Sixty accidents on three generated tables. Of each: was it caught, does the first headline name the right columns, is
the cause that is named right, are the rows concerned right within a tenth. Seed 1 is what the package is worked on
with; any other is a held-out variant: other data, columns, factors and shares of the same kinds. ``--of held-out``
takes accidents of other kinds, some of them in one segment, which is to be named as well; ``--of everyday`` more of
them, on three other tables, and ``--of pipeline`` what exports, loaders and releases do, on three more.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from tests.benchmark.problems.accident import Accident
from tests.benchmark.problems.catalogue import CATALOGUE
from tests.benchmark.problems.everyday import EVERYDAY
from tests.benchmark.problems.everyday import SEGMENTS as EVERYDAY_SEGMENTS
from tests.benchmark.problems.everyday_table import TABLES as EVERYDAY_TABLES
from tests.benchmark.problems.heldout import HELD_OUT, SEGMENTS
from tests.benchmark.problems.outcome import Outcome, Stage, outcomes
from tests.benchmark.problems.pipeline import PIPELINE
from tests.benchmark.problems.pipeline import SEGMENTS as PIPELINE_SEGMENTS
from tests.benchmark.problems.pipeline_table import TABLES as PIPELINE_TABLES
from tests.benchmark.problems.table import TABLES, Table

_CATALOGUES: dict[str, tuple[Sequence[Accident], Mapping[str, Table], Mapping[str, tuple[str, ...]]]] = {
    "first": (CATALOGUE, TABLES, {}),
    "held-out": (HELD_OUT, TABLES, SEGMENTS),
    "everyday": (EVERYDAY, EVERYDAY_TABLES, EVERYDAY_SEGMENTS),
    "pipeline": (PIPELINE, PIPELINE_TABLES, PIPELINE_SEGMENTS),
}
"""Accidents, the tables that they happen to, and what these are profiled by."""


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, action="append")
    parser.add_argument("--all", action="store_true", help="print the accidents that were told rightly, too")
    parser.add_argument("--of", choices=sorted(_CATALOGUES), default="first", help="which catalogue (%(default)s)")
    every = sorted({name for _, tables, _ in _CATALOGUES.values() for name in tables})
    parser.add_argument("--table", choices=every, action="append", help="of these tables only")
    arguments = parser.parse_args()
    accidents, made, segments = _CATALOGUES[arguments.of]
    tables = [table for name, table in made.items() if name in (arguments.table or made)]
    for seed in arguments.seed or [1]:
        stages = [Stage.of(table, seed, segments.get(table.name, ())) for table in tables]
        quiet = sum(not stage.judge(stage.scene(0).frame).problems for stage in stages)
        found = [one for stage in stages for one in outcomes(stage, accidents)]
        print(f"seed {seed}: {len(found)} accidents; {quiet} of {len(stages)} days without one pass")
        _report(found, every=arguments.all)


def _report(found: Sequence[Outcome], *, every: bool) -> None:
    for one in found:
        wrong = False in _answers(one)
        if every or wrong:
            marks = "".join("-" if good is None else "+" if good else "!" for good in _answers(one))
            print(f"  {marks} {one.problems:2d}  {one.accident.table}: {one.accident.name}")
            print(f"          {one.headline[:230]}")
    answers = [_answers(one) for one in found]
    for name, side in zip(("caught", "columns", "cause", "place", "rows"), zip(*answers, strict=True), strict=True):
        known = [good for good in side if good is not None]
        print(f"  {name:8} {sum(known):3d} of {len(known):3d} ({sum(known) / max(1, len(known)):.1%})")
    wrong_causes = sum(one.cause is False for one in found)
    print(f"  wrong causes {wrong_causes} of {len(found)} ({wrong_causes / len(found):.1%})")
    print(f"  told as one problem {sum(one.problems == 1 for one in found)} of {len(found)}")


def _answers(one: Outcome) -> tuple[bool, bool, bool | None, bool | None, bool | None]:
    return one.caught, one.columns, one.cause, one.place, one.rows


if __name__ == "__main__":
    main()

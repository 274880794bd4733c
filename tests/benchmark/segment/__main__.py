"""``python -m tests.benchmark.segment FOLDER``: how often segments of clean partitions alarm, and what they catch.

Segments are taken by every column of texts or booleans that has 2 to 50 different values in all partitions.  Errors
are made in one segment at a time: in the rows themselves, which are profiled again.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from airflow_dq.learn.constraint.base import Finding, Learned
from airflow_dq.learn.constraint.segment import SegmentDetector, UsualSegments
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile import Profile, profile_table
from tests.benchmark.program.dataset import recurring

FEW = (2, 50)
Change = Callable[[pa.Table, pa.BooleanArray], pa.Table]


def main(given: Sequence[str] | None = None) -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmark.segment", description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder for each table, with a file for each partition")
    parser.add_argument("--history", type=int, default=30, help="partitions learned from (default %(default)s)")
    parser.add_argument("--points", type=int, default=6, help="partitions judged of each table (default %(default)s)")
    parser.add_argument("--errors", action="store_true", help="make errors in segments as well")
    options = parser.parse_args(given)
    judged, alarmed, tried, caught = 0, list[str](), Counter[str](), Counter[str]()
    for table in recurring(options.folder):
        tables = dict(table.tables())
        segments = _segments(list(tables.values()))
        if not segments or len(tables) < options.history + 2:
            continue
        for key, history, now in _points(tables, segments, options.history, options.points):
            for by in segments:
                judged += 1
                constraints = _learned(history, by)
                found = _findings(constraints, profile_table(now, key, _options(segments)), history)
                alarmed += [f"{table.name} {key} {by}: {one.scope.column} {one.metric} {one.seen}" for one in found[:1]]
                if options.errors and constraints and not found:
                    for name, broken in _broken(now, by, constraints[0].segments):
                        tried[name] += 1
                        caught[name] += bool(
                            _findings(constraints, profile_table(broken, key, _options(segments)), history)
                        )
        print(f"{table.name}: {', '.join(segments)}", file=sys.stderr, flush=True)
    print("\n".join(alarmed))
    print(f"{len(alarmed)} of {judged} (partition, column) alarmed, history {options.history}")
    print(", ".join(f"{name} {caught[name] / tried[name]:.3f} of {tried[name]}" for name in tried))
    return 0


def _segments(tables: Sequence[pa.Table]) -> list[str]:
    """The columns of few values, in every partition."""
    found = []
    for name in tables[0].column_names:
        columns = [table[name] for table in tables if name in table.column_names]
        plain = pa.types.is_string(columns[0].type) or pa.types.is_boolean(columns[0].type)
        if plain and len(columns) == len(tables):
            counts = [pc.count_distinct(column).as_py() for column in columns]
            if FEW[0] <= min(counts) and max(counts) <= FEW[1]:
                found.append(name)
    return found


def _options(segments: Sequence[str]) -> ProfileOptions:
    return ProfileOptions(segments=tuple(segments), sample_rows=0)


def _points(
    tables: Mapping[str, pa.Table], segments: Sequence[str], history: int, points: int
) -> Iterator[tuple[str, list[Profile], pa.Table]]:
    """Partitions to judge, evenly spaced, each with what came before it."""
    keys, made = list(tables), dict[str, Profile]()
    for place in sorted(set(np.linspace(history, len(keys) - 1, points).astype(int).tolist())):
        for key in keys[place - history : place]:
            if key not in made:
                made[key] = profile_table(tables[key], key, _options(segments))
        yield keys[place], [made[key] for key in keys[place - history : place]], tables[keys[place]]


def _learned(history: Sequence[Profile], by: str) -> list[UsualSegments]:
    found = SegmentDetector().learn(History.of(history), SynthesisOptions())
    return (
        [one for one in found.constraints if isinstance(one, UsualSegments) and one.by == by]
        if isinstance(found, Learned)
        else []
    )


def _findings(constraints: Sequence[UsualSegments], now: Profile, history: Sequence[Profile]) -> list[Finding]:
    view = PartitionView(now, History.of(history))
    return [found for one in constraints if isinstance(found := one.check(view), Finding)]


def _broken(now: pa.Table, by: str, segments: Sequence[str]) -> Iterator[tuple[str, pa.Table]]:
    """The partition with each error, in the middle one of the segments that are judged."""
    segment = segments[len(segments) // 2]
    mask = pc.fill_null(pc.equal(now[by].cast(pa.string()), segment), False)
    every_other = pa.array(np.arange(len(now)) % 2 == 0)
    yield "gone", now.filter(pc.invert(mask))
    yield "halved", now.filter(pc.or_(pc.invert(mask), every_other))
    yield "doubled", pa.concat_tables([now, now.filter(mask)])
    for place, name in enumerate(now.column_names):
        if name == by:
            continue
        column, kind = now[name], now[name].type
        yield "nulls in a column", now.set_column(place, name, pc.if_else(mask, pa.scalar(None, kind), column))
        if pa.types.is_floating(kind):
            yield (
                "a column of numbers x 100",
                now.set_column(place, name, pc.if_else(mask, pc.multiply(column, 100.0), column)),
            )


if __name__ == "__main__":
    sys.exit(main())

"""``python -m tests.benchmark.drill FOLDER``: slices named on clean pairs of partitions, and planted slices found.

Every pair is one partition and the one before it, with those before as history; rows of a real table are clustered (by
match, shop, station), so that whole groups of them change together from day to day.  Errors are planted in the rows
with one value of a column, or one pair of values of two.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from airflow_dq.drill.model import Condition, Slice
from airflow_dq.drill.search import drill
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile import profile_table
from tests.benchmark.program.dataset import recurring

SHARES = (0.03, 0.5)
"""A slice with fewer rows is hardly an accident that a gate sees; one with more is rather the rest."""
SAME = 0.9
"""Share of the rows of two slices that they have in common when they are the same."""
FEW = 60
"""Most values of a column that errors are planted by."""
Change = Callable[[pa.ChunkedArray], pa.ChunkedArray]
CHANGES: dict[str, Change] = {
    "another unit": lambda column: pc.multiply(column.cast(pa.float64()), 60.0),
    "nulls": lambda column: pa.chunked_array([pa.nulls(len(column), column.type)]),
    "other sign": lambda column: pc.subtract(pc.negate(column.cast(pa.float64())), 1.0),
}


@dataclass(frozen=True)
class Planted:
    """A partition with an error in some of its rows."""

    what: str
    words: str
    column: str | None
    """None: the rows are gone."""
    mask: pa.ChunkedArray
    table: pa.Table


def main(given: Sequence[str] | None = None) -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmark.drill", description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder for each table, with a file for each partition")
    parser.add_argument("--only", action="append", help="these tables only")
    parser.add_argument("--history", type=int, default=5, help="partitions before a pair (default %(default)s)")
    parser.add_argument("--pairs", type=int, default=13, help="pairs of each table (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of what is planted (default %(default)s)")
    parser.add_argument("--all", action="store_true", help="print what was found rightly, too")
    options = parser.parse_args(given)
    for table in recurring(options.folder):
        if options.only is None or table.name in options.only:
            _measure(table.name, [one for _, one in table.tables()], options)
    return 0


def _measure(name: str, tables: Sequence[pa.Table], options: argparse.Namespace) -> None:
    random = np.random.default_rng(options.seed)
    named, pairs, tried, found = 0, 0, Counter[str](), Counter[str]()
    drilled, profiled = 0.0, 0.0
    for place in _places(len(tables), options.history, options.pairs):
        before, now = tables[place - 1], tables[place]
        usual = _past(list(reversed(tables[place - 1 - options.history : place - 1])))
        pairs += 1
        began = time.process_time()
        slices = drill(before, now, past=usual).slices
        drilled += time.process_time() - began
        began = time.process_time()
        profile_table(now, "1", ProfileOptions(sample_rows=0))
        profiled += time.process_time() - began
        named += bool(slices)
        for one in slices:
            print(f"  clean {place}: {one.headline} (changed {one.changed:.2f}, carried {one.carried:.2f})")
        for planted in _planted(before, now, random):
            tried[planted.what] += 1
            asked = None if planted.column is None else (planted.column,)
            slices = drill(before, planted.table, past=usual, columns=asked).slices
            right = _is_right(planted, now, slices)
            found[planted.what] += right
            if options.all or not right:
                said = "; ".join(one.headline for one in slices) or "nothing"
                print(f"  {'+' if right else '!'} {place} {planted.what} of {planted.column}, {planted.words}: {said}")
    if pairs:
        each = ", ".join(f"{what} {found[what]} of {tried[what]}" for what in tried)
        print(f"{name}: slices named on {named} of {pairs} clean pairs")
        print(f"  found {found.total()} of {tried.total()} ({each})")
        print(f"  CPU {drilled / pairs:.2f} s for a drill, {profiled / pairs:.2f} s for a profile", flush=True)


def _past(tables: list[pa.Table]) -> Callable[[Sequence[str]], list[pa.Table]]:
    return lambda names: tables


def _places(count: int, history: int, pairs: int) -> list[int]:
    least = history + 1
    return sorted(set(np.linspace(least, count - 1, pairs).astype(int).tolist())) if count > least else []


def _planted(before: pa.Table, now: pa.Table, random: np.random.Generator) -> Iterator[Planted]:
    """One of each kind of error, and rows that are gone, in slices of the partition."""
    slices = list(_slices(before, now, random))
    for what, change in CHANGES.items():
        targets = [name for name in now.column_names if _tells(before, now, name)]
        if not (slices and targets):
            return
        words, mask, names = slices[random.integers(len(slices))]
        column = targets[random.integers(len(targets))]
        if column not in names:
            kept = now[column].cast(pa.float64())
            other = pc.if_else(mask, change(now[column]).cast(pa.float64()), kept).cast(now[column].type, safe=False)
            yield Planted(what, words, column, mask, now.set_column(now.column_names.index(column), column, other))
    words, mask, _ = slices[random.integers(len(slices))]
    yield Planted("rows gone", words, None, mask, now.filter(pc.invert(mask)))


def _slices(
    before: pa.Table, now: pa.Table, random: np.random.Generator
) -> Iterator[tuple[str, pa.ChunkedArray, tuple[str, ...]]]:
    """Rows with a value, or a pair of values, that the partition before had about as often."""
    masks = [one for name in now.column_names if _slicing(now[name].type) for one in _values(before, now, name)]
    for place in random.permutation(len(masks))[:20]:
        words, name, mask = masks[place]
        if SHARES[0] <= pc.mean(mask).as_py() <= SHARES[1]:
            yield words, mask, (name,)
        others = [one for one in masks if one[1] != name]
        if others:
            more, other, second = others[random.integers(len(others))]
            both = pc.and_(mask, second)
            if SHARES[0] <= pc.mean(both).as_py() <= 0.8 * min(pc.mean(mask).as_py(), pc.mean(second).as_py()):
                yield f"{words} and {more}", both, (name, other)


def _slicing(kind: pa.DataType) -> bool:
    return bool(pt.is_string(kind) or pt.is_boolean(kind))


def _values(before: pa.Table, now: pa.Table, name: str) -> list[tuple[str, str, pa.ChunkedArray]]:
    """A mask for each value; none where the column names the partition itself, or has too many."""
    if name not in before.column_names or before[name].type != now[name].type:
        return []
    shares = [_shares_of(side[name]) for side in (before, now)]
    common = sum(min(share, shares[0].get(value, 0.0)) for value, share in shares[1].items())
    if common < 0.5 or not 1 < len(shares[1]) <= FEW:
        return []
    known = [
        value for value, share in shares[1].items() if value is not None and 0.5 < shares[0].get(value, 0) / share < 2
    ]
    return [(f"{name} = {value!r}", name, pc.fill_null(pc.equal(now[name], value), False)) for value in known]


def _shares_of(column: pa.ChunkedArray) -> dict[Any, float]:
    return {one["values"]: one["counts"] / len(column) for one in pc.value_counts(column).to_pylist()}


def _tells(before: pa.Table, now: pa.Table, name: str) -> bool:
    """Whether a change of the column's numbers is one: most of them are another value then, and none was there."""
    column = now[name]
    if not (pt.is_integer(column.type) or pt.is_floating(column.type)) or name not in before.column_names:
        return False
    if not len(column) or column.null_count or before[name].null_count or before[name].type != column.type:
        return False
    sides = [pc.min_max(side[name]) for side in (before, now)]
    overlap = sides[0]["max"].as_py() > sides[1]["min"].as_py() and sides[1]["max"].as_py() > sides[0]["min"].as_py()
    zero = pc.mean(pc.equal(column, 0)).as_py()
    return bool(overlap and zero < 0.2 and min(one["min"].as_py() for one in sides) >= 0)


def _is_right(planted: Planted, now: pa.Table, slices: Sequence[Slice]) -> bool:
    """Whether the first slice has the rows, or nearly no others, and names the column."""
    if not slices or slices[0].columns[:1] != (() if planted.column is None else (planted.column,)):
        return False
    told = (
        pc.and_(*(_mask(now, one) for one in slices[0].conditions))
        if len(slices[0].conditions) == 2
        else _mask(now, slices[0].conditions[0])
    )
    both, either = pc.sum(pc.and_(told, planted.mask)).as_py(), pc.sum(pc.or_(told, planted.mask)).as_py()
    return bool(both >= SAME * either)


def _mask(now: pa.Table, one: Condition) -> pa.ChunkedArray:
    column = now[one.column]
    return (
        column.is_null()
        if one.value is None
        else pc.fill_null(pc.equal(column, pa.scalar(one.value, column.type)), False)
    )


if __name__ == "__main__":
    raise SystemExit(main())

"""Keys of a sample of rows, single and composite, and the counters that go with them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from airflow_dq.relation.belief import LARGEST_LASTING, beyond, surprise
from airflow_dq.relation.coded import MISSING, Coded, Codes
from airflow_dq.relation.dependency import FALL, Counter, Key
from airflow_dq.relation.found import Mined

MOST_KEYS = 3
"""Keys that are watched: one is what a table is about, and each more costs as much as it."""
MOST_COMPOSITES = 2_000
"""Pairs and triples of columns that are tried, those of the first columns first: as many as 20 columns have."""
MOST_TRIED = 30_000
"""Rows by which uniqueness is tried; every row of later partitions is counted."""
FEWEST_ROWS = 20
"""Of a partition with fewer rows it is chance that none has a value twice."""
IDENTIFIER = 2.0**53
"""Whole numbers that are spread farther are drawn at random, as identifiers are: no amount is so large."""
LEAST_RISE = 0.05
"""No step is too large that is smaller: counters that rest for a while go on."""
MOST_FALL = 0.5
"""Of a number that is corrected down now and then, a fall by half is none of these."""
MARGIN = 5.0
"""Times the largest step of the sample that a counter may take: after a gap of some days it takes the steps of each."""
MOST_COUNTERS = 20
"""Counters of one table that are watched."""


def find_keys(rows: Coded) -> list[Mined]:
    """The smallest sets of columns that no two rows of a partition agree in, those of fewer columns first.

    A chance to break one is a pair of rows of a partition that would have agreed if the values were drawn apart from
    each other; measurements with fractions and moments are no keys, however seldom two are alike.
    """
    # Of a column of which any value is missing nothing is a key.
    whole = [place for place in range(len(rows.names)) if _is_whole(rows, place)]
    found: list[Mined] = []
    single = [place for place in whole if _is_unique(rows, (place,))]
    for place in single:
        chances = _chances_of_one(rows, place)
        sure = beyond(chances, len(rows.names))
        if sure is not None:
            found.append(Mined(Key((rows.names[place],)), round(chances), 0, sure))
    rest = [place for place in whole if place not in single]
    if not found:
        found += _composites(rows, rest)
    return found[:MOST_KEYS]


def find_counters(rows: Coded, keys: Sequence[Mined], uncounted: Collection[str] = ()) -> list[Mined]:
    """The numbers that never fall from one partition to the next, of each value of the first key that comes again.

    :param uncounted: columns that are none
    """
    names = [name for name in rows.numbers if name not in uncounted]
    for key in keys:
        columns = key.relation.columns
        before, after = repeated(rows, columns)
        if len(before):
            found = [one for name in names if (one := _counter(rows, columns, name, before, after)) is not None]
            return found[:MOST_COUNTERS]
    return []


def _counter(rows: Coded, key: tuple[str, ...], name: str, before: Codes, after: Codes) -> Mined | None:
    place, numbers = rows.names.index(name), rows.numbers[name]
    if name in key or rows.agreement[place] > 0.9:
        return None  # it is one number for the whole partition, as its date is
    change = numbers[after] - numbers[before]
    change = change[np.isfinite(change) & (change != 0)]
    falls = int((change < 0).sum())
    sure = surprise(falls, len(change), 0.5, len(rows.names), LARGEST_LASTING)
    if sure is None:
        return None
    floor = float(np.nanmedian(np.abs(numbers[before]))) or 1.0
    steps = (numbers[after] - numbers[before]) / (np.abs(numbers[before]) + floor)
    rise = max(LEAST_RISE, MARGIN * float(np.nanmax(steps)))
    deepest = -float(np.nanmin(steps))
    fall = FALL if deepest <= FALL else min(MOST_FALL, MARGIN * deepest)
    return Mined(Counter(key, name, _rounded(rise), _rounded(floor), _rounded(fall)), len(change), falls, sure)


def _rounded(number: float) -> float:
    """One digit: what is learned again a little later is the same."""
    return float(f"{number:.0e}")


def repeated(rows: Coded, key: tuple[str, ...]) -> tuple[Codes, Codes]:
    """The rows of one key in a partition and in the next one that has it."""
    codes = _together(rows, [rows.names.index(name) for name in key])
    order = np.lexsort((rows.part, codes))
    same = np.flatnonzero(codes[order[1:]] == codes[order[:-1]])
    before, after = order[same], order[same + 1]
    next_one = rows.part[before] != rows.part[after]
    return before[next_one], after[next_one]


def _is_whole(rows: Coded, place: int) -> bool:
    return rows.tellable[place] and len(rows.part) > 0 and bool((rows.codes[:, place] != MISSING).all())


def _is_unique(rows: Coded, places: Sequence[int]) -> bool:
    """Whether no two rows of a partition agree in all of these columns."""
    if max(rows.sizes) < FEWEST_ROWS:
        return False
    # By a few of the rows nearly all candidates fall.
    return all(_all_differ(rows, places, few) for few in (slice(0, 500), slice(0, 5_000), slice(0, MOST_TRIED)))


def _all_differ(rows: Coded, places: Sequence[int], few: slice) -> bool:
    cells = np.sort(_together(rows, places, few) * len(rows.sizes) + rows.part[few])
    return bool((cells[1:] != cells[:-1]).all())


def _together(rows: Coded, places: Sequence[int], few: slice = slice(None)) -> NDArray[np.int64]:
    """One code for the values of up to three columns: of 100,000 values each it stays below 10 ** 16."""
    codes = rows.codes[few, places[0]].astype(np.int64)
    for place in places[1:]:
        codes = codes * rows.widths[place] + rows.codes[few, place]
    return codes


def _chances_of_one(rows: Coded, place: int) -> float:
    """How many pairs of rows would agree, if as many values were drawn from the range that they have."""
    name = rows.names[place]
    if name not in rows.numbers:
        # Of texts nobody knows the range: all of many are different where they are to be.
        return float(sum(size for size in rows.sizes if size >= FEWEST_ROWS))
    numbers = rows.numbers[name]
    spread = float(numbers.max() - numbers.min()) + 1
    if spread >= IDENTIFIER:
        return float(len(numbers))
    return _row_pairs(rows) / spread


def _row_pairs(rows: Coded) -> float:
    """Pairs of rows of one partition."""
    return sum(size * (size - 1) / 2 for size in rows.sizes)


def _composites(rows: Coded, places: Sequence[int]) -> Iterator[Mined]:
    """Pairs, or where there is none triples, that are unique; none is tried whose values could not be enough."""
    distinct = {place: int(rows.widths[place]) for place in places}
    some = [place for place in places if distinct[place] > 1]
    for size in (2, 3):
        found, tried = False, 0
        for chosen in combinations(some, size):
            if math.prod(distinct[place] for place in chosen) < max(rows.sizes):
                continue
            tried += 1
            if tried > MOST_COMPOSITES:
                break
            chances = math.prod(float(rows.agreement[place]) for place in chosen) * _row_pairs(rows)
            sure = beyond(chances, MOST_COMPOSITES)
            if sure is not None and _is_unique(rows, chosen):
                found = True
                yield Mined(Key(tuple(rows.names[place] for place in chosen)), round(chances), 0, sure)
        if found:
            return

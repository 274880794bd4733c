"""Rows that are the total of the others, in partitions of which all rows are there."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from airflow_dq.relation.belief import FALSE_DISCOVERIES, USUAL_SHARE
from airflow_dq.relation.coded import MISSING, Coded, Codes
from airflow_dq.relation.dependency import Floats, differ
from airflow_dq.relation.found import Mined
from airflow_dq.relation.total import Total

MOST_ROWS = 6_000
"""Rows that are looked at, of the newest partitions: six times as many as are drawn of one."""
MOST_NUMBERS = 60
"""Numbers that are added up, the first ones."""
MOST_GROUPING = 10
"""Columns by which, and by any two of which, rows are put together: 56 ways, 20 ms each of 6,000 rows."""
MOST = 20
"""Totals of one table that are watched."""
LONGEST = 40
"""Characters of a value that names a total: longer ones are no names."""
LEAST_ADDED = 2
"""Rows with a number other than zero that a total must add up to say anything: of one, it is a copy."""


@dataclass(frozen=True, eq=False)
class _Added:
    """Rows that agree in some columns, and their sums."""

    by: tuple[str, ...]
    rows: Codes
    """Places of the rows that have a value in each of these columns."""
    group: Codes
    """Of each of these rows its group, from 0."""
    numbers: Floats
    """Of each row, 0 where there is none."""

    @cached_property
    def several(self) -> NDArray[np.bool_]:
        """Of each row whether its group has rows enough for a total and what it adds up."""
        return np.asarray(np.bincount(self.group)[self.group] > LEAST_ADDED)

    def summed(self, values: Floats) -> Floats:
        """Of each row the sum of the others of its group."""
        return np.asarray(np.bincount(self.group, values)[self.group] - values)


def find_totals(
    rows: Coded, whole: Sequence[int], uncounted: Collection[str] = (), hidden: Collection[str] = ()
) -> list[Mined]:
    """The rows that add up the others, the surest first; below a surprise of 0 one is worth trying.

    A chance to break one is a different total of two or more rows.  Were it no total it would be that number as
    often as a row has one of that size, and two rows have the same, or one of all values that there are.  Tried is
    what all numbers of these rows together make likely: of all candidates less than one comes to that by chance.

    :param whole: places of the partitions of which no row is missing
    :param uncounted: columns whose numbers count nothing, or must not be kept
    :param hidden: columns of which no value may be named or grouped by
    """
    numbers = [name for name in rows.numbers if name not in uncounted and name not in hidden][:MOST_NUMBERS]
    chosen = _newest(rows, whole)
    if not numbers or not len(chosen):
        return []
    groups = list(_groups(rows, chosen, numbers, hidden))
    labels = [name for place, name in enumerate(rows.names) if rows.tellable[place] and name not in hidden]
    values = max(1, sum(int(rows.widths[rows.names.index(name)]) + 1 for name in labels))
    found, known = list[Mined](), dict[str, list[Codes]]()
    for added in groups:
        for place, number in enumerate(numbers):
            for one, marked in _of(rows, added, labels, number, added.numbers[:, place]):
                # A row is a total once, whatever its groups and marks are called: of fewer rows, the rest are zeros.
                totals = known.setdefault(number, [])
                if not any(np.isin(marked, other).all() for other in totals):
                    totals.append(marked)
                    found.append(one)
                    break
    ways = Counter(len(added.by) for added in groups)
    return _believed(found, {size: math.log(len(numbers) * number * values) for size, number in ways.items()})


def _believed(found: Sequence[Mined], allowed: Mapping[int, float]) -> list[Mined]:
    """Those that all numbers of their rows speak for, with what is left of their own evidence.

    :param found: with all that speaks for each
    :param allowed: logarithm of the number of candidates, by how many columns their rows are put together
    """
    together: dict[tuple[str, str, tuple[str, ...]], float] = defaultdict(float)
    left = list[Mined]()
    totals = [(one, one.relation) for one in found if isinstance(one.relation, Total)]
    for one, total in totals:
        together[total.column, total.value, total.by] += one.surprise
    for one, total in totals:
        if together[total.column, total.value, total.by] >= allowed[len(total.by)]:
            surprise = one.surprise - allowed[len(total.by)] + math.log(FALSE_DISCOVERIES)
            left.append(replace(one, surprise=round(surprise, 1)))
    return sorted(left, key=lambda one: -one.surprise)[:MOST]


def _newest(rows: Coded, whole: Sequence[int]) -> Codes:
    """The rows of the newest partitions that are complete."""
    taken, left = list[int](), MOST_ROWS
    for part in sorted(whole, reverse=True):
        left -= rows.sizes[part]
        if left < 0:
            break
        taken.append(part)
    return np.flatnonzero(np.isin(rows.part, taken))


def _groups(rows: Coded, chosen: Codes, numbers: Sequence[str], hidden: Collection[str]) -> Iterator[_Added]:
    """All rows of each partition, those that agree in a column, and in two; texts before numbers."""
    able = [
        name
        for place, name in enumerate(rows.names)
        if rows.tellable[place] and name not in hidden and 0.0 < rows.agreement[place] < 1.0
    ]
    able.sort(key=lambda name: name in rows.numbers)
    values = np.nan_to_num(np.column_stack([rows.numbers[name][chosen] for name in numbers]), posinf=0.0, neginf=0.0)
    codes, known = rows.codes[chosen], set[bytes]()
    for size in (0, 1, 2):
        for by in combinations(able[:MOST_GROUPING], size):
            places = [rows.names.index(name) for name in by]
            there = np.flatnonzero((codes[:, places] != MISSING).all(axis=1))
            together = rows.part[chosen][there].astype(np.int64)
            for at in places:
                together = together * int(rows.widths[at]) + codes[there, at]
            group = _numbered(together)
            one = _Added(by, chosen[there], group, values[there])
            # What is said by a code is said by its name as well.
            key = np.where(one.several, group, MISSING).tobytes() + there.tobytes()
            if one.several.any() and key not in known:
                known.add(key)
                yield one


def _numbered(codes: Codes) -> Codes:
    """One number for each different code, in the order of their first ones."""
    _, first, group = np.unique(codes, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[group], np.int64)


def _of(
    rows: Coded, added: _Added, labels: Sequence[str], number: str, values: Floats
) -> Iterator[tuple[Mined, NDArray[np.int64]]]:
    """What may be the totals of a number, by each column that marks them, with the places of these rows."""
    others = added.summed(values)
    asked = added.several & np.isfinite(rows.numbers[number][added.rows]) & ((values != 0.0) | (others != 0.0))
    adds_up = asked & ~differ(values, others)
    if not adds_up.any():
        return
    says = asked & (added.summed((values != 0.0).astype(np.float64)) >= LEAST_ADDED)
    for missing in (False, True):
        for name in labels:
            if name == number or name in added.by or (name not in rows.values and not missing):
                continue
            codes = rows.codes[added.rows, rows.names.index(name)]
            code = MISSING if missing else _usual(codes[adds_up])
            marked = codes == code
            if (code == MISSING and not missing) or np.bincount(added.group[marked], minlength=1).max() != 1:
                continue
            chances, broken = np.unique(values[marked & says & adds_up]), int((marked & asked & ~adds_up).sum())
            value = "" if missing else str(rows.values[name][code].as_py())
            if len(chances) and broken <= USUAL_SHARE * int((marked & asked).sum()) and len(value) <= LONGEST:
                alike = float(rows.agreement[rows.names.index(number)])
                relation, evidence = Total(name, value, number, added.by), _evidence(values, chances, alike)
                yield Mined(relation, len(chances), broken, evidence), added.rows[marked & asked]


def _evidence(values: Floats, totals: Floats, alike: float) -> float:
    """How seldom rows have such numbers by chance, as a power of e.

    :param alike: how likely two rows have the same number
    """
    sizes = np.sort(np.abs(values))
    as_large = 1.0 - np.searchsorted(sizes, np.abs(totals) / 2) / len(sizes)
    return float(-np.log(as_large * max(alike, 1.0 / (1 + len(np.unique(values))))).sum())


def _usual(codes: NDArray[np.int32]) -> int:
    """The code that most of the rows have that have any."""
    known = codes[codes != MISSING]
    return int(np.bincount(known).argmax()) if len(known) else MISSING

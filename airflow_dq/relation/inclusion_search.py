"""Which columns may have values of others alone, in a sample of rows of several partitions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airflow_dq.relation.belief import LARGEST_LASTING, surprise
from airflow_dq.relation.coded import Coded
from airflow_dq.relation.found import Mined
from airflow_dq.relation.inclusion import Inclusion

MOST_COLUMNS = 40
"""Columns of texts, and as many of whole numbers, of which pairs are tried: 3,200 in half a second."""
MOST = 10
"""Inclusions of one table that are watched."""
FEWEST_VALUES = 5
"""Different values that a column must have in a partition: fewer are found anywhere."""
PROBES = 64
"""Values of a column that are looked for first."""
_LEAST = 0.9
"""Share of them that must be found."""
Values = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class _Domain:
    """The values of a column in one partition."""

    values: Values
    """Hashes, ascending, each once."""
    unseen: float
    """How likely another value of it would be a new one: the share of values that came once (Good and Turing)."""
    low: float
    high: float
    """The range of numbers; NaN of texts."""

    @classmethod
    def of(cls, hashes: Values, numbers: NDArray[np.float64] | None) -> _Domain:
        """By the values of its rows; those that are missing left out."""
        values, counts = np.unique(hashes, return_counts=True)
        unseen = float((counts == 1).sum() / max(1, counts.sum()))
        if numbers is None or not len(numbers):
            return cls(values, unseen, np.nan, np.nan)
        return cls(values, unseen, float(numbers.min()), float(numbers.max()))

    def holds(self, values: Values) -> NDArray[np.bool_]:
        """Which of some values it has."""
        if not len(self.values):
            return np.zeros(len(values), np.bool_)
        places = np.minimum(np.searchsorted(self.values, values), len(self.values) - 1)
        return np.asarray(self.values[places] == values)

    def by_chance(self, other: _Domain) -> float:
        """How likely a value of another column would not be among these: were it drawn as they are, or in the range."""
        spread = max(self.high, other.high) - min(self.low, other.low) + 1.0
        sparse = 1.0 if np.isnan(spread) else max(0.0, 1.0 - len(self.values) / spread)
        return min(self.unseen, sparse)


def find_inclusions(rows: Coded, stands: Mapping[int, int], uncounted: Collection[str] = ()) -> list[Mined]:
    """The inclusions that chance does not explain, the surest first, without what follows from two others.

    A chance to break one is a different value.  It counts by how often it would not be found: a domain of which
    all values are there again and again includes whatever is of it.

    :param stands: of columns that determine each other, the one that stands for all
    :param uncounted: columns whose numbers name nothing, such as moments
    """
    found: dict[tuple[str, str, bool], Mined] = {}
    for numeric in (False, True):
        names = [
            name
            for place, name in enumerate(rows.names)
            if rows.tellable[place] and name in (rows.numbers if numeric else rows.texts)
            if stands.get(place, place) == place and not (numeric and name in uncounted)
        ][:MOST_COLUMNS]
        domains = {name: _domains(rows, name) for name in names}
        for one in _all(rows, names, domains):
            relation = one.relation
            assert isinstance(relation, Inclusion)
            found[relation.column, relation.other, relation.lasting] = one
    kept = [one for key, one in found.items() if not _follows(*key, found)]
    return sorted(kept, key=lambda one: (one.broken / one.rows, -one.surprise))[:MOST]


def _all(rows: Coded, names: Sequence[str], domains: dict[str, list[_Domain]]) -> Iterator[Mined]:
    candidates = max(1, 2 * len(names) ** 2)
    for column in names:
        own = domains[column]
        if max(len(one.values) for one in own) < FEWEST_VALUES:
            continue
        for other in names:
            if other != column:
                pairs = list(zip(own, domains[other], strict=True))
                believed = _believed(Inclusion(column, other, lasting=False), pairs, candidates)
                yield from (one for one in believed if not _is_copy(rows, column, other))
        pairs = list(zip(own[1:], own, strict=False))
        yield from _believed(Inclusion(column, column, lasting=True), pairs, candidates)


def _believed(relation: Inclusion, pairs: Sequence[tuple[_Domain, _Domain]], candidates: int) -> Iterator[Mined]:
    """The inclusion, if enough of the values of each partition could have broken it and did not."""
    if not pairs:
        return
    probes = pairs[0][1].holds(pairs[0][0].values[:PROBES])
    if len(probes) and probes.mean() < _LEAST:
        return
    by_chance = [other.by_chance(own) for own, other in pairs]
    values = sum(len(own.values) for own, _ in pairs)
    broken = sum(int((~other.holds(own.values)).sum()) for own, other in pairs)
    # A value that comes again in the next partition is no more evidence.
    different = len(np.unique(np.concatenate([own.values for own, _ in pairs])))
    odd = round(different * broken / max(1, values))
    sure = surprise(odd, different, float(np.mean(by_chance)), candidates, LARGEST_LASTING)
    if sure is not None:
        yield Mined(relation, values, broken, sure)


def _domains(rows: Coded, name: str) -> list[_Domain]:
    """Its values in each partition."""
    hashes, numbers = rows.identity(name), rows.numbers.get(name)
    known = hashes != 0
    found = []
    for part in range(len(rows.sizes)):
        own = known & (rows.part == part)
        found.append(_Domain.of(hashes[own], None if numbers is None else numbers[own]))
    return found


def _is_copy(rows: Coded, column: str, other: str) -> bool:
    """Whether both say the same in nearly every row: each row says so by itself."""
    left, right = rows.identity(column), rows.identity(other)
    return bool(np.mean(left == right) > _LEAST)


def _follows(column: str, other: str, lasting: bool, found: dict[tuple[str, str, bool], Mined]) -> bool:
    """Whether a third column stands between."""
    if lasting:
        return False
    between = [middle for first, middle, long in found if first == column and not long and middle != other]
    return any((middle, other, False) in found and (middle, column, False) not in found for middle in between)

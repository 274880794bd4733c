"""Functional dependencies on two columns together, where neither of them determines the third by itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from airflow_dq.relation.belief import LARGEST_LASTING, LARGEST_SHARE, may_hold, surprise
from airflow_dq.relation.coded import MISSING, Coded
from airflow_dq.relation.dependency import Dependency
from airflow_dq.relation.dependency_search import (
    FEWEST_VALUES,
    Edge,
    Pairs,
    Tally,
    agreeing_pairs,
    holds_inside,
    stand_ins,
)
from airflow_dq.relation.found import Mined

MOST_PARTS = 20
"""Columns of which pairs are tried, the first ones: 190 pairs, which take half a second."""
MOST_ROWS = 20_000
"""Rows by which they are tried: what two columns determine comes again in a few hundred of them, or is not believed."""
MOST_PAIRS = 5_000
"""Pairs of rows that are compared of each: 200 that never differ are enough evidence among all candidates."""
MOST = 10
"""Such dependencies of one table that are watched."""
CONSTANT = 0.9
"""A column of which two rows agree so often tells no rows apart."""
MOST_DISTINCT = 0.5
"""Different values, as a share of the rows, of a column that names things: what has more is a moment or a measurement,
and agrees with itself only where nothing has happened since."""
_FITTED = 1_000
"""Rows by which arithmetic is told from a dependency."""
_EXACT = 1e-6
"""Of the largest value: what is off by less is computed."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A dependency on two columns, by their places."""

    parts: tuple[int, int]
    dependent: int
    lasting: bool
    chances: int
    broken: int
    surprise: float


def find_composites(rows: Coded, edges: Mapping[tuple[int, int], Edge], uncounted: Collection[str] = ()) -> list[Mined]:
    """The dependencies on two columns that do not follow from those on one, the surest first.

    A chance to break one is a pair of rows that agree in both columns.  It counts by how often rows that agree in one
    of them alone differ in the dependent: what one column says already, two do not say.

    :param edges: the dependencies on one column
    :param uncounted: numbers that name nothing together with another column: a place that has not reported since is
        the same, until it has
    """
    search = _Search(rows.thinned(MOST_ROWS), edges, uncounted)
    found = list(search.believed())
    kept = [one for one in found if not search.follows(one, found)]
    kept.sort(key=lambda one: (one.broken / one.chances, -one.chances))
    return [search.mined(one) for one in kept[:MOST]]


@dataclass(slots=True)
class _Search:
    """One table on its way."""

    rows: Coded
    edges: Mapping[tuple[int, int], Edge]
    uncounted: Collection[str]
    parts: list[int] = field(init=False)
    """Columns that may determine something together with another one."""

    def __post_init__(self) -> None:
        stands = stand_ins(self.edges)
        able = zip(self.rows.names, self.rows.tellable, self.rows.agreement, strict=True)
        self.parts = [
            place
            for place, (name, tellable, agreement) in enumerate(able)
            if tellable and agreement < CONSTANT and stands.get(place, place) == place
            if not (name in self.uncounted and name in self.rows.numbers)
            if self.rows.widths[place] <= MOST_DISTINCT * len(self.rows.part)
        ][:MOST_PARTS]

    def believed(self) -> Iterator[_Found]:
        """All that chance does not explain."""
        codes = {place: self.rows.codes[:, place].astype(np.int64) for place in self.parts}
        alone = {place: self._tallies(one, agreeing_pairs(self.rows, one, MOST_PAIRS)) for place, one in codes.items()}
        shares = {place: [tally.shares for tally in tallies] for place, tallies in alone.items()}
        for left, right in combinations(self.parts, 2):
            if (left, right) in self.edges or (right, left) in self.edges:
                continue  # together they are as one of them
            both = np.where(
                (codes[left] == MISSING) | (codes[right] == MISSING),
                MISSING,
                codes[left] * self.rows.widths[right] + codes[right],
            )
            pairs = agreeing_pairs(self.rows, both, MOST_PAIRS)
            tallies = self._tallies(both, pairs)
            by_chance = [np.minimum(*both) for both in zip(shares[left], shares[right], strict=True)]
            for dependent in self._dependents(left, right, tallies, by_chance):
                chances = [float(one[dependent]) for one in by_chance]
                found = self._tried((left, right), dependent, pairs, tallies, chances)
                if found is not None:
                    yield found

    def _tallies(self, codes: NDArray[np.int64], pairs: Sequence[Pairs]) -> tuple[Tally, Tally]:
        outer, inner = pairs
        return Tally.of(self.rows, codes, outer), Tally.of(self.rows, codes, inner)

    def _dependents(
        self, left: int, right: int, tallies: Sequence[Tally], by_chance: Sequence[NDArray[np.float64]]
    ) -> Iterator[int]:
        """The columns that may depend on two others: nearly all are told at once that do not."""
        outer, inner = (may_hold(one.shares, chance) for one, chance in zip(tallies, by_chance, strict=True))
        for place in np.flatnonzero((outer | inner) & (self.rows.agreement < CONSTANT)).tolist():
            known = (left, place) in self.edges or (right, place) in self.edges
            if place not in (left, right) and not known:
                yield place

    def _tried(
        self,
        parts: tuple[int, int],
        dependent: int,
        pairs: Sequence[Pairs],
        tallies: tuple[Tally, Tally],
        chances: Sequence[float],
    ) -> _Found | None:
        """The dependency of a column on two others: across partitions where it lasts, else within them."""
        columns = len(self.rows.names)
        candidates = max(1, len(self.parts) * (len(self.parts) - 1) * columns)
        for place, (lasting, largest) in enumerate(((True, LARGEST_LASTING), (False, LARGEST_SHARE))):
            tally = tallies[place]
            number, odd = int(tally.chances[dependent]), int(tally.broken[dependent])
            if tally.values < FEWEST_VALUES or surprise(odd, number, chances[place], candidates, largest) is None:
                continue
            if lasting and not holds_inside(tallies[1], dependent):
                continue
            # Once more by the very rows: those that come again may be the ones of which one column says enough.
            by_chance = min(self._differing(part, dependent, pairs[place][0]) for part in parts)
            sure = surprise(odd, number, by_chance, candidates, largest)
            if sure is not None and not self._is_computed((*parts, dependent)):
                return _Found(parts, dependent, lasting, number, odd, sure)
        return None

    def _differing(self, part: int, dependent: int, places: NDArray[np.int64]) -> float:
        """How often other rows with the same value of one column differ in the dependent from these."""
        own, other = (self.rows.codes[:, place].astype(np.int64) for place in (part, dependent))
        known = (own != MISSING) & (other != MISSING)
        _, cell, alike = np.unique(own * self.rows.widths[dependent] + other, return_inverse=True, return_counts=True)
        size = np.bincount(own[known], minlength=int(self.rows.widths[part]))[own[places]]
        among = size > 1
        if not known[places].any() or not among.any():
            return 0.0
        return float(np.mean(1.0 - (alike[cell[places]][among] - 1) / (size[among] - 1)))

    def _is_computed(self, places: tuple[int, int, int]) -> bool:
        """Whether the third of three numbers is a sum or a product of the others: rows say so by themselves."""
        names = [self.rows.names[place] for place in places]
        if not all(name in self.rows.numbers for name in names):
            return False
        table = np.column_stack([self.rows.numbers[name] for name in names])
        left, right, result = table[np.isfinite(table).all(axis=1)][:_FITTED].T
        terms = np.column_stack([np.ones_like(left), left, right, left * right])
        scale = np.maximum(np.abs(terms).max(axis=0), 1.0)
        factors, *_ = np.linalg.lstsq(terms / scale, result, rcond=None)
        off = np.abs(terms / scale @ factors - result)
        return bool(np.mean(off > _EXACT * max(1.0, float(np.abs(result).max()))) < 0.05)

    def follows(self, one: _Found, found: Sequence[_Found]) -> bool:
        """Whether others say as much: of fewer values, or by a column that stands between."""
        for other in found:
            if other is one or other.lasting < one.lasting:
                continue
            if other.dependent == one.dependent and self._is_coarser(other.parts, one.parts):
                return True
            step = self.edges.get((other.dependent, one.dependent))
            back = (one.dependent, other.dependent) in self.edges and one.dependent < other.dependent
            if other.parts == one.parts and step is not None and step.lasting >= one.lasting and not back:
                return True
        return False

    def _is_coarser(self, some: tuple[int, int], parts: tuple[int, int]) -> bool:
        """Whether each of some columns follows from one of the parts, which are not the same."""
        return some != parts and all(one in parts or any((part, one) in self.edges for part in parts) for one in some)

    def mined(self, one: _Found) -> Mined:
        """By names."""
        parts = tuple(self.rows.names[place] for place in one.parts)
        relation = Dependency(parts, self.rows.names[one.dependent], one.lasting)
        return Mined(relation, one.chances, one.broken, one.surprise)

"""Functional dependencies of a sample of rows, within partitions and across them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airflow_dq.relation.belief import LARGEST_LASTING, LARGEST_SHARE, USUAL_SHARE, may_hold, shares_of, surprise
from airflow_dq.relation.coded import MISSING, Coded, Codes
from airflow_dq.relation.dependency import Dependency
from airflow_dq.relation.found import Mined

MOST_PAIRS = 20_000
"""Pairs of rows with one determinant that are compared: enough to tell one break in a thousand from none."""
FEWEST_VALUES = 3
"""Determinants with more than one row: fewer tell of themselves alone."""
MOST = 40
"""Dependencies of one table that are watched: each is counted in every scan."""


Pairs = tuple[Codes, Codes]
"""Places of the first and of the second row of each pair."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A dependency of two columns, by their places."""

    determinant: int
    dependent: int
    lasting: bool
    chances: int
    broken: int
    surprise: float


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What pairs of rows that agree in a determinant say of each column."""

    chances: NDArray[np.int64]
    """Pairs in which both values are known."""
    broken: NDArray[np.int64]
    """Of these, those in which they differ."""
    values: int
    """How many values of the determinant the pairs have."""

    @classmethod
    def of(cls, rows: Coded, codes: NDArray[np.int64], pairs: Pairs) -> Tally:
        """Compare the two rows of each pair.

        :param codes: of the determinant
        """
        one, other = rows.codes[pairs[0]], rows.codes[pairs[1]]
        known = (one != MISSING) & (other != MISSING)
        return cls(known.sum(axis=0), (known & (one != other)).sum(axis=0), len(np.unique(codes[pairs[0]])))

    @property
    def shares(self) -> NDArray[np.float64]:
        """How often a pair breaks it; always where there is none, for then every two rows differ in the determinant."""
        return shares_of(self.broken, self.chances)


def find_edges(rows: Coded) -> dict[tuple[int, int], Edge]:
    """All dependencies on one column that are believed, by their places.

    A determinant with a value of its own in every row has no pair of rows that could break anything, so keys are left
    out by themselves; across partitions they have such pairs, and are not.
    """
    return {(one.determinant, one.dependent): one for one in _edges(rows)}


def find_dependencies(rows: Coded, edges: Mapping[tuple[int, int], Edge]) -> list[Mined]:
    """The dependencies that are worth watching, the surest first: none that others imply."""
    kept = sorted(_reduced(edges), key=lambda one: (one.broken / one.chances, -one.chances))
    return [_mined(rows, one) for one in kept[:MOST]]


def _mined(rows: Coded, edge: Edge) -> Mined:
    relation = Dependency((rows.names[edge.determinant],), rows.names[edge.dependent], edge.lasting)
    return Mined(relation, edge.chances, edge.broken, edge.surprise)


def _edges(rows: Coded) -> Iterable[Edge]:
    """All that are believed."""
    columns = len(rows.names)
    candidates = max(1, 2 * columns * (columns - 1))
    # What always has one value within a partition, such as its date, depends on nothing there.
    by_chance = [1.0 - np.maximum(one, rows.agreement) for one in (rows.lasting_agreement, rows.agreement)]
    for determinant in range(columns):
        if not rows.tellable[determinant]:
            continue
        codes = rows.codes[:, determinant].astype(np.int64)
        tallies = [Tally.of(rows, codes, pairs) for pairs in agreeing_pairs(rows, codes)]
        seldom = [may_hold(one.shares, chance) for one, chance in zip(tallies, by_chance, strict=True)]
        for dependent in np.flatnonzero(seldom[0] | seldom[1]).tolist():
            if dependent == determinant:
                continue
            chances = [float(one[dependent]) for one in by_chance]
            edge = _believed(determinant, dependent, tallies, chances, candidates)
            if edge is not None:
                yield edge


def _believed(
    determinant: int, dependent: int, tallies: Sequence[Tally], by_chance: Sequence[float], candidates: int
) -> Edge | None:
    """The dependency of two columns: across partitions where it lasts, else within them."""
    for lasting, tally, chance, largest in zip(
        (True, False), tallies, by_chance, (LARGEST_LASTING, LARGEST_SHARE), strict=True
    ):
        number, odd = int(tally.chances[dependent]), int(tally.broken[dependent])
        sure = surprise(odd, number, chance, candidates, largest) if tally.values >= FEWEST_VALUES else None
        if sure is not None and (not lasting or holds_inside(tallies[1], dependent)):
            return Edge(determinant, dependent, lasting, number, odd, sure)
    return None


def holds_inside(inner: Tally, dependent: int) -> bool:
    """Whether no partition by itself speaks against it."""
    return bool(inner.broken[dependent] <= USUAL_SHARE * inner.chances[dependent])


def agreeing_pairs(rows: Coded, codes: NDArray[np.int64], most: int = MOST_PAIRS) -> tuple[Pairs, Pairs]:
    """Rows next to each other among those of one value, by partition: each pair could break a dependency on it.

    :param codes: of each row its value; :data:`MISSING` where it has none
    :return: those of different partitions, and those of one
    """
    order = np.argsort(codes * len(rows.sizes) + rows.part)
    order = order[np.searchsorted(codes[order], 0) :]  # those without a value are the first
    same = np.flatnonzero(codes[order[1:]] == codes[order[:-1]])
    if len(same) > most:
        same = np.random.default_rng(0).choice(same, most, replace=False)
    first, second = order[same], order[same + 1]
    within = rows.part[first] == rows.part[second]
    return (first[~within], second[~within]), (first[within], second[within])


def stand_ins(edges: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Of each column the first one of those that determine it and that it determines: it stands for all of them."""
    known = set(edges)
    stands = {place: place for edge in known for place in edge}
    for left, right in sorted(known):
        if (right, left) in known:
            stands[right] = min(stands[right], stands[left])
    return stands


def _reduced(edges: Mapping[tuple[int, int], Edge]) -> list[Edge]:
    """Without what follows from others: one column stands for all that determine each other."""
    stands, kept = stand_ins(edges), []
    for (left, right), edge in edges.items():
        if stands[left] == stands[right]:
            if stands[left] in (left, right):
                kept.append(edge)
        elif stands[left] == left and stands[right] == right and not _follows(edges, stands, edge):
            kept.append(edge)
    return kept


def _follows(edges: Mapping[tuple[int, int], Edge], stands: Mapping[int, int], edge: Edge) -> bool:
    """Whether a third column stands between the two, with dependencies that say as much."""
    for middle in set(stands.values()) - {edge.determinant, edge.dependent}:
        before, after = edges.get((edge.determinant, middle)), edges.get((middle, edge.dependent))
        if before and after and before.lasting >= edge.lasting and after.lasting >= edge.lasting:
            return True
    return False

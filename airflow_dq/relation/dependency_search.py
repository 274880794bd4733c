"""Functional dependencies of a sample of rows, within partitions and across them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airflow_dq.relation.belief import LARGEST_LASTING, LARGEST_SHARE, USUAL_SHARE, surprise
from airflow_dq.relation.coded import MISSING, Coded, Codes
from airflow_dq.relation.dependency import Dependency
from airflow_dq.relation.found import Mined

MOST_PAIRS = 20_000
"""Pairs of rows with one determinant that are compared: enough to tell one break in a thousand from none."""
FEWEST_VALUES = 3
"""Determinants with more than one row: fewer tell of themselves alone."""
MOST = 40
"""Dependencies of one table that are watched: each is counted in every scan."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A dependency of two columns, by their places."""

    determinant: int
    dependent: int
    lasting: bool
    chances: int
    broken: int
    surprise: float


def find_dependencies(rows: Coded) -> list[Mined]:
    """The dependencies that are worth watching, the surest first: none that others imply.

    A determinant with a value of its own in every row has no pair of rows that could break anything, so keys are left
    out by themselves; across partitions they have such pairs, and are not.
    """
    edges = {(one.determinant, one.dependent): one for one in _edges(rows)}
    kept = sorted(_reduced(edges), key=lambda one: (one.broken / one.chances, -one.chances))
    return [_mined(rows, one) for one in kept[:MOST]]


def _mined(rows: Coded, edge: Edge) -> Mined:
    relation = Dependency((rows.names[edge.determinant],), rows.names[edge.dependent], edge.lasting)
    return Mined(relation, edge.chances, edge.broken, edge.surprise)


def _edges(rows: Coded) -> Iterable[Edge]:
    """All that are believed."""
    columns = len(rows.names)
    candidates = max(1, 2 * columns * (columns - 1))
    for determinant in range(columns):
        if not rows.tellable[determinant]:
            continue
        first, second = _pairs(rows, rows.codes[:, determinant])
        within = rows.part[first] == rows.part[second]
        inner = _counted(rows, determinant, first[within], second[within])
        outer = _counted(rows, determinant, first[~within], second[~within])
        for dependent in range(columns):
            if dependent == determinant:
                continue
            edge = _believed(rows, determinant, dependent, inner, outer, candidates)
            if edge is not None:
                yield edge


Counted = tuple[NDArray[np.int64], NDArray[np.int64], int]
"""Of each column the pairs in which both values are known, and those in which they differ; and how many values of the
determinant the pairs have."""


def _believed(
    rows: Coded, determinant: int, dependent: int, inner: Counted, outer: Counted, candidates: int
) -> Edge | None:
    """The dependency of two columns: across partitions where it lasts, else within them."""
    for lasting, (chances, broken, values), agreement, largest in (
        (True, outer, rows.lasting_agreement, LARGEST_LASTING),
        (False, inner, rows.agreement, LARGEST_SHARE),
    ):
        number, odd = int(chances[dependent]), int(broken[dependent])
        # What always has one value within a partition, such as its date, depends on nothing there.
        by_chance = 1.0 - float(max(agreement[dependent], rows.agreement[dependent]))
        sure = surprise(odd, number, by_chance, candidates, largest) if values >= FEWEST_VALUES else None
        if sure is not None and (not lasting or _holds_inside(inner, dependent)):
            return Edge(determinant, dependent, lasting, number, odd, sure)
    return None


def _holds_inside(inner: Counted, dependent: int) -> bool:
    """Whether no partition by itself speaks against it."""
    chances, broken, _ = inner
    return bool(broken[dependent] <= USUAL_SHARE * chances[dependent])


def _pairs(rows: Coded, codes: NDArray[np.int32]) -> tuple[Codes, Codes]:
    """Rows next to each other among those of one value, by partition: each pair could break a dependency on it."""
    order = np.argsort(codes.astype(np.int64) * len(rows.sizes) + rows.part)
    order = order[np.searchsorted(codes[order], 0) :]  # those without a value are the first
    same = np.flatnonzero(codes[order[1:]] == codes[order[:-1]])
    if len(same) > MOST_PAIRS:
        same = np.random.default_rng(0).choice(same, MOST_PAIRS, replace=False)
    return order[same], order[same + 1]


def _counted(rows: Coded, determinant: int, first: Codes, second: Codes) -> Counted:
    one, other = rows.codes[first], rows.codes[second]
    known = (one != MISSING) & (other != MISSING)
    return known.sum(axis=0), (known & (one != other)).sum(axis=0), len(np.unique(one[:, determinant]))


def _reduced(edges: Mapping[tuple[int, int], Edge]) -> list[Edge]:
    """Without what follows from others: one column stands for all that determine each other."""
    stands = {place: place for edge in edges for place in edge}
    for left, right in sorted(edges):
        if (right, left) in edges:
            stands[right] = min(stands[right], stands[left])
    kept = []
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

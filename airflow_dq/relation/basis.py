"""What follows from what: of relations that say the same together only as many are kept as say it."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from airflow_dq.relation.arithmetic import Arithmetic, Equal, Linear, Product
from airflow_dq.relation.base import Relation
from airflow_dq.relation.chance import coefficients

_ZERO = 1e-7
"""What is left of a row of coefficients that follows from others: rounding."""
_ZERO_OF_FACTOR = 1e-4
"""The same where a factor was read off numbers that are rounded."""


class Basis:
    """Equations that follow from none of the others: sums as they are, products by their logarithms."""

    def __init__(self, names: list[str]) -> None:
        """Begin without an equation.

        :param names: all columns that there are equations of
        """
        self._places = {name: place for place, name in enumerate(names)}
        self._sums: list[NDArray[np.float64]] = []
        self._products: list[NDArray[np.float64]] = []

    def follows(self, relation: Relation) -> bool:
        """Whether it is said already by those that were added."""
        zero = _ZERO_OF_FACTOR if isinstance(relation, Linear) and relation.tolerance else _ZERO
        return any(not np.any(_rest(row, known, zero)) for row, known in self._forms(relation))

    def add(self, relation: Relation) -> None:
        """Take an equation in."""
        for row, known in self._forms(relation):
            rest = _rest(row, known, _ZERO)
            if np.any(rest):
                known.append(rest / rest[np.argmax(np.abs(rest))])

    def _forms(self, relation: Relation) -> list[tuple[NDArray[np.float64], list[NDArray[np.float64]]]]:
        """The relation as a row of coefficients, and those of its kind that are known."""
        if isinstance(relation, Equal):
            row = self._row({relation.left: 1.0, relation.right: -1.0}, 0.0)
            return [(row, self._sums), (row, self._products)]
        if isinstance(relation, Product):
            powers = dict.fromkeys(relation.factors, -1.0)
            return [(self._row({relation.product: 1.0, **powers}, 0.0), self._products)]
        if not isinstance(relation, Arithmetic):
            return []
        factors, constant = coefficients(relation)
        forms = [(self._row(dict(zip(relation.columns, factors, strict=True)), constant), self._sums)]
        if isinstance(relation, Linear) and not relation.constant:
            powers = {relation.left: 1.0, relation.right: -1.0}
            forms.append((self._row(powers, math.log(abs(relation.factor))), self._products))
        return forms

    def _row(self, factors: Mapping[str, float], constant: float) -> NDArray[np.float64]:
        row = np.zeros(len(self._places) + 1)
        for name, factor in factors.items():
            row[self._places[name]] = factor
        row[-1] = constant
        return row / float(np.abs(row[:-1]).max())


def _rest(row: NDArray[np.float64], known: list[NDArray[np.float64]], zero: float) -> NDArray[np.float64]:
    """What is left of a row when the known ones are taken off (Gauss)."""
    rest = row.copy()
    for one in known:
        rest = rest - rest[np.argmax(np.abs(one))] * one
    # The constant is in the unit of the columns, and may be any number of times as large as a factor.
    sizes = np.ones(len(row))
    sizes[-1] = max(1.0, abs(row[-1]))
    rest[np.abs(rest) < zero * sizes] = 0.0
    return rest


def reduced(edges: Mapping[tuple[str, str], float]) -> list[tuple[str, str]]:
    """The pairs of a transitive relation that do not follow from two others: ``a <= c`` where ``a <= b <= c``.

    :param edges: of each pair its weight; of two that follow from one another the heavier one stays
    """
    kept = dict(sorted(edges.items(), key=lambda one: one[1]))
    after: dict[str, set[str]] = {}
    for first, second in kept:
        after.setdefault(first, set()).add(second)
    for first, second in list(kept):
        others = after[first] - {second}
        if any(second in after.get(other, ()) for other in others):
            after[first].discard(second)
            del kept[first, second]
    return sorted(kept, key=lambda one: -kept[one])

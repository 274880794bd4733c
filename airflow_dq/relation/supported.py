"""How sure it is that a relation holds, by the chances that its rows had to break it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from airflow_dq.relation.dependency import RowsRelation

FALSE_DISCOVERIES = 0.001
"""Bound on the chance that any of all candidates is believed without cause.  The share of false discoveries that a
user sees is larger, for tables have relations that hold for now; 2 % is what is allowed in all."""
LARGEST_SHARE = 0.1
"""A relation that one chance in ten breaks is none.  Whether it is broken more seldom has to be shown: by 140 chances
when none of them does, among a thousand candidates."""
LARGEST_LASTING = 0.3
"""The same from one partition to the next, where each determinant has one chance however many rows it has: 40 chances
will do.  What changes more often than it seems is judged by its own history."""
USUAL_SHARE = 0.05
"""Of a relation that is believed, no larger share of the chances breaks it in the sample."""


@dataclass(frozen=True, slots=True)
class Supported:
    """A relation as the sample has shown it."""

    relation: RowsRelation
    chances: int
    """Pairs of rows that could have broken it."""
    broken: int
    """Those of them that do."""

    @property
    def share(self) -> float:
        """Share of the chances that break it."""
        return self.broken / self.chances if self.chances else 0.0


def is_believed(broken: int, chances: int, by_chance: float, candidates: int, largest: float = LARGEST_SHARE) -> bool:
    """Whether a relation is broken more seldom than it would be by chance, and seldom enough to be one.

    Chernoff's bound on the binomial tail, with Bonferroni's correction for all candidates.

    :param by_chance: how likely a chance breaks it, if there were no relation
    :param largest: share of the chances that breaks what is no relation
    """
    worst = min(by_chance, largest)
    share = broken / chances if chances else 1.0
    if share > USUAL_SHARE or share > by_chance / 4:
        return False
    return chances * divergence(share, worst) >= math.log(max(1, candidates) / FALSE_DISCOVERIES)


def divergence(seen: float, supposed: float) -> float:
    """Kullback-Leibler's of two shares, in nats; 0 unless fewer are seen than are supposed."""
    if seen >= supposed:
        return 0.0
    found = (1 - seen) * math.log((1 - seen) / (1 - supposed)) if supposed < 1 else math.inf
    return found + (seen * math.log(seen / supposed) if seen else 0.0)

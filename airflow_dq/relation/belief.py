"""How sure it is that a relation between rows holds, by the chances that they had to break it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
_MOST = 1e9
"""Powers of e beyond which nothing is surer."""


def surprise(
    broken: int, chances: int, by_chance: float, candidates: int, largest: float = LARGEST_SHARE
) -> float | None:
    """How sure it is that a relation is broken more seldom than by chance, and seldom enough to be one.

    Chernoff's bound on the binomial tail, with Bonferroni's correction for all candidates.

    :param by_chance: how likely a chance breaks it, if there were no relation
    :param largest: share of the chances that breaks what is no relation
    :return: in powers of e; None when it is not believed
    """
    share = broken / chances if chances else 1.0
    if share > min(USUAL_SHARE, by_chance / 4):
        return None
    return beyond(chances * divergence(share, min(by_chance, largest)), candidates)


def may_hold(shares: NDArray[np.float64], by_chance: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Of many relations those that are broken seldom enough for :func:`surprise` to believe any: few ever are.

    :param shares: see :func:`shares_of`
    """
    return np.asarray(shares <= np.minimum(USUAL_SHARE, by_chance / 4))


def shares_of(broken: NDArray[np.integer[Any]], chances: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Which share of its chances breaks each of many relations; 1 where there is none."""
    return np.where(chances > 0, broken / np.maximum(chances, 1), 1.0)


def beyond(evidence: float, candidates: int) -> float | None:
    """What is left of evidence, in powers of e, once all candidates have been allowed for; None when nothing is."""
    left = evidence - math.log(max(1, candidates) / FALSE_DISCOVERIES)
    return round(min(left, _MOST), 1) if left >= 0 else None


def divergence(seen: float, supposed: float) -> float:
    """Kullback-Leibler's of two shares, in nats; 0 unless fewer are seen than are supposed."""
    if seen >= supposed:
        return 0.0
    found = (1 - seen) * math.log((1 - seen) / (1 - supposed)) if supposed < 1 else math.inf
    return found + (seen * math.log(seen / supposed) if seen else 0.0)

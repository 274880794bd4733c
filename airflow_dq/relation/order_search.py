"""Which columns may be in order: numbers, or moments, of which one is never less than another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from airflow_dq.relation.arithmetic import Floats
from airflow_dq.relation.chance import log_chance, order_chance
from airflow_dq.relation.condition import Order
from airflow_dq.relation.found import Candidate
from airflow_dq.relation.sample import MOST_PAIRED, MOST_TIMES, PROBES, Rows

_LEAST = 4
"""Rows with both values that must be in order before a pair is looked at any further."""
_COMONOTONE = 0.999
"""Rank correlation from which on two columns are taken for counters of the same thing."""
_SHIFTS = (1, 17, 43, 71)
"""By so many rows one column is moved against the other, to see whether it could be less at all."""
_NEAR = 0.1
"""Share of the upper value within which the lower one must come close to it."""
_NEAR_WITHOUT_ZERO = 0.5
"""The same as a share of the usual distance, for moments and for numbers of both signs."""
_OFTEN = 0.005
"""Share of rows that come so close: two columns that never meet are of different sizes, which is no order."""


def ordered_pairs(rows: Rows, numbers: Sequence[str], times: Sequence[str]) -> Iterator[Candidate]:
    """Columns of which one is never less than the other, and would be were they independent.

    :param numbers: columns of numbers of which no two are equal
    :param times: the same of moments
    """
    few = rows.drawn(PROBES)
    for names, most, what in ((numbers, MOST_PAIRED, "order"), (times, MOST_TIMES, "order of moments")):
        chosen = rows.most(names, most, what)
        probes, values = few.matrix(chosen), rows.matrix(chosen)
        for lower in range(len(chosen)):
            for upper in _fitting(probes, lower):
                pair, of_time = (values[:, lower], values[:, upper]), names is times
                found = _ordered(chosen[lower], chosen[upper], *pair, of_time=of_time)
                if found is not None:
                    yield found


def _fitting(probes: Floats, lower: int) -> list[int]:
    """Columns that are not less than one in any of the few rows, and are when they are moved against it."""
    own = probes[:, lower, None]
    with np.errstate(invalid="ignore"):
        kept = np.count_nonzero(own <= probes, axis=0)
        broken = np.count_nonzero(own > probes, axis=0)
        moved = [np.count_nonzero(np.roll(own, shift, axis=0) > probes, axis=0) for shift in _SHIFTS]
    fits: NDArray[np.bool_] = (kept >= _LEAST) & (broken == 0) & (np.sum(moved, axis=0) > 0)
    fits[lower] = False
    return np.flatnonzero(fits).tolist()


def _ordered(lower: str, upper: str, lowers: Floats, uppers: Floats, *, of_time: bool) -> Candidate | None:
    """A pair by more rows.  One exception is one too many: sizes that differ are in order nearly always."""
    both = np.isfinite(lowers) & np.isfinite(uppers)
    low, high = lowers[both], uppers[both]
    if not len(low) or (low > high).any() or not _meet(low, high, has_zero=not of_time and low.min() >= 0.0):
        return None
    chance = order_chance(low, high)
    if _are_counters(low, high):
        # Both rise with the same thing; only neighbours say whether one could have overtaken the other.
        chance = max(chance, _chance_of_neighbours(low, high))
    return Candidate(Order(lower, upper), 0.0, chance)


def _meet(low: Floats, high: Floats, *, has_zero: bool) -> bool:
    """Whether the two come close to each other in some rows."""
    distance = high - low
    # Zero means nothing where there are numbers on both sides of it, and to moments.
    near = _NEAR * high if has_zero else np.full(len(low), _NEAR_WITHOUT_ZERO * np.median(distance))
    # Two zeros say nothing: counts of any two things have them in common.
    meets = (distance <= near) & ((high != 0.0) | (not has_zero))
    return bool(np.count_nonzero(meets) >= max(1.0, _OFTEN * len(low)))


def _are_counters(low: Floats, high: Floats) -> bool:
    ranks = np.column_stack([np.argsort(np.argsort(one, kind="stable"), kind="stable") for one in (low, high)])
    centred = ranks - ranks.mean(axis=0)
    size = float((centred**2).sum(axis=0).prod()) ** 0.5
    return bool(size > 0 and float((centred[:, 0] * centred[:, 1]).sum()) / size > _COMONOTONE)


def _chance_of_neighbours(low: Floats, high: Floats) -> float:
    """The chance by which rows keep the order when each may have the upper value of the next or the one before."""
    order = np.argsort(low, kind="stable")
    low, high = low[order], high[order]
    kept = np.mean([low <= np.roll(high, 1), low <= np.roll(high, -1)], axis=0)
    return log_chance(kept, 0)

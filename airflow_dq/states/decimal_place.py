"""How many decimal places numbers have: what a float is written with, not what it is stored as."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from airflow_dq.states.number import ALIKE, NumberDistribution

MOST = 9
"""Numbers with more decimal places than this are measured, or computed: they all count as having one more."""


def finer_share(now: NumberDistribution, before: Iterable[NumberDistribution]) -> float:
    """Share of the values with more decimal places than any of the others' has.

    All are of values that are counted one by one, and the first and one of the others have some.
    """
    return float(now.counts[decimal_places(now.values) > most_places(before)].sum() / now.total)


def most_places(distributions: Iterable[NumberDistribution]) -> int:
    """The decimal places of the number that has most of them, of numbers that are counted one by one."""
    return max(int(decimal_places(one.values).max()) for one in distributions if one.total)


def decimal_places(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The least number of decimal places that tells each finite number, up to ``MOST + 1``; 0 for whole ones."""
    places = np.full(len(values), MOST + 1)
    left = np.arange(len(values))
    for place in range(MOST + 1):
        with np.errstate(over="ignore", invalid="ignore"):
            shifted = values[left] * 10.0**place
            # A product that is no number is of one that is whole.
            whole = ~(np.abs(shifted - np.rint(shifted)) > ALIKE * np.abs(shifted))
        places[left[whole]] = place
        left = left[~whole]
        if not len(left):
            break
    return places

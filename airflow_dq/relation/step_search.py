"""Numbers of a key that are what they were in the partition right before, and their change together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from airflow_dq.relation.belief import LARGEST_LASTING, USUAL_SHARE, surprise
from airflow_dq.relation.coded import Coded, Codes
from airflow_dq.relation.dependency import Step
from airflow_dq.relation.found import Mined

MOST_NUMBERS = 60
"""Numbers of which pairs are tried, the first ones: 3,600 pairs."""
MOST = 10
"""Such relations of one table that are watched."""
MOST_ROWS = 4_000
"""Rows of a key and the one before it by which they are tried: 40 that could fail are enough."""


def find_steps(
    rows: Coded, key: tuple[str, ...], before: Codes, after: Codes, uncounted: Collection[str] = ()
) -> list[Mined]:
    """The numbers of a key whose steps stand in another column, the surest first.

    A chance to break one is a row whose number or change is not zero.  Were they independent, it would keep it as often
    as any two rows of a partition have the same change.

    :param before: rows of a key in a partition, see :func:`~airflow_dq.relation.key_search.repeated`
    :param after: of each the row in the partition right after it
    :param uncounted: columns that are none
    """
    names = [name for name in rows.numbers if name not in uncounted and name not in key][:MOST_NUMBERS]
    right_after = np.flatnonzero(rows.part[after] == rows.part[before] + 1)[:MOST_ROWS]
    if len(names) < 2 or not len(right_after):
        return []
    now, past = (
        np.column_stack([rows.numbers[name][places[right_after]] for name in names]) for places in (after, before)
    )
    found = list(_steps(rows, key, names, now, past))
    return sorted(found, key=lambda one: (one.broken / one.rows, -one.surprise))[:MOST]


def _steps(
    rows: Coded, key: tuple[str, ...], names: Sequence[str], now: NDArray[np.float64], past: NDArray[np.float64]
) -> Iterator[Mined]:
    for place, number in enumerate(names):
        step = now[:, place] - past[:, place]
        for other, change in enumerate(names):
            if other == place:
                continue
            relation = Step(key, number, change)
            asked = np.isfinite(step) & np.isfinite(now[:, other]) & ((step != 0.0) | (now[:, other] != 0.0))
            chances = int(asked.sum())
            odd = relation.is_broken(now[asked, place] - now[asked, other], past[asked, place])
            broken = int(odd.sum())
            if not chances or broken > USUAL_SHARE * chances:
                continue
            by_chance = 1.0 - float(rows.agreement[rows.names.index(change)])
            sure = surprise(broken, chances, by_chance, len(names) ** 2, LARGEST_LASTING)
            if sure is not None:
                yield Mined(relation, chances, broken, sure)

"""Texts that are new every time, with letters side by side that those before never have: typing errors, other words."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airflow_dq.explain.cause.hypothesis import Cause, hypothesis, percent
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.wording import joined, quoted
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.letter_pair import unseen_share, with_unseen

_NEW = 0.5
"""Where fewer of the values are new every time, a new value is told as such."""
_ALL = 0.9
"""Where more of them have such letters, they are written by another rule, and nobody mistyped them."""
_BEFORE = 3
"""So many partitions say which letters stand side by side: as many as the metric's."""
_SHOWN = 3
"""So many values are shown."""


@hypothesis(Kind.STRING, trust=0.8)
def misspelt(comparison: Comparison) -> Cause | None:
    """Texts with letters side by side that no text of the last partitions has."""
    known = None if comparison.hidden else comparison.one_by_one(CategoryDistribution, _BEFORE + 1)
    if known is None or comparison.usual_novelty <= _NEW:
        return None
    now, before = known
    odd = with_unseen(now, before[-_BEFORE:])
    share = float(now.counts[odd].sum() / now.total)
    # A name brings new letters on any day.
    beyond = share - unseen_share(before[-1], before[:-1])
    if beyond <= 0.0 or share > _ALL:
        return None
    shown = joined(_examples(now, odd), _SHOWN)
    words = (
        f"letters side by side that the partitions before had not in {percent(share)} of the values, such as {shown}"
    )
    fact = f"has letters side by side that the partitions before had not, such as in {shown}"
    rows = round(share * comparison.present[0])
    return Cause("misspelt", "", words, beyond / share, fact=fact, rows=rows, hit=rows)


def _examples(now: CategoryDistribution, odd: NDArray[np.bool_]) -> list[str]:
    values = now.readable.filter(pa.array(odd))
    return [quoted(value) for value in sorted(values.to_pylist())[:_SHOWN]]

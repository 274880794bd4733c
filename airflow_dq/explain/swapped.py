"""Two columns that each hold the values of the other."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from airflow_dq.explain.cause.hypothesis import Cause
from airflow_dq.explain.comparison import Comparison, sampling_noise
from airflow_dq.explain.wording import quoted
from airflow_dq.learn.distribution import total_variation

_ALIKE = 0.1
"""Largest share of values that differ between two columns of texts that are taken for one."""


def swapped(compared: Mapping[str, Comparison]) -> dict[str, Cause]:
    """The columns that hold each other's values of the partition before: that both do is no chance.

    :param compared: the columns that something was found of
    """
    found: dict[str, Cause] = {}
    for one, other in combinations(compared, 2):
        if _holds(compared[one], compared[other]) and _holds(compared[other], compared[one]):
            words = f"columns {quoted(one)} and {quoted(other)} were swapped"
            cause = Cause("swapped", words, words, 1.0, fact="are swapped", rows=compared[one].rows[0])
            found |= dict.fromkeys((one, other), cause)
    return found


def _holds(column: Comparison, other: Comparison) -> bool:
    """Whether a column's values now are distributed as another one's were, and not as its own."""
    if column.points is not None and other.points is not None and column.kind is other.kind:
        now, own, theirs = column.points[0], column.points[1], other.points[1]
        noise = max(other.usual_distance, sampling_noise(now.count, theirs.count))
        return not other.new_every_time and now.ks_distance(theirs) <= noise < own.ks_distance(theirs)
    if column.values is None or other.values is None or column.hidden:
        return False
    now_shares, own_shares, their_shares = (
        side.all_shares for side in (column.values[0], column.values[1], other.values[1])
    )
    return total_variation(now_shares, their_shares) <= _ALIKE < total_variation(own_shares, their_shares)

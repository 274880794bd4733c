"""The share of a column's values that none of the three partitions before has, from the states that are there."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_dq.metrics.evaluate import compare
from airflow_dq.metrics.registry import get_metric
from airflow_dq.novelty.feature import UNSEEN
from airflow_dq.profile.model import ColumnProfile

LIMIT = 20_000
"""Shares that a process remembers: 60 columns with a year of days, in 4 MB."""

_known: dict[tuple[str, ...], float | None] = {}


def measured_unseen(name: str, now: ColumnProfile, earlier: Sequence[ColumnProfile | None]) -> float | None:
    """The share as far as the states tell it; measured once and remembered by what the columns hold."""
    metric = get_metric(UNSEEN, now.kind)
    if metric is None or not now.states:
        return None
    key, members = metric.states[0].key, [one for one in earlier[-metric.pool :] if one is not None]
    if not members or any(key not in one.states for one in (*members, now)):
        return None
    compared = (now.fingerprint, *(one.fingerprint for one in members))
    if compared not in _known:
        states = [one.states[key].compared() for one in members]
        before = states[0] if len(states) == 1 else states[0].merged(states)
        value = compare(now.kind, now.states, {key: before}, [UNSEEN], pool=metric.pool).get(UNSEEN)
        if len(_known) >= LIMIT:
            # Another thread may have dropped it already.
            _known.pop(next(iter(_known)), None)
        _known[compared] = value if isinstance(value, float) else None
    return _known[compared]

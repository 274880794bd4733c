"""The share of a column's values that none of the three partitions before has, from the states that are there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from airflow_dq.metrics.descriptor import Metric
from airflow_dq.metrics.evaluate import compare
from airflow_dq.metrics.registry import get_metric
from airflow_dq.novelty.feature import UNSEEN
from airflow_dq.profile.model import ColumnProfile

LIMIT = 100_000
"""Shares that a process remembers: 100 columns with a thousand days, in 20 MB.  With fewer than one history has, each
of them would be measured anew for every partition."""

_known: dict[tuple[str | None, ...], float] = {}


def measured_unseen(columns: Sequence[ColumnProfile | None]) -> Sequence[float | None]:
    """The shares as far as the states tell them; each measured once and remembered by what the columns hold."""
    metric = next((get_metric(UNSEEN, one.kind) for one in columns if one is not None), None)
    if metric is None:
        return [None] * len(columns)
    prints = [None] * metric.pool + [None if one is None else one.fingerprint for one in columns]
    compared = list(zip(*(prints[place:] for place in range(metric.pool + 1)), strict=False))
    shares: list[float | None] = [_known.get(each) for each in compared]
    for place in [place for place, share in enumerate(shares) if share is None]:
        shares[place] = _measured(metric, columns[max(0, place - metric.pool) : place + 1], compared[place])
    return shares


def _measured(
    metric: Metric, columns: Sequence[ColumnProfile | None], compared: tuple[str | None, ...]
) -> float | None:
    """The share of the last of some partitions; None where states are missing, which may be there another time."""
    *earlier, now = columns
    key, members = metric.states[0].key, [one for one in earlier if one is not None]
    if now is None or not members or any(key not in one.states for one in (*members, now)):
        return None
    states = [one.states[key].compared() for one in members]
    before = states[0] if len(states) == 1 else states[0].merged(states)
    value = compare(now.kind, now.states, {key: before}, [UNSEEN], pool=metric.pool).get(UNSEEN)
    if len(_known) >= LIMIT:
        # Another thread may have dropped it already.
        _known.pop(next(iter(_known)), None)
    _known[compared] = value if isinstance(value, float) else np.nan
    return _known[compared]

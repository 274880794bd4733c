"""Numbers that end at a limit: a field that is too small, a sensor that saturates, an outlier rule that replaces."""

from __future__ import annotations

import numpy as np

from airflow_dq.explain.cause.hypothesis import Cause, fit, hypothesis, percent
from airflow_dq.explain.comparison import Comparison, sampling_noise
from airflow_dq.explain.wording import number_words
from airflow_dq.learn.distribution import QuantilePoints
from airflow_dq.states.base import Kind

_LEAST = 0.02
"""A smaller share of the values at the limit has no cause worth a name."""
_MOST = 0.9
"""Where more are at the limit, all values are one."""
_RISEN = 3.0
"""So many times as many values as before are exactly at the limit."""


@hypothesis(Kind.NUMERIC, trust=0.97)
def clipped(comparison: Comparison) -> Cause | None:
    """All that lay beyond a limit is at the limit now; the rest is distributed as before."""
    points = comparison.points
    if points is None or comparison.new_every_time:
        return None
    now, before = points
    found = []
    for side, edge in (("above", float(now.values[-1])), ("below", float(now.values[0]))):
        at, was = (float((one.values == edge).mean()) for one in (now, before))
        beyond = before.values > edge if side == "above" else before.values < edge
        if not _LEAST <= at <= _MOST or at < _RISEN * was or not beyond.any():
            continue
        limited = np.minimum(before.values, edge) if side == "above" else np.maximum(before.values, edge)
        noise = max(comparison.usual_distance, sampling_noise(now.count, before.count))
        rest = now.ks_distance(QuantilePoints(np.sort(limited), before.count))
        # A distance between distributions does not see how far the values beyond the limit were moved.
        score = fit(rest, noise, max(now.ks_distance(before), at))
        words = number_words("max", comparison.kind, [edge])[0]
        found.append(_cause(comparison, side, words, at, score))
    return max(found, key=lambda cause: cause.score, default=None)


def _cause(comparison: Comparison, side: str, edge: str, share: float, score: float) -> Cause:
    return Cause(
        "clipped",
        side,
        f"nothing is {side} {edge}, and {percent(share)} of the values are exactly that",
        score,
        fact=f"has nothing {side} {edge} and is exactly that",
        rows=round(share * comparison.present[0]),
    )

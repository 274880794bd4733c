"""Rows that were selected by the column's value: only its lower or its upper part is there."""

from __future__ import annotations

import numpy as np

from airflow_dq.explain.cause.hypothesis import Cause, fit, hypothesis, percent
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.wording import number_words, quoted
from airflow_dq.learn.distribution import QuantilePoints
from airflow_dq.states.base import Kind

_OUTSIDE = 0.05
"""Two samples of 20 values reach so far beyond each other."""
_MOST = 0.75
"""A part that is larger than this share is not remarkable."""

_BY_CHANCE = 1e-3
"""So few values that all lie in the part with a larger chance than this say nothing."""


@hypothesis(Kind.NUMERIC, Kind.TIMESTAMP, trust=0.95)
def part_of_numbers(comparison: Comparison) -> Cause | None:
    """All numbers lie in the lower or the upper part of the distribution before."""
    points = comparison.points
    if points is None or len(points[1].values) < 5 or comparison.new_every_time:
        return None
    now, before = points
    low, high = float(now.values[0]), float(now.values[-1])
    if before.values[0] == before.values[-1] or high < before.values[0] or low > before.values[-1]:
        return None
    # Values that are new every day need not be those of before.
    if now.exact and comparison.usual_novelty < 0.5 and np.isin(now.values, before.values).mean() < 0.5:
        return None
    size, moved = len(before.values), now.ks_distance(before)
    # Of times that go on from day to day each partition has the later part of the one before it.
    if moved <= comparison.usual_distance:
        return None
    found = []
    # Of a part nothing lies outside of the whole: values that go on where others ended have grown.
    outside = {"lowest": float((now.values < before.values[0]).mean())}
    outside["highest"] = float((now.values > before.values[-1]).mean())
    for side, most in (("lowest", float(before.share_up_to(high))), ("highest", float((before.values >= low).mean()))):
        edge_value = high if side == "lowest" else low
        ties = float((before.values == edge_value).mean())
        # Of the value at the edge itself only some may have arrived.
        sizes = {max(1, round(size * part)) for part in np.linspace(max(most - ties, 0.0), most, 5).tolist()}
        parts = [
            QuantilePoints(before.values[:n] if side == "lowest" else before.values[-n:], before.count) for n in sizes
        ]
        part = min(parts, key=now.ks_distance)
        share = len(part.values) / size
        if outside[side] > _OUTSIDE:
            continue
        if not 0.0 < share <= _MOST or share < 2.0 / before.count or share**now.count > _BY_CHANCE:
            continue
        score = fit(now.ks_distance(part), max(comparison.usual_distance, 2.0 / len(part.values)), moved)
        edge = number_words("max" if side == "lowest" else "min", comparison.kind, [edge_value])[0]
        bound = f"none above {edge}" if side == "lowest" else f"none below {edge}"
        words = f"only the {side} {percent(share)} of the values arrived ({bound})"
        fact = f"has only the {side} {percent(share)} of its values ({bound})"
        found.append(Cause("distribution_change", side, words, score, fact=fact))
    return max(found, key=lambda cause: cause.score, default=None)


@hypothesis(Kind.STRING, trust=0.95)
def part_of_words(comparison: Comparison) -> Cause | None:
    """All strings lie in the first or the last part of the alphabetical order before."""
    if comparison.values is None or comparison.hidden:
        return None
    now, before = comparison.values
    if not now.exact or not before.exact or len(before.all_shares) < 2:
        return None
    values = sorted(before.all_shares)
    shares = np.cumsum([before.all_shares[value] for value in values])
    first, last = min(now.all_shares), max(now.all_shares)
    found = []
    for side in ("first", "last"):
        if side == "first":
            inside = [value for value in values if value <= last]
            share = float(shares[len(inside) - 1]) if inside else 0.0
        else:
            inside = [value for value in values if value >= first]
            share = float(1.0 - (shares[len(values) - len(inside) - 1] if len(inside) < len(values) else 0.0))
        if not 0.0 < share <= _MOST or share ** comparison.present[0] > _BY_CHANCE:
            continue
        known = sum(now.all_shares.get(value, 0.0) for value in inside)
        if known < 0.9:
            continue
        edge = quoted(last if side == "first" else first)
        where = "after" if side == "first" else "before"
        words = f"only the {side} {percent(share)} of the values in alphabetical order arrived (none {where} {edge})"
        fact = f"has none of its values {where} {edge} in alphabetical order"
        found.append(Cause("distribution_change", side, words, known, fact=fact))
    return max(found, key=lambda cause: cause.score, default=None)

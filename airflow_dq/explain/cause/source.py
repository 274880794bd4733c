"""Values that belong to another column: a shifted or swapped schema."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from airflow_dq.explain.cause.hypothesis import Cause, fit, hypothesis, percent
from airflow_dq.explain.comparison import Comparison, nine_in_ten
from airflow_dq.explain.mixture import mixture
from airflow_dq.explain.wording import quoted
from airflow_dq.learn.distribution import QuantilePoints, shape, total_variation
from airflow_dq.states.base import Kind
from airflow_dq.states.pattern import PatternDistribution

_LEAST = 0.005
"""A smaller share of foreign values is no shifted schema."""
_VAGUE = 0.74
"""Factor on the score of a fit that a mixture of few numbers easily reaches by chance: too low to be named."""
_NEARLY = 0.9
"""A share above this is taken for all values, if that fits about as well."""
_FEW = 50
"""Fewer numbers have no shape to be recognized by."""
_RECURRING = 0.5
"""With less than this share of new values a day, values recur."""


@hypothesis(Kind.NUMERIC, Kind.TIMESTAMP, trust=0.88)
def numbers_of(comparison: Comparison) -> Cause | None:
    """The distribution before, mixed with that of another column."""
    if comparison.points is None:
        return None
    now, before = comparison.points
    moved, noise = now.ks_distance(before), comparison.usual_distance
    if moved <= noise:
        return None
    found = []
    for name in comparison.previous.names(comparison.kind, comparison.name):
        other = comparison.previous.quantile_points(name)
        if other is None:
            continue
        share, rest = _mixture(now, before, other)
        if share > _LEAST:
            # Any change looks a little like some mixture: where values recur, the new ones must be the other's.
            known = _membership(now, before, other) if comparison.usual_novelty < _RECURRING else None
            vague = share < 0.95 or before.count < _FEW
            belief = (_VAGUE if vague else 1.0) if known is None else known
            found.append((round(fit(rest, noise, moved) * belief, 2), -rest, share, name))
    return _named(found, comparison.present[0])


def _mixture(now: QuantilePoints, before: QuantilePoints, other: QuantilePoints) -> tuple[float, float]:
    """The share of another distribution that explains most of the change, and what it leaves unexplained."""
    share, rest = mixture(now, before, other)
    wholly = now.ks_distance(other)
    return (1.0, wholly) if share > _NEARLY and wholly < rest + 1.0 - _NEARLY else (share, rest)


def _membership(now: QuantilePoints, before: QuantilePoints, other: QuantilePoints) -> float | None:
    """Share of the new values that the other column has; None when that cannot be told."""
    if not (now.exact and before.exact and other.exact):
        return None
    new = now.values[~np.isin(now.values, before.values)]
    return float(np.isin(new, other.values).mean()) if len(new) else None


@hypothesis(Kind.STRING, trust=0.92)
def strings_of(comparison: Comparison) -> Cause | None:
    """New values that another column has, and as many of them."""
    new = comparison.new_values
    mass = sum(new.values()) - comparison.usual_novelty
    if comparison.values is None or comparison.usual_novelty > _RECURRING or mass <= _LEAST + comparison.usual_novelty:
        return None
    found = []
    for name in comparison.previous.names(Kind.STRING, comparison.name):
        other = comparison.previous.value_shares(name)
        if other is None:
            continue
        theirs = sum(share for value, share in new.items() if value in other.all_shares)
        if theirs < 0.5 * mass:
            continue
        foreign = {
            value: share for value, share in other.all_shares.items() if value not in comparison.values[1].all_shares
        }
        visible = sum(foreign.values())
        if visible <= 0.0:
            continue
        variety = _variety(new, foreign, theirs * comparison.present[0])
        score = min(1.0, theirs / mass) * min(1.0, variety + 0.1) * min(1.0, _alike(new, foreign) + 0.3)
        found.append((round(score, 2), visible, min(1.0, theirs / visible), name))
    return _named(found, comparison.present[0])


def _variety(new: Mapping[str, float], foreign: Mapping[str, float], drawn: float) -> float:
    """How much of another column turned up, in proportion to what so many values drawn from it would show.

    A single digit is found in every column of numbers: a few values of a column that has many are not drawn from it.
    """
    total = sum(foreign.values())
    expected = sum(share * (1.0 - (1.0 - share / total) ** drawn) for share in foreign.values())
    return float(sum(share for value, share in foreign.items() if value in new) / max(expected, 1e-9))


def _alike(new: Mapping[str, float], foreign: Mapping[str, float]) -> float:
    """How far the shapes of the values that another column has are distributed as they are there."""
    shared: dict[str, float] = defaultdict(float)
    theirs: dict[str, float] = defaultdict(float)
    for value, share in foreign.items():
        theirs[shape(value)] += share
        if value in new:
            shared[shape(value)] += new[value]
    found, there = sum(shared.values()), sum(theirs.values())
    return sum(min(share / found, theirs[key] / there) for key, share in shared.items())


@hypothesis(Kind.STRING, trust=0.85)
def patterns_of(comparison: Comparison) -> Cause | None:
    """The patterns before, mixed with those of another column: for values that are always new."""
    if comparison.patterns is None or comparison.usual_novelty <= _RECURRING:
        return None
    now, before = (side.all_shares for side in comparison.patterns)
    past = comparison.past_distances("pat_l1")
    noise = nine_in_ten(past) if past else 0.0
    moved = 2.0 * total_variation(now, before)
    if moved <= _LEAST + 1.5 * noise:
        return None
    found = []
    for name in comparison.previous.names(Kind.STRING, comparison.name):
        other = comparison.previous.value_shares(name, PatternDistribution)
        if other is None:
            continue
        keys = list({**now, **before, **other.all_shares})
        is_now, was, theirs = (
            np.array([side.get(key, 0.0) for key in keys]) for side in (now, before, other.all_shares)
        )
        change, way = is_now - was, theirs - was
        share = float(np.clip(change @ way / max(float(way @ way), 1e-12), 0.0, 1.0))
        rest = float(np.abs(change - share * way).sum())
        found.append((round(fit(rest, noise, moved), 2), -rest, share, name))
    return _named(found, comparison.present[0])


def _named(found: list[tuple[float, float, float, str]], present: int) -> Cause | None:
    if not found:
        return None
    score, _, share, name = max(found)
    words = f"values of column {quoted(name)} in {percent(share)} of the rows"
    fact = f"has values of column {quoted(name)}"
    rows = round(share * present)
    return Cause("schema_change", name, words, score, fact=fact, rows=rows, hit=rows)

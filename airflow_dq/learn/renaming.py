"""Renamed columns: one that went and one that came, and that hold the same."""

from __future__ import annotations

from airflow_dq.learn.distribution import QuantilePoints, ValueShares, total_variation
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.number import NumberDistribution
from airflow_dq.states.pattern import PatternDistribution

_ALIKE = 0.2
"""Columns that are further apart (0 to 1) are not the same one under another name."""
_CLEARLY = 2.0
"""The next best candidate must be this many times as far away."""


def renamings(profile: Profile, before: Profile) -> dict[str, str]:
    """Missing columns and the new name that each seems to have: the nearest new column, if no other is as near."""
    missing = [name for name in before.columns if name not in profile.columns]
    added = [name for name in profile.columns if name not in before.columns]
    found: dict[str, str] = {}
    for name in missing:
        ranked = sorted(
            (_apart(before.columns[name], profile.columns[other]), other)
            for other in added
            if other not in found.values()
        )
        if not ranked or ranked[0][0] > _ALIKE:
            continue
        nearest, other = ranked[0]
        rivals = [_apart(before.columns[rival], profile.columns[other]) for rival in missing if rival != name]
        rest = min([distance for distance, _ in ranked[1:]] + rivals, default=1.0)
        if rest > _CLEARLY * nearest:
            found[name] = other
    return found


def _apart(old: ColumnProfile, new: ColumnProfile) -> float:
    """How unlike two columns are: 0 the same distribution, 1 nothing in common or not comparable."""
    if old.kind is not new.kind:
        return 1.0
    numbers = old.states.get(NumberDistribution.key), new.states.get(NumberDistribution.key)
    if isinstance(numbers[0], NumberDistribution) and isinstance(numbers[1], NumberDistribution):
        if not numbers[0].total or not numbers[1].total:
            return 1.0
        return QuantilePoints.of(numbers[0]).ks_distance(QuantilePoints.of(numbers[1]))
    # Where values are new every day, their patterns tell the column.
    return min(_words_apart(old, new, kind) for kind in (CategoryDistribution, PatternDistribution))


def _words_apart(old: ColumnProfile, new: ColumnProfile, kind: type[CategoryDistribution]) -> float:
    states = old.states.get(kind.key), new.states.get(kind.key)
    if not isinstance(states[0], kind) or not isinstance(states[1], kind) or not states[0].total or not states[1].total:
        return 1.0
    return total_variation(*(ValueShares.of(state).all_shares for state in states if isinstance(state, kind)))

"""Distances that can no longer be measured: an old partition was repaired, accepted or rejected after its neighbours'
states were dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airflow_dq.learn.history.baseline import Baseline, Columns
from airflow_dq.learn.history.distance import Distances
from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.metrics.registry import pools
from airflow_dq.profile.model import ColumnProfile, Profile, digest_states
from airflow_dq.states.base import Kind

_NOTHING = digest_states({})


def unmeasurable(profile: Profile, history: Sequence[Profile], distances: Distances) -> frozenset[str]:
    """The columns of a partition that cannot be compared with the end of its history in every way they should."""
    return frozenset(
        name
        for name, column in profile.columns.items()
        for pool in pools(column.kind)
        if _missing_baseline(column, [past.columns.get(name) for past in history], pool, distances) is not None
    )


def assume_missing(history: Sequence[Profile], distances: Distances) -> None:
    """Fill each gap in the history with what was measured in the partition before, or else in the next one.

    One gap would make a metric unusable for as long as the history reaches.
    """
    for name in {name for profile in history for name in profile.columns}:
        columns = [profile.columns.get(name) for profile in history]
        gaps = [
            (i, now, baseline)
            for i, now in enumerate(columns)
            if i and now is not None
            for pool in pools(now.kind)
            if (baseline := _missing_baseline(now, columns[max(i - pool, 0) : i], pool, distances)) is not None
        ]
        # All of them first: what is assumed for one is nothing to assume another from.
        for now, baseline, nearest in [
            (now, baseline, _nearest(columns, i, now.kind, baseline.pool, distances)) for i, now, baseline in gaps
        ]:
            distances.assume(now, baseline, nearest)


def _missing_baseline(now: ColumnProfile, earlier: Columns, pool: int, distances: Distances) -> Baseline | None:
    """The baseline, if the distances from it were not measured while the states were there."""
    if distances.of(now, earlier, pool):
        return None
    baseline = Baseline.of(earlier, now.kind, pool)
    if baseline is None:
        return None
    return baseline if any(_is_dropped(side) for side in (now, *baseline.members)) else None


def _is_dropped(column: ColumnProfile) -> bool:
    """Whether the column had states; one that could not be profiled in full never has any."""
    return not column.states and column.states_digest not in ("", _NOTHING)


def _nearest(columns: Columns, gap: int, kind: Kind, pool: int, distances: Distances) -> Mapping[str, MetricValue]:
    for i in (*range(gap - 1, 0, -1), *range(gap + 1, len(columns))):
        now = columns[i]
        if now is not None and now.kind is kind and (found := distances.of(now, columns[max(i - pool, 0) : i], pool)):
            return found
    return {}

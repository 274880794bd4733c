"""Distances that can no longer be measured: an old partition was repaired, accepted or rejected after its neighbours'
states were dropped."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_dq.learn.history.baseline import Baseline, Columns, Kept
from airflow_dq.learn.history.distance import Distances
from airflow_dq.learn.history.history import History
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
        for earlier in ([past.columns.get(name) for past in history[-pool:]],)
        if not distances.of(column, earlier, pool) and _dropped_baseline(column, earlier, pool) is not None
    )


def assume_missing(history: History) -> None:
    """Fill each gap in the history with what was measured in the partition before, or else in the next one.

    One gap would make a metric unusable for as long as the history reaches.
    """
    for name in {name for profile in history.profiles for name in profile.columns}:
        columns = [profile.columns.get(name) for profile in history.profiles]
        for kind in {column.kind for column in columns if column is not None}:
            for pool in pools(kind):
                _fill(columns, kind, pool, history.kept.of(name, pool), history.distances)


def _fill(columns: Columns, kind: Kind, pool: int, kept: Sequence[Kept], distances: Distances) -> None:
    """Fill the gaps of a column in the partitions that have it with one kind.

    :param kept: the distances that the profiles themselves keep
    """
    # All of them first: what is assumed for one is nothing to assume another from.
    known = [
        None if now is None or now.kind is not kind or not i else one or distances.of(now, columns[:i], pool)
        for i, (now, one) in enumerate(zip(columns, kept, strict=True))
    ]
    nearest = next((one for one in known if one), {})
    for i, (now, one) in enumerate(zip(columns, known, strict=True)):
        nearest = one or nearest
        baseline = None if now is None or one is None or one else _dropped_baseline(now, columns[:i], pool)
        if now is not None and baseline is not None:
            distances.assume(now, baseline, nearest)


def _dropped_baseline(now: ColumnProfile, earlier: Columns, pool: int) -> Baseline | None:
    """The baseline, if nothing can be measured from it any more: states are gone that there were."""
    baseline = Baseline.of(earlier, now.kind, pool)
    return None if baseline is None or not any(_is_dropped(side) for side in (now, *baseline.members)) else baseline


def _is_dropped(column: ColumnProfile) -> bool:
    """Whether the column had states; one that could not be profiled in full never has any."""
    return not column.states and column.states_digest not in ("", _NOTHING)

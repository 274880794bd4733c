"""Distances that can no longer be measured: an old partition was repaired, accepted or rejected after its neighbours'
states were dropped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache, partial

from airflow_dq.learn.history.baseline import Baseline, Columns
from airflow_dq.learn.history.series import distances
from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.metrics.registry import pools
from airflow_dq.profile.model import ColumnProfile, Profile, digest_states
from airflow_dq.states.base import Kind

_NOTHING = digest_states({})


def unmeasurable(profile: Profile, history: Sequence[Profile]) -> frozenset[str]:
    """The columns of a partition that cannot be compared with the end of its history in every way they should."""
    return frozenset(
        name
        for name, column in profile.columns.items()
        for pool in pools(column.kind)
        if _missing_baseline(column, [past.columns.get(name) for past in history], pool) is not None
    )


def filled(history: Sequence[Profile], without: Set[str]) -> list[Profile]:
    """The history with each gap filled by what was measured in the partition before, or else in the next one.

    One gap would make a metric unusable for as long as the history reaches.  What is filled in is in copies: the
    given profiles get what was measured, and nothing else, so they can be saved.

    :param without: columns that lose all distances, and are then learned without them
    """
    known = list(history)
    for name in {name for profile in history for name in profile.columns}:
        columns = [profile.columns.get(name) for profile in history]
        for i, column in _without_distances(columns) if name in without else _filled_columns(columns):
            known[i] = replace(known[i], columns={**known[i].columns, name: column})
    return known


def _without_distances(columns: Columns) -> Iterator[tuple[int, ColumnProfile]]:
    return ((i, replace(column, states={}, pairs={})) for i, column in enumerate(columns) if column is not None)


def _filled_columns(columns: Columns) -> Iterator[tuple[int, ColumnProfile]]:
    """Place and copy of each partition's column that has gaps, filled."""

    @cache
    def measured(place: int, pool: int) -> Mapping[str, MetricValue]:
        """The distances of the column in one partition, looked up once for all gaps."""
        now = columns[place]
        return {} if now is None else distances(now, columns[max(place - pool, 0) : place], pool)

    for i, now in enumerate(columns):
        if now is None:
            continue
        missing = {}
        for pool in pools(now.kind) if i else ():
            gap = _missing_baseline(now, columns[max(i - pool, 0) : i], pool)
            if gap is not None:
                missing[gap] = dict(_nearest(columns, i, now.kind, partial(measured, pool=pool)))
        if missing:
            yield i, replace(now, pairs={**now.pairs, **missing})


def _missing_baseline(now: ColumnProfile, earlier: Columns, pool: int) -> str | None:
    """The baseline's fingerprint, if the distances from it were not measured while the states were there."""
    baseline = Baseline.of(earlier, now.kind, pool)
    if baseline is None or distances(now, earlier, pool):
        return None
    return baseline.fingerprint if any(_is_dropped(side) for side in (now, *baseline.members)) else None


def _is_dropped(column: ColumnProfile) -> bool:
    """Whether the column had states; one that could not be profiled in full never has any."""
    return not column.states and column.states_digest not in ("", _NOTHING)


def _nearest(
    columns: Columns, gap: int, kind: Kind, measured: Callable[[int], Mapping[str, MetricValue]]
) -> Mapping[str, MetricValue]:
    for i in (*range(gap - 1, 0, -1), *range(gap + 1, len(columns))):
        now = columns[i]
        if now is not None and now.kind is kind and (found := measured(i)):
            return found
    return {}

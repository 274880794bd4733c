"""The history of a walk through the past: what the gate would have learned from, kept small."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from airflow_dq.learn.history.baseline import Baseline
from airflow_dq.learn.history.series import distances
from airflow_dq.metrics.registry import largest_pool, pools
from airflow_dq.options.retention import RETENTION
from airflow_dq.profile.model import ColumnProfile, Profile

Reload = Callable[[str], Profile | None]
"""Loads a profile with the states that are still kept of it."""


class History:
    """The eligible partitions of a walk, oldest first."""

    def __init__(self, limit: int, reload: Reload | None = None) -> None:
        """Start empty.

        :param limit: number of partitions that are kept
        :param reload: how to get the states of a profile that was given without them
        """
        self.profiles: list[Profile] = []
        self._limit = limit
        self._reload = reload

    def compare(self, profile: Profile) -> bool:
        """Measure the partition's distances to the newest ones that are still unknown; True when all are known then."""
        if not self.profiles or _known(profile, self.profiles):
            return True
        if self._reload is not None:
            self._compare_loaded(profile, self._reload)
        return _known(profile, self.profiles)

    def _compare_loaded(self, profile: Profile, reload: Reload) -> None:
        recent = self.profiles[-largest_pool() :]
        full, *baselines = (reload(one.partition) if one.partition else None for one in (profile, *recent))
        if full is None:
            return
        for name, column in full.columns.items():
            if name not in profile.columns:
                continue
            earlier = [None if one is None else one.columns.get(name) for one in baselines]
            for pool in _measurable(column, earlier):
                distances(column, earlier, pool)
            profile.columns[name].pairs.update(column.pairs)

    def restart(self) -> None:
        """Learn from nothing that is there so far."""
        self.profiles.clear()

    def add(self, profile: Profile) -> None:
        """Add a partition, so that the next ones are judged by what it was like.

        A distance that cannot be measured any more is assumed to be what it was in the partition before: one gap would
        make the metric unusable for as long as the history reaches.
        """
        if self.profiles and not self.compare(profile):
            _fill(profile, self.profiles)
        self.profiles.append(profile)
        del self.profiles[: -self._limit]
        kept = RETENTION.with_states(largest_pool())
        if len(self.profiles) > kept:
            self.profiles[-kept - 1] = light(self.profiles[-kept - 1])


def light(profile: Profile) -> Profile:
    """The profile without states, injected errors and sample; the measured distances stay."""
    columns = {name: replace(column, states={}) for name, column in profile.columns.items()}
    return replace(profile, columns=columns, variants={}, sample=None)


def _known(profile: Profile, history: Sequence[Profile]) -> bool:
    return all(_complete(column, _earlier(history, name)) for name, column in profile.columns.items())


def _earlier(history: Sequence[Profile], name: str) -> list[ColumnProfile | None]:
    return [one.columns.get(name) for one in history[-largest_pool() - 1 :]]


def _complete(now: ColumnProfile, earlier: Sequence[ColumnProfile | None]) -> bool:
    """Whether the distances are measured or can be; a column of another kind than before has none."""
    return all(distances(now, earlier, pool) for pool in _measurable(now, earlier))


def _measurable(now: ColumnProfile, earlier: Sequence[ColumnProfile | None]) -> list[int]:
    """The pool sizes for which the history is long enough and has the column with this kind."""
    newest = earlier[-1] if earlier else None
    if newest is None or newest.kind is not now.kind:
        return []
    return [pool for pool in pools(now.kind) if pool <= len(earlier)]


def _fill(profile: Profile, history: Sequence[Profile]) -> None:
    for name, column in profile.columns.items():
        earlier = _earlier(history, name)
        newest = earlier[-1]
        for pool in _measurable(column, earlier[:-1]) if newest is not None else ():
            now, before = (Baseline.of(columns, column.kind, pool) for columns in (earlier, earlier[:-1]))
            if newest is None or now is None or before is None or distances(column, earlier, pool):
                continue
            last = newest.pairs.get(before.fingerprint)
            if last:
                column.pairs[now.fingerprint] = dict(last)

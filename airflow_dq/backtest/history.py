"""The history of a walk through the past: what the gate would have learned from, kept small."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace

from airflow_dq.learn.history.answer import NO_ANSWERS, Answers
from airflow_dq.learn.history.baseline import Baseline
from airflow_dq.learn.history.distance import Distances
from airflow_dq.learn.history.history import History
from airflow_dq.metrics.registry import largest_pool, pools
from airflow_dq.options.retention import RETENTION
from airflow_dq.profile.model import ColumnProfile, Profile

MOST_OLDER = 4_000
"""Partitions before the history in which like days are looked for: eleven years of days."""
Reload = Callable[[str], Profile | None]
"""Loads a profile with the states that are still kept of it."""


class EligiblePast:
    """The eligible partitions of a walk, oldest first."""

    def __init__(self, limit: int, reload: Reload | None = None) -> None:
        """Start empty.

        :param limit: number of partitions that are kept
        :param reload: how to get the states of a profile that was given without them
        """
        self._profiles: list[Profile] = []
        self._older: deque[Profile] = deque(maxlen=MOST_OLDER)
        self._distances = Distances()
        self._limit = limit
        self._reload = reload

    def __len__(self) -> int:
        """Number of partitions."""
        return len(self._profiles)

    def history(self, answers: Answers = NO_ANSWERS) -> History:
        """The partitions as they are now, on their slots, and the older ones.

        :param answers: what people had said of the dataset's alarms
        """
        return History.of(tuple(self._profiles), distances=self._distances, older=tuple(self._older), answers=answers)

    def compare(self, profile: Profile) -> bool:
        """Measure the partition's distances to the newest ones that are still unknown; True when all are known then."""
        if not self._profiles or self._knows(profile):
            return True
        if self._reload is not None:
            self._compare_loaded(profile, self._reload)
        return self._knows(profile)

    def _compare_loaded(self, profile: Profile, reload: Reload) -> None:
        recent = self._profiles[-largest_pool() :]
        full, *baselines = (reload(one.partition) if one.partition else None for one in (profile, *recent))
        if full is None:
            return
        for name, column in full.columns.items():
            if name in profile.columns:
                earlier = [None if one is None else one.columns.get(name) for one in baselines]
                for pool in _measurable(column, earlier):
                    self._distances.of(column, earlier, pool)

    def restart(self) -> None:
        """Learn from nothing that is there so far."""
        self._profiles.clear()
        self._older.clear()

    def add(self, profile: Profile) -> None:
        """Add a partition, so that the next ones are judged by what it was like.

        A distance that cannot be measured any more is assumed to be what it was in the partition before: one gap would
        make the metric unusable for as long as the history reaches.
        """
        if self._profiles and not self.compare(profile):
            self._fill(profile)
        self._profiles.append(profile)
        self._older.extend(light(one) for one in self._profiles[: -self._limit])
        del self._profiles[: -self._limit]
        kept = RETENTION.with_states(largest_pool())
        if len(self._profiles) > kept:
            self._profiles[-kept - 1] = light(self._profiles[-kept - 1])

    def _knows(self, profile: Profile) -> bool:
        """Whether the distances are measured or can be; a column of another kind than before has none."""
        return all(
            self._distances.of(column, earlier, pool)
            for name, column in profile.columns.items()
            for earlier in (self._earlier(name),)
            for pool in _measurable(column, earlier)
        )

    def _earlier(self, name: str) -> list[ColumnProfile | None]:
        return [one.columns.get(name) for one in self._profiles[-largest_pool() - 1 :]]

    def _fill(self, profile: Profile) -> None:
        for name, column in profile.columns.items():
            earlier = self._earlier(name)
            newest = earlier[-1]
            for pool in _measurable(column, earlier[:-1]) if newest is not None else ():
                now, before = (Baseline.of(columns, column.kind, pool) for columns in (earlier, earlier[:-1]))
                if newest is None or now is None or before is None or self._distances.between(column, now):
                    continue
                if last := self._distances.between(newest, before):
                    self._distances.assume(column, now, last)


def light(profile: Profile) -> Profile:
    """The profile without states, injected errors and sample; what has been measured of them is known elsewhere."""
    columns = {name: replace(column, states={}) for name, column in profile.columns.items()}
    return replace(profile, columns=columns, variants={}, sample=None)


def _measurable(now: ColumnProfile, earlier: Sequence[ColumnProfile | None]) -> list[int]:
    """The pool sizes for which the history is long enough and has the column with this kind."""
    newest = earlier[-1] if earlier else None
    if newest is None or newest.kind is not now.kind:
        return []
    return [pool for pool in pools(now.kind) if pool <= len(earlier)]

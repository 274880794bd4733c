"""The history of a walk through the past: what the gate would have learned from, kept small."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from airflow_dq.metrics.registry import metrics_for
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.program.series import pair_metrics

WITH_STATES = 4
"""Newest partitions of the history whose states and injected errors are kept: a program learns from the errors of
one of the last three, against the one before it."""

Reload = Callable[[str], Profile | None]
"""Loads a profile with the states that are still kept of it."""


class History:
    """The eligible partitions of a walk, oldest first."""

    def __init__(self, limit: int, reload: Reload | None = None) -> None:
        """Start empty.

        :param limit: so many partitions are kept
        :param reload: how to get the states of a profile that was given without them
        """
        self.profiles: list[Profile] = []
        self._limit = limit
        self._reload = reload

    def compare(self, profile: Profile) -> bool:
        """Measure the partition's distances to the newest one, as far as they are not known; True when all are."""
        if not self.profiles:
            return True
        before = self.profiles[-1]
        if _known(profile, before):
            return True
        if self._reload is not None:
            self._compare_loaded(profile, before, self._reload)
        return _known(profile, before)

    def _compare_loaded(self, profile: Profile, before: Profile, reload: Reload) -> None:
        full, baseline = (reload(one.partition) if one.partition else None for one in (profile, before))
        if full is None or baseline is None:
            return
        for name, column in full.columns.items():
            if name in baseline.columns and name in profile.columns:
                measured = pair_metrics(column, baseline.columns[name])
                profile.columns[name].pairs[before.columns[name].fingerprint] = dict(measured)

    def add(self, profile: Profile) -> None:
        """Let the partition be learned from.

        A distance that cannot be measured any more is taken to be what it was in the partition before: one gap would
        make the metric unusable for as long as the history reaches.
        """
        if self.profiles and not self.compare(profile):
            _fill(profile, self.profiles)
        self.profiles.append(profile)
        del self.profiles[: -self._limit]
        if len(self.profiles) > WITH_STATES:
            self.profiles[-WITH_STATES - 1] = light(self.profiles[-WITH_STATES - 1])


def light(profile: Profile) -> Profile:
    """The profile without states, injected errors and sample; the measured distances stay."""
    columns = {name: replace(column, states={}) for name, column in profile.columns.items()}
    return replace(profile, columns=columns, variants={}, sample=None)


def _known(profile: Profile, before: Profile) -> bool:
    return all(_complete(column, before.columns.get(name)) for name, column in profile.columns.items())


def _complete(now: ColumnProfile, before: ColumnProfile | None) -> bool:
    """Whether the distances are measured or can be; a column of another kind than before has none."""
    if before is None or before.kind is not now.kind or not metrics_for(now.kind, pair=True):
        return True
    return bool(pair_metrics(now, before))


def _fill(profile: Profile, history: Sequence[Profile]) -> None:
    before = history[-1]
    for name, column in profile.columns.items():
        baseline = before.columns.get(name)
        if baseline is None or _complete(column, baseline) or len(history) < 2 or name not in history[-2].columns:
            continue
        last = baseline.pairs.get(history[-2].columns[name].fingerprint)
        if last:
            column.pairs[baseline.fingerprint] = dict(last)

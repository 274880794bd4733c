"""What a partition is compared with: the column in the partition before, or in several before it taken together."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.metrics.evaluate import is_complete
from airflow_dq.metrics.registry import get_metric, metrics_for
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind, State

Columns = Sequence[ColumnProfile | None]
"""One column in consecutive partitions, oldest first; None where it is missing."""
Kept = Mapping[str, MetricValue] | None
"""All distances from a baseline, by stored name, as a profile itself keeps them; None where any is missing."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The column in the partitions before, oldest first: one, or a pool of them."""

    members: tuple[ColumnProfile, ...]
    pool: int
    """Number of partitions to pool; one without values of the column's kind is left out."""

    @classmethod
    def of(cls, earlier: Columns, kind: Kind, pool: int) -> Baseline | None:
        """The baseline of the partition that follows ``earlier``; None when none of the last ones can be compared."""
        members = tuple(column for column in earlier[-pool:] if column is not None and column.kind is kind)
        return cls(members, pool) if members else None

    @property
    def fingerprint(self) -> str:
        """What distances from it are cached under: of one partition its own fingerprint, of a pool all of theirs."""
        return _fingerprint([member.fingerprint for member in self.members], self.pool)

    @property
    def known(self) -> bool:
        """Whether the states of all members are there."""
        return all(member.states for member in self.members)

    def states(self) -> Mapping[str, State]:
        """The merged states that distances from such a baseline are computed from, by key."""
        kind = self.members[0].kind
        keys = {entry.states[0].key for entry in metrics_for(kind, pair=True) if entry.pool == self.pool}
        if len(self.members) == 1:
            return {key: self.members[0].states[key] for key in keys if self._has(key)}
        return {key: self._merged(key) for key in keys if self._has(key)}

    def _merged(self, key: str) -> State:
        states = [member.states[key].compared() for member in self.members]
        return states[0].merged(states)

    def _has(self, key: str) -> bool:
        return all(key in member.states for member in self.members)


def kept_distances(now: ColumnProfile, earlier: Columns, pool: int) -> Kept:
    """All distances of a column from its baseline, as the profile itself keeps them; None where any is missing.

    A long history of a wide table asks it tens of thousands of times, and the answer is nearly always there: no
    :class:`Baseline` is made for it.

    :param earlier: the column in the partitions before, oldest first; the newest ``pool`` are compared with
    """
    fingerprints = [one.fingerprint for one in earlier[-pool:] if one is not None and one.kind is now.kind]
    kept = now.distances.get(_fingerprint(fingerprints, pool)) if fingerprints else None
    return kept if kept is not None and is_complete(now.kind, kept, pool) else None


def kept_along(columns: Columns, pool: int) -> list[Kept]:
    """The same of each of some consecutive partitions, as far as those before it are among them."""
    return [
        None if now is None else kept_distances(now, columns[max(0, place - pool) : place], pool)
        for place, now in enumerate(columns)
    ]


class KeptDistances:
    """What the profiles of a history themselves keep of distances, looked up once.

    A long history of a wide table has tens of thousands of them, and several read them.
    """

    def __init__(self, profiles: Sequence[Profile]) -> None:
        """Take the profiles, oldest first."""
        self._profiles = profiles
        self._found: dict[tuple[str, int], Sequence[Kept]] = {}

    def of(self, name: str, pool: int) -> Sequence[Kept]:
        """What each profile keeps of a column's distances from the partitions before it.

        :param pool: how many of these its baseline has
        """
        if (name, pool) not in self._found:
            columns = [profile.columns.get(name) for profile in self._profiles]
            self._found[name, pool] = kept_along(columns, pool)
        return self._found[name, pool]


def _fingerprint(members: Sequence[str], pool: int) -> str:
    if pool == 1:
        return members[0]
    return f"{pool}:{hashlib.blake2b('+'.join(members).encode(), digest_size=16).hexdigest()}"


def pooled(fingerprint: str) -> int:
    """How many partitions the baseline with this fingerprint has."""
    pool, colon, _ = fingerprint.partition(":")
    return int(pool) if colon else 1


def pool_of(metric: str, kind: Kind) -> int:
    """How many partitions a two-distribution metric's baseline has; 1 for a metric that is not registered."""
    entry = get_metric(metric, kind)
    return 1 if entry is None else entry.pool

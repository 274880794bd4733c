"""Two-distribution metrics between a column and its baseline: those kept with profiles, and those measured since."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from airflow_dq.learn.history.baseline import Baseline, Columns, Kept, kept_distances
from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.metrics.evaluate import ComparisonSide, compare_for_keeping, is_complete
from airflow_dq.profile.model import ColumnProfile
from airflow_dq.states.base import State

SHARED_LIMIT = 4096
"""Comparisons that a process remembers for callers who bring no :class:`Distances` of their own: about 6 MB, which is
a table of 60 columns with 30 partitions and two baselines each."""
SIDES = 32
"""Columns whose sketches are at hand: each is compared with several baselines, and then is the next partition's, when a
few dozen other columns have had their turn.  Each holds up to two sketches of some ten kilobytes."""

Compared = tuple[str, str]
"""Fingerprint of a column and fingerprint of its baseline: what a comparison depends on, and nothing else does."""


class Distances:
    """Distances by content, each measured at most once while both sides have their states.

    Profiles are immutable: what is measured is collected here, and whoever stores profiles asks for it
    (:attr:`measured`).
    """

    __slots__ = ("_assumed", "_limit", "_measured", "_sides", "_without")

    def __init__(self, limit: int | None = None) -> None:
        """Start with nothing measured.

        :param limit: forget the oldest comparisons beyond this number (None: none)
        """
        self._limit = limit
        self._without: frozenset[str] = frozenset()
        self._measured: dict[Compared, Mapping[str, MetricValue]] = {}
        self._assumed: dict[Compared, Mapping[str, MetricValue]] = {}
        self._sides: dict[str, ComparisonSide] = {}

    @property
    def measured(self) -> Mapping[Compared, Mapping[str, MetricValue]]:
        """What has been measured here, beyond what the profiles brought."""
        return self._measured

    def of(self, now: ColumnProfile, earlier: Columns, pool: int) -> Mapping[str, MetricValue]:
        """A column's distances from a pool of partitions, by stored name, as far as they can be had.

        One that depends on the representation is there in each that may be asked for, as ``name`` (exact) and
        ``name/sketch``.

        :param earlier: the column in the partitions before, oldest first; the newest ``pool`` are compared with
        """
        return self.beside(kept_distances(now, earlier, pool), now, earlier, pool)

    def beside(self, kept: Kept, now: ColumnProfile, earlier: Columns, pool: int) -> Mapping[str, MetricValue]:
        """The same where it is known already what the profile itself keeps."""
        if kept is not None and now.name not in self._without:
            return kept
        before = Baseline.of(earlier, now.kind, pool)
        return {} if before is None else self.between(now, before)

    def between(self, now: ColumnProfile, before: Baseline) -> Mapping[str, MetricValue]:
        """A column's distances from a baseline, by stored name, as far as they can be had."""
        if now.name in self._without:
            return {}
        kept = now.distances.get(before.fingerprint, {})
        if is_complete(now.kind, kept, before.pool):
            return kept
        key = (now.fingerprint, before.fingerprint)
        found = self._measured.get(key)
        if found is None and now.states and before.known:
            found = compare_for_keeping(now.kind, self._side(now), self._side_before(before), before.pool)
            self._keep(key, found)
        return found or kept or self._assumed.get(key, {})

    def knows(self, now: ColumnProfile, before: Baseline) -> bool:
        """Whether all distances of a column from a baseline are there, with nothing to be measured."""
        kept = now.distances.get(before.fingerprint, {})
        return (now.fingerprint, before.fingerprint) in self._measured or is_complete(now.kind, kept, before.pool)

    def leave_out(self, columns: Collection[str]) -> None:
        """Give no distances of these columns from now on, whatever is known of them."""
        self._without |= frozenset(columns)

    def assume(self, now: ColumnProfile, before: Baseline, values: Mapping[str, MetricValue]) -> None:
        """Let values stand in for distances that can no longer be measured; they are not among :attr:`measured`."""
        self._assumed[now.fingerprint, before.fingerprint] = values

    def _side_before(self, before: Baseline) -> Mapping[str, State]:
        return self._side(before.members[0]) if len(before.members) == 1 else before.states()

    def _side(self, column: ColumnProfile) -> ComparisonSide:
        """The column's states, with the sketches that earlier comparisons have made of them."""
        side = self._sides.pop(column.fingerprint, None) or ComparisonSide(column.states)
        self._sides[column.fingerprint] = side
        if len(self._sides) > SIDES:
            # Another thread may have dropped it already.
            self._sides.pop(next(iter(self._sides)), None)
        return side

    def _keep(self, key: Compared, found: Mapping[str, MetricValue]) -> None:
        self._measured[key] = found
        if self._limit is not None and len(self._measured) > self._limit:
            # Another thread may have dropped it already.
            self._measured.pop(next(iter(self._measured)), None)


SHARED = Distances(SHARED_LIMIT)
"""The comparisons of callers who bring no :class:`Distances` of their own (notebooks, the functional API)."""

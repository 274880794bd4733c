"""One column of a partition beside the same column of the partitions before: what an explanation looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import numpy as np

from airflow_dq.explain.previous import PreviousPartition
from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.distribution import QuantilePoints, ValueShares
from airflow_dq.learn.history.distance import SHARED, Distances
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.evaluate import stored_name
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind, Representation, State
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.number import NumberDistribution
from airflow_dq.states.pattern import PatternDistribution

S = TypeVar("S", bound=State)
C = TypeVar("C", CategoryDistribution, NumberDistribution)
_RECENT = 12
"""Number of the newest partitions whose distances tell what is usual."""
_SAME = 0.01
"""Columns whose shares usually differ by less than this in all (L1) hold the same values every time."""
_ENOUGH = 4
"""Number of past distances that are enough to tell what is usual."""
_NO_OVERLAP = 0.5
"""Values that usually move by this Kolmogorov-Smirnov distance have no distribution of their own."""


@dataclass(frozen=True)
class Comparison:
    """``before`` is the column in the newest partition of the history; ``past`` are all of them, oldest first."""

    name: str
    now: ColumnProfile
    before: ColumnProfile
    past: tuple[ColumnProfile, ...]
    partitions: tuple[str | None, ...]
    """Keys of the past partitions."""
    previous: PreviousPartition
    """The columns of the partition before."""
    hidden: bool = False
    """Whether the strings are keyed hashes, which say nothing to a reader."""
    distances: Distances = SHARED

    @classmethod
    def of(
        cls,
        name: str,
        profile: Profile,
        history: Sequence[Profile],
        previous: PreviousPartition,
        distances: Distances = SHARED,
    ) -> Comparison | None:
        """The comparison; None when the column is not in both, or has values of another kind now."""
        now, before = profile.columns.get(name), history[-1].columns.get(name) if history else None
        if now is None or before is None or (now.kind is not before.kind and Kind.NULL not in (now.kind, before.kind)):
            return None
        known = [old for old in history if name in old.columns]
        past, partitions = tuple(old.columns[name] for old in known), tuple(old.partition for old in known)
        return cls(name, now, before, past, partitions, previous, profile.options.hides(name), distances)

    @property
    def kind(self) -> Kind:
        """Kind of the column's values, now or before."""
        return self.before.kind if self.now.kind is Kind.NULL else self.now.kind

    @property
    def rows(self) -> tuple[int, int]:
        """Number of rows now and in the partition before."""
        return int(self.value("row_count") or 0), int(self.value_before("row_count") or 0)

    @property
    def present(self) -> tuple[int, int]:
        """Number of values now and in the partition before."""
        now, before = self.rows
        complete, old = self.value("complete_ratio"), self.value_before("complete_ratio")
        return round(now * (complete or 0.0)), round(before * (old or 0.0))

    def value(self, metric: str) -> float | None:
        """The metric now; None when it has no value."""
        return _number(self.now, metric)

    def value_before(self, metric: str) -> float | None:
        """The metric in the partition before."""
        return _number(self.before, metric)

    def change(self, metric: str) -> float:
        """By how much the metric changed; 0 when it has no value on either side."""
        now, old = self.value(metric), self.value_before(metric)
        return 0.0 if now is None or old is None else now - old

    def usual_change(self, metric: str) -> float:
        """How much the metric changes from one partition to the next when nothing is wrong (nine times in ten)."""
        values = [value for value in (_number(column, metric) for column in self.past) if value is not None]
        if len(values) < 2:
            return 0.0
        return nine_in_ten([abs(b - a) for a, b in pairwise(values)])

    def changed_as_usual(self, metric: str, least: float) -> bool:
        """Whether the metric changed by no more than it usually does."""
        return abs(self.change(metric)) <= least + 2.0 * self.usual_change(metric)

    def states(self, kind: type[S]) -> tuple[S, S] | None:
        """A state now and in the partition before; None when it is not kept on both sides."""
        now, before = self.now.states.get(kind.key), self.before.states.get(kind.key)
        return (now, before) if isinstance(now, kind) and isinstance(before, kind) else None

    def one_by_one(self, kind: type[C], partitions: int) -> tuple[C, list[C]] | None:
        """A state now and in the newest past partitions, where values are there and each is known.

        :param partitions: past ones that are looked at
        :return: those of the past oldest first, two at least; None when there are fewer, or none now
        """
        now, before = _known([self.now], kind), _known(self.past[-partitions:], kind)
        return (now[0], before) if now and len(before) > 1 else None

    @cached_property
    def points(self) -> tuple[QuantilePoints, QuantilePoints] | None:
        """The numbers now and in the partition before; None when there are none to compare."""
        states = self.states(NumberDistribution)
        if states is None or not states[0].total or not states[1].total:
            return None
        return QuantilePoints.of(states[0]), QuantilePoints.of(states[1])

    @cached_property
    def nonzero(self) -> tuple[QuantilePoints, QuantilePoints] | None:
        """The numbers other than zero now and in the partition before; None when one side has none."""
        if self.points is None:
            return None
        states = self.states(NumberDistribution)
        assert states is not None
        now, before = QuantilePoints.nonzero(states[0]), QuantilePoints.nonzero(states[1])
        return None if now is None or before is None else (now, before)

    @cached_property
    def usual_distance(self) -> float:
        """The Kolmogorov-Smirnov distance that nine in ten ordinary partitions do not exceed."""
        past = self.past_distances("ks_dist")
        if len(past) >= _ENOUGH:
            return nine_in_ten(past)
        return sampling_noise(*self.present)

    @property
    def new_every_time(self) -> bool:
        """Whether the numbers are others in every partition (a date, a counter): those before foretell none of them."""
        return self.usual_distance > _NO_OVERLAP

    @cached_property
    def values(self) -> tuple[ValueShares, ValueShares] | None:
        """The strings now and in the partition before; None when there are none to compare."""
        return _shares(self.states(CategoryDistribution))

    @cached_property
    def patterns(self) -> tuple[ValueShares, ValueShares] | None:
        """The strings' patterns now and in the partition before."""
        return _shares(self.states(PatternDistribution))

    @cached_property
    def new_values(self) -> Mapping[str, float]:
        """The strings that the partition before does not have, and their shares; the most frequent ones first."""
        if self.values is None or not self.values[1].exact:
            return {}
        now, before = self.values
        return {value: share for value, share in now.all_shares.items() if value not in before.all_shares}

    def past_distances(self, metric: str) -> list[float]:
        """The distances of recent partitions from the one before each, as far as they are known."""
        found = (self._distance(now, before, metric) for before, now in pairwise(self.past[-_RECENT:]))
        return [value for value in found if value is not None]

    def distance(self, metric: str) -> float | None:
        """The distance from the partition before; None when it is not known."""
        return self._distance(self.now, self.before, metric)

    def _distance(self, now: ColumnProfile, before: ColumnProfile, metric: str) -> float | None:
        known = self.distances.of(now, (before,), 1)
        value = known.get(metric, known.get(stored_name(metric, Representation.SKETCH)))
        return None if value is None or isinstance(value, Reason) else float(value)

    @cached_property
    def same_every_time(self) -> bool:
        """Whether every partition has the same values equally often: then no difference is due to chance."""
        past = self.past_distances("l1")
        return len(past) >= _ENOUGH and nine_in_ten(past) < _SAME

    @cached_property
    def usual_novelty(self) -> float:
        """Share of the values that are new in a usual partition."""
        past = self.past_distances("new_ratio")
        return sorted(past)[len(past) // 2] if past else 0.0

    def series(self, metric: str) -> FloatArray:
        """The metric in the past partitions that have a value of it."""
        found = (_number(column, metric) for column in self.past)
        return np.array([value for value in found if value is not None], dtype=np.float64)


def nine_in_ten(values: Sequence[float]) -> float:
    """What nine in ten of the values do not exceed (at least one is given)."""
    return sorted(values)[-1 - len(values) // 10]


def sampling_noise(now: int, before: int) -> float:
    """The Kolmogorov-Smirnov distance that two random samples of one distribution rarely exceed (1 time in 50)."""
    return float(1.52 * (1.0 / max(1, now) + 1.0 / max(1, before)) ** 0.5)


def _known(columns: Sequence[ColumnProfile], kind: type[C]) -> list[C]:
    """The states of a kind that have a value, and each of it."""
    states = (one.states.get(kind.key) for one in columns)
    return [one for one in states if isinstance(one, kind) and one.total and one.fullness <= 1.0]


def _shares(states: tuple[CategoryDistribution, CategoryDistribution] | None) -> tuple[ValueShares, ValueShares] | None:
    if states is None or not states[0].total or not states[1].total:
        return None
    return ValueShares.of(states[0]), ValueShares.of(states[1])


def _number(column: ColumnProfile, metric: str) -> float | None:
    value = column.metrics.get(metric)
    return None if value is None or isinstance(value, Reason) else float(value)

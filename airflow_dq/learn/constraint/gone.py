"""Values that were in each of the last partitions, in many rows, and are in none of this one: a filter that drops one.

How far a partition's values are distributed otherwise than the one's before varies from day to day, and a range of it
leaves room for more than ever: a quarter of the rows may go unseen.  That what always was there is not there at all is
no variation.  It is one where the values are further off than ever as well: a code that no Sunday has, and a league in
winter, have been missing before.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from airflow_dq.learn.constraint.base import Constraint, Detector, Finding, Learned, NotEvaluated, Scope, Skipped
from airflow_dq.learn.constraint.view import PartitionView, Unknown
from airflow_dq.learn.history.history import History
from airflow_dq.metrics.registry import largest_pool
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.retention import RETENTION
from airflow_dq.profile.model import ColumnProfile
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution

DISTANCE = "l_inf"
"""What says how far off the values are: by how much the share of one has moved, of one that is gone by all of it."""
NEWEST = RETENTION.with_states(largest_pool())
"""Partitions that are looked at, for of older ones it is not kept which values they had."""
SHARE = 0.05
"""The least part of the values that is looked at: at most twenty values of a column have it."""
EVIDENCE = 15.0
"""A logarithm: that all rows have other values than those that are gone happens by chance once in three million, if
these are as frequent as they were where they were rarest."""

NEGATIVE = "negative_ratio"
"""The share of negative numbers."""
STEADY = 0.5
"""A share that was never less than this part of its median is that of one sort of row, and none of a level that moves:
twice 15 expected rows are 30, of which chance leaves fewer than half once in 500 partitions."""


@dataclass(frozen=True, slots=True)
class NoneGone(Constraint):
    """None of the values that were in each of the last partitions is gone."""

    family: ClassVar[str] = "value_gone"
    suffices: ClassVar[bool] = False

    metric: str
    """What says how far off the values are."""
    kind: Kind
    values: tuple[tuple[str, float], ...]
    """Values, and the least share that each had."""
    furthest: float
    """The largest distance of any past partition from the one before it."""
    partitions: int
    """Number of partitions that have the values."""

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """Ones that are in no row, by no chance, where the values are further off than ever."""
        (name,) = self.scope.columns
        if partition.is_excused(name):
            return self._not_evaluated("the column is missing, as in some past partitions", applies=False)
        now = partition.column(name)
        if now is None or now.kind is not self.kind or (counts := _counted(now)) is None:
            return self._not_evaluated("its values are not counted one by one", applies=False)
        gone = {value: share for value, share in self.values if value not in counts}
        # All that are gone together: where a filter drops two, fewer rows are left that could have had one of them.
        left = max(1.0 - math.fsum(gone.values()), sys.float_info.min)
        if not gone or -sum(counts.values()) * math.log(left) < EVIDENCE:
            return None
        distance = partition.past(name, self.kind).observe(self.metric, True, now)
        if not isinstance(distance, float):
            return self._not_evaluated("how far off its values are is not known")
        if distance <= self.furthest:
            return None
        return Finding(
            "value_gone",
            self.scope,
            self.metric,
            observed=distance,
            upper=self.furthest,
            partitions=self.partitions,
            examples=tuple(gone),
        )

    def _not_evaluated(self, reason: str, *, applies: bool = True) -> NotEvaluated:
        return NotEvaluated("value_gone", self.scope, reason, self.metric, applies)


@dataclass(frozen=True, slots=True)
class SomeNegative(Constraint):
    """Some numbers are negative, as about as many were in each past partition: refunds among payments."""

    family: ClassVar[str] = "sign_gone"
    suffices: ClassVar[bool] = False

    kind: Kind
    least: float
    """The smallest share of the values that were."""
    partitions: int
    """Number of partitions that have some."""

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """None is, of so many values that it is no chance."""
        (name,) = self.scope.columns
        measured = partition.values(name, self.kind, NEGATIVE, "complete_ratio")
        if isinstance(measured, Unknown):
            return NotEvaluated("value_gone", self.scope, measured.reason, NEGATIVE, measured.applies)
        share, complete = measured
        values = complete * partition.profile.row_count
        if share > 0.0 or -values * math.log1p(-self.least) < EVIDENCE:
            return None
        return Finding("value_gone", self.scope, NEGATIVE, observed=share, lower=self.least, partitions=self.partitions)


class GoneDetector(Detector):
    """Remembers which values, and which sign, have been there all the time."""

    name: ClassVar[str] = "values gone"

    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """One constraint for each column of texts or flags that has such values."""
        names = [name for name in history.columns if options.judges(name)]
        found = (
            *(one for name in names for one in _lasting(history, name, options.of_column(name))),
            *(one for name in names for one in _negative(history, name, options.of_column(name))),
        )
        return Learned(found) if found else Skipped("no column has had one value in many rows of each partition")


def _lasting(history: History, name: str, options: SynthesisOptions) -> Iterator[NoneGone]:
    kind = history.kind(name)
    past = history.column(name, kind)
    if history.profiles[-1].options.hides(name):
        # A program keeps no value of such a column.
        return
    newest = [one for one in past.columns[-NEWEST:] if one is not None]
    counted = [counts for one in newest if (counts := _counted(one))]
    if options.metrics is not None or len(counted) < NEWEST or history.answers.is_dismissed(name, DISTANCE):
        return
    totals = [sum(counts.values()) for counts in counted]
    least = {
        value: min(counts.get(value, 0) / total for counts, total in zip(counted, totals, strict=True))
        for value in counted[-1]
    }
    values = tuple((value, share) for value, share in least.items() if SHARE <= share < 1.0)
    distances = past.series(DISTANCE, True).floats()
    known = distances[~np.isnan(distances)]
    if values and len(known):
        yield NoneGone(Scope((name,)), DISTANCE, kind, values, float(known.max()), len(counted))


def _negative(history: History, name: str, options: SynthesisOptions) -> Iterator[SomeNegative]:
    kind = history.kind(name)
    if kind is not Kind.NUMERIC or options.metrics is not None or history.answers.is_dismissed(name, NEGATIVE):
        return
    known = history.column(name, kind).series(NEGATIVE, False).floats()
    shares = known[~np.isnan(known)]
    if len(shares) < options.min_history or options.direction.get(NEGATIVE) == "rises":
        return
    least = float(shares.min())
    # Temperatures around zero are negative on cold days, and on warm ones none is.
    if 0.0 < least < 1.0 and least >= STEADY * float(np.median(shares)):
        yield SomeNegative(Scope((name,)), kind, least, len(shares))


def _counted(column: ColumnProfile) -> dict[str, int] | None:
    """How often each value occurs; None where that is not known."""
    state = column.states.get(CategoryDistribution.key)
    if not isinstance(state, CategoryDistribution) or state.buckets is not None:
        return None
    return dict(zip(state.values.to_pylist(), state.counts.tolist(), strict=True))

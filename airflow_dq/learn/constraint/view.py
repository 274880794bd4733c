"""A partition as constraints see it: its profile, its slot in time, and the history that it is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from airflow_dq.learn.constraint.amount import Amount
from airflow_dq.learn.expect.sampling import quantile_noise
from airflow_dq.learn.expect.violation import is_unknown
from airflow_dq.learn.history.baseline import pool_of
from airflow_dq.learn.history.column import distances_of, value_count
from airflow_dq.learn.renaming import renamings
from airflow_dq.metrics.descriptor import Reason, Support
from airflow_dq.metrics.evaluate import stored_name
from airflow_dq.metrics.registry import get_metric
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind, Representation

if TYPE_CHECKING:
    from airflow_dq.learn.array import FloatArray
    from airflow_dq.learn.history.clock import LocalClock
    from airflow_dq.learn.history.column import ColumnHistory
    from airflow_dq.learn.history.history import History
    from airflow_dq.learn.history.like_days import LikeDays
    from airflow_dq.metrics.descriptor import Metric

AS_OFTEN = 2.0
"""A value that comes back has up to so many times the share that it had: of few rows it has half or twice by chance."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Why a metric has no value that a constraint could judge."""

    reason: str
    applies: bool = True
    """False: the data leaves nothing to judge; True: what is needed is not known."""


@dataclass(frozen=True)
class PartitionView:
    """One partition behind its history."""

    profile: Profile
    history: History
    asked: frozenset[str] | None = None
    """The only columns that are to be judged; None: whatever the partition has."""

    def steps(self, past: ColumnHistory | None = None) -> int:
        """How many slots the partition lies behind the newest one of its history, or behind the newest with a column.

        :return: 1 when none is missing between
        """
        steps = (self.history if past is None else past).timeline.steps_to(self.profile.partition)
        return steps[-1] if steps else 1

    def steps_from_baseline(self, past: ColumnHistory, metric: Metric) -> int:
        """How many slots the partition lies behind what a pair metric compares it with."""
        steps = past.timeline.steps_to(self.profile.partition)
        return steps[past.newest_comparable(metric.pool)] if steps else 1

    def column(self, name: str) -> ColumnProfile | None:
        """The column in the partition."""
        return self.profile.columns.get(name)

    def past(self, name: str, kind: Kind) -> ColumnHistory:
        """The column in the partitions before, as far back as it has been of this kind."""
        return self.history.column(name, kind)

    def past_values(self, name: str, kind: Kind, metric: Metric) -> FloatArray | str:
        """A metric's values on their slots, up to the partition's own; or why there are none."""
        past = self.past(name, kind)
        values = past.slotted(metric)
        return values if isinstance(values, str) else _ahead(values, self.steps(past))

    def past_rows(self, clock: LocalClock | None = None) -> FloatArray:
        """The numbers of rows on their slots, up to the partition's own.

        :param clock: tells which partitions were longer or shorter than others, which are left out
        """
        return _ahead(even_rows(self.history, clock), self.steps())

    @cached_property
    def like(self) -> LikeDays | None:
        """The past partitions with those at the partition's place in the calendar; None where there are none."""
        found = self.history.like_ahead(self.profile.partition)
        return found if found is not None and found.all_occurrences(self.profile.partition) else None

    @cached_property
    def is_edge(self) -> bool:
        """Whether it is the first or the last of a month, and there are like days."""
        places = () if self.like is None else self.like.places(self.profile.partition)
        return any(place.is_edge for place in places)

    def like_values(
        self,
        like: LikeDays,
        column: str | None,
        kind: Kind,
        metric: str,
        pair: bool,
        representation: Representation | None,
    ) -> FloatArray:
        """A metric of past partitions and of like days, NaN where it is not known; a distance only of like days.

        :param column: None: the number of rows
        """
        if column is None:
            return like.rows
        if not pair:
            return like.values(column, kind, metric)
        stored = stored_name(metric, representation or Representation.EXACT)
        days = like.all_occurrences(self.profile.partition)
        return distances_of(like.profiles, days, column, kind, metric, stored, self.history.distances)

    def is_excused(self, name: str) -> bool:
        """Whether the partition lacks a column that may be missing."""
        return self.column(name) is None and name in self.history.optional

    def value(self, name: str, kind: Kind, metric: str) -> float | Unknown:
        """A single-distribution metric of a column that has been of this kind."""
        column = self.column(name)
        if self.is_excused(name):
            return Unknown("the column is missing, as in some past partitions", applies=False)
        if column is not None and column.kind is Kind.NULL:
            return Unknown(Reason.NO_VALUES.value, applies=False)
        if column is None or column.kind is not kind:
            return Unknown(f"it is no {kind} column in the partition")
        value = column.metrics.get(metric)
        if isinstance(value, Reason):
            return Unknown(value.value, applies=is_unknown(value))
        return Unknown("it is not measured; profile the partition again") if value is None else float(value)

    def values(self, name: str, kind: Kind, *metrics: str) -> tuple[float, ...] | Unknown:
        """Several such metrics of one column, or why the first of those that are not known is not."""
        found: list[float] = []
        for metric in metrics:
            value = self.value(name, kind, metric)
            if isinstance(value, Unknown):
                return value
            found.append(value)
        return tuple(found)

    @cached_property
    def usual_rows(self) -> float:
        """The median number of rows of the past partitions that have any; 0.0 without one."""
        past = [one.row_count for one in self.history.profiles if one.row_count]
        return float(np.median(past)) if past else 0.0

    def amount(self, past: ColumnHistory, metric: Metric) -> Amount:
        """How much data a column's metric is measured on, next to the past partitions."""
        if metric.support is Support.ROWS:
            return Amount.of(float(self.profile.row_count), past.row_counts)
        found = Amount.of(value_count(self.column(past.name), self.profile.row_count), past.value_counts)
        if found.now >= found.usual or metric.level is None or metric.is_extreme:
            return found
        return replace(found, drawn=quantile_noise(past, metric.level, found.compared))

    def is_back(self, past: ColumnHistory, metric: Metric, observed: float, most: float) -> bool:
        """Whether values that the partition before lacks are no new ones: those before it have them, about as often.

        :param observed: the share of values that the partition before lacks
        :param most: the largest share of new values that is usual
        """
        now = self.column(past.name)
        wider = None if now is None or not metric.pooled else get_metric(metric.pooled, now.kind)
        unseen = None if wider is None else past.observe(wider.name, True, now)
        if wider is None or not isinstance(unseen, float) or unseen > most:
            return False
        return observed <= AS_OFTEN * past.gone(metric.name, wider.pool)

    def follows_nothing(self, name: str, kind: Kind, metric: str) -> bool:
        """Whether a column has no distance, for all partitions right before have too few values to compare with.

        The newest that has enough lies so far back that its statistics are not kept.
        """
        past = self.past(name, kind)
        newest = past.newest_comparable(pool_of(metric, kind))
        column = past.columns[newest] if 0 <= newest < len(past.columns) - 1 else None
        return column is not None and not column.states

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """Columns that went, and the new name under which each seems to have come again."""
        newest = self.history.newest
        return {} if newest is None else renamings(self.profile, newest)


def even_rows(history: History, clock: LocalClock | None) -> FloatArray:
    """The numbers of rows on their slots, of the partitions that were as long as any."""
    rows = history.rows()
    return rows if clock is None else clock.without_odd(rows, history.timeline, history.partitions)


def _ahead(values: FloatArray, steps: int) -> FloatArray:
    """A series that ends with the newest partition, with an empty slot for each one missing behind it."""
    return np.concatenate([values, np.full(steps - 1, np.nan)]) if steps > 1 else values

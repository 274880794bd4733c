"""How a metric went over the past partitions, with the range that today's program would have expected of each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.expect.violation import excludes_nothing
from airflow_dq.learn.history.history import History
from airflow_dq.learn.history.timeline import timestamp_of
from airflow_dq.learn.pipeline import placed
from airflow_dq.learn.program import Program
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.registry import get_metric
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind
from airflow_dq.store.review_model import MetricHistory

_SATURDAY = 5  # as datetime counts weekdays
WIDEST = 150
"""Columns whose ranges are held against a partition for a page: twenty of each take a quarter of a millisecond each."""
Band = tuple[float | None, float | None]
"""Lowest and highest value that was expected; None for a side without a bound."""


@dataclass(frozen=True, slots=True)
class Point:
    """One partition of a course.

    :param band: None where nobody can say what was expected
    :param learned: whether it was learned from; one that failed or was rejected is not
    """

    partition: str | None
    value: float | None
    band: Band | None = None
    learned: bool = True

    @property
    def is_weekend(self) -> bool:
        """Whether its key names a Saturday or a Sunday."""
        at = timestamp_of(self.partition)
        return at is not None and at.weekday() >= _SATURDAY


@dataclass(frozen=True, slots=True)
class Course:
    """One metric over the past partitions, oldest first, and what is expected of the one that is looked at."""

    column: str | None
    metric: str
    kind: Kind
    past: tuple[Point, ...]
    now: Point


@dataclass(frozen=True, slots=True)
class Near:
    """How near a metric came to what would have been an alarm.

    :param used: the part of the way from what was expected to the bound: 0 in the middle, 1 at it, more beyond
    """

    column: str | None
    metric: str
    kind: Kind
    observed: float
    band: Band
    used: float


@dataclass(frozen=True)
class Insight:
    """A partition beside its program and its history: what its page draws beyond what the verdict says."""

    program: Program
    view: PartitionView

    @classmethod
    def of(cls, program: Program | None, profile: Profile, history: Sequence[Profile]) -> Insight | None:
        """The same; None where there is no program, or none that judges yet.

        :param history: the profiles that it was learned from, oldest first
        """
        if program is None or program.missing or not history:
            return None
        past = placed(History.of(history), program.options).last(max(1, len(program.partitions)))
        return cls(program, PartitionView(profile, past))

    @cached_property
    def nears(self) -> list[Near]:
        """Of each column, and of the table, the range that the partition came nearest to leave; the nearest first.

        Of a very wide table only the first columns are looked at.
        """
        looked_at = {None, *islice(self.view.profile.columns, WIDEST)}
        best: dict[str | None, Near] = {}
        for one in self.program.ranges():
            if one.column not in looked_at:
                continue
            near = self._near(one)
            if near is not None and (near.column not in best or near.used > best[near.column].used):
                best[near.column] = near
        return sorted(best.values(), key=lambda near: -near.used)

    def _near(self, one: Range) -> Near | None:
        observed, _ = one.observe(self.view)
        bounds, centre = one.bounds(self.view), one.centre(self.view)
        if bounds is None or centre is None or observed is None or isinstance(observed, Reason):
            return None
        metric = get_metric(one.metric, one.kind)
        if metric is not None and excludes_nothing(*bounds, metric.natural_range):
            return None
        value, low, high = (_on_scale(one, number) for number in (float(observed), *bounds))
        if value is None:
            # On a scale of factors zero has no place: no rows are no part of any way.
            return None
        used = max(_part(value, centre, high), _part(-value, -centre, None if low is None else -low))
        return Near(one.column, one.metric, one.kind, float(observed), bounds, used) if math.isfinite(used) else None

    def course(self, column: str | None, metric: str, outside: Mapping[str, MetricHistory]) -> Course | None:
        """The metric's course; None where the program has no range of it.

        :param outside: by metric, the values of the column in all partitions, also those not learned from
        """
        found = next((one for one in self.program.ranges() if (one.column, one.metric) == (column, metric)), None)
        if found is None:
            return None
        learned = self._learned(found)
        value, _ = found.observe(self.view)
        number = None if value is None or isinstance(value, Reason) else float(value)
        key = self.view.profile.partition
        now = Point(key, number, found.bounds(self.view))
        stored = outside.get(metric)
        past = learned if stored is None else _with_others(learned, stored, key)
        return Course(column, metric, found.kind, tuple(past), now)

    def _learned(self, one: Range) -> list[Point]:
        """The partitions that the range was learned from, each with what would have been expected of it."""
        metric, history = get_metric(one.metric, one.kind), self.view.history
        if one.column is None:
            keys, timeline, steps = history.partitions, history.timeline, self.view.steps()
            values: Sequence[object] = [profile.row_count for profile in history.profiles]
            spread: FloatArray | str = self.view.past_rows(one.clock)
        else:
            past = self.view.past(one.column, one.kind)
            series = past.series(one.metric, one.pair)
            keys, values, timeline, steps = series.partitions, series.values, past.timeline, self.view.steps(past)
            spread = "unknown" if metric is None else self.view.past_values(one.column, one.kind, metric)
        centres = [] if isinstance(spread, str) else one.expectation.centres(spread).tolist()
        slots = timeline.slots[len(timeline.slots) - len(keys) :]
        # The series ends right before the partition's own slot, and may begin behind the first partition.
        places = [len(centres) - 1 - steps - (slots[-1] - slot) for slot in slots]
        return [
            Point(key, _number(value), _band(one, centres[place]) if place >= 0 else None)
            for key, value, place in zip(keys, values, places, strict=True)
        ]


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _band(one: Range, centre: float) -> Band | None:
    if not math.isfinite(centre):
        return None
    metric, to = get_metric(one.metric, one.kind), one.expectation.from_scale
    lowest, highest = (-math.inf, math.inf) if metric is None else metric.natural_range
    low = None if one.below is None else min(max(to(centre - one.below), lowest), highest)
    high = None if one.above is None else min(max(to(centre + one.above), lowest), highest)
    # What overflows is no bound, and would flatten the picture.
    return None if low is None or math.isinf(low) else low, None if high is None or math.isinf(high) else high


def _with_others(learned: Sequence[Point], stored: MetricHistory, now: str | None) -> list[Point]:
    """The course with the partitions that were not learned from in their places, up to the one that is looked at.

    Those before the history are only older; one that is missing within it was found bad.
    """
    known = {point.partition: point for point in learned}
    keys = [key for key, _ in stored.values]
    until = keys.index(now) if now in keys else len(keys)
    first = next((place for place, key in enumerate(keys) if key in known), until)
    return [
        known.get(key, Point(key, value, None, learned=place < first))
        for place, (key, value) in enumerate(stored.values[:until])
    ]


def _on_scale(one: Range, value: float | None) -> float | None:
    if value is None:
        return None
    found = float(one.expectation.to_scale(np.array([value]))[0])
    return found if math.isfinite(found) else None


def _part(value: float | None, centre: float, bound: float | None) -> float:
    """The part of the way from the centre up to the bound; minus infinity where there is none to go."""
    if value is None or bound is None or bound <= centre:
        return -math.inf
    return (value - centre) / (bound - centre)

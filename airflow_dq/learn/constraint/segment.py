"""The segments of a column are what they always were: each has its rows, its missing values, its means.

A segment is the rows of one value of a column that the profile's option ``segments`` names.  What happens to one
country of twenty moves no metric of the whole table far: here it is seen by itself, by the same ranges as everything
else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from airflow_dq.learn.array import FloatArray
from airflow_dq.learn.constraint.base import Constraint, Detector, Finding, Learned, NotEvaluated, Scope, Skipped
from airflow_dq.learn.constraint.share import usual_bounds
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.metrics.descriptor import Metric
from airflow_dq.metrics.registry import get_metric
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.check.segment import COMPLETE, MEAN, ROWS, measure_of
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind

RULE = "segment"
"""What its findings are called."""
TOP = 20
"""Segments that are judged, those with most rows in a typical partition."""
FEWEST_ROWS = 30
"""Rows of a segment that is judged: means and shares of fewer are chance."""
RATES: Mapping[str, float] = {ROWS: 1.0, COMPLETE: 0.1, MEAN: 0.1}
"""The part of the accepted false-positive rate that each statistic of each segment has.  Their sum is many times the
rate; yet of 612 partitions of columns of few values in twelve public tables (``tests/benchmark/segment``) 12 had an
alarm, most of them facts: a team without a match, a day of cancelled flights, a column that began to be filled.  With 1
for all three 33 of 225 had one in a first count."""
DAY = 86_400.0
"""Seconds: of times the mean's time of day is judged, for that comes again, and their days do not."""
STEADY_CLOCK = 0.9
"""How long the mean of the past hands of a clock must be, 1 being that all agree: they lie within some two hours."""
MATERIAL_SECONDS = 1_800.0
"""How far a segment's mean time of day must move: zones are half an hour apart or more."""
MATERIAL: Mapping[str, tuple[float, float]] = {ROWS: (0.3, 0.6), COMPLETE: (0.1, 0.1), MEAN: (0.25, 0.25)}
"""How far a statistic must fall and rise to be worth an alarm about one segment: rows and means by these parts of what
is usual, a share of values by these points."""
NAMED = 5
"""Segments that a finding names."""
_METRICS = {ROWS: "row_count", COMPLETE: "complete_ratio", MEAN: "mean"}
"""The metric of a column, or of a table, that each statistic is of a segment."""


@dataclass(frozen=True, slots=True)
class Odd:
    """A statistic of one segment outside of its range."""

    segment: str
    observed: float
    lower: float
    upper: float

    @property
    def widths(self) -> float:
        """How far outside it lies, in widths of the range."""
        width = self.upper - self.lower
        beyond = max(self.lower - self.observed, self.observed - self.upper)
        return beyond / width if width > 0.0 else float("inf")


@dataclass(frozen=True, slots=True)
class UsualSegments(Constraint):
    """The values of a column each have about as many rows as they always have, or rows that are as always elsewhere."""

    family: ClassVar[str] = "segment"
    suffices: ClassVar[bool] = False

    by: str
    """The column whose values are segments: where the constraint is about it, how many rows each has."""
    segments: tuple[str, ...]
    """Those that are judged, the largest first."""
    fpr: float
    """The accepted false-positive rate, of which each statistic has a part (:data:`RATES`)."""
    partitions: int
    """So many past partitions know their segments."""

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """The statistic that has left its range in any segment: missing values before means, which may follow."""
        rows = partition.profile.checks.get(measure_of(self.by, ROWS))
        if rows is None or rows.problem is not None:
            reason = "its segments were not counted" if rows is None else str(rows.problem)
            # A profile without the option was not asked for them.
            return NotEvaluated(RULE, self.scope, reason, applies=self.by in partition.profile.options.segments)
        compared = 0
        for statistic in self.statistics:
            judged, odd = self._odd(partition, statistic)
            if odd:
                return self._finding(partition, statistic, odd)
            compared += judged
        if compared:
            return None
        return NotEvaluated(RULE, self.scope, "no segment can be compared by itself", applies=False)

    @property
    def statistics(self) -> tuple[str, ...]:
        """What is judged of each segment."""
        return (ROWS,) if self.scope.column == self.by else (COMPLETE, MEAN)

    def past(self, partition: PartitionView, statistic: str, segment: str) -> FloatArray:
        """A segment's statistic in the past partitions, oldest first; NaN where it is not known."""
        measure = self._measure(statistic)
        values = np.array([_value(one, measure, statistic, segment) for one in partition.history.profiles])
        if statistic != MEAN or not self.of_times(partition):
            return values
        usual = _usual_clock(values)
        return np.full(len(values), np.nan) if usual is None else _around(usual, values)

    def now(self, partition: PartitionView, statistic: str, segment: str) -> float:
        """A segment's statistic in the partition; NaN where it is not known."""
        value = _value(partition.profile, self._measure(statistic), statistic, segment)
        if statistic != MEAN or not self.of_times(partition):
            return value
        past = self.past(partition, statistic, segment)
        return float("nan") if np.isnan(past).all() else float(_around(float(np.nanmedian(past)), value))

    def of_times(self, partition: PartitionView) -> bool:
        """Whether it is about a column of times, whose means are times of day in seconds."""
        column = None if self.scope.column is None else partition.column(self.scope.column)
        return column is not None and column.kind is Kind.TIMESTAMP

    def _measure(self, statistic: str) -> str:
        return measure_of(self.by, statistic, None if statistic == ROWS else self.scope.column)

    def _odd(self, partition: PartitionView, statistic: str) -> tuple[int, list[Odd]]:
        """How many segments can be judged, and those that have left their ranges, the furthest first."""
        found, judged = list[Odd](), 0
        times = statistic == MEAN and self.of_times(partition)
        for segment in self.segments:
            observed = self.now(partition, statistic, segment)
            bounds = None if np.isnan(observed) else self._bounds(partition, statistic, segment)
            if bounds is None:
                continue
            judged += 1
            usual, lower, upper = bounds
            material = abs(observed - usual) >= MATERIAL_SECONDS if times else _is_material(statistic, observed, usual)
            if not lower <= observed <= upper and material:
                found.append(Odd(segment, observed, lower, upper))
        return judged, sorted(found, key=lambda one: -one.widths)

    def _bounds(self, partition: PartitionView, statistic: str, segment: str) -> tuple[float, float, float] | None:
        """What is usual of a statistic, and within which bounds the next value is expected; None: nothing is."""
        past = self.past(partition, statistic, segment)
        if np.isnan(past).all():
            return None
        rows = past if statistic == ROWS else self.past(partition, ROWS, segment)
        rate = RATES[statistic] * self.fpr
        bounds = usual_bounds(_metric(statistic), past, float(np.nanmedian(rows)), rate, partition)
        return None if bounds is None else (float(np.nanmedian(past)), *bounds)

    def _finding(self, partition: PartitionView, statistic: str, odd: Sequence[Odd]) -> Finding:
        first, rows = odd[0], partition.profile.checks[measure_of(self.by, ROWS)].groups
        concerned = sum(int(rows[one.segment].value or 0) for one in odd if one.segment in rows)
        return Finding(
            RULE,
            self.scope,
            statistic,
            observed=first.observed,
            seen=first.segment,
            lower=first.lower,
            upper=first.upper,
            partitions=self.partitions,
            rows=None if statistic == ROWS else concerned,
            examples=tuple(one.segment for one in odd[:NAMED]),
        )


class SegmentDetector(Detector):
    """Watches the largest segments of each column that the profiles tell them of."""

    name: ClassVar[str] = "segment"

    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """One constraint for each column whose segments the newest partition knows."""
        asked = () if history.newest is None else history.newest.options.segments
        names = [name for name in asked if options.judges(name)]
        if not names:
            return Skipped("the profiles tell of no segments (segments=...)")
        found = tuple(self._constraints(history, names, options))
        return Learned(found) if found else Skipped("no segment is large enough, or known for long enough")

    def _constraints(
        self, history: History, names: Sequence[str], options: SynthesisOptions
    ) -> Iterator[UsualSegments]:
        judged = [name for name in history.columns if options.judges(name)]
        for by in names:
            known = [rows for one in history.profiles if (rows := _rows(one, by)) is not None]
            segments = _largest(known) if len(known) >= options.min_history else ()
            if segments:
                for name in judged:
                    yield UsualSegments(Scope((name,)), by, segments, options.target_fpr, len(known))


def _rows(profile: Profile, by: str) -> Measured | None:
    """The segments of a partition with their rows; None where they were not counted."""
    found = profile.checks.get(measure_of(by, ROWS))
    return None if found is None or found.problem is not None else found


def _largest(known: Sequence[Measured]) -> tuple[str, ...]:
    """The segments with most rows in a typical partition."""
    labels = dict.fromkeys(label for rows in known for label in rows.groups)
    typical = {
        label: float(np.median([_number(rows.groups[label].value) if label in rows.groups else 0.0 for rows in known]))
        for label in labels
    }
    large = sorted((label for label in labels if typical[label] >= FEWEST_ROWS), key=lambda label: -typical[label])
    return tuple(large[:TOP])


def _value(profile: Profile, measure: str, statistic: str, segment: str) -> float:
    """A segment's statistic in a partition; NaN where it is not known, and no rows where the segment is gone."""
    found = profile.checks.get(measure)
    if found is None or found.problem is not None:
        return float("nan")
    one = found.groups.get(segment)
    if one is None:
        return 0.0 if statistic == ROWS else float("nan")
    return _number(one.value)


def _usual_clock(moments: FloatArray) -> float | None:
    """The time of day that moments lie around, in seconds; None where they lie all over the day, as hours do.

    The direction of the sum of their hands: of 23:50 and 00:10 that is midnight.
    """
    hands = np.exp(2j * np.pi * moments[~np.isnan(moments)] / DAY)
    if not len(hands) or abs(hands.mean()) < STEADY_CLOCK:
        return None
    return float(np.angle(hands.mean()) / (2.0 * np.pi) * DAY) % DAY


def _around(usual: float, moments: FloatArray | float) -> FloatArray:
    """Times of day within half a day of what is usual: 00:04 is 24:04 where 23:00 is."""
    return np.asarray(usual + (moments - usual + DAY / 2.0) % DAY - DAY / 2.0)


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)


def _is_material(statistic: str, observed: float, usual: float) -> bool:
    fall, rise = MATERIAL[statistic]
    scale = 1.0 if statistic == COMPLETE else abs(usual)
    return observed <= usual - fall * scale or observed >= usual + rise * scale


def _metric(statistic: str) -> Metric:
    found = get_metric(_METRICS[statistic], Kind.NUMERIC)
    assert found is not None
    return found

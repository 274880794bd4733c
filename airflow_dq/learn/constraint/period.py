"""Times that have always lain in their partition's own hour, day, week or month: a row outside is another partition's.

Of times a range knows where their mean and their earliest usually lie, and days begin late or end early: a file of the
day before, a clock that is two hours off and a few rows of yesterday move nothing further than a thin day does.  What
no row of the past has done says it at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import ClassVar
from zoneinfo import ZoneInfo

from airflow_dq.learn.constraint.base import Constraint, Detector, Finding, Learned, NotEvaluated, Scope, Skipped
from airflow_dq.learn.constraint.date_column import DAYS, OF_WEEKS, WEEK
from airflow_dq.learn.constraint.range_detector import equal_share
from airflow_dq.learn.constraint.view import PartitionView, Unknown
from airflow_dq.learn.history.calendar import Grain, grain_of, moments_of
from airflow_dq.learn.history.history import History
from airflow_dq.learn.history.series import ABSENT
from airflow_dq.learn.history.timeline import YEAR, moment_of
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.states.base import Kind
from airflow_dq.states.number import NumberDistribution

LATE = 0.25
"""Up to this part of a partition's values may be of a time before its own without stopping a gate: rows come late, for
the first time once, and each of some tables does on a day in 50.  Nothing comes before its time."""
_MINUTE = timedelta(minutes=1)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Period:
    """Which hours, days, weeks or months a table's partitions are of, by their keys."""

    grain: Grain
    minutes: int
    """Minutes between partitions, of those that come several times a day."""
    ahead: int
    """Days (of partitions of hours or months: these) that it begins behind what the key names."""
    zone: str | None = None
    """The zone of the keys, of a column whose clock is another: UTC.  None where both are the same."""

    def of(self, key: datetime, before: datetime | None = None) -> tuple[float, float]:
        """Its begin and end, in seconds since 1970.

        :param key: what the partition's key names
        :param before: what that of the partition before names: what lies between the two is the later one's
        """
        begin, end = self._begin(key, self.ahead), self._begin(key, self.ahead, after=True)
        if before is not None:
            begin = min(begin, self._begin(before, self.ahead, after=True))
        clock = UTC if self.zone is None else ZoneInfo(self.zone)
        return begin.replace(tzinfo=clock).timestamp(), end.replace(tzinfo=clock).timestamp()

    def _begin(self, key: datetime, ahead: int, *, after: bool = False) -> datetime:
        """When the period begins, or the one after it."""
        match self.grain:
            case Grain.MONTH:
                months = YEAR * key.year + key.month - 1 + ahead + after
                return datetime(months // YEAR, months % YEAR + 1, 1)
            case Grain.HOUR:
                return key + (ahead + after) * self.minutes * _MINUTE
            case _:
                days = WEEK if self.grain is Grain.WEEK else 1
                return datetime(key.year, key.month, key.day) + (ahead + days * after) * _DAY


@dataclass(frozen=True, slots=True)
class WithinPeriod(Constraint):
    """All of a column's times lie in the partition's own period."""

    family: ClassVar[str] = "period"
    suffices: ClassVar[bool] = False

    period: Period
    closed: bool
    """Whether its end has been reached: the reading of midnight belongs to the day before it."""
    fewest: int
    """Values outside that are a finding, or all that there are: a few may be late for once."""
    partitions: int
    """Number of past partitions with values."""

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """At least :attr:`fewest` values outside."""
        (name,) = self.scope.columns
        measured = partition.values(name, Kind.TIMESTAMP, "min", "max")
        if isinstance(measured, Unknown):
            return self._not_evaluated(measured.reason, applies=measured.applies)
        low, high = measured
        ends = self.ends(partition)
        if ends is None:
            return self._not_evaluated(f"the key {partition.profile.partition!r} tells no date")
        if _lies_within(low, high, ends, closed=self.closed):
            return None
        state = partition.profile.columns[name].states.get(NumberDistribution.key)
        if not isinstance(state, NumberDistribution) or not state.total:
            return self._not_evaluated("its values are not kept; profile the partition again")
        (begin, end), cells = ends, state.cells
        early = int(cells.now[cells.upper < begin].sum())
        late = int(cells.now[cells.lower > end if self.closed else cells.lower >= end].sum())
        fewest = min(self.fewest, state.total)
        if early + late < fewest:
            return None
        return Finding(
            "period",
            self.scope,
            observed=(early + late) / state.total,
            partitions=self.partitions,
            rows=early + late,
            severity="warn" if late < fewest and early <= LATE * state.total else "fail",
        )

    def ends(self, partition: PartitionView) -> tuple[float, float] | None:
        """The begin and end of a partition's period, in seconds since 1970; None where its key tells none."""
        key, newest = moment_of(partition.profile.partition), partition.history.newest
        return None if key is None else self.period.of(key, moment_of(newest.partition) if newest else None)

    def _not_evaluated(self, reason: str, *, applies: bool = True) -> NotEvaluated:
        return NotEvaluated("period", self.scope, reason, applies=applies)


class PeriodDetector(Detector):
    """Looks for columns of times that have never left their partition's period."""

    name: ClassVar[str] = "period"

    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """One constraint for each such column."""
        moments = moments_of(history.partitions)
        grain = None if moments is None else grain_of(moments)
        if moments is None or grain is None:
            return Skipped("the keys of the partitions tell no hours, days, weeks or months")
        steps = DAYS if grain is not Grain.WEEK else OF_WEEKS
        minutes = min(later - earlier for earlier, later in pairwise(moments)) // _MINUTE
        # Of local keys a column may tell UTC all the same: the first reading that all its times kept to is its own.
        zones = dict.fromkeys((None, options.timezone))
        periods = [Period(grain, minutes, ahead, zone) for ahead in steps for zone in zones]
        names = [name for name in history.columns if options.judges(name)]
        share = equal_share(options, names)
        able = [name for name in names if history.kind(name) is Kind.TIMESTAMP]
        found = (_within(history, name, moments, periods, options.own_rate(name) or share, options) for name in able)
        kept = tuple(one for one in found if one is not None)
        return Learned(kept) if kept else Skipped("no column of times has always kept to its partition's period")


def _within(
    history: History,
    name: str,
    moments: Sequence[datetime],
    periods: Sequence[Period],
    rate: float,
    options: SynthesisOptions,
) -> WithinPeriod | None:
    """None where a partition's times left its period, or too few partitions had any."""
    told: list[tuple[float, float, datetime, datetime | None]] = []
    for place, (profile, moment) in enumerate(zip(history.profiles, moments, strict=True)):
        column = profile.columns.get(name)
        low, high = (None, None) if column is None else (column.metrics.get("min"), column.metrics.get("max"))
        if column is None or low in ABSENT:
            continue
        if not isinstance(low, float | int) or not isinstance(high, float | int):
            return None
        told.append((float(low), float(high), moment, moments[place - 1] if place else None))
    if len(told) < options.min_history:
        return None
    for period in periods:
        ends = [period.of(moment, before) for _, _, moment, before in told]
        if all(_lies_within(low, high, own, closed=True) for (low, high, *_), own in zip(told, ends, strict=True)):
            closed = any(high == end for (_, high, *_), (_, end) in zip(told, ends, strict=True))
            # What came in none of n partitions comes k times in the next one with a chance of at most (n + 1)^-k, if
            # nothing else is known of how often it comes.
            fewest = math.ceil(-math.log(rate) / math.log1p(len(told)))
            return WithinPeriod(Scope((name,)), period, closed, fewest, len(told))
    return None


def _lies_within(low: float, high: float, ends: tuple[float, float], *, closed: bool) -> bool:
    begin, end = ends
    return begin <= low and (high <= end if closed else high < end)

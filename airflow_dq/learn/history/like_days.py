"""Like days: earlier partitions at the same place of the calendar, and how far each strayed from the days around it.

Which partitions they are follows from the keys alone, so that the store reads those few and no others.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import pairwise

import numpy as np

from airflow_dq.learn.array import BoolArray, FloatArray, floats
from airflow_dq.learn.history.calendar import REACH, Grain, Place, grain_of, moments_of, places_of
from airflow_dq.learn.history.surroundings import Indexes, Surroundings
from airflow_dq.learn.history.timeline import moment_of
from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.options.learning import MIN_HISTORY
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind

BEFORE = 7
"""Partitions before one that say what was to be expected of it: a week of days.  They hold the three that its distances
are measured from."""
WEEKS = 4
"""The same weekday, or of several partitions a day the same hour, so many times before."""
_STEPS = {
    Grain.HOUR: timedelta(hours=1),
    Grain.DAY: timedelta(days=1),
    Grain.WEEK: timedelta(days=7),
    Grain.MONTH: timedelta(days=31),
}

_BEFORE, _CYCLES, _LAST = range(3)
"""What foretells a day: those right before, those whole weeks before (or days, at the same hour), or the last one."""


def like_days(keys: Sequence[str | None], ahead: str | None, window: int, *, every: bool = False) -> list[int]:
    """Which of some partitions before the newest ones are needed to judge the next one by its place in the calendar.

    :param keys: of partitions, oldest first
    :param ahead: the key of the partition that follows (None: that is not known)
    :param window: number of the newest partitions, which are there in any case
    :param every: look for places like the 15th of a month as well, which are no beginnings or ends
    :return: their places among the keys, oldest first, without those of the newest ones
    """
    newest = moments_of(keys[-window:]) if window else None
    grain = None if newest is None else grain_of(newest)
    before = [(place, moment) for place, key in enumerate(keys[:-window]) if (moment := moment_of(key)) is not None]
    if newest is None or grain is None or not before:
        return []
    moments = [*(moment for _, moment in before), *newest]
    if any(later <= earlier for earlier, later in pairwise(moments)):
        return []
    at = {moment: place for place, moment in enumerate(moments)}
    found: set[int] = set()
    for moment in newest:
        # The one before each beginning or end in the window: two tell whether these days are always as they are.
        edges = [place.before(moment, 1) for place in places_of(moment, grain) if place.is_edge]
        for one in (at[edge] for edge in edges if edge in at):
            found.update((one, *_around(moments, at, moment, grain), *_around(moments, at, moments[one], grain)))
    next_one = moment_of(ahead)
    if next_one is not None:
        found.update(_around(moments, at, next_one, grain))
        for place in places_of(next_one, grain):
            for one in _occurrences(place, next_one, at) if place.is_edge or every else ():
                found.update((one, *_around(moments, at, moments[one], grain)))
    return sorted(before[one][0] for one in found if one < len(before))


def _occurrences(place: Place, moment: datetime, at: dict[datetime, int]) -> list[int]:
    """When a place was there before, the newest first, among known moments."""
    before = (place.before(moment, times) for times in range(1, REACH[place.period] + 1))
    return [at[one] for one in before if one is not None and one in at]


def _around(moments: Sequence[datetime], at: dict[datetime, int], moment: datetime, grain: Grain) -> set[int]:
    return {*_before(moments, moment, grain), *_cycles(at, moment, grain)}


def _before(moments: Sequence[datetime], moment: datetime, grain: Grain) -> range:
    """The partitions right before a moment; none that lies twice as far back as they do where none is missing."""
    end = bisect_left(moments, moment)
    start = bisect_left(moments, moment - 2 * BEFORE * _STEPS[grain], max(0, end - BEFORE), end)
    return range(start, end)


def _cycles(at: dict[datetime, int], moment: datetime, grain: Grain) -> list[int]:
    """The partitions whole weeks, or of several a day whole days, before a moment."""
    if grain not in (Grain.HOUR, Grain.DAY):
        return []
    step = timedelta(days=7 if grain is Grain.DAY else 1)
    return [at[one] for times in range(1, WEEKS + 1) if (one := moment - times * step) in at]


@dataclass(frozen=True, slots=True)
class Stray:
    """How far like days lay from what the days around each foretold, in the order in which they are given."""

    keys: tuple[str, ...]
    """The newest first."""
    deviations: FloatArray
    far: BoolArray
    """Which of them lay further off than ordinary days do."""
    expected: float
    """What the days around the partition itself foretell."""
    usual: float
    """The farthest that ordinary days stray."""


class LikeDays:
    """Partitions of a history, and older ones, by their moments."""

    def __init__(self, profiles: Sequence[Profile], window: int, moments: Sequence[datetime], grain: Grain) -> None:
        """Take the profiles; nothing is looked up before it is asked for.

        :param profiles: oldest first, those of the window last
        :param window: how many of them are the history itself
        :param moments: when each of them begins
        """
        self.profiles, self.window, self.grain = profiles, window, grain
        self._moments = moments
        self._at = {moment: place for place, moment in enumerate(moments)}
        self._metrics: dict[tuple[str, Kind], list[Mapping[str, MetricValue]]] = {}
        self._owned: dict[str, list[Indexes]] = {}
        self._occurring: dict[tuple[Place, str | None], list[int]] = {}
        self._plain: dict[tuple[Place, str], list[int]] = {}

    @classmethod
    def of(cls, older: Sequence[Profile], window: Sequence[Profile]) -> LikeDays | None:
        """The days of a history; None where its keys are no moments of a calendar."""
        profiles = [*older, *window]
        moments = moments_of([profile.partition for profile in profiles])
        grain = None if moments is None else grain_of(moments[len(older) :])
        return None if moments is None or grain is None else cls(profiles, len(window), moments, grain)

    def metrics(self, column: str, kind: Kind) -> Sequence[Mapping[str, MetricValue]]:
        """The metrics of a column of each profile, by name; none where it is not there, or of another kind."""
        if (column, kind) not in self._metrics:
            columns = [profile.columns.get(column) for profile in self.profiles]
            self._metrics[column, kind] = [
                {} if one is None or one.kind is not kind else one.metrics for one in columns
            ]
        return self._metrics[column, kind]

    def values(self, column: str, kind: Kind, metric: str) -> FloatArray:
        """A single-distribution metric of a column of each profile; NaN where there is none."""
        return floats([known.get(metric) for known in self.metrics(column, kind)])

    @property
    def rows(self) -> FloatArray:
        """The numbers of rows of all profiles."""
        return floats([profile.row_count for profile in self.profiles])

    def places(self, key: str | None) -> tuple[Place, ...]:
        """The places in the calendar of a partition, from those that come most often on."""
        moment = moment_of(key)
        return () if moment is None else places_of(moment, self.grain)

    def occurrences(self, place: Place, key: str | None) -> list[int]:
        """The like days of a partition at a place, the newest first, by their places among the profiles."""
        if (place, key) not in self._occurring:
            moment = moment_of(key)
            self._occurring[place, key] = [] if moment is None else _occurrences(place, moment, self._at)
        return self._occurring[place, key]

    def all_occurrences(self, key: str | None) -> list[int]:
        """The same at all its places, oldest first."""
        return sorted({day for place in self.places(key) for day in self.occurrences(place, key)})

    def plain_occurrences(self, place: Place, key: str, least: int) -> list[int]:
        """The same without days that begin or end a quarter or a year, unless the partition does or few are left.

        :param least: fewer are few
        """
        if (place, key) not in self._plain:
            days, own = self.occurrences(place, key), self._edges(key)
            left = [day for day in days if self._edges(self.profiles[day].partition) <= own]
            self._plain[place, key] = left if len(left) >= least else days
        return self._plain[place, key]

    def _edges(self, key: str | None) -> frozenset[str]:
        """The periods that begin or end with a partition."""
        return frozenset(place.period for place in self.places(key) if place.is_edge)

    def strays(self, values: FloatArray, groups: Sequence[Sequence[int]], key: str) -> list[Stray | None]:
        """How far days strayed from what was expected of each; None where too little is known for it.

        :param values: of all profiles, on the scale to be judged on; NaN where there is none
        :param groups: places among the profiles
        :param key: of the partition that is to be judged
        """
        series = values[None, :]
        surroundings = self._surroundings(series)
        expected = np.nan if surroundings is None else float(surroundings.expected(series, self._own(key))[0, 0])
        if surroundings is None or not np.isfinite(expected):
            return [None] * len(groups)
        found: list[Stray | None] = []
        usual = float(surroundings.far[0])
        for group in groups:
            days = np.array(group, dtype=np.intp)
            deviations = values[days] - surroundings.expected(series, [one[days] for one in self._all])[0]
            known = np.isfinite(deviations)
            keys = tuple(str(self.profiles[day].partition) for day in days[known].tolist())
            far = np.abs(deviations[known]) > usual
            found.append(Stray(keys, deviations[known], far, expected, usual) if keys else None)
        return found

    def strange(self, series: FloatArray) -> list[frozenset[str | None]]:
        """The keys of days of the window at a beginning or an end that strayed as the like day before them did.

        :param series: several series of values of all profiles, one in each row; NaN where there is none
        :return: those of each series
        """
        surroundings = self._surroundings(series) if self._pairs else None
        if surroundings is None:
            return [frozenset()] * len(series)
        days = np.array(sorted({day for pair in self._pairs for day in pair}), dtype=np.intp)
        found = series[:, days] - surroundings.expected(series, [one[days] for one in self._all])
        with np.errstate(invalid="ignore"):
            signs = np.where(np.abs(found) > surroundings.far[:, None], np.sign(found), 0.0)
        at = {day: place for place, day in enumerate(days.tolist())}
        pairs = [(self.profiles[now].partition, at[now], at[before]) for now, before in self._pairs]
        alike = [signs[:, now] * signs[:, before] > 0.0 for _, now, before in pairs]
        return [
            frozenset(key for (key, _, _), one in zip(pairs, alike, strict=True) if one[row])
            for row in range(len(series))
        ]

    @property
    def has_pairs(self) -> bool:
        """Whether there is a beginning or an end in the window, and the like day before it."""
        return bool(self._pairs)

    def _own(self, key: str) -> list[Indexes]:
        """The days around the partition that is to be judged."""
        if key not in self._owned:
            moment = moment_of(key)
            self._owned[key] = self._neighbours([] if moment is None else [moment])
        return self._owned[key]

    def _surroundings(self, series: FloatArray) -> Surroundings | None:
        """How well the ordinary days are foretold."""
        # The hours before one on the first of a month are of that day as well: only those of other days tell.
        ways = (_CYCLES,) if self.grain is Grain.HOUR else (_BEFORE, _CYCLES, _LAST)
        return Surroundings.of(series, self._ordinary, self._rows, ways)

    @cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        """Each beginning and end in the window with the one before it."""
        found = []
        for now in range(len(self.profiles) - self.window, len(self.profiles)):
            moment = self._moments[now]
            for place in places_of(moment, self.grain):
                before = place.before(moment, 1) if place.is_edge else None
                if before is not None and before in self._at:
                    found.append((now, self._at[before]))
        return found

    @cached_property
    def _rows(self) -> list[Indexes]:
        return [one[self._ordinary] for one in self._all]

    @cached_property
    def _ordinary(self) -> Indexes:
        """The days of the window that are no beginning and no end."""
        window = range(len(self.profiles) - self.window, len(self.profiles))
        edge = [any(place.is_edge for place in places_of(self._moments[day], self.grain)) for day in window]
        return np.array([day for day, is_edge in zip(window, edge, strict=True) if not is_edge], dtype=np.intp)

    @cached_property
    def _all(self) -> list[Indexes]:
        return self._neighbours(self._moments)

    def _neighbours(self, moments: Iterable[datetime]) -> list[Indexes]:
        """For each moment the days before it, and those at the same weekday or hour; filled up with -1."""
        given = list(moments)
        before = [list(_before(self._moments, moment, self.grain)) for moment in given]
        cycles = [_cycles(self._at, moment, self.grain) for moment in given]
        return [_filled(before, BEFORE), _filled(cycles, WEEKS), _filled([one[-1:] for one in before], 1)]


def _filled(rows: Sequence[Sequence[int]], width: int) -> Indexes:
    found = np.full((len(rows), width), -1, dtype=np.intp)
    for row, indexes in zip(found, rows, strict=True):
        row[: len(indexes)] = indexes
    return found


def on_factors(values: FloatArray) -> FloatArray:
    """The logarithms of values that vary by factors, where all of them are positive."""
    return np.log(values) if (values[~np.isnan(values)] > 0.0).all() else values


def without(values: FloatArray, keys: Sequence[str | None], strange: frozenset[str | None]) -> FloatArray:
    """The values of days without those of the strange ones, unless few are left; those that come first are cut off."""
    if not strange:
        return values
    found = np.where([key in strange for key in keys], np.nan, values)
    left = np.flatnonzero(~np.isnan(found))
    return found[left[0] :] if len(left) >= max(MIN_HISTORY, len(values) / 2) else values

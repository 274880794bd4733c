"""One column over past partitions: the series of its metrics, and how its distances are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from airflow_dq.learn.array import FloatArray, median, table
from airflow_dq.learn.history.baseline import Columns, Kept, kept_along, pool_of, pooled
from airflow_dq.learn.history.distance import SHARED, Distances
from airflow_dq.learn.history.like_days import LikeDays, on_factors, without
from airflow_dq.learn.history.series import ABSENT, Series
from airflow_dq.learn.history.timeline import Timeline
from airflow_dq.metrics.descriptor import Metric, MetricValue, Reason, Scale
from airflow_dq.metrics.evaluate import stored_name
from airflow_dq.metrics.registry import get_metric, metrics_for
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind, Representation

THIN = 0.25
"""A partition with no more than this share of a column's usual number of values is not compared with.  After the first
Sunday with 70 orders in place of 1,500, 31 of the next 38 days alarmed while nobody answered: most values were new."""
RARE = 10.0
"""Where fewer values than this are to be expected in a partition it may have none (once in 20,000 at ten: Poisson); how
many it has is for its ratio of values to say."""
CROWDED = 0.5
"""From this share of the limit on distinct values on, the next partition is expected to be sketched."""


class ColumnHistory:
    """One column over past partitions; what its metrics share, above all the distances, is looked up only once."""

    __slots__ = (
        "_cells",
        "_distances",
        "_found",
        "_found_strange",
        "_kept",
        "_like",
        "_partitions",
        "_representations",
        "_series",
        "_typical",
        "_value_counts",
        "columns",
        "name",
        "profiles",
        "row_counts",
        "rows",
        "timeline",
    )

    row_counts: FloatArray
    """Number of rows of each partition, oldest first."""
    rows: float
    """Typical number of rows of a partition; 0.0 without any partition."""

    def __init__(
        self,
        profiles: Sequence[Profile],
        name: str,
        timeline: Timeline | None = None,
        distances: Distances = SHARED,
        like: LikeDays | None = None,
        kept: Callable[[int], Sequence[Kept]] | None = None,
    ) -> None:
        """Take the profiles, oldest first, and the column's name; nothing is looked up before it is asked for.

        :param timeline: where the partitions lie in time (default: one after the other)
        :param distances: what is known of the distances between partitions
        :param like: the days that always are other than those around them, to be left out of what is usual
        :param kept: by the size of the baseline what each profile itself keeps of the distances, where it is looked up
            for others as well
        """
        self.profiles, self.name = profiles, name
        self.timeline = timeline or Timeline.consecutive(len(profiles))
        self.columns: Columns = [profile.columns.get(name) for profile in profiles]
        self.row_counts = np.array([float(one.row_count) for one in profiles])
        self.rows = median(self.row_counts) if profiles else 0.0
        self._partitions = tuple(profile.partition for profile in profiles)
        # The metrics of each partition, and what one that is not among them is.
        self._cells = [({}, None) if now is None else (now.metrics, _otherwise(now)) for now in self.columns]
        self._distances = distances
        self._like = like
        self._kept = kept or partial(kept_along, self.columns)
        self._found_strange: Mapping[str, frozenset[str | None]] | None = None
        self._found: dict[int, Sequence[Mapping[str, MetricValue] | None]] = {}
        self._representations: dict[str, Representation] = {}
        self._series: dict[tuple[str, bool], Series] = {}
        self._typical: dict[str, float] = {}
        self._value_counts: FloatArray | None = None

    def series(self, metric: str, pair: bool) -> Series:
        """The metric's series, oldest first.

        A pair metric has no value in the first partitions, which have no baseline, and leaves them out.
        """
        # Asked for again and again: for the values, for what is typical, for whether there were always any.
        if (metric, pair) not in self._series:
            self._series[metric, pair] = self._series_of(metric, pair)
        return self._series[metric, pair]

    def _series_of(self, metric: str, pair: bool) -> Series:
        if not pair:
            return Series(self._partitions, tuple([found.get(metric, other) for found, other in self._cells]))
        measured = self._measured(metric)
        name = stored_name(metric, self.representation(metric))
        first = len(self.columns) - len(measured)
        values = [
            None if found is None else found.get(name, other)
            for found, (_, other) in zip(measured, self._cells[first:], strict=True)
        ]
        return Series(self._partitions[first:], tuple(values))

    def slotted(self, metric: Metric, least: int = 1) -> FloatArray | str:
        """The metric's values on their slots, oldest first, NaN in slots without one; or why there are none.

        Distances across a gap are left out, for they may be larger, unless too few are left.

        :param least: see :meth:`Series.numbers`
        """
        values = self.series(metric.name, metric.pair).numbers(least)
        if isinstance(values, str):
            return values
        if metric.pair:
            values = _near(values, self.timeline, least)
            return self.timeline.spread(values)
        if metric.of_differences:
            # A spread of nothing, where there was a single value, is no spread that was ever seen.
            values = np.where(self.value_counts[len(self.columns) - len(values) :] > 1.0, values, np.nan)
        if self._like is not None and self._like.has_pairs:
            keys = self._partitions[len(self._partitions) - len(values) :]
            values = without(values, keys, self._strange(self._like).get(metric.name, frozenset()))
        return self.timeline.spread(values)

    def _strange(self, like: LikeDays) -> Mapping[str, frozenset[str | None]]:
        """By single-distribution metric, the days of a month that always are other than those around them."""
        if self._found_strange is None:
            kind = kind_of(self.columns)
            metrics = metrics_for(kind, pair=False)
            series = table(like.metrics(self.name, kind), [one.name for one in metrics])
            for row, one in enumerate(metrics):
                if one.scale in (Scale.RATIO, Scale.COUNT):
                    series[row] = on_factors(series[row])
            found = zip(metrics, like.strange(series), strict=True)
            self._found_strange = {one.name: strange for one, strange in found if strange}
        return self._found_strange

    def observe(
        self, metric: str, pair: bool, now: ColumnProfile | None, representation: Representation | None = None
    ) -> MetricValue | None:
        """The metric's value on the partition that follows; a pair metric compares it with these partitions.

        :param representation: the one that a pair metric is judged in (None: that of its history).  Where only the
            other one can be had, it stands in: the first partition with too many distinct values has no exact distance,
            and its sketched one, in which unequal values may look equal, is hardly ever the larger.
        :return: None when the column, the metric or the states that it needs are not there
        """
        if now is None or not pair:
            return _single(metric, now)
        if not self.columns or self.columns[-1] is None:
            return None
        wanted = representation or self.representation(metric)
        pool = pool_of(metric, now.kind)
        found = self._distances.of(now, self.columns[: self.newest_comparable(pool) + 1], pool)
        names = (stored_name(metric, one) for one in sorted(Representation, key=lambda one: one != wanted))
        value = next((found[name] for name in names if name in found), None)
        return _otherwise(now) if value is None else value

    def gone(self, metric: str, pool: int) -> float:
        """The largest share that values the newest partition lacks have in another one of a pool; 0.0 where unknown.

        :param metric: the share of values not seen in another partition
        """
        *earlier, newest = self.columns[-pool:]
        name = stored_name(metric, self.representation(metric))
        found = (self._distances.of(one, (newest,), 1).get(name) for one in earlier if one is not None)
        return max((share for share in found if isinstance(share, float)), default=0.0)

    def newest_comparable(self, pool: int) -> int:
        """Place of the newest of the last ``pool`` partitions of which any can be compared with.

        Nothing can be told from one without values, and little from one with far fewer than usual: most of a weekday's
        values are not among the few of a Sunday.
        """
        least = THIN * self.rows * self.typical("complete_ratio")
        end = len(self.columns)
        while end > 1 and (self.value_counts[max(0, end - pool) : end] <= least).all():
            end -= 1
        return end - 1

    @property
    def value_counts(self) -> FloatArray:
        """How many values each partition holds, oldest first."""
        if self._value_counts is None:
            held = zip(self.columns, self.row_counts.tolist(), strict=True)
            self._value_counts = np.array([value_count(column, rows) for column, rows in held])
        return self._value_counts

    def typical(self, metric: str) -> float:
        """The median of a single-distribution metric over the partitions that have a value of it; 0.0 without any."""
        if metric not in self._typical:
            numbers = self.series(metric, False).floats()
            known = numbers[np.isfinite(numbers)]
            self._typical[metric] = median(known) if len(known) else 0.0
        return self._typical[metric]

    def is_rare(self, rows: float) -> bool:
        """Whether a partition of so many rows may by chance have no value of the column."""
        return rows * self.typical("complete_ratio") < RARE

    def representation(self, metric: str) -> Representation:
        """The representation in which a pair metric's history is read: never two in one series.

        The one that every partition has; of two that all have, the exact one, unless the newest partition is so near
        the limit that the next one may well be sketched.
        """
        if metric not in self._representations:
            self._representations[metric] = self._common_representation(metric)
        return self._representations[metric]

    def _common_representation(self, metric: str) -> Representation:
        sketched = stored_name(metric, Representation.SKETCH)
        known = [values for values in self._measured(metric) if values and (metric in values or sketched in values)]
        if not all(metric in values for values in known):
            return Representation.SKETCH
        sketch = bool(known) and all(sketched in values for values in known)
        return Representation.SKETCH if sketch and _is_crowded(self.columns[-1], metric) else Representation.EXACT

    def _measured(self, metric: str) -> Sequence[Mapping[str, MetricValue] | None]:
        """The distances of each partition that has enough before it to be compared with; None where one is missing."""
        pool = pool_of(metric, kind_of(self.columns))
        if pool not in self._found:
            kept = self._kept(pool)
            self._found[pool] = [
                None
                if now is None or self.columns[i - 1] is None
                else self._distances.beside(kept[i], now, self.columns[i - pool : i], pool)
                for i, now in enumerate(self.columns)
                if i >= pool
            ]
        return self._found[pool]


def distances_of(
    profiles: Sequence[Profile],
    days: Sequence[int],
    name: str,
    kind: Kind,
    metric: str,
    stored: str,
    distances: Distances,
) -> FloatArray:
    """A two-distribution metric of a column on some days, measured from the partitions before each; NaN on all others.

    :param days: places among the profiles
    :param stored: the name that the metric has in the representation that is asked for
    """
    pool, found = pool_of(metric, kind), np.full(len(profiles), np.nan)
    for day in days:
        now = profiles[day].columns.get(name)
        if now is None or now.kind is not kind:
            continue
        earlier = [one.columns.get(name) for one in profiles[max(0, day - pool) : day]]
        measured = distances.of(now, earlier, pool)
        # A partition before it may have been accepted only since: what it was compared with then serves as well.
        kept = [values for base, values in now.distances.items() if pooled(base) == pool]
        value = next((one[stored] for one in (measured, *kept) if isinstance(one.get(stored), float | int)), None)
        found[day] = value if isinstance(value, float | int) else np.nan
    return found


def value_count(column: ColumnProfile | None, rows: float) -> float:
    """How many values of the column a partition holds."""
    complete = None if column is None else column.metrics.get("complete_ratio")
    if column is None or column.kind is Kind.NULL or complete in ABSENT:
        return 0.0
    # Whoever has chosen other metrics has not measured it.
    return rows * complete if isinstance(complete, float) else float(rows)


def kind_of(columns: Columns) -> Kind:
    """The newest kind of a column's values; partitions in which it was all null without a type do not count."""
    kinds = (column.kind for column in reversed(columns) if column is not None)
    return next((kind for kind in kinds if kind is not Kind.NULL), Kind.NULL)


def _single(metric: str, now: ColumnProfile | None) -> MetricValue | None:
    if now is None:
        return None
    return now.metrics.get(metric, _otherwise(now))


def _otherwise(now: ColumnProfile) -> Reason | None:
    """What a metric is that a column does not have: one without a type has no values, of others it is not known."""
    return Reason.NO_VALUES if now.kind is Kind.NULL else None


def _near(values: FloatArray, timeline: Timeline, least: int) -> FloatArray:
    """Distances without those across a gap, unless too few are left."""
    near = np.where(timeline.across_gap(len(values)), np.nan, values)
    known = np.flatnonzero(~np.isnan(near))
    return near[known[0] :] if len(known) >= max(1, least, len(values) // 2) else values


def _is_crowded(column: ColumnProfile | None, metric: str) -> bool:
    entry = None if column is None else get_metric(metric, column.kind)
    if column is None or entry is None:
        return False
    state = column.states.get(entry.states[0].key)
    return state is not None and state.fullness > CROWDED

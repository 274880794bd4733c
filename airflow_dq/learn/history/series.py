"""The history of one metric of one column: one value per partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airflow_dq.learn.array import FloatArray, median
from airflow_dq.learn.expect.transform import base_of
from airflow_dq.learn.history.baseline import Baseline, Columns, pool_of
from airflow_dq.learn.history.timeline import Timeline
from airflow_dq.learn.model import Clause, TransformKind
from airflow_dq.metrics.descriptor import MetricValue, Reason
from airflow_dq.metrics.evaluate import compare_for_keeping, stored_name
from airflow_dq.metrics.registry import get_metric
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind, Representation

ABSENT = (Reason.EMPTY_BATCH, Reason.NO_VALUES)
"""Reasons for a missing value that are no fault of the metric: the partition had nothing to measure."""
CROWDED = 0.5
"""From this share of the limit on distinct values on, the next partition is expected to be sketched."""


@dataclass(frozen=True, slots=True)
class Series:
    """A metric over partitions, oldest first; None where it cannot be measured any more (or yet)."""

    partitions: tuple[str | None, ...]
    values: tuple[MetricValue | None, ...]

    def numbers(self, least: int = 1) -> FloatArray | str:
        """The values as an array, or where and why one is missing.

        The oldest partitions are left out as long as they were not measured (the metric is new, their statistics are
        gone).  Partitions without any value in the column say nothing about the metric: they are NaN, or left out when
        they come first.

        :param least: leave nothing out if fewer values than this would remain
        """
        known = next((i for i, value in enumerate(self.values) if value is not None), 0)
        start = known if len(self.values) - known >= least else 0
        spoken = [place for place in range(start, len(self.values)) if self.values[place] not in ABSENT]
        for place in spoken if len(spoken) >= max(1, least) else range(start, len(self.values)):
            value = self.values[place]
            if not isinstance(value, float | int):
                reason = value.value if isinstance(value, Reason) else "its statistics are not kept"
                return f"missing in the history ({reason} in partition {self.partitions[place]})"
        values = self.values[spoken[0] :] if spoken else ()
        return np.array([value if isinstance(value, float | int) else np.nan for value in values], dtype=np.float64)

    def points(self) -> tuple[tuple[str | None, float | None], ...]:
        """(partition, value) for a chart; None where there is no number."""
        return tuple(
            (partition, float(value) if isinstance(value, float | int) else None)
            for partition, value in zip(self.partitions, self.values, strict=True)
        )


def observe(
    metric: str,
    pair: bool,
    now: ColumnProfile | None,
    earlier: Columns,
    representation: Representation | None = None,
) -> MetricValue | None:
    """The metric's value on one partition; a pair metric compares it with the partitions before.

    :param earlier: the column in the partitions before, oldest first
    :param representation: the one that a pair metric is judged in (None: whichever there is).  Where only the other
        one can be had, it stands in: the first partition with too many distinct values has no exact distance, and its
        sketched one, in which unequal values may look equal, is hardly ever the larger.
    :return: None when the column, the metric or the states that it needs are not there
    """
    if now is None or (pair and (not earlier or earlier[-1] is None)):
        return None
    value: MetricValue | None
    if not pair:
        value = now.metrics.get(metric)
    else:
        wanted = representation or Representation.EXACT
        pool = pool_of(metric, now.kind)
        found = distances(now, _since_values(earlier, pool), pool)
        values = [found.get(stored_name(metric, one)) for one in sorted(Representation, key=lambda one: one != wanted)]
        value = next((one for one in values if one is not None), None)
    if value is None and now.kind is Kind.NULL:
        return Reason.NO_VALUES
    return value


def _since_values(earlier: Columns, pool: int) -> Columns:
    """The partitions before, up to the last ones of which any has values: nothing can be told from the others."""
    end = len(earlier)
    while end > 1 and all(column is not None and _is_bare(column) for column in earlier[max(0, end - pool) : end]):
        end -= 1
    return earlier[:end]


def _is_bare(column: ColumnProfile) -> bool:
    return column.kind is Kind.NULL or column.metrics.get("complete_ratio") in (*ABSENT, 0.0)


class ColumnHistory:
    """One column over past partitions; what its metrics share, above all the distances, is looked up only once."""

    __slots__ = ("_measured", "_representations", "_typical", "columns", "name", "profiles", "rows", "timeline")

    def __init__(self, profiles: Sequence[Profile], name: str, timeline: Timeline | None = None) -> None:
        """Take the profiles, oldest first, and the column's name; nothing is looked up before it is asked for.

        :param timeline: where the partitions lie in time (default: one after the other)
        """
        self.profiles, self.name = profiles, name
        self.timeline = timeline or Timeline.plain(len(profiles))
        self.columns: Columns = [profile.columns.get(name) for profile in profiles]
        self.rows = median(np.array([profile.row_count for profile in profiles], dtype=np.float64)) if profiles else 0.0
        self._measured: dict[int, Sequence[Mapping[str, MetricValue] | None]] = {}
        self._representations: dict[str, Representation] = {}
        self._typical: dict[str, float] = {}

    def series(self, metric: str, pair: bool) -> Series:
        """The metric's series, oldest first.

        A pair metric has no value in the first partitions, which have no baseline, and leaves them out.
        """
        partitions = tuple(profile.partition for profile in self.profiles)
        if not pair:
            return Series(partitions, tuple(observe(metric, pair, now, ()) for now in self.columns))
        measured = self._distances(metric)
        name = stored_name(metric, self.representation(metric))
        first = len(self.columns) - len(measured)
        return Series(
            partitions[first:],
            tuple(_kept(name, now, found) for now, found in zip(self.columns[first:], measured, strict=True)),
        )

    def typical(self, metric: str) -> float:
        """The median of a single-distribution metric over the partitions that have a value of it; 0.0 without any."""
        if metric not in self._typical:
            found = [column.metrics.get(metric) for column in self.columns if column is not None]
            numbers = np.array([value for value in found if isinstance(value, float | int)], dtype=np.float64)
            self._typical[metric] = median(numbers) if len(numbers) else 0.0
        return self._typical[metric]

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
        known = [values for values in self._distances(metric) if values and (metric in values or sketched in values)]
        if not all(metric in values for values in known):
            return Representation.SKETCH
        sketch = bool(known) and all(sketched in values for values in known)
        return Representation.SKETCH if sketch and _is_crowded(self.columns[-1], metric) else Representation.EXACT

    def _distances(self, metric: str) -> Sequence[Mapping[str, MetricValue] | None]:
        """The distances of each partition that has enough before it to be compared with; None where one is missing."""
        pool = pool_of(metric, _kind(self.columns))
        if pool not in self._measured:
            self._measured[pool] = [
                None if now is None or self.columns[i - 1] is None else distances(now, self.columns[:i], pool)
                for i, now in enumerate(self.columns)
                if i >= pool
            ]
        return self._measured[pool]


def representation_of(history: Sequence[Profile], column: str, metric: str) -> Representation:
    """See :meth:`ColumnHistory.representation`, which is cheaper for several metrics of one column."""
    return ColumnHistory(history, column).representation(metric)


def _kind(columns: Columns) -> Kind:
    """The newest kind of the column's values."""
    kinds = (column.kind for column in reversed(columns) if column is not None)
    return next((kind for kind in kinds if kind is not Kind.NULL), Kind.NULL)


def _is_crowded(column: ColumnProfile | None, metric: str) -> bool:
    entry = None if column is None else get_metric(metric, column.kind)
    if column is None or entry is None:
        return False
    state = column.states.get(entry.states[0].key)
    return state is not None and state.fullness > CROWDED


@dataclass(frozen=True, slots=True)
class Before:
    """The partitions before the one that is judged."""

    profiles: Sequence[Profile]
    """Oldest first."""
    steps: Sequence[int]
    """How many steps each of them lies before it, see :meth:`Timeline.steps_to`."""

    def base(self, clause: Clause) -> float | None:
        """What a clause's metric is compared with (0.0 when with nothing).

        :return: None when the history does not reach back so far, the values are not kept, or it has no logarithm
        """
        kind = clause.transform.kind
        if kind is TransformKind.IDENTITY:
            return 0.0
        values: Sequence[MetricValue | None] = [float(profile.row_count) for profile in self.profiles]
        if clause.column is not None:
            values = series_of(self.profiles, clause.column, clause.metric, clause.pair).values
        placed = zip(self.steps[len(self.steps) - len(values) :], values, strict=True)
        past = {step: float(value) for step, value in placed if isinstance(value, float | int)}
        if clause.pair and past and self.steps[-1] > 1:
            # Across a gap the two days are further apart than any in the history: the distance may grow with each step.
            found: float | None = max(past.values()) * self.steps[-1]
        else:
            found = base_of(clause.transform, past, clause.center)
        return None if kind is TransformKind.LOG_DIFF and found is not None and found <= 0 else found

    def bounds(self, clause: Clause) -> tuple[float | None, float | None]:
        """The bounds of a clause on the transformed metric: across a gap a distance may grow with every step."""
        grows = clause.pair and clause.transform.kind is TransformKind.IDENTITY and self.steps
        return clause.lower, clause.upper * self.steps[-1] if grows and clause.upper is not None else clause.upper


def distances(now: ColumnProfile, earlier: Columns, pool: int) -> Mapping[str, MetricValue]:
    """The two-distribution metrics of a column whose baseline is a pool of partitions, as far as they can be had.

    They are cached in ``now.pairs`` under the baseline's fingerprint, so they outlive the states; one that depends on
    the representation is there in each that may be asked for, as ``name`` (exact) and ``name/sketch``.

    :param earlier: the column in the partitions before, oldest first; the newest ``pool`` are compared with
    """
    before = Baseline.of(earlier, now.kind, pool)
    if before is None:
        return {}
    if not before.is_measured(now) and now.states and before.known:
        now.pairs[before.fingerprint] = compare_for_keeping(now.kind, now.states, before.states(), pool)
    return before.kept(now)


def series_of(history: Sequence[Profile], column: str, metric: str, pair: bool) -> Series:
    """See :meth:`ColumnHistory.series`, which is cheaper for several metrics of one column."""
    return ColumnHistory(history, column).series(metric, pair)


def _kept(name: str, now: ColumnProfile | None, measured: Mapping[str, MetricValue] | None) -> MetricValue | None:
    if now is None or measured is None:
        return None
    value = measured.get(name)
    return Reason.NO_VALUES if value is None and now.kind is Kind.NULL else value

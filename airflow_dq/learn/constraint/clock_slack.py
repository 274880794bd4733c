"""What an hour that is missing, or comes twice, may do to a column's metrics: the hours themselves are a column, too.

A column that tells the hour lacks one of its values on the day of 23 hours, and has one twice as often on that of 25.
Where the number of rows has followed the clock, each metric may move by as much as that share of the rows can move it
whatever their values are, as long as these lie where the column's values lay before.
"""

from __future__ import annotations

import math

from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.clock import LocalClock
from airflow_dq.learn.history.column import ColumnHistory
from airflow_dq.metrics.descriptor import Metric, MetricValue, Unit
from airflow_dq.profile.model import ColumnProfile
from airflow_dq.states.moment import Moments

FOLLOWED = 0.5
"""The number of rows has followed the clock when it is off by less than this part of what the clock took or gave."""


Bounds = tuple[float | None, float | None]


def rows_by_the_clock(clock: LocalClock, bounds: Bounds, partition: PartitionView) -> Bounds:
    """The bounds of the number of rows, wider for a partition that is longer or shorter than others."""
    lower, upper = bounds
    # Rows may follow the hours or not: a day of 23 may have fewer, and need not.
    length = clock.length(partition.profile.partition)
    few, many = min(1.0, length), max(1.0, length)
    return None if lower is None else lower * few, None if upper is None else upper * many


def by_the_clock(
    clock: LocalClock, metric: Metric | None, past: ColumnHistory, bounds: Bounds, partition: PartitionView
) -> Bounds:
    """The bounds of a column's metric, wider for a partition that is longer or shorter than others."""
    lower, upper = bounds
    before = next((column for column in reversed(past.columns) if column is not None), None)
    slack = 0.0 if metric is None or before is None else clock_slack(metric, clock, partition, before)
    return None if lower is None else lower - slack, None if upper is None else upper + slack


def clock_slack(metric: Metric, clock: LocalClock, partition: PartitionView, before: ColumnProfile) -> float:
    """How far beyond its range a metric of a column may lie because the partition is longer or shorter than others.

    :param before: the column in an earlier partition
    :return: 0.0 for a partition as long as any, for one whose rows do not follow the clock, and for what is missing
    """
    share = 0.0 if metric.presence else _share(clock, partition)
    if not share:
        return 0.0
    lowest, highest = metric.natural_range
    width = _number(before, "max") - _number(before, "min")
    if metric.unit in (Unit.COLUMN, Unit.SPAN):
        return share * width
    if metric.pair and metric.states == (Moments,):
        # In standard deviations.
        std = _number(before, "std")
        return share * width / std if std > 0.0 else 0.0
    if not metric.pair and metric.unit is not Unit.SHARE:
        # Lengths, counts of distinct things, an entropy: by a share of what they are, and of at least 1.
        return share * max(1.0, _number(before, metric.name))
    # The distances are bounded by the share of the values that are others, on the scale of what they can be.
    return share * (highest - max(lowest, 0.0)) if math.isfinite(highest) else 0.0


def _share(clock: LocalClock, partition: PartitionView) -> float:
    """The share of the rows that the clock took or gave, if it did."""
    length = clock.length(partition.profile.partition)
    usual = partition.usual_rows
    if length == 1.0 or not usual or abs(partition.profile.row_count / usual - length) > FOLLOWED * abs(length - 1.0):
        return 0.0
    return abs(length - 1.0) / min(1.0, length) if length else 0.0


def _number(column: ColumnProfile, name: str) -> float:
    value: MetricValue | None = column.metrics.get(name)
    return float(value) if isinstance(value, float) else 0.0

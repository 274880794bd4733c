"""The history of one metric of one column: one value per partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from airflow_dq.metrics.registry import MetricValue, Reason, compare, metrics_for
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.program.array import FloatArray
from airflow_dq.program.model import Clause, TransformKind
from airflow_dq.program.transform import base_of
from airflow_dq.states.base import Kind


@dataclass(frozen=True, slots=True)
class Series:
    """A metric over partitions, oldest first; None where it cannot be measured any more (or yet)."""

    partitions: tuple[str | None, ...]
    values: tuple[MetricValue | None, ...]

    def numbers(self) -> FloatArray | str:
        """The values as an array, or where and why one is missing."""
        for partition, value in zip(self.partitions, self.values, strict=True):
            if not isinstance(value, float | int):
                reason = value.value if isinstance(value, Reason) else "its statistics are not kept"
                return f"missing in the history ({reason} in partition {partition})"
        return np.array(self.values, dtype=np.float64)

    def points(self) -> tuple[tuple[str | None, float | None], ...]:
        """(partition, value) for a chart; None where there is no number."""
        return tuple(
            (partition, float(value) if isinstance(value, float | int) else None)
            for partition, value in zip(self.partitions, self.values, strict=True)
        )


def observe(metric: str, pair: bool, now: ColumnProfile | None, before: ColumnProfile | None) -> MetricValue | None:
    """The metric's value on one partition; a pair metric compares it with the partition before.

    :return: None when the column, the metric or the states that it needs are not there
    """
    if now is None or (pair and before is None):
        return None
    if not pair:
        value = now.metrics.get(metric)
    else:
        assert before is not None
        value = pair_metrics(now, before).get(metric)
    if value is None and now.kind is Kind.NULL:
        return Reason.NO_VALUES
    return value


def base_value(clause: Clause, history: Sequence[Profile]) -> float | None:
    """What a clause's metric is compared with on the partition that follows the history (0.0 when with nothing).

    :return: None when the history does not reach back so far, or the values are not kept
    """
    if clause.transform.kind is TransformKind.IDENTITY:
        return 0.0
    recent = list(history)[-clause.transform.lag * clause.transform.cycles - clause.pair :]
    if clause.column is None:
        return base_of(clause.transform, [float(profile.row_count) for profile in recent])
    values = series_of(recent, clause.column, clause.metric, clause.pair).values
    return base_of(clause.transform, [value if isinstance(value, float | int) else None for value in values])


def pair_metrics(now: ColumnProfile, before: ColumnProfile) -> Mapping[str, MetricValue]:
    """The two-distribution metrics of a column against a baseline, as far as they are cached or computable.

    They are cached in ``now.pairs`` under the baseline's fingerprint, so they outlive the states.
    """
    cached = now.pairs.get(before.fingerprint, {})
    if now.kind is not before.kind or all(entry.name in cached for entry in metrics_for(now.kind, pair=True)):
        return cached
    if now.states and before.states:
        now.pairs[before.fingerprint] = cached = compare(now.kind, now.states, before.states)
    return cached


def series_of(history: Sequence[Profile], column: str, metric: str, pair: bool) -> Series:
    """The metric's series over the history, oldest first.

    A pair metric has no value in the first partition, which has no partition before it, and leaves it out.
    """
    columns = [profile.columns.get(column) for profile in history]
    first = 1 if pair else 0
    return Series(
        tuple(profile.partition for profile in history[first:]),
        tuple(observe(metric, pair, columns[i], columns[i - 1] if pair else None) for i in range(first, len(history))),
    )

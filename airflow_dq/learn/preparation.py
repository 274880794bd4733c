"""What a column's program is learned from: its comparable history, its injected errors, and the metrics to watch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from airflow_dq.learn.array import BoolArray, FloatArray
from airflow_dq.learn.choose.candidate import Candidates
from airflow_dq.learn.choose.column import ColumnSynthesis, WatchedMetric
from airflow_dq.learn.choose.training import Training, training_of
from airflow_dq.learn.expect.support import caught_by
from airflow_dq.learn.history.series import ColumnHistory
from airflow_dq.learn.history.timeline import Timeline
from airflow_dq.learn.mode import MODES
from airflow_dq.learn.model import ColumnProgram
from airflow_dq.learn.novelty import unproven
from airflow_dq.metrics.descriptor import Metric
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind


@dataclass(frozen=True, slots=True)
class TableHistory:
    """The partitions that a table's program is learned from."""

    profiles: Sequence[Profile]
    """Oldest first."""
    timeline: Timeline
    """Where they lie in time."""
    volume: Candidates | None
    """Constraints on the row count, if it is judged: errors that they catch are not left to the columns."""
    columns: int
    """How many columns share one false-alarm rate: 1 when each has its own."""


def prepare_column(
    table: TableHistory, column: str, kind: Kind, options: SynthesisOptions
) -> ColumnSynthesis | ColumnProgram:
    """Gather what a column's program is made from; where nothing can be learned, the program that says why."""
    history = _comparable(table.profiles, column, kind)
    if len(history) < options.min_history:
        reason = f"{len(history)} of {options.min_history} partitions have it as a {kind} column so far"
        return ColumnProgram(column, kind, (), 0, 0, reason=reason)
    mode = MODES[options.mode]
    past = ColumnHistory(history, column, table.timeline.tail(len(history)))
    metrics = [metric for metric in metrics_for(kind) if _used(metric, options)]
    training = training_of(past, kind, [metric.name for metric in metrics if metric.pair])
    if training is None and mode.needs_errors:
        note = history[-1].columns[column].note
        return ColumnProgram(column, kind, (), 0, 0, reason=note or "no injected errors to choose constraints by")
    if training is not None and table.volume is not None:
        training = training.without(caught_by(table.volume, past, training))
    watched: list[WatchedMetric] = []
    ignored: dict[str, str] = {}
    for metric in metrics:
        found = _watched(past, metric, options, training, table.columns)
        if isinstance(found, str):
            ignored[metric.name] = found
        else:
            watched.append(found)
    margins = mode.margins if len(history) >= mode.margins_from else ()
    return ColumnSynthesis(column, kind, watched, margins, training, ignored, options)


def _comparable(history: Sequence[Profile], column: str, kind: Kind) -> Sequence[Profile]:
    """The newest partitions in a row that have the column with this kind."""
    start = len(history)
    while start > 0:
        found = history[start - 1].columns.get(column)
        if found is None or found.kind not in (kind, Kind.NULL):
            break
        start -= 1
    return history[start:]


def _used(metric: Metric, options: SynthesisOptions) -> bool:
    if options.metrics is not None and metric.name not in options.metrics:
        return False
    return MODES[options.mode].uses(metric, named=options.metrics is not None)


def _watched(
    past: ColumnHistory, metric: Metric, options: SynthesisOptions, training: Training | None, columns: int
) -> WatchedMetric | str:
    """One metric to put constraints on, or the reason why there can be none."""
    least = options.min_history - (metric.pool if metric.pair else 0)
    values = past.series(metric.name, metric.pair).numbers(least)
    if isinstance(values, str):
        return values
    if metric.pair:
        values = _neighbours(values, past.timeline.far(len(values)), least)
    values = past.timeline.spread(values)
    mode = MODES[options.mode]
    # A metric that a user has named is watched.
    if mode.expects_novelty and options.metrics is None and (reason := unproven(metric, values, columns)) is not None:
        return reason
    learned = mode.learn(metric, values, past, stationary=options.stationary)
    if isinstance(learned, str):
        return learned
    tested = None if training is None else training.tested(metric, values)
    if training is not None and tested is None:
        return "not measured on the injected errors (their statistics are not kept)"
    return WatchedMetric(learned, tested)


def _neighbours(values: FloatArray, far: BoolArray, least: int) -> FloatArray:
    """Distances without those across a gap, which may be larger, unless too few are left."""
    near = np.where(far, np.nan, values)
    known = np.flatnonzero(~np.isnan(near))
    return near[known[0] :] if len(known) >= max(least, len(values) // 2) else values

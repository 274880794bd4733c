"""AVH as published: every column by itself, chosen by injected errors alone (KDD 2023, section 4, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from airflow_dq.learn.avh.constraint import Stationary
from airflow_dq.learn.choose.column import Choice, Space, WatchedMetric
from airflow_dq.learn.choose.error import Training
from airflow_dq.learn.choose.greedy import select, tightest
from airflow_dq.learn.constraint.base import ColumnReport, Constraint, Detector, Learned, Scope, Skipped
from airflow_dq.learn.constraint.direction import one_sided
from airflow_dq.learn.constraint.range import Range, without_idle
from airflow_dq.learn.history.column import ColumnHistory
from airflow_dq.learn.history.history import History
from airflow_dq.metrics.descriptor import Metric
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.states.base import Kind


class PaperDetector(Detector):
    """The constraints of Auto-Validate-by-History on each column."""

    name: ClassVar[str] = "range (AVH)"

    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """The ranges of each column within its target; a column without injected errors gets none."""
        newest = history.newest
        names = [] if newest is None else [name for name in newest.columns if options.judges(name)]
        shared = options.target_fpr
        if options.scope == "partition":
            shared /= max(1, sum(options.own_rate(name) is None for name in names))
        constraints: list[Constraint] = []
        reports: dict[str, ColumnReport] = {}
        for name in names:
            kind = history.kind(name)
            past, own = history.column(name, kind), options.of_column(name)
            found = _learn(past, kind, own, options.own_rate(name) or shared)
            if isinstance(found, str):
                remark = None if newest is None else newest.columns[name].remark
                reports[name] = ColumnReport(kind, reason=remark or found)
                continue
            choice, ignored, errors = found
            ranges = without_idle(Range.of(Scope((name,)), kind, one, past, own.direction) for one in choice.chosen)
            constraints += ranges
            reason = None if ranges else "no constraint catches an injected error within the target"
            reports[name] = ColumnReport(kind, errors, choice.coverage, ignored, reason)
        if not constraints:
            return Skipped("there is no column to judge" if not names else "no column has a constraint", reports)
        return Learned(tuple(constraints), reports)


def _learn(
    past: ColumnHistory, kind: Kind, options: SynthesisOptions, budget: float
) -> tuple[Choice, dict[str, str], int] | str:
    """The choice, the metrics that cannot be bounded and why, and the number of injected errors."""
    if len(past.profiles) < options.min_history:
        return f"{len(past.profiles)} of {options.min_history} partitions have it as a {kind} column so far"
    metrics = [metric for metric in metrics_for(kind) if _is_used(metric, options)]
    training = Training.of(past, kind, metrics)
    if training is None:
        return "no injected errors to choose constraints by"
    watched: list[WatchedMetric] = []
    ignored: dict[str, str] = {}
    for metric in metrics:
        found = _watch(past, metric, options, training)
        if isinstance(found, str):
            ignored[metric.name] = found
        else:
            watched.append(found)
    watched = one_sided(watched, options.direction)
    return _choose(watched, training, options.max_clauses, budget), ignored, len(training.errors)


def _is_used(metric: Metric, options: SynthesisOptions) -> bool:
    return metric.paper and (options.metrics is None or metric.name in options.metrics)


def _watch(past: ColumnHistory, metric: Metric, options: SynthesisOptions, training: Training) -> WatchedMetric | str:
    series = past.series(metric.name, metric.pair)
    values = series.numbers(options.min_history - (metric.pool if metric.pair else 0))
    if isinstance(values, str):
        return values
    learned = Stationary.of(metric, values[~np.isnan(values)], stationary=options.stationary)
    if isinstance(learned, str):
        return learned
    if any(value is None for value in training.errors.values(metric)):
        return "not measured on the injected errors (their statistics are not kept)"
    return WatchedMetric(metric, learned, values, series.has_absent)


def _choose(watched: Sequence[WatchedMetric], training: Training, max_clauses: int | None, budget: float) -> Choice:
    """Algorithm 1: the constraints that catch most of the injected errors within the budget."""
    candidates = [one.learned.candidates(budget) for one in watched]
    coverage = [
        found.violations(
            training.errors.observed(one.metric),
            training.before(one.past),
            may_be_absent=one.may_be_absent,
        )
        for one, found in zip(watched, candidates, strict=True)
    ]
    space = Space(watched, candidates, coverage, training)
    return space.choose(lambda problem: tightest(problem, select(problem)), budget, max_clauses)

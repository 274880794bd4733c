"""One column's program: the constraints on its metrics, what each catches, and the choice among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airflow_dq.metrics.registry import Metric, metrics_for
from airflow_dq.profile.model import Profile
from airflow_dq.program.array import BoolArray, FloatArray
from airflow_dq.program.budget import LEVELS
from airflow_dq.program.constraint import Candidates, Learned
from airflow_dq.program.mode import MODES
from airflow_dq.program.model import ColumnProgram, SynthesisOptions
from airflow_dq.program.selection import select, tightened, tightest
from airflow_dq.program.series import ColumnHistory
from airflow_dq.program.size import caught_by
from airflow_dq.program.timeline import Timeline
from airflow_dq.program.training import Tested, Training, training_of
from airflow_dq.states.base import Kind

_Bounded = tuple[Candidates, BoolArray]
"""The constraints on one metric, and which (rows) catch which injected error (columns), then with each margin again."""


@dataclass(frozen=True, slots=True)
class _Watched:
    """What the history says about one metric, and the metric on the injected errors, when there are any."""

    learned: Learned
    tested: Tested | None


@dataclass(frozen=True, slots=True)
class Making:
    """What a column's program is made of, whatever its budget."""

    column: str
    kind: Kind
    watched: Sequence[_Watched]
    """The metrics that can be bounded."""
    margins: tuple[float, ...]
    """See :attr:`Mode.margins`; none while the history is short."""
    training: Training | None
    ignored: Mapping[str, str]
    options: SynthesisOptions

    def program(self, budget: float) -> ColumnProgram:
        """The column's program at this false-positive rate."""
        space = [self._bounded(one, budget) for one in self.watched]
        if self.training is None:
            return self._untrained([found for found, _ in space], budget)
        return self._best(space, self.training, budget)

    def programs(self, share: float) -> tuple[ColumnProgram, ...]:
        """The programs at the levels of this share; none above it where the share itself buys all there is."""
        found: list[ColumnProgram] = []
        for level in LEVELS:
            found.append(self.program(level * share))
            if level >= 1.0 and found[-1].coverage == found[-1].variants:
                break
        return tuple(found)

    def _bounded(self, watched: _Watched, budget: float) -> _Bounded:
        found, tested = watched.learned.constraints(budget), watched.tested
        if tested is None:
            return found, np.zeros((len(found.fpr), 0), dtype=bool)
        wider = [found, *(found.widened(margin) for margin in self.margins)]
        return found, np.concatenate([tested.caught(one) for one in wider], axis=1)

    def _untrained(self, space: Sequence[Candidates], budget: float) -> ColumnProgram:
        """Constraints on all metrics, each with the same share of the budget.

        For a column that no error can be injected into, or an old partition whose injected errors are not kept: a
        program that is wider than a trained one is better than none.
        """
        most = self.options.max_clauses
        share = budget / max(1, min(len(space), most or len(space)))
        clauses = []
        for found in space[:most]:
            affordable = np.flatnonzero(found.fpr <= share)
            if len(affordable):
                clauses.append(found.clause(int(affordable[0]), self.column, ()))
        reason = None if clauses else "no metric could be bounded"
        return ColumnProgram(self.column, self.kind, tuple(clauses), 0, 0, self.ignored, reason)

    def _best(self, space: Sequence[_Bounded], training: Training, budget: float) -> ColumnProgram:
        """Algorithm 1 over the constraints of all metrics."""
        variants = len(training.variants)
        if not space:
            return ColumnProgram(self.column, self.kind, (), variants, 0, self.ignored, "no metric could be bounded")
        groups = np.repeat(np.arange(len(space)), [len(found.fpr) for found, _ in space])
        position = np.concatenate([np.arange(len(found.fpr)) for found, _ in space])
        coverage = np.concatenate([caught for _, caught in space])
        cost = np.concatenate([found.fpr for found, _ in space])
        chosen = select(cost, coverage, budget, groups=groups, max_groups=self.options.max_clauses)
        chosen = tightest(chosen + _guard(space, chosen, self.kind, cost, groups, self.options, budget), groups)
        chosen = _tightened(space, chosen, cost, groups, self.options, budget)
        coverage = coverage[:, :variants]
        labels = np.array(training.labels)
        clauses = tuple(
            space[groups[index]][0].clause(int(position[index]), self.column, tuple(labels[coverage[index]].tolist()))
            for index in chosen
        )
        caught = int(coverage[chosen].any(axis=0).sum()) if chosen else 0
        reason = (
            None if clauses else f"no constraint catches an injected error within a false-alarm rate of {budget:.2g}"
        )
        return ColumnProgram(self.column, self.kind, clauses, variants, caught, self.ignored, reason)


def making_of(
    history: Sequence[Profile],
    timeline: Timeline,
    column: str,
    kind: Kind,
    options: SynthesisOptions,
    volume: Candidates | None,
) -> Making | ColumnProgram:
    """What a column's program is made of; a program without clauses where there can be no other.

    :param history: the profiles to learn from, oldest first
    :param timeline: where they lie in time
    :param volume: the constraints on the table's row count; errors that it gives away are not the column's to catch
    """
    history = _comparable(history, column, kind)
    if len(history) < options.min_history:
        reason = f"{len(history)} of {options.min_history} partitions have it as a {kind} column so far"
        return ColumnProgram(column, kind, (), 0, 0, reason=reason)
    mode = MODES[options.mode]
    past = ColumnHistory(history, column, timeline.tail(len(history)))
    metrics = [metric for metric in metrics_for(kind) if _used(metric, options)]
    training = training_of(past, kind, [metric.name for metric in metrics if metric.pair])
    if training is None and mode.needs_errors:
        note = history[-1].columns[column].note
        return ColumnProgram(column, kind, (), 0, 0, reason=note or "no injected errors to choose constraints by")
    if training is not None and volume is not None:
        training = training.without(caught_by(volume, past, training))
    watched: list[_Watched] = []
    ignored: dict[str, str] = {}
    for metric in metrics:
        found = _watched(past, metric, options, training)
        if isinstance(found, str):
            ignored[metric.name] = found
        else:
            watched.append(found)
    margins = mode.margins if len(history) >= mode.margins_from else ()
    return Making(column, kind, watched, margins, training, ignored, options)


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
    past: ColumnHistory, metric: Metric, options: SynthesisOptions, training: Training | None
) -> _Watched | str:
    """One metric to put constraints on, or the reason why there can be none."""
    least = options.min_history - (metric.pool if metric.pair else 0)
    values = past.series(metric.name, metric.pair).numbers(least)
    if isinstance(values, str):
        return values
    if metric.pair:
        values = _neighbours(values, past.timeline.far(len(values)), least)
    values = past.timeline.spread(values)
    learned = MODES[options.mode].learn(metric, values, past, stationary=options.stationary)
    if isinstance(learned, str):
        return learned
    tested = None if training is None else training.tested(metric, values)
    if training is not None and tested is None:
        return "not measured on the injected errors (their statistics are not kept)"
    return _Watched(learned, tested)


def _neighbours(values: FloatArray, far: BoolArray, least: int) -> FloatArray:
    """Distances without those across a gap, which may be larger, unless too few are left."""
    near = np.where(far, np.nan, values)
    known = np.flatnonzero(~np.isnan(near))
    return near[known[0] :] if len(known) >= max(least, len(values) // 2) else values


def _tightened(
    space: Sequence[_Bounded],
    chosen: Sequence[int],
    cost: FloatArray,
    groups: NDArray[np.int64],
    options: SynthesisOptions,
    budget: float,
) -> list[int]:
    """The chosen, tighter where the mode wants it and enough budget and values are behind them."""
    mode = MODES[options.mode]
    if mode.tightens_from is None or budget < mode.tightens_at:
        return list(chosen)
    settled = [i for i in chosen if space[groups[i]][0].samples >= mode.tightens_from]
    fixed = [i for i in chosen if i not in settled]
    return fixed + tightened(settled, cost, groups, budget - float(cost[fixed].sum()))


def _guard(
    space: Sequence[_Bounded],
    chosen: Sequence[int],
    kind: Kind,
    cost: FloatArray,
    groups: NDArray[np.int64],
    options: SynthesisOptions,
    budget: float,
) -> list[int]:
    """The cheapest constraint on each of the mode's guards, unless one is chosen or it cannot be paid for."""
    guards, taken = MODES[options.mode].guards, set(groups[list(chosen)].tolist())
    left = budget * (1.0 + 1e-9) - float(cost[list(chosen)].sum())
    added: list[int] = []
    for group, (found, _) in enumerate(space):
        full = options.max_clauses is not None and len(taken) >= options.max_clauses
        if kind not in guards.get(found.metric.name, ()) or group in taken or full:
            continue
        own = np.flatnonzero(groups == group)
        cheapest = int(own[np.argmin(cost[own])])
        if cost[cheapest] <= left:
            added.append(cheapest)
            taken.add(group)
            left -= float(cost[cheapest])
    return added

"""History -> program: Auto-Validate by-History (AVH, section 4, Algorithm 1), as published or calibrated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airflow_dq.exceptions import SynthesisError
from airflow_dq.metrics.registry import Metric, metrics_for
from airflow_dq.profile.model import Profile
from airflow_dq.program.array import BoolArray, FloatArray
from airflow_dq.program.budget import LEVELS, allot
from airflow_dq.program.constraint import Candidates
from airflow_dq.program.mode import MODES
from airflow_dq.program.model import ColumnProgram, Program, SynthesisOptions, TableProgram
from airflow_dq.program.selection import select, tightened, tightest
from airflow_dq.program.series import ColumnHistory
from airflow_dq.program.size import affordable, caught_by, volume_constraints
from airflow_dq.program.training import Training, training_of
from airflow_dq.states.base import Kind

_Bounded = tuple[Candidates, BoolArray]
"""The constraints on one metric, and which (rows) catch which injected error (columns), then with each margin again."""


def synthesize(history: Sequence[Profile], options: SynthesisOptions | None = None) -> Program:
    """Learn the validation program for the partition that follows the history.

    :param history: profiles of past partitions, oldest first; the newest ``options.history`` are used
    :param options: what to judge and how much to spend; default ``SynthesisOptions()``
    :return: the program; with fewer than ``options.min_history`` partitions one that only says how many are missing
    :raises SynthesisError: when the options name a column or metric that does not exist
    """
    options = options or SynthesisOptions()
    used = list(history)[-options.history :]
    partitions = tuple(profile.partition for profile in used)
    if len(used) < options.min_history:
        return Program(options, partitions, TableProgram(), {}, options.min_history - len(used))
    names = _columns(used, options)
    _check_metrics(options)
    rows_once = MODES[options.mode].judges_rows_once
    share = _share(options, names, rows_once)
    kinds = {name: _kind(used, name) for name in names}
    _check_suited(options, kinds)
    volume = volume_constraints(used, share, moving=options.stationary) if rows_once else None
    makings = {name: _making_of(used, name, kind, options.of_column(name), volume) for name, kind in kinds.items()}
    columns = _programs(makings, options, share)
    clauses = () if volume is None else (volume.clause(affordable(volume), None, ()),)
    return Program(options, partitions, TableProgram(clauses, kinds), columns)


def _share(options: SynthesisOptions, names: Sequence[str], rows_once: bool) -> float:
    """The false-positive rate that each column without a rate of its own may have, and the number of rows."""
    if options.scope == "column":
        return options.target_fpr
    sharing = sum(_own_rate(options, name) is None for name in names)
    return options.target_fpr / max(1, sharing + rows_once)


def _own_rate(options: SynthesisOptions, column: str) -> float | None:
    own = options.overrides.get(column)
    return None if own is None else own.target_fpr


def _columns(history: Sequence[Profile], options: SynthesisOptions) -> list[str]:
    """The newest partition's columns, as far as they are to be judged."""
    known = list(history[-1].columns)
    ever = {name for profile in history for name in profile.columns}
    for option, names, allowed in (
        ("columns", options.columns or (), set(known)),
        ("exclude", options.exclude, ever),
        ("overrides", tuple(options.overrides), ever),
    ):
        unknown = [name for name in names if name not in allowed]
        if unknown:
            raise SynthesisError(
                f"SynthesisOptions({option}=...) names {_quoted(unknown)}, which partition {history[-1].partition} "
                f"does not have; its columns are {_quoted(known)}. Correct the option."
            )
    wanted = known if options.columns is None else [name for name in known if name in options.columns]
    return [name for name in wanted if name not in options.exclude]


def _check_metrics(options: SynthesisOptions) -> None:
    known = sorted({metric.name for kind in Kind for metric in metrics_for(kind)})
    named = [*(options.metrics or ()), *(name for own in options.overrides.values() for name in own.metrics or ())]
    unknown = [name for name in named if name not in known]
    if unknown:
        raise SynthesisError(
            f"SynthesisOptions(metrics=...) names {_quoted(unknown)}, which is not a metric; "
            f"the metrics are {_quoted(known)}. Correct the option."
        )


def _check_suited(options: SynthesisOptions, kinds: Mapping[str, Kind]) -> None:
    """Refuse a metric named for a column that it is not measured on: it would be watched by nothing, in silence."""
    for name, own in options.overrides.items():
        kind = kinds.get(name, Kind.NULL)
        suited = [metric.name for metric in metrics_for(kind)]
        wrong = [metric for metric in own.metrics or () if metric not in suited]
        if wrong and kind is not Kind.NULL:
            raise SynthesisError(
                f"SynthesisOptions(overrides=...) names {_quoted(wrong)} for column {name!r}, which is {kind}; "
                f"the metrics of such a column are {_quoted(suited)}. Correct the option."
            )


def _used(metric: Metric, options: SynthesisOptions) -> bool:
    if options.metrics is not None and metric.name not in options.metrics:
        return False
    return MODES[options.mode].uses(metric, named=options.metrics is not None)


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)


def _kind(history: Sequence[Profile], column: str) -> Kind:
    """The column's newest kind; partitions in which it was all null without a type do not count."""
    kinds = [profile.columns[column].kind for profile in history if column in profile.columns]
    return next((kind for kind in reversed(kinds) if kind is not Kind.NULL), Kind.NULL)


def _comparable(history: Sequence[Profile], column: str, kind: Kind) -> Sequence[Profile]:
    """The newest partitions in a row that have the column with this kind."""
    start = len(history)
    while start > 0:
        found = history[start - 1].columns.get(column)
        if found is None or found.kind not in (kind, Kind.NULL):
            break
        start -= 1
    return history[start:]


@dataclass(frozen=True, slots=True)
class _Making:
    """What a column's program is made of, whatever its budget."""

    past: ColumnHistory
    kind: Kind
    metrics: Sequence[Metric]
    training: Training | None
    options: SynthesisOptions

    def program(self, budget: float) -> ColumnProgram:
        """The column's program at this false-positive rate."""
        if self.training is None:
            return _untrained_program(self.past, self.kind, self.metrics, self.options, budget)
        space: list[_Bounded] = []
        ignored: dict[str, str] = {}
        for metric in self.metrics:
            found = _bounded(self.past, metric, self.training, self.options, budget)
            if isinstance(found, str):
                ignored[metric.name] = found
            else:
                space.append(found)
        return _best_program(self.past.name, self.kind, space, self.training, ignored, self.options, budget)

    def programs(self, share: float) -> tuple[ColumnProgram, ...]:
        """The programs at the levels of this share; none above it where the share itself buys all there is."""
        found: list[ColumnProgram] = []
        for level in LEVELS:
            found.append(self.program(level * share))
            if level >= 1.0 and found[-1].coverage == found[-1].variants:
                break
        return tuple(found)


def _making_of(
    history: Sequence[Profile], column: str, kind: Kind, options: SynthesisOptions, volume: Candidates | None
) -> _Making | ColumnProgram:
    """What a column's program is made of; a program without clauses where there can be no other."""
    history = _comparable(history, column, kind)
    if len(history) < options.min_history:
        reason = f"{len(history)} of {options.min_history} partitions have it as a {kind} column so far"
        return ColumnProgram(column, kind, (), 0, 0, reason=reason)
    past = ColumnHistory(history, column)
    metrics = [metric for metric in metrics_for(kind) if _used(metric, options)]
    training = training_of(past, kind, [metric.name for metric in metrics if metric.pair])
    if training is None and MODES[options.mode].needs_errors:
        note = history[-1].columns[column].note
        return ColumnProgram(column, kind, (), 0, 0, reason=note or "no injected errors to choose constraints by")
    if training is not None and volume is not None:
        training = training.without(caught_by(volume, history, training))
    return _Making(past, kind, metrics, training, options)


def _programs(
    makings: Mapping[str, _Making | ColumnProgram], options: SynthesisOptions, share: float
) -> dict[str, ColumnProgram]:
    """Every column's program, at its own rate or at what it gets of the table's."""
    tried: dict[str, tuple[ColumnProgram, ...]] = {}
    competing: dict[str, list[int]] = {}
    for name, making in makings.items():
        own = _own_rate(options, name)
        if isinstance(making, ColumnProgram):
            tried[name] = (making,)
        elif own is not None or making.training is None or options.scope == "column":
            tried[name] = (making.program(own or share),)
        else:
            tried[name] = making.programs(share)
            competing[name] = [program.coverage for program in tried[name]]
    level = allot(competing)
    return {name: programs[level.get(name, 0)] for name, programs in tried.items()}


def _bounded(
    past: ColumnHistory,
    metric: Metric,
    training: Training,
    options: SynthesisOptions,
    budget: float,
) -> _Bounded | str:
    """The constraints on one metric and what each catches, or the reason why there are none."""
    learned = _constraints(past, metric, options, budget)
    if isinstance(learned, str):
        return learned
    found, values = learned
    mode = MODES[options.mode]
    margins = mode.margins if len(past.profiles) >= mode.margins_from else ()
    wider = [found, *(found.widened(margin) for margin in margins)]
    caught = [known for one in wider if (known := training.caught(one, values)) is not None]
    if not caught:
        return "not measured on the injected errors (their statistics are not kept)"
    return found, np.concatenate(caught, axis=1)


def _constraints(
    past: ColumnHistory,
    metric: Metric,
    options: SynthesisOptions,
    budget: float,
) -> tuple[Candidates, FloatArray] | str:
    """The constraints on one metric and the values they were learned from, or the reason why there are none."""
    least = options.min_history - (metric.pool if metric.pair else 0)
    values = past.numbers(metric.name, metric.pair, least)
    if isinstance(values, str):
        return values
    found = MODES[options.mode].constraints(
        metric, values, budget, past.profiles, past.name, stationary=options.stationary
    )
    return found if isinstance(found, str) else (found, values)


def _untrained_program(
    past: ColumnHistory,
    kind: Kind,
    metrics: Sequence[Metric],
    options: SynthesisOptions,
    budget: float,
) -> ColumnProgram:
    """Constraints on all metrics, each with the same share of the budget.

    For a column that no error can be injected into, or an old partition whose injected errors are not kept: a program
    that is wider than a trained one is better than none.
    """
    space: list[Candidates] = []
    ignored: dict[str, str] = {}
    for metric in metrics:
        learned = _constraints(past, metric, options, budget)
        if isinstance(learned, str):
            ignored[metric.name] = learned
        else:
            space.append(learned[0])
    share = budget / max(1, min(len(space), options.max_clauses or len(space)))
    clauses = []
    for found in space[: options.max_clauses]:
        affordable_ones = np.flatnonzero(found.fpr <= share)
        if len(affordable_ones):
            clauses.append(found.clause(int(affordable_ones[0]), past.name, ()))
    return ColumnProgram(
        past.name, kind, tuple(clauses), 0, 0, ignored, None if clauses else "no metric could be bounded"
    )


def _best_program(
    column: str,
    kind: Kind,
    space: Sequence[_Bounded],
    training: Training,
    ignored: Mapping[str, str],
    options: SynthesisOptions,
    budget: float,
) -> ColumnProgram:
    """Algorithm 1 over the constraints of all metrics."""
    variants = len(training.variants)
    if not space:
        return ColumnProgram(column, kind, (), variants, 0, ignored, "no metric could be bounded")
    groups = np.repeat(np.arange(len(space)), [len(found.fpr) for found, _ in space])
    position = np.concatenate([np.arange(len(found.fpr)) for found, _ in space])
    coverage = np.concatenate([caught for _, caught in space])
    cost = np.concatenate([found.fpr for found, _ in space])
    chosen = select(cost, coverage, budget, groups=groups, max_groups=options.max_clauses)
    chosen = tightest(chosen + _guard(space, chosen, cost, groups, options, budget), groups)
    chosen = _tightened(space, chosen, cost, groups, options, budget)
    coverage = coverage[:, :variants]
    clauses = tuple(
        space[groups[index]][0].clause(
            int(position[index]), column, tuple(np.array(training.labels)[coverage[index]].tolist())
        )
        for index in chosen
    )
    caught = int(coverage[chosen].any(axis=0).sum()) if chosen else 0
    reason = None if clauses else f"no constraint catches an injected error within a false-alarm rate of {budget:.2g}"
    return ColumnProgram(column, kind, clauses, variants, caught, ignored, reason)


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
    cost: FloatArray,
    groups: NDArray[np.int64],
    options: SynthesisOptions,
    budget: float,
) -> list[int]:
    """The cheapest constraint on the mode's guard, unless one is chosen or it cannot be paid for."""
    watched = [i for i, (found, _) in enumerate(space) if found.metric.name == MODES[options.mode].guard]
    taken = set(groups[list(chosen)].tolist())
    full = options.max_clauses is not None and len(taken) >= options.max_clauses
    if not watched or watched[0] in taken or full:
        return []
    own = np.flatnonzero(groups == watched[0])
    cheapest = int(own[np.argmin(cost[own])])
    return [cheapest] if cost[list(chosen)].sum() + cost[cheapest] <= budget * (1.0 + 1e-9) else []

"""History -> program: Auto-Validate by-History (AVH, section 4, Algorithm 1), as published or calibrated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from airflow_dq.exceptions import SynthesisError
from airflow_dq.metrics.registry import Metric, metrics_for
from airflow_dq.profile.model import Profile
from airflow_dq.program.array import BoolArray, FloatArray
from airflow_dq.program.constraint import Candidates
from airflow_dq.program.mode import MODES
from airflow_dq.program.model import ColumnProgram, Program, SynthesisOptions, TableProgram
from airflow_dq.program.selection import select, tightest
from airflow_dq.program.series import series_of
from airflow_dq.program.size import affordable, caught_by, volume_constraints
from airflow_dq.program.training import Training, training_of
from airflow_dq.states.base import Kind

_Bounded = tuple[Candidates, BoolArray]
"""The constraints on one metric, and which (rows) catch which injected error (columns)."""


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
    volume = volume_constraints(used, share, moving=options.stationary) if rows_once else None
    columns = {
        name: _column_program(used, name, kind, options.of_column(name), _own_rate(options, name) or share, volume)
        for name, kind in kinds.items()
    }
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


def _column_program(
    history: Sequence[Profile],
    column: str,
    kind: Kind,
    options: SynthesisOptions,
    budget: float,
    volume: Candidates | None,
) -> ColumnProgram:
    history = _comparable(history, column, kind)
    if len(history) < options.min_history:
        reason = f"{len(history)} of {options.min_history} partitions have it as a {kind} column so far"
        return ColumnProgram(column, kind, (), 0, 0, reason=reason)
    metrics = [metric for metric in metrics_for(kind) if _used(metric, options)]
    training = training_of(history, column, kind, [metric.name for metric in metrics if metric.pair])
    if training is None and MODES[options.mode].needs_errors:
        note = history[-1].columns[column].note
        return ColumnProgram(column, kind, (), 0, 0, reason=note or "no injected errors to choose constraints by")
    if training is None:
        return _untrained_program(history, column, kind, metrics, options, budget)
    if volume is not None:
        training = training.without(caught_by(volume, history, training))
    space: list[_Bounded] = []
    ignored: dict[str, str] = {}
    for metric in metrics:
        found = _bounded(history, column, metric, training, options, budget)
        if isinstance(found, str):
            ignored[metric.name] = found
        else:
            space.append(found)
    return _best_program(column, kind, space, training, ignored, options, budget)


def _bounded(
    history: Sequence[Profile],
    column: str,
    metric: Metric,
    training: Training,
    options: SynthesisOptions,
    budget: float,
) -> _Bounded | str:
    """The constraints on one metric and what each catches, or the reason why there are none."""
    learned = _constraints(history, column, metric, options, budget)
    if isinstance(learned, str):
        return learned
    found, values = learned
    caught = training.caught(found, values)
    if caught is None:
        return "not measured on the injected errors (their statistics are not kept)"
    return found, caught


def _constraints(
    history: Sequence[Profile],
    column: str,
    metric: Metric,
    options: SynthesisOptions,
    budget: float,
) -> tuple[Candidates, FloatArray] | str:
    """The constraints on one metric and the values they were learned from, or the reason why there are none."""
    values = series_of(history, column, metric.name, metric.pair).numbers()
    if isinstance(values, str):
        return values
    found = MODES[options.mode].constraints(metric, values, budget, history, column, stationary=options.stationary)
    return found if isinstance(found, str) else (found, values)


def _untrained_program(
    history: Sequence[Profile],
    column: str,
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
        learned = _constraints(history, column, metric, options, budget)
        if isinstance(learned, str):
            ignored[metric.name] = learned
        else:
            space.append(learned[0])
    share = budget / max(1, min(len(space), options.max_clauses or len(space)))
    clauses = []
    for found in space[: options.max_clauses]:
        affordable_ones = np.flatnonzero(found.fpr <= share)
        if len(affordable_ones):
            clauses.append(found.clause(int(affordable_ones[0]), column, ()))
    return ColumnProgram(column, kind, tuple(clauses), 0, 0, ignored, None if clauses else "no metric could be bounded")


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
    chosen += _guard(space, chosen, cost, groups, options, budget)
    clauses = tuple(
        space[groups[index]][0].clause(
            int(position[index]), column, tuple(np.array(training.labels)[coverage[index]].tolist())
        )
        for index in tightest(chosen, groups)
    )
    caught = int(coverage[chosen].any(axis=0).sum()) if chosen else 0
    reason = None if clauses else f"no constraint catches an injected error within a false-alarm rate of {budget:.2g}"
    return ColumnProgram(column, kind, clauses, variants, caught, ignored, reason)


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

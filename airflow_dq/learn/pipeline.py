"""History -> program: Auto-Validate by-History (AVH, section 4, Algorithm 1), as published or calibrated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from airflow_dq.exceptions import SynthesisError
from airflow_dq.learn.choose.budget import allot
from airflow_dq.learn.choose.column import ColumnSynthesis
from airflow_dq.learn.constraint.date_column import calendar_parts
from airflow_dq.learn.expect.support import affordable, volume_constraints
from airflow_dq.learn.mode import MODES
from airflow_dq.learn.model import ColumnProgram, Program, TableProgram
from airflow_dq.learn.preparation import TableHistory, prepare_column
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind


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
    timeline = MODES[options.mode].timeline(used)
    volume = volume_constraints(used, timeline, share, moving=options.stationary) if rows_once else None
    table = TableHistory(used, timeline, volume, len(kinds) if options.scope == "partition" else 1)
    prepared = {name: prepare_column(table, name, kind, options.of_column(name)) for name, kind in kinds.items()}
    columns = _programs(prepared, options, share)
    if MODES[options.mode].judges_delivery:
        dated = {name: calendar_parts(used, name, options.min_history) for name in columns}
        columns = {name: replace(program, calendar=dated[name]) for name, program in columns.items()}
    clauses = () if volume is None else (volume.clause(affordable(volume), None, ()),)
    return Program(options, partitions, TableProgram(clauses, kinds), columns)


def _share(options: SynthesisOptions, names: Sequence[str], rows_once: bool) -> float:
    """The false-positive rate of each column without a rate of its own, and of the row count."""
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
    """Refuse a metric that is not measured on the column it is named for: the column would silently go unwatched."""
    for name, own in options.overrides.items():
        kind = kinds.get(name, Kind.NULL)
        suited = [metric.name for metric in metrics_for(kind)]
        wrong = [metric for metric in own.metrics or () if metric not in suited]
        if wrong and kind is not Kind.NULL:
            raise SynthesisError(
                f"SynthesisOptions(overrides=...) names {_quoted(wrong)} for column {name!r}, which is {kind}; "
                f"the metrics of such a column are {_quoted(suited)}. Correct the option."
            )


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)


def _kind(history: Sequence[Profile], column: str) -> Kind:
    """The column's newest kind; partitions in which it was all null without a type do not count."""
    kinds = [profile.columns[column].kind for profile in history if column in profile.columns]
    return next((kind for kind in reversed(kinds) if kind is not Kind.NULL), Kind.NULL)


def _programs(
    prepared: Mapping[str, ColumnSynthesis | ColumnProgram], options: SynthesisOptions, share: float
) -> dict[str, ColumnProgram]:
    """Every column's program, at its own rate or at its part of the table's."""
    tried: dict[str, tuple[ColumnProgram, ...]] = {}
    competing: dict[str, list[int]] = {}
    for name, column in prepared.items():
        own = _own_rate(options, name)
        if isinstance(column, ColumnProgram):
            tried[name] = (column,)
        elif own is not None or column.training is None or options.scope == "column":
            tried[name] = (column.program(own or share),)
        else:
            tried[name] = column.programs(share)
            competing[name] = [program.coverage for program in tried[name]]
    level = allot(competing)
    return {name: programs[level.get(name, 0)] for name, programs in tried.items()}

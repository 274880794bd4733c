"""A dataset: how its partitions were judged, how its columns move, and what must hold in the next partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from airflow_dq.learn.constraint.date_column import DateColumn
from airflow_dq.learn.program import ColumnProgram, Program
from airflow_dq.report.number import odds
from airflow_dq.report.pages.address import Addresses
from airflow_dq.report.pages.mark import LEGEND, marks_of
from airflow_dq.report.pages.program import catch_words, clause_words, date_words
from airflow_dq.report.partition_map import partition_map
from airflow_dq.report.render import render
from airflow_dq.report.sparkline import Sparkline, sparkline
from airflow_dq.report.words import count
from airflow_dq.states.base import Kind
from airflow_dq.store.review_model import MetricHistory, Snooze
from airflow_dq.store.summary import PartitionSummary

COLUMNS = 120
"""Most columns that get sparklines and sentences; a page must load in a second."""


@dataclass(frozen=True, slots=True)
class DatasetView:
    """What a dataset's page shows.

    :param readable: DAGs that the reader may see: only what they judged is linked
    :param partitions: oldest first
    :param moves: the metrics that the map is made of, over the same partitions as ``series``
    :param judged_by: those of the readable DAGs that judge the dataset
    :param program: partition it was made for, and the newest program (None: it is damaged); None when there is none yet
    """

    name: str
    readable: frozenset[str]
    partitions: Sequence[PartitionSummary]
    series: Sequence[MetricHistory]
    program: tuple[str, Program | None] | None
    snoozes: Sequence[Snooze]
    now: datetime
    moves: Sequence[MetricHistory] = ()
    judged_by: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Scope:
    """One card: a column, or the table as a whole.

    :param sentences: what must hold
    :param note: what is said about them
    """

    column: str | None
    kind: str | None
    sparks: Sequence[Sparkline]
    sentences: Sequence[str]
    note: str


def render_dataset(view: DatasetView, addresses: Addresses) -> str:
    """The page."""
    names = _columns(view)
    key, program = view.program or ("", None)
    return render(
        "dataset.html",
        links=addresses,
        title=view.name,
        lede=_lede(view),
        marks=marks_of(
            view.partitions, view.readable, view.name, addresses, through_dag=min(view.judged_by, default=None)
        ),
        legend=LEGEND,
        snoozes=view.snoozes,
        map=partition_map(view.moves, {} if program is None else _kinds(program)),
        about=None if program is None else _about(key, program),
        scopes=None if program is None else _scopes(program, view.series, names[:COLUMNS]),
        notes=_notes(view),
        more_columns=len(names) - COLUMNS,
        now=view.now,
    )


def _lede(view: DatasetView) -> str:
    passed = sum(partition.verdict == "pass" for partition in view.partitions)
    judged = sum(partition.verdict is not None for partition in view.partitions)
    if not judged:
        return "No partition has been judged yet."
    newest = view.partitions[-1]
    rows = "" if newest.rows is None else f"; the newest, {newest.partition}, has {newest.rows:,} rows"
    return f"{passed} of the last {count(judged, 'judged partition')} passed{rows}."


def _about(partition: str, program: Program) -> str:
    """Where the program comes from, and what it aims at."""
    if program.missing:
        return f"{program.missing} more partitions are needed before anything is judged."
    rate = program.options.target_fpr
    scope = "partitions" if program.options.scope == "partition" else "partitions of each column"
    return (
        f"{len(program.constraints)} constraints, learned from {len(program.partitions)} partitions, "
        f"{program.partitions[0]} to "
        f"{program.partitions[-1]}, and used on {partition}. Aim: at most {odds(rate)} {scope} is a false alarm."
    )


def _notes(view: DatasetView) -> list[str]:
    """What is stored and cannot be read: it is left out, here and where programs are learned."""
    damaged: dict[str, list[str]] = {}
    for one in view.series:
        for key in one.unreadable:
            columns = damaged.setdefault(key, [])
            if one.column is not None and one.column not in columns:
                columns.append(one.column)
    notes = [
        f"What is stored of {', '.join(columns)} in partition {key} is damaged, and left out. Profile it again."
        for key, columns in damaged.items()
    ]
    if view.program is not None and view.program[1] is None:
        notes.append(f"The program of partition {view.program[0]} is damaged. The next gate makes it anew.")
    return notes


def _kinds(program: Program) -> dict[str, Kind]:
    """The kinds of the columns that the map is drawn by."""
    return {name: report.kind for name, report in list(program.reports.items())[:COLUMNS]}


def _columns(view: DatasetView) -> list[str]:
    """The program's columns first, then those that only have values."""
    program = None if view.program is None else view.program[1]
    known = () if program is None else program.columns
    return list(dict.fromkeys([*known, *(one.column for one in view.series if one.column is not None)]))


def _scopes(program: Program, series: Sequence[MetricHistory], names: Sequence[str]) -> list[_Scope]:
    by_column: dict[str | None, list[MetricHistory]] = {}
    for one in series:
        by_column.setdefault(one.column, []).append(one)
    words = (clause_words(clause) for clause in program.table.clauses)
    table = _Scope(None, None, _sparks(by_column.get(None, ())), [word for word in words if word], "")
    return [table, *(_column(name, program.columns.get(name), by_column.get(name, ())) for name in names)]


def _column(name: str, column: ColumnProgram | None, series: Sequence[MetricHistory]) -> _Scope:
    if column is None:
        return _Scope(name, None, _sparks(series), (), "not part of the program")
    dates = [one for one in column.constraints if isinstance(one, DateColumn) and one.varied]
    told = [date_words(one) for one in dates]
    words = (clause_words(clause) for clause in column.clauses)
    sentences = [*told, *(word for word in words if word)]
    return _Scope(name, str(column.kind), _sparks(series, column.kind), sentences, catch_words(column))


def _sparks(series: Sequence[MetricHistory], kind: Kind = Kind.NUMERIC) -> list[Sparkline]:
    return [sparkline(one, kind) for one in series]

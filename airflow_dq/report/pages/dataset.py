"""A dataset: how its partitions were judged, how its columns are, and what is expected of the next partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from airflow_dq.judge.calendar import CalendarEvent
from airflow_dq.learn.constraint.date_column import DateColumn
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.program import ColumnProgram, Program
from airflow_dq.profile.model import Profile
from airflow_dq.report.ahead import Ahead, Expected
from airflow_dq.report.course import Insight
from airflow_dq.report.number import odds
from airflow_dq.report.pages.address import Addresses
from airflow_dq.report.pages.calendar import EFFECT_OPTIONS, KIND_OPTIONS, event_rows
from airflow_dq.report.pages.check_table import check_rows
from airflow_dq.report.pages.column_table import COLUMNS, column_rows
from airflow_dq.report.pages.mark import legend_of, marks_of
from airflow_dq.report.pages.program import catch_words, clause_words, date_words
from airflow_dq.report.pages.rule_table import rule_rows
from airflow_dq.report.partition_map import partition_map
from airflow_dq.report.render import render
from airflow_dq.report.words import count
from airflow_dq.states.base import Kind
from airflow_dq.store.review_model import MetricHistory, Snooze, VerdictDetail, through
from airflow_dq.store.rule_list import StoredRule
from airflow_dq.store.summary import PartitionSummary

FIRST = 2
"""Ranges of a column that are told at once; the others are folded."""


@dataclass(frozen=True, slots=True)
class DatasetView:
    """What a dataset's page shows.

    :param readable: DAGs that the reader may see: only what they judged is linked
    :param partitions: oldest first
    :param moves: the metrics that the map is made of, over the same partitions as ``series``
    :param newest: the newest partition that is profiled, with the verdict on it, and its program and history
    :param ahead: what is expected of the next one
    :param rules: what was learned of its rows
    :param calendar: the events that hold for it
    :param may_edit: whether the reader may change rules and the calendar
    :param may_edit_all: whether the reader may change the calendar of all datasets, too
    :param notice: what has just been done, in words
    :param confirmed: the line of a declared check that a rule was just confirmed as
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
    newest: Profile | None = None
    detail: VerdictDetail | None = None
    insight: Insight | None = None
    ahead: Ahead | None = None
    rules: Sequence[StoredRule] = ()
    calendar: Sequence[CalendarEvent] = ()
    may_edit: bool = False
    may_edit_all: bool = False
    notice: str | None = None
    confirmed: str | None = None


@dataclass(frozen=True, slots=True)
class ExpectedRow:
    """What is expected of a column, or of the table, in the next partition.

    :param first: the two ranges that say most, in words
    :param rest: all of them; empty where nothing can be told of the next partition
    :param derived: how ranges follow from the past, and what else must hold, as sentences
    :param note: how much the ranges catch
    """

    column: str | None
    first: str
    rest: Sequence[Expected]
    derived: Sequence[str]
    note: str


def render_dataset(view: DatasetView, addresses: Addresses) -> str:
    """The page."""
    key, program = view.program or ("", None)
    dag_id = min(view.judged_by, default=None)
    newest, verdict = view.newest, None if view.detail is None else view.detail.verdict
    marks = marks_of(view.partitions, view.readable, view.name, addresses, through_dag=dag_id)
    return render(
        "dataset.html",
        links=addresses,
        title=view.name,
        lede=_lede(view),
        open=_open(view),
        problem_page=marks[-1].address if marks else None,
        marks=marks,
        legend=legend_of(marks),
        snoozes=view.snoozes,
        newest=None if newest is None else newest.partition,
        newest_page=_newest_page(view, dag_id, addresses),
        columns=[] if newest is None else column_rows(newest, verdict, view.insight, view.moves),
        more_columns=0 if newest is None else len(newest.columns) - COLUMNS,
        checks=check_rows(view.insight),
        map=partition_map(view.moves, {} if program is None else _kinds(program)),
        about=None if program is None else _about(key, program),
        when="" if view.ahead is None else view.ahead.when,
        expected=[] if program is None else _expected(program, view.ahead),
        notes=_notes(view),
        rules=rule_rows(view.rules),
        events=event_rows(view.calendar),
        kinds=KIND_OPTIONS,
        effects=EFFECT_OPTIONS,
        keys=[one.partition for one in reversed(view.partitions)],
        edit=_edit(view, addresses),
        may_edit_all=view.may_edit_all,
        notice=view.notice,
        confirmed=view.confirmed,
        now=view.now,
    )


def _edit(view: DatasetView, addresses: Addresses) -> dict[str, str] | None:
    """Where the forms are sent; None for a reader who may change nothing."""
    if not view.may_edit:
        return None
    return {name: addresses.dataset_action(name) for name in ("events", "events/delete", "rules")}


def _newest_page(view: DatasetView, dag_id: str | None, addresses: Addresses) -> str | None:
    """The page of the newest partition, where the reader may see it."""
    if view.newest is None or view.newest.partition is None or dag_id is None:
        return None
    if view.detail is not None and view.detail.partition.origins:
        origin = through(view.detail.partition.origins, view.readable)
        dag_id = None if origin is None else origin.dag_id
    return None if dag_id is None else addresses.partition(dag_id, view.name, view.newest.partition)


def _lede(view: DatasetView) -> str:
    passed = sum(partition.verdict == "pass" for partition in view.partitions)
    judged = sum(partition.verdict is not None for partition in view.partitions)
    if not judged:
        return "No partition has been judged yet."
    newest = view.partitions[-1]
    rows = "" if newest.rows is None else f"; the newest, {newest.partition}, has {newest.rows:,} rows"
    if all(partition.verdict in (None, "warming_up") for partition in view.partitions):
        return f"The gate is warming up{rows}."
    return f"{passed} of the last {count(judged, 'judged partition')} passed{rows}."


def _open(view: DatasetView) -> str | None:
    """What happened to the newest partition, where nobody has decided about it and the reader may know."""
    if view.detail is None or not view.partitions or view.partitions[-1].partition != view.detail.partition.partition:
        return None
    undecided = view.detail.partition.decision is None and view.detail.partition.open_count
    return view.detail.verdict.headline if undecided else None


def _about(partition: str, program: Program) -> str:
    """Where the program comes from, and what it aims at."""
    if program.missing:
        needed = count(program.missing, "more partition")
        return f"{needed} {'is' if program.missing == 1 else 'are'} needed before ranges are learned."
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


def _expected(program: Program, ahead: Ahead | None) -> list[ExpectedRow]:
    """The table first, then the columns in their order."""
    table = _row(None, program.table.clauses, ahead, (), "")
    rows = [_column(name, column, ahead) for name, column in list(program.columns.items())[:COLUMNS]]
    return [row for row in (table, *rows) if row.rest or row.derived or row.note]


def _column(name: str, column: ColumnProgram, ahead: Ahead | None) -> ExpectedRow:
    dates = [date_words(one) for one in column.constraints if isinstance(one, DateColumn) and one.varied]
    # That the errors it was tried on are no longer kept would be said of each column.
    note = "" if column.clauses and not column.variants else catch_words(column)
    return _row(name, column.clauses, ahead, dates, note)


def _row(
    name: str | None, clauses: Sequence[Range], ahead: Ahead | None, told: Sequence[str], note: str
) -> ExpectedRow:
    expected = [] if ahead is None else ahead.expected.get(name, [])
    derived = [*told, *(words for clause in clauses if (words := clause_words(clause)))]
    # Without a next partition that can be told of, how ranges follow from the past is all that is known.
    said = [*told, *(f"{one.metric} {one.range}" for one in expected[:FIRST])] if expected else derived[:FIRST]
    return ExpectedRow(name, "; ".join(said), expected, derived, note)

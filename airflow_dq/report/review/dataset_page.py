"""A dataset: how its partitions were judged, how its columns move, and what must hold in the next partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from xml.etree.ElementTree import Element

from airflow_dq.learn.constraint.range import Clause
from airflow_dq.learn.program import Program
from airflow_dq.report.markup import element
from airflow_dq.report.number import odds
from airflow_dq.report.review.address import Addresses
from airflow_dq.report.review.program_words import calendar_words, catch_words, clause_words
from airflow_dq.report.review.shell import render
from airflow_dq.report.review.snooze_form import snooze_list
from airflow_dq.report.review.sparkline import sparkline
from airflow_dq.report.review.strip import legend, strip
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
    :param program: partition it was made for, and the newest program; None when there is none yet
    """

    name: str
    readable: frozenset[str]
    partitions: Sequence[PartitionSummary]
    series: Sequence[MetricHistory]
    program: tuple[str, Program] | None
    snoozes: Sequence[Snooze]
    now: datetime


def render_dataset(view: DatasetView, addresses: Addresses) -> str:
    """The page."""
    return render(
        addresses,
        view.name,
        element(
            "section",
            strip(view.partitions, lambda partition: _address(view, partition, addresses)),
            legend(),
        ),
        snooze_list(view.snoozes, view.now),
        _program(view),
        crumbs=[("Data quality", addresses.listing())],
        lede=[_lede(view)],
    )


def _address(view: DatasetView, partition: PartitionSummary, addresses: Addresses) -> str | None:
    if partition.origin is None or partition.verdict is None or partition.origin.dag_id not in view.readable:
        return None
    if partition.first_alert_id is not None:
        return addresses.alert(partition.origin.dag_id, partition.first_alert_id)
    return addresses.partition(partition.origin.dag_id, view.name, partition.partition)


def _lede(view: DatasetView) -> str:
    passed = sum(partition.verdict == "pass" for partition in view.partitions)
    judged = sum(partition.verdict is not None for partition in view.partitions)
    if not judged:
        return "No partition has been judged yet."
    newest = view.partitions[-1]
    rows = "" if newest.rows is None else f"; the newest, {newest.partition}, has {newest.rows:,} rows"
    return f"{passed} of the last {judged} judged partition{'s' if judged > 1 else ''} passed{rows}."


def _program(view: DatasetView) -> Element:
    if view.program is None:
        text = "No program has been learned yet: it takes a gate, and some history to learn from."
        return element("section", element("h2", "What must hold"), element("p", text))
    partition, program = view.program
    by_column: dict[str | None, list[MetricHistory]] = {}
    for series in view.series:
        by_column.setdefault(series.column, []).append(series)
    whole = [element("span", "whole table")]
    table = _scope(whole, program.table.clauses, by_column.get(None, []), Kind.NUMERIC, "")
    names = list(dict.fromkeys([*program.columns, *(name for name in by_column if name is not None)]))
    columns = (_column(name, program, by_column) for name in names[:COLUMNS])
    rest = len(names) - COLUMNS
    return element(
        "section",
        element("h2", "What must hold"),
        element("p", _about(partition, program), class_="about"),
        element("div", table, *columns, class_="scopes"),
        element("p", f"{rest} more columns are not shown.", class_="more") if rest > 0 else None,
    )


def _about(partition: str, program: Program) -> str:
    if program.missing:
        return f"{program.missing} more partitions are needed before anything is judged."
    clauses = len(program.table.clauses) + sum(len(column.clauses) for column in program.columns.values())
    rate = program.options.target_fpr
    scope = "partitions" if program.options.scope == "partition" else "partitions of each column"
    return (
        f"{clauses} clauses, learned from {len(program.partitions)} partitions, {program.partitions[0]} to "
        f"{program.partitions[-1]}, and used on {partition}. Aim: at most {odds(rate)} {scope} is a false alarm."
    )


def _column(name: str, program: Program, by_column: Mapping[str | None, list[MetricHistory]]) -> Element:
    column = program.columns.get(name)
    series = by_column.get(name, [])
    title = [element("span", name, class_="column")]
    if column is None:
        return _scope(title, (), series, Kind.NUMERIC, "not part of the program")
    title.append(element("span", str(column.kind), class_="metric"))
    told = [calendar_words(column.calendar)] if column.calendar and column.calendar[0].varied else []
    return _scope(title, column.clauses, series, column.kind, catch_words(column), told)


def _scope(
    title: Sequence[Element],
    clauses: Sequence[Clause],
    series: Sequence[MetricHistory],
    kind: Kind,
    note: str,
    told: Sequence[str] = (),
) -> Element:
    """One card.

    :param told: what must hold beside the clauses
    """
    found = (clause_words(clause, kind) for clause in clauses)
    sentences = [element("li", words) for words in (*told, *found) if words]
    return element(
        "article",
        element("h3", *title),
        element("div", *(sparkline(one, kind) for one in series), class_="sparks") if series else None,
        element("ul", *sentences, class_="clauses") if sentences else None,
        element("p", note, class_="more") if note else None,
    )

"""Snoozes: alerts that a person has seen, and that shall only warn until a date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from airflow_dq.exceptions import ReviewError
from airflow_dq.explain.alert import Alert
from airflow_dq.explain.wording import listed
from airflow_dq.judge.verdict import Verdict
from airflow_dq.learn.constraint.relation import RULE
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.states.base import Kind
from airflow_dq.store.attempt import dataset_id
from airflow_dq.store.metric_history import TABLE_METRIC
from airflow_dq.store.review import name_of, record
from airflow_dq.store.review_model import Snooze
from airflow_dq.store.table import AlertRow, ColumnRow, DatasetRow, ProfileRow, VerdictRow
from airflow_dq.store.table_review import SnoozeRow
from airflow_dq.store.value import storable_key, storable_text

_NAMED = 20
"""Columns that a message names."""


def add(
    connection: Connection,
    dataset: str,
    *,
    column: str | None,
    metric: str | None,
    until: datetime,
    by: str,
    comment: str | None,
) -> Snooze:
    """Let matching alerts only warn until a moment.

    :raises ReviewError: when the dataset, its column or the metric is unknown, or the moment has no time zone or has
        passed
    """
    who = name_of(by)
    owner = dataset_id(connection, dataset)
    if owner is None:
        raise ReviewError(f"Dataset {dataset!r} is not known: nothing of it was ever profiled. Check its name.")
    if until.tzinfo is None:
        raise ReviewError(f"Dataset {dataset!r}: the snooze's end {until} has no time zone. Give it one.")
    if until <= connection.execute(select(func.now())).scalar_one():
        raise ReviewError(f"Dataset {dataset!r}: the snooze's end {until} has passed. Give a moment in the future.")
    column = None if column is None else storable_key(column, "column")
    metric = None if metric is None else storable_text(metric)
    _require_known(connection, owner, dataset, column, metric)
    made = connection.execute(
        insert(SnoozeRow)
        .values(
            dataset_id=owner,
            column_name=column,
            metric=metric,
            until=until,
            by=who,
            comment=storable_text(comment) if comment else None,
        )
        .returning(SnoozeRow)
    ).one()
    snooze = _snooze(made, dataset)
    detail = f"{snooze.scope}, {_until(snooze)}"
    record(connection, owner, dataset, "snoozed", who, comment=snooze.comment, detail=detail)
    return snooze


def _require_known(connection: Connection, owner: int, dataset: str, column: str | None, metric: str | None) -> None:
    """Refuse a misspelt name: its snooze would cover nothing, and the alert that it was meant for would not be quiet.

    Known is what the newest partition has, and whatever an alert was ever about.
    """
    newest = (
        select(ProfileRow.id)
        .where(ProfileRow.dataset_id == owner)
        .order_by(ProfileRow.sort_key.desc())
        .limit(1)
        .scalar_subquery()
    )
    query = select(ColumnRow.name, ColumnRow.metrics).where(ColumnRow.profile_id == newest).order_by(ColumnRow.ordinal)
    found = connection.execute(query).all()
    names = [row.name for row in found]
    if column not in (None, *names) and not _alerted(connection, owner, AlertRow.column_name == column):
        raise ReviewError(
            f"Dataset {dataset!r}: there is no column {column!r} whose alerts could be snoozed; its newest partition "
            f"has {listed([repr(name) for name in names], _NAMED)}. Correct the name."
        )
    built_in = {entry.name for kind in Kind for entry in metrics_for(kind)}
    measured = {TABLE_METRIC, *built_in, *(name for row in found for name in row.metrics)}
    if metric not in (None, *measured) and not _alerted(connection, owner, AlertRow.metric == metric):
        raise ReviewError(
            f"Dataset {dataset!r}: there is no metric {metric!r} whose alerts could be snoozed. Names are such as "
            "'mean' or 'complete_ratio': `airflow dq show ALERT --json` has that of an alert."
        )


def _alerted(connection: Connection, owner: int, about: ColumnElement[bool]) -> bool:
    """Whether there was an alert about it: the column may be gone, the metric be one of the user's own."""
    query = select(AlertRow.id).join(VerdictRow, VerdictRow.id == AlertRow.verdict_id)
    return connection.execute(query.where(VerdictRow.dataset_id == owner, about).limit(1)).first() is not None


def end(connection: Connection, snooze_id: int, by: str) -> None:
    """End a snooze now; one that has ended is left as it is.

    :raises ReviewError: when there is none with this id
    """
    who = name_of(by)
    found = connection.execute(
        select(SnoozeRow, DatasetRow.name, (SnoozeRow.until > func.now()).label("active"))
        .join(DatasetRow, DatasetRow.id == SnoozeRow.dataset_id)
        .where(SnoozeRow.id == snooze_id)
        .with_for_update(of=SnoozeRow)
    ).one_or_none()
    if found is None:
        raise ReviewError(f"There is no snooze {snooze_id}. Look at the dataset's snoozes for its number.")
    if not found.active:
        return
    snooze = _snooze(found, found.name)
    connection.execute(update(SnoozeRow).where(SnoozeRow.id == snooze_id).values(until=func.now()))
    record(connection, found.dataset_id, found.name, "unsnoozed", who, detail=f"{snooze.scope}, {_until(snooze)}")


def active(connection: Connection, dataset: str) -> list[Snooze]:
    """Those of a dataset that have not ended, the one that ends last first."""
    query = (
        select(SnoozeRow)
        .join(DatasetRow, DatasetRow.id == SnoozeRow.dataset_id)
        .where(DatasetRow.name == dataset, SnoozeRow.until > func.now())
        .order_by(SnoozeRow.until.desc(), SnoozeRow.id)
    )
    return [_snooze(row, dataset) for row in connection.execute(query)]


def find_snooze(snoozes: Sequence[Snooze], rule: str, column: str | None, metric: str | None) -> Snooze | None:
    """The first snooze that an alert falls under.

    A snooze of a column alone is none of what several columns have in common: that this one is wrong is only likely.
    """
    for snooze in snoozes:
        guessed = rule == RULE and snooze.column is not None and snooze.metric is None
        if not guessed and snooze.column in (None, column) and snooze.metric in (None, metric):
            return snooze
    return None


def apply_snoozes(verdict: Verdict, snoozes: Sequence[Snooze]) -> Verdict:
    """The verdict with the snoozed alerts as warnings that say so; its status stays what was found."""
    return replace(verdict, alerts=tuple(_apply(alert, snoozes) for alert in verdict.alerts))


def _apply(alert: Alert, snoozes: Sequence[Snooze]) -> Alert:
    snooze = find_snooze(snoozes, alert.rule, alert.column, alert.metric)
    if snooze is None:
        return alert
    return replace(alert, severity="warn", snoozed=f"by {snooze.by}, {_until(snooze)}")


def _until(snooze: Snooze) -> str:
    return f"until {snooze.until.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _snooze(row: Any, dataset: str) -> Snooze:
    return Snooze(row.id, dataset, row.column_name, row.metric, row.until, row.by, row.comment, row.created_at)

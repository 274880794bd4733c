"""Snoozes: alerts that a person has seen, and that shall only warn until a date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from airflow_dq.exceptions import ReviewError
from airflow_dq.program.model import Alert, Verdict
from airflow_dq.store.attempt import dataset_id
from airflow_dq.store.model import DatasetRow, SnoozeRow
from airflow_dq.store.review import name_of, record
from airflow_dq.store.review_model import Snooze
from airflow_dq.store.value import key, prose


def add(
    connection: Connection,
    dataset: str,
    column: str | None,
    metric: str | None,
    until: datetime,
    by: str,
    comment: str | None,
) -> Snooze:
    """Let matching alerts only warn until a moment.

    :raises ReviewError: when the dataset is unknown, or the moment has no time zone or has passed
    """
    who = name_of(by)
    owner = dataset_id(connection, dataset)
    if owner is None:
        raise ReviewError(f"Dataset {dataset!r} is not known: nothing of it was ever profiled. Check its name.")
    if until.tzinfo is None:
        raise ReviewError(f"Dataset {dataset!r}: the snooze's end {until} has no time zone. Give it one.")
    if until <= connection.execute(select(func.now())).scalar_one():
        raise ReviewError(f"Dataset {dataset!r}: the snooze's end {until} has passed. Give a moment in the future.")
    made = connection.execute(
        insert(SnoozeRow)
        .values(
            dataset_id=owner,
            column_name=None if column is None else key(column, "column"),
            metric=None if metric is None else prose(metric),
            until=until,
            by=who,
            comment=prose(comment) if comment else None,
        )
        .returning(SnoozeRow)
    ).one()
    snooze = _snooze(made, dataset)
    record(connection, owner, dataset, None, "snoozed", who, snooze.comment, f"{snooze.scope}, {_until(snooze)}")
    return snooze


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
    record(connection, found.dataset_id, found.name, None, "unsnoozed", who, None, f"{snooze.scope}, {_until(snooze)}")


def active(connection: Connection, dataset: str) -> list[Snooze]:
    """Those of a dataset that have not ended, the one that ends last first."""
    query = (
        select(SnoozeRow)
        .join(DatasetRow, DatasetRow.id == SnoozeRow.dataset_id)
        .where(DatasetRow.name == dataset, SnoozeRow.until > func.now())
        .order_by(SnoozeRow.until.desc(), SnoozeRow.id)
    )
    return [_snooze(row, dataset) for row in connection.execute(query)]


def covering(snoozes: Sequence[Snooze], column: str | None, metric: str | None) -> Snooze | None:
    """The first snooze that an alert falls under."""
    for snooze in snoozes:
        if snooze.column in (None, column) and snooze.metric in (None, metric):
            return snooze
    return None


def applied(verdict: Verdict, snoozes: Sequence[Snooze]) -> Verdict:
    """The verdict with the snoozed alerts as warnings that say so; its status stays what was found."""
    return replace(verdict, alerts=tuple(_applied(alert, snoozes) for alert in verdict.alerts))


def _applied(alert: Alert, snoozes: Sequence[Snooze]) -> Alert:
    snooze = covering(snoozes, alert.column, alert.metric)
    if snooze is None:
        return alert
    return replace(alert, severity="warn", message=f"{alert.message} (Snoozed by {snooze.by}, {_until(snooze)}.)")


def _until(snooze: Snooze) -> str:
    return f"until {snooze.until.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _snooze(row: Any, dataset: str) -> Snooze:
    return Snooze(row.id, dataset, row.column_name, row.metric, row.until, row.by, row.comment, row.created_at)

"""The calendar of events: read, added to, and taken from; what is taken away stays, with who did it."""

from __future__ import annotations

from collections import Counter
from typing import Any, get_args

from sqlalchemy import Connection, func, insert, or_, select, update

from airflow_dq.exceptions import ReviewError
from airflow_dq.judge.calendar import EFFECTS, CalendarEvent, Effect, EventKind
from airflow_dq.options.key import key_span, order_key
from airflow_dq.store.attempt import dataset_id
from airflow_dq.store.eligibility import LEFT_OUT
from airflow_dq.store.review import name_of, record
from airflow_dq.store.table import DatasetRow, ProfileRow
from airflow_dq.store.table_review import CalendarEventRow
from airflow_dq.store.value import storable_key, storable_text

LONGEST = 200
"""Most characters of an event's name."""


def events(connection: Connection, dataset: str | None) -> list[CalendarEvent]:
    """The events of a dataset and those of all datasets, the newest days first.

    :param dataset: None: the events of every dataset
    """
    query = select(CalendarEventRow, DatasetRow.name.label("dataset")).outerjoin(
        DatasetRow, DatasetRow.id == CalendarEventRow.dataset_id
    )
    query = query.where(CalendarEventRow.deleted_at.is_(None))
    if dataset is not None:
        query = query.where(or_(CalendarEventRow.dataset_id.is_(None), DatasetRow.name == dataset))
    found = connection.execute(query.order_by(CalendarEventRow.low.desc(), CalendarEventRow.id.desc()))
    return [_event(row) for row in found]


def add(
    connection: Connection,
    dataset: str | None,
    name: str,
    first: str,
    last: str,
    *,
    kind: EventKind,
    effect: Effect,
    by: str,
    comment: str | None,
) -> CalendarEvent:
    """Add an event.

    :raises ReviewError: when the dataset is unknown, a word is not one of those allowed, or the end is before the
        beginning
    """
    who = name_of(by)
    owner = None if dataset is None else dataset_id(connection, dataset)
    if dataset is not None and owner is None:
        raise ReviewError(f"Dataset {dataset!r} is not known: nothing of it was ever profiled. Check its name.")
    called = storable_text(name.strip())
    if not called or len(called) > LONGEST:
        raise ReviewError(f"An event needs a name, of at most {LONGEST} characters: it has {len(called)}.")
    for given, allowed in ((kind, get_args(EventKind)), (effect, tuple(EFFECTS))):
        if given not in allowed:
            raise ReviewError(f"{given!r} says nothing of an event: give one of {', '.join(allowed)}.")
    first, last = storable_key(first.strip(), "first key of the event"), storable_key(last.strip(), "last key")
    if not first or not last or order_key(last) < order_key(first):
        raise ReviewError(
            f"The event {called!r} is from {first!r} to {last!r}: name its first and its last partition by their keys, "
            "the first one first."
        )
    low, high = key_span(first, last)
    said = storable_text(comment) if comment else None
    row = connection.execute(
        insert(CalendarEventRow)
        .values(
            **{"dataset_id": owner, "name": called, "kind": kind, "effect": effect, "by": who, "comment": said},
            **{"first_key": first, "last_key": last, "low": low, "high": high},
        )
        .returning(CalendarEventRow.id, CalendarEventRow.created_at)
    ).one()
    made = CalendarEvent(row.id, dataset, called, kind, effect, first, last, who, said, row.created_at)
    if owner is not None and dataset is not None:
        record(connection, owner, dataset, "event_added", who, comment=said, detail=_told(made))
    return made


def remove(connection: Connection, event_id: int, by: str) -> CalendarEvent:
    """Take an event away: it neither excuses nor leaves out anything any more.

    :raises ReviewError: when there is none with this number
    """
    who = name_of(by)
    query = select(CalendarEventRow, DatasetRow.name.label("dataset")).outerjoin(
        DatasetRow, DatasetRow.id == CalendarEventRow.dataset_id
    )
    found = connection.execute(
        query.where(CalendarEventRow.id == event_id, CalendarEventRow.deleted_at.is_(None)).with_for_update(
            of=CalendarEventRow
        )
    ).one_or_none()
    if found is None:
        raise ReviewError(f"There is no event {event_id}: `airflow dq events list` has their numbers.")
    event = _event(found)
    gone = {"deleted_by": who, "deleted_at": func.clock_timestamp()}
    connection.execute(update(CalendarEventRow).where(CalendarEventRow.id == event_id).values(**gone))
    if event.dataset is not None:
        record(connection, found.dataset_id, event.dataset, "event_deleted", who, detail=_told(event))
    return event


def left_out(connection: Connection, dataset: str, since: str, before: str) -> list[tuple[CalendarEvent, int]]:
    """The events that leave out partitions from one key to before another, and how many each does."""
    query = (
        select(ProfileRow.partition_key)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .where(DatasetRow.name == dataset, LEFT_OUT)
        .where(ProfileRow.sort_key >= order_key(since), ProfileRow.sort_key < order_key(before))
    )
    keys = list(connection.execute(query).scalars())
    leaving = [one for one in events(connection, dataset) if one.effect == "left_out"] if keys else []
    counts = Counter(event for event in leaving for key in keys if event.covers(key))
    return [(event, counts[event]) for event in leaving if counts[event]]


def _told(event: CalendarEvent) -> str:
    return f"{event.words}, {event.days}, {EFFECTS[event.effect]}"


def _event(row: Any) -> CalendarEvent:
    named = (row.id, row.dataset, row.name, row.kind, row.effect, row.first_key, row.last_key)
    return CalendarEvent(*named, row.by, row.comment, row.created_at)

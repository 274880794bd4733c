"""The calendar of events, as a dataset's page tells it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from airflow_dq.judge.calendar import EFFECTS, CalendarEvent, EventKind
from airflow_dq.report.pages.mark import Badge

KIND_OPTIONS = tuple((kind, kind) for kind in get_args(EventKind))
"""(value, words) of what an event may be."""
EFFECT_OPTIONS = (
    ("expected", "expected: ranges only warn"),
    ("left_out", "left out: judged, and not learned from"),
)
"""The same of what it does."""


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event.

    :param own: whether it is this dataset's; else one of all datasets, which not everybody may delete who may edit this
    """

    id: int
    days: str
    name: str
    kind: str
    badge: Badge
    own: bool
    by: str
    at: datetime
    comment: str | None


def event_rows(events: Sequence[CalendarEvent]) -> Sequence[EventRow]:
    """The rows, the newest days first."""
    return [_row(event) for event in events]


def _row(event: CalendarEvent) -> EventRow:
    badge = Badge(EFFECTS[event.effect], "warn" if event.effect == "expected" else "plain")
    own = event.dataset is not None
    said = (event.by, event.created_at, event.comment)
    return EventRow(event.id, event.days, event.name, event.kind, badge, own, *said)

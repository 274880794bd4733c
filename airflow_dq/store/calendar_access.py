"""The calendar of events: days of which something out of the ordinary is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow_dq.store import calendar
from airflow_dq.store.connected import Connected
from airflow_dq.store.transaction import run

if TYPE_CHECKING:
    from airflow_dq.judge.calendar import CalendarEvent, Effect, EventKind


class CalendarAccess(Connected):
    """What gates and people do with the calendar; see :mod:`airflow_dq.judge.calendar` for what an event does."""

    def calendar(self, dataset: str | None = None) -> list[CalendarEvent]:
        """The events of a dataset and those of all datasets (None: all that there are), the newest days first."""
        return run(self._engine, lambda c: calendar.events(c, dataset))

    def add_event(
        self,
        dataset: str | None,
        name: str,
        first: str,
        last: str | None = None,
        *,
        kind: EventKind = "other",
        effect: Effect = "expected",
        by: str,
        comment: str | None = None,
    ) -> CalendarEvent:
        """Add an event to the calendar; it holds from the next judgement on.

        :param dataset: None: all datasets
        :param first: key of its first partition, or the day whose hours are partitions
        :param last: key of its last one; None: it is the first
        :raises ReviewError: when the dataset is unknown, or the event cannot be one
        """
        end = first if last is None else last
        return run(
            self._engine,
            lambda c: calendar.add(c, dataset, name, first, end, kind=kind, effect=effect, by=by, comment=comment),
        )

    def delete_event(self, event_id: int, by: str) -> CalendarEvent:
        """Take an event from the calendar, and return it.

        :raises ReviewError: when there is none with this number
        """
        return run(self._engine, lambda c: calendar.remove(c, event_id, by))

    def left_out(self, dataset: str, since: str, before: str) -> list[tuple[CalendarEvent, int]]:
        """The events that leave out partitions from one key to before another, and how many each does."""
        return run(self._engine, lambda c: calendar.left_out(c, dataset, since, before))

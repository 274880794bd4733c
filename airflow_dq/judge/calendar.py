"""The calendar of events: what a day out of the ordinary excuses, and what it never does.

On a day that is *expected* to be unusual, ranges are told and do not stop the gate: another number of rows, other
values, another mix.  Nothing else is excused: the schema, declared checks, learned rules on rows, values of a sort that
never were or many times as large as ever, missing values, metrics without a value, a partition without rows, and above
all whatever could not be judged.  The verdict stays what was found, and the partition is not learned from.

A day that is *left out* is judged like any other, and never learned from, whatever its verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.wording import listed
from airflow_dq.judge.verdict import Verdict
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.registry import get_metric
from airflow_dq.options.key import key_span, order_key

EventKind = Literal["promotion", "holiday", "migration", "other"]
Effect = Literal["expected", "left_out"]
EFFECTS: dict[Effect, str] = {"expected": "expected", "left_out": "left out of the history"}
"""In words."""
_NAMED = 3
"""Earlier events of the same name that an alert names."""


@dataclass(frozen=True, slots=True)
class CalendarEvent:
    """Partitions of which something out of the ordinary is known."""

    id: int
    dataset: str | None
    """None: all datasets."""
    name: str
    kind: EventKind
    effect: Effect
    first: str
    """Key of its first partition, or a day of which partitions are hours."""
    last: str
    by: str
    comment: str | None
    created_at: datetime

    def covers(self, partition: str) -> bool:
        """Whether a partition lies on it."""
        low, high = key_span(self.first, self.last)
        return low <= order_key(partition) < high

    @property
    def days(self) -> str:
        """Its partitions: ``2026-11-27``, or ``2026-11-27 to 2026-11-30``."""
        return self.first if self.first == self.last else f"{self.first} to {self.last}"

    @property
    def words(self) -> str:
        """``promotion 'Black Friday'``; the name alone where it is of no named kind."""
        return repr(self.name) if self.kind == "other" else f"{self.kind} {self.name!r}"


def apply_events(verdict: Verdict, events: Sequence[CalendarEvent]) -> Verdict:
    """The verdict with what the calendar says: its alerts name the events, those that are excused only warn.

    :param events: of the dataset, and of all datasets
    """
    if verdict.partition is None:
        return verdict
    on = [event for event in events if event.covers(verdict.partition)]
    if not on:
        return verdict
    words = "; ".join(_words(event, events) for event in on)
    expected = any(event.effect == "expected" for event in on)
    alerts = tuple(_apply(alert, words, excused=expected and is_excused(alert)) for alert in verdict.alerts)
    notes = tuple(f"The partition lies on {_words(event, events)}." for event in on)
    return replace(verdict, alerts=alerts, notes=(*verdict.notes, *notes))


def _apply(alert: Alert, words: str, *, excused: bool) -> Alert:
    return replace(alert, severity="warn", event=words) if excused else replace(alert, event=words)


def _words(event: CalendarEvent, events: Sequence[CalendarEvent]) -> str:
    """``the promotion 'Black Friday' (2026-11-27, expected; before that on 2025-11-28)``."""
    start = order_key(event.first)
    alike = [one for one in events if one.name.casefold() == event.name.casefold() and order_key(one.last) < start]
    alike.sort(key=lambda one: order_key(one.first), reverse=True)
    before = dict.fromkeys(one.days for one in alike)
    similar = f"; before that on {listed(list(before), _NAMED)}" if before else ""
    return f"the {event.words} ({event.days}, {EFFECTS[event.effect]}{similar})"


def is_excused(alert: Alert) -> bool:
    """Whether an alert is of the kind that a day out of the ordinary explains."""
    # A cluster's driver imports this with the store, judges nothing, and need not have what detects novelty.
    from airflow_dq.learn.constraint.novelty import RULE as NOVELTY

    if alert.rule == NOVELTY:
        return True
    metric = None if alert.metric is None or alert.kind is None else get_metric(alert.metric, alert.kind)
    if not alert.is_range or isinstance(alert.observed, Reason | None):
        return False
    if alert.column is None:
        # The number of rows: a day explains more or fewer of them, and not that there are none.
        return alert.observed != 0.0
    return metric is None or not metric.presence


def left_out_words(event: CalendarEvent, partitions: int) -> str:
    """What a verdict says of partitions before it that are not learned from."""
    count = "1 partition is" if partitions == 1 else f"{partitions:,} partitions are"
    return f"Not learned from: {count} left out of the history by the {event.words} ({event.days})."

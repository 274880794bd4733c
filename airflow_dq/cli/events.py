"""``airflow dq events``: the calendar of days out of the ordinary."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.decision import who
from airflow_dq.cli.run import tell
from airflow_dq.cli.table import render
from airflow_dq.exceptions import ConfigurationError

if TYPE_CHECKING:
    from airflow_dq.judge.calendar import CalendarEvent

_HEAD = ("EVENT", "DATASET", "DAYS", "NAME", "KIND", "EFFECT", "BY", "COMMENT")


def events_list(arguments: Any) -> int:
    """List the events of a dataset, or all."""
    from airflow_dq.store import open_store

    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        found = repository.calendar(arguments.dataset)
    table = render(_HEAD, [_row(one) for one in found]) if found else "No event is in the calendar."
    tell(arguments, [asdict(one) for one in found], table)
    return 0


def events_add(arguments: Any) -> int:
    """Add an event."""
    from airflow_dq.store import open_store

    if not arguments.on:
        raise ConfigurationError("Say when: --on KEY, and with several partitions --until KEY.")
    if arguments.expected == arguments.left_out:
        raise ConfigurationError("Say what it does: --expected or --left-out, one of them.")
    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        made = repository.add_event(
            arguments.dataset,
            arguments.name,
            arguments.on,
            arguments.until,
            kind=arguments.kind,
            effect="expected" if arguments.expected else "left_out",
            by=who(arguments),
            comment=arguments.comment,
        )
    where = "all datasets" if made.dataset is None else f"dataset {made.dataset!r}"
    does = "ranges only warn" if made.effect == "expected" else "is judged like others, and not learned from"
    tell(arguments, asdict(made), f"Event {made.id}: {made.words} on {made.days} of {where}: {does}.")
    return 0


def events_delete(arguments: Any) -> int:
    """Take an event away."""
    from airflow_dq.store import open_store

    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        gone = repository.delete_event(arguments.event, who(arguments))
    tell(arguments, asdict(gone), f"Event {gone.id} ({gone.words}, {gone.days}) is no longer in the calendar.")
    return 0


def _row(one: CalendarEvent) -> tuple[object, ...]:
    where = "(all)" if one.dataset is None else one.dataset
    return one.id, where, one.days, one.name, one.kind, one.effect.replace("_", " "), one.by, one.comment

"""``airflow dq snooze``."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.alerts import timestamp
from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.decision import who
from airflow_dq.cli.run import tell
from airflow_dq.cli.table import render
from airflow_dq.exceptions import ConfigurationError

if TYPE_CHECKING:
    from airflow_dq.store.review_model import Snooze


def snooze(arguments: Any) -> int:
    """Add a snooze, list the active ones, or end one."""
    from airflow_dq.store import open_store

    until = _until(arguments)
    if arguments.end is not None and (arguments.dataset or until):
        raise ConfigurationError("--end ID ends a snooze and takes nothing else.")
    if arguments.end is None and not arguments.dataset:
        raise ConfigurationError("Name a DATASET, or give --end ID.")
    if until is None and (arguments.column or arguments.metric):
        raise ConfigurationError("Say how long: --days N or --until TIME.")
    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        if arguments.end is not None:
            repository.end_snooze(arguments.end, who(arguments))
            tell(arguments, {"ended": arguments.end}, f"Snooze {arguments.end} has ended.")
            return 0
        if until is None:
            _list(arguments, repository.snoozes(arguments.dataset))
            return 0
        made = repository.snooze(
            arguments.dataset,
            column=arguments.column,
            metric=arguments.metric,
            until=until,
            by=who(arguments),
            comment=arguments.comment,
        )
    told = (
        f"Snooze {made.id}: alerts of {made.scope} of dataset {made.dataset!r} only warn until "
        f"{timestamp(made.until)}, from the next judgement on."
    )
    tell(arguments, asdict(made), told)
    return 0


def _until(arguments: Any) -> datetime | None:
    if arguments.days is not None and arguments.until is not None:
        raise ConfigurationError("Give --days or --until, not both.")
    try:
        if arguments.days is not None:
            return datetime.now(UTC) + timedelta(days=arguments.days)
        until = None if arguments.until is None else datetime.fromisoformat(arguments.until)
    except (ValueError, OverflowError):
        given = arguments.until if arguments.days is None else arguments.days
        raise ConfigurationError(
            f"{given!r} is no time to snooze until: write it as --until 2026-01-31T18:00, or give --days 3."
        ) from None
    return until if until is None or until.tzinfo is not None else until.replace(tzinfo=UTC)


def _list(arguments: Any, found: list[Snooze]) -> None:
    rows = [(one.id, one.scope, timestamp(one.until), one.by, one.comment) for one in found]
    table = render(("SNOOZE", "SCOPE", "UNTIL", "BY", "COMMENT"), rows) if found else "No alert is snoozed."
    tell(arguments, [asdict(one) for one in found], table)

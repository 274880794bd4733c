"""``airflow dq alerts`` and ``airflow dq show``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import print_json, tell
from airflow_dq.cli.table import render
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.explain.lines import marked
from airflow_dq.explain.record import record_words

if TYPE_CHECKING:
    from airflow_dq.store.review_model import VerdictDetail, VerdictSummary

HEADLINE = 100
"""Longest sentence in the list, in characters; ``show`` has all of it."""


def alerts(arguments: Any) -> int:
    """List judged partitions that have alerts."""
    from airflow_dq.store import open_store
    from airflow_dq.store.review_model import AlertFilter

    chosen = AlertFilter(
        dataset=arguments.dataset,
        state="open" if arguments.open else None,
        severity=arguments.severity,
        since=_day("--since", arguments.since),
        until=_day("--until", arguments.until),
    )
    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        found = repository.verdicts(chosen, limit=arguments.limit)
    if arguments.output:
        print_json([asdict(line) for line in found])
    elif found:
        rows = [_row(line) for line in found]
        print(render(("ALERT", "DATASET", "PARTITION", "SEVERITY", "STATE", "ALERTS", "OPEN", "WHAT"), rows))
    else:
        print("No alerts." if chosen == AlertFilter() else "No alerts of this kind.")
    return 0


def _day(flag: str, text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise ConfigurationError(f"{flag} {text!r} is no day: write it as 2026-01-31.") from None


def _row(line: VerdictSummary) -> tuple[object, ...]:
    what = " ".join((line.headline or "").split())
    short = what if len(what) <= HEADLINE else f"{what[: HEADLINE - 3]}..."
    state = line.decision or ("open" if line.open_count else "closed")
    counts = line.alert_count, line.open_count
    return line.first_alert_id, line.dataset, line.partition, line.severity, state, *counts, short


def show(arguments: Any) -> int:
    """Show the partition that an alert belongs to."""
    from airflow_dq.store import open_store

    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        detail = repository.verdict_of_alert(arguments.alert)
    if detail is None:
        raise ConfigurationError(f"There is no alert {arguments.alert}: `airflow dq alerts` lists them.")
    tell(arguments, _document(detail), "\n".join(_lines(detail)))
    return 0


def _document(detail: VerdictDetail) -> dict[str, Any]:
    from airflow_dq.codec import to_builtins

    return {
        **asdict(detail.partition),
        "comment": detail.comment,
        "alerts": [asdict(alert) for alert in detail.alerts],
        "events": [asdict(event) for event in detail.events],
        "snoozes": [asdict(snooze) for snooze in detail.snoozes],
        "verdict": to_builtins(detail.verdict),
    }


def _lines(detail: VerdictDetail) -> Iterator[str]:
    from airflow_dq.report.words import status_words

    partition = detail.partition
    words = status_words(partition.status, partition.severity)
    yield f"Dataset {partition.dataset!r}, partition {partition.partition!r}: {words}"
    yield f"Judged at {timestamp(partition.judged_at)}" + (
        "" if partition.origin is None else f" by {partition.origin.dag_id}.{partition.origin.task_id}"
    )
    if partition.decision is not None:
        comment = f": {detail.comment}" if detail.comment else ""
        yield f"{partition.decision.replace('_', ' ')} by {partition.decided_by}{comment}"
    yield ""
    yield from (f"- {marked(problem)}" for problem in detail.verdict.problems)
    yield ""
    for alert in detail.alerts:
        closed = "" if alert.closed_at is None else f" (closed: {alert.closed_reason})"
        yield f"{alert.id} {'warning' if alert.severity == 'warn' else 'fail'}: {alert.message}{closed}"
    if (said := record_words(detail.verdict.record)) is not None:
        yield said
    if detail.events or detail.snoozes:
        yield ""
    for event in detail.events:
        told = "; ".join(part for part in (event.detail, event.comment) if part)
        yield f"{timestamp(event.at)} {event.action.replace('_', ' ')} by {event.by}" + (f": {told}" if told else "")
    for snooze in detail.snoozes:
        yield f"Snoozed: {snooze.scope}, until {timestamp(snooze.until)}, by {snooze.by} (snooze {snooze.id})"


def timestamp(at: datetime) -> str:
    """A timestamp to the minute, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"

"""Alerts as the lines of a task's log or a terminal: what came first, then what there is to know about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from airflow_dq.explain.alert import Alert
from airflow_dq.metrics.descriptor import Reason

_TITLES = {"quantile": "quantiles", "value": "values", "pattern": "patterns"}
"""Aspects whose changes share a line, which begins with this title."""


def telling(alerts: Sequence[Alert]) -> tuple[Alert, ...]:
    """Those that say something of their own: the alert that speaks for a group implies what has no value for it."""
    return tuple(alert for alert in alerts if alert.root or not isinstance(alert.observed, Reason))


def digest(alerts: Sequence[Alert]) -> Iterator[tuple[Alert, tuple[str, ...]]]:
    """Each alert with its details; what is the same for a column is said once, and only by the root of a group."""
    known: set[str | None] = set()
    for alert in alerts:
        said = alert.column in known or not alert.root
        known.add(alert.column)
        yield alert, failing_lines(alert) if said else details(alert)


def details(alert: Alert) -> tuple[str, ...]:
    """What an alert has to say beyond its sentence, one line per aspect."""
    lines: dict[str, list[str]] = {}
    for place, change in enumerate(alert.changes):
        lines.setdefault(_TITLES.get(change.aspect, str(place)), []).append(change.words)
    told = (
        f"{title}: {'; '.join(words)}" if title in _TITLES.values() else "; ".join(words)
        for title, words in lines.items()
    )
    return (*failing_lines(alert), *told)


def failing_lines(alert: Alert) -> tuple[str, ...]:
    """Some of the rows that a check found wrong, one line each."""
    return () if alert.failing is None else tuple(f"fails: {line}" for line in alert.failing.lines)

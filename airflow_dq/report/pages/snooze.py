"""What can be snoozed and for how long: alerts of a known kind only warn until a day that a person names."""

from __future__ import annotations

import json
from collections.abc import Sequence

from airflow_dq.explain.wording import metric_words
from airflow_dq.store.review_model import AlertSummary

DAYS = {1: "1 day", 3: "3 days", 7: "1 week", 14: "2 weeks", 30: "30 days"}
"""How long a snooze may last."""
DAY_OPTIONS = tuple((str(number), words) for number, words in DAYS.items())
"""The same as (value, words) of a list of choices."""


def scope_options(alerts: Sequence[AlertSummary]) -> list[tuple[str, str]]:
    """(value, words) of what can be snoozed about these alerts."""
    return [(scope_value(column, metric), scope_words(column, metric)) for column, metric in scopes(alerts)]


def scopes(alerts: Sequence[AlertSummary]) -> list[tuple[str | None, str | None]]:
    """(column, metric) of what can be snoozed: each alert's own metric first, then its column, then everything."""
    metrics = [(alert.column, alert.metric) for alert in alerts if alert.metric is not None]
    columns: list[tuple[str | None, str | None]] = [
        (alert.column, None) for alert in alerts if alert.column is not None
    ]
    return list(dict.fromkeys([*metrics, *columns, (None, None)]))


def scope_value(column: str | None, metric: str | None) -> str:
    """A scope as a form field; :func:`read_scope` reads it."""
    return json.dumps([column, metric])


def read_scope(value: str) -> tuple[str | None, str | None] | None:
    """Column and metric of a form field; None when it is no scope."""
    try:
        parts = json.loads(value)
    except (ValueError, RecursionError):
        return None
    if not isinstance(parts, list) or len(parts) != 2 or not all(part is None or _is_name(part) for part in parts):
        return None
    return parts[0], parts[1]


def _is_name(part: object) -> bool:
    # Half a surrogate pair is a text in JSON and none anywhere else.
    return type(part) is str and "\x00" not in part and part.encode("utf-8", "ignore").decode() == part


def scope_words(column: str | None, metric: str | None) -> str:
    """A scope in the list of choices."""
    if column is None:
        return "everything about the dataset" if metric is None else f"{metric_words(metric, False)}, any column"
    return f"{column}: every alert" if metric is None else f"{column}: {metric_words(metric, False)}"

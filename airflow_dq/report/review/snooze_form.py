"""Snoozes: alerts of a known kind only warn until a day that a person names."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from xml.etree.ElementTree import Element

from airflow_dq.explain.wording import metric_words
from airflow_dq.report.markup import element
from airflow_dq.report.review.filter_form import choice
from airflow_dq.report.review.timestamp import moment
from airflow_dq.store.review_model import AlertSummary, Snooze

DAYS = {1: "1 day", 3: "3 days", 7: "1 week", 14: "2 weeks", 30: "30 days"}
"""How long a snooze may last."""


def snooze_form(alerts: Sequence[AlertSummary], action: str) -> Element:
    """The form: what to snooze, for how long, and why."""
    options = [(scope_value(column, metric), scope_words(column, metric)) for column, metric in scopes(alerts)]
    days = [(str(number), words) for number, words in DAYS.items()]
    return element(
        "details",
        element("summary", "Snooze alerts like these"),
        element(
            "form",
            element("p", "Until then they only warn: the gate lets the partition pass.", class_="hint"),
            element("label", "What", for_="scope"),
            choice("scope", options, ""),
            element("label", "For how long", for_="days"),
            choice("days", days, "7"),
            element("label", "Why", for_="snooze-comment"),
            element("input", id="snooze-comment", name="comment", maxlength="2000", autocomplete="off"),
            element("button", "Snooze", type="submit", class_="button"),
            method="post",
            action=action,
            class_="act",
        ),
        class_="snooze",
    )


def snooze_list(snoozes: Sequence[Snooze], now: datetime, end: str | None = None) -> Element | None:
    """The active snoozes of a dataset.

    :param end: where the form is sent that ends one; None for a reader who may not
    """
    if not snoozes:
        return None
    return element(
        "ul", *(_line(snooze, now, end) for snooze in snoozes), class_="snoozes", aria_label="Active snoozes"
    )


def _line(snooze: Snooze, now: datetime, end: str | None) -> Element:
    form = None
    if end is not None:
        form = element(
            "form",
            element("input", type="hidden", name="snooze_id", value=str(snooze.id)),
            element("button", "End now", type="submit", class_="link", aria_label=f"End the snooze of {snooze.scope}"),
            method="post",
            action=end,
            class_="act",
        )
    words = f" snoozed by {snooze.by}{f': {snooze.comment}' if snooze.comment else ''}; ends "
    return element("li", element("b", snooze.scope), words, moment(snooze.until, now), " ", form)


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
    except ValueError:
        return None
    if not isinstance(parts, list) or len(parts) != 2 or not all(part is None or type(part) is str for part in parts):
        return None
    return parts[0], parts[1]


def scope_words(column: str | None, metric: str | None) -> str:
    """A scope in the list of choices."""
    if column is None:
        return "everything about the dataset" if metric is None else f"{metric_words(metric, False)}, any column"
    return f"{column}: every alert" if metric is None else f"{column}: {metric_words(metric, False)}"

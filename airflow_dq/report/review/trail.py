"""The audit trail: who said what about a partition, and when."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from xml.etree.ElementTree import Element

from airflow_dq.report.markup import element
from airflow_dq.report.review.badge import alerts_words
from airflow_dq.report.review.timestamp import moment
from airflow_dq.store.review_model import Action, AlertSummary, ReviewEvent, VerdictSummary

_ACTIONS: dict[Action, str] = {
    "accepted": "accepted the partition",
    "rejected": "rejected the partition",
    "new_normal": "accepted the partition as the new normal",
    "snoozed": "snoozed",
    "unsnoozed": "ended the snooze of",
}


def trail(partition: VerdictSummary, events: Sequence[ReviewEvent], now: datetime) -> Element:
    """The list, oldest first, the gate's own verdict in its place.

    :param events: oldest first
    """
    by = "The gate" if partition.origin else "The partition was judged: the gate"
    verdict = element(
        "li", element("b", by), f" found {alerts_words(partition.alert_count)} ", moment(partition.judged_at, now)
    )
    lines = [(event.at, _line(event, now)) for event in events]
    # Snoozes of the dataset may be older than the verdict.
    lines.insert(sum(at < partition.judged_at for at, _ in lines), (partition.judged_at, verdict))
    return element("section", element("h2", "Audit trail"), element("ol", *(line for _, line in lines), class_="trail"))


def _line(event: ReviewEvent, now: datetime) -> Element:
    detail = f" {event.detail}" if event.detail else ""
    quote = element("blockquote", event.comment) if event.comment else None
    return element("li", element("b", event.by), f" {_ACTIONS[event.action]}{detail} ", moment(event.at, now), quote)


def closed(alerts: Sequence[AlertSummary], now: datetime) -> Element | None:
    """Alerts that are no longer open, and why; folded, because nothing is to be done about them."""
    done = [alert for alert in alerts if alert.closed_at is not None]
    if not done:
        return None
    lines = (
        element(
            "li",
            alert.message,
            " ",
            element("span", alert.closed_reason or "closed", class_="hint"),
            " ",
            moment(alert.closed_at, now) if alert.closed_at else None,
        )
        for alert in done
    )
    many = f"{len(done)} closed alert{'' if len(done) == 1 else 's'}"
    return element("details", element("summary", many), element("ul", *lines, class_="closed"), class_="fold")

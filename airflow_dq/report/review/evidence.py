"""The evidence: column by column, what changed and how far outside the learned range it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element

from airflow_dq.explain.alert import Alert
from airflow_dq.judge.verdict import Verdict
from airflow_dq.report.card import alert_card, chart_card, clauses_of, key_of, legend, predicate
from airflow_dq.report.markup import element
from airflow_dq.report.review.difference import difference
from airflow_dq.report.text import finding

CARDS = 60
"""Most alerts that get a chart: a page must load in a second even when every column of a wide table broke."""


def first_words(verdict: Verdict) -> Element | None:
    """What broke first, in words: the alerts that speak for their groups, the most telling one first."""
    roots = _one_per_column([alert for alert in verdict.alerts if alert.root])
    if not roots:
        text = verdict.reason or f"Everything that was checked held: {finding(verdict).removesuffix(' held')}."
        return element("section", element("h2", "What the gate found"), element("p", text), class_="first")
    lines = (_first(alert) for alert in roots)
    heading = "What broke" if len(roots) == 1 else "What broke first"
    return element("section", element("h2", heading), element("ol", *lines, class_="roots"), class_="first")


def _first(alert: Alert) -> Element:
    name = element("span", alert.column, class_="column") if alert.column else element("span", "the whole table")
    cause = element("span", alert.cause, class_="looks") if alert.cause else None
    return element("li", element("p", name, cause, class_="what"), element("p", predicate(alert), class_="sentence"))


def _one_per_column(alerts: Iterable[Alert]) -> list[Alert]:
    """The first alert of each column; alerts about the schema are each about something else."""
    seen: dict[tuple[str | None, str | None], Alert] = {}
    for alert in alerts:
        seen.setdefault((alert.column, None if alert.rule == "metric" else alert.message), alert)
    return list(seen.values())


def evidence(verdict: Verdict) -> Iterable[Element | None]:
    """A section for each column that speaks for itself, then, folded, what only moved with another."""
    shown = verdict.alerts[:CARDS]
    # One section for a column, even when one of its alerts speaks for the group and others moved with it.
    leading = {alert.column for alert in shown if alert.root}
    if shown:
        yield element("div", element("h2", "Evidence"), legend(), class_="above")
    for column in dict.fromkeys(alert.column for alert in shown if alert.column in leading):
        yield _column(column, [alert for alert in shown if alert.column == column], verdict)
    moved = [alert for alert in shown if alert.column not in leading]
    if moved:
        yield _moved(moved, verdict)
    rest = [alert for alert in verdict.alerts if alert not in shown]
    if rest:
        sentences = (element("li", alert.message) for alert in rest)
        words = f"{len(rest)} more alerts, without charts"
        yield element("details", element("summary", words), element("ul", *sentences), class_="fold")


def _column(column: str | None, alerts: Sequence[Alert], verdict: Verdict) -> Element:
    clauses = clauses_of(verdict)
    changes = next((alert.changes for alert in alerts if alert.changes), ())
    cards = (
        chart_card(alert, verdict.partition, clauses.get(key_of(alert))) for alert in alerts if alert.rule == "metric"
    )
    schema = [element("p", alert.message, class_="sentence") for alert in alerts if alert.rule != "metric"]
    name = element("span", column, class_="column") if column else element("span", "Whole table")
    kind = next((alert.kind for alert in alerts if alert.kind), None)
    cause = next((alert.cause for alert in alerts if alert.cause), None)
    return element(
        "section",
        element(
            "h3",
            name,
            element("span", str(kind), class_="metric") if kind and column else None,
            element("span", cause, class_="looks") if cause else None,
        ),
        *schema,
        difference(changes, kind),
        element("div", *cards, class_="cards"),
        class_="evidence",
    )


def _moved(alerts: Sequence[Alert], verdict: Verdict) -> Element:
    clauses = clauses_of(verdict)
    cards = (alert_card(alert, verdict.partition, clauses.get(key_of(alert))) for alert in alerts)
    columns = len({alert.column for alert in alerts})
    words = f"{len(alerts)} alert{'' if len(alerts) == 1 else 's'} in {columns} column{'' if columns == 1 else 's'}"
    return element(
        "details",
        element("summary", f"{words} moved with it"),
        element("div", *cards, class_="cards"),
        class_="fold",
    )

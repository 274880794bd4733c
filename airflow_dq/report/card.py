"""One alert as a card: its sentence, its chart, what changed, and the facts behind it."""

from __future__ import annotations

from dataclasses import replace
from xml.etree.ElementTree import Element

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.lines import details
from airflow_dq.explain.sentence import past_partitions
from airflow_dq.explain.wording import metric_words
from airflow_dq.judge.verdict import Status, Verdict
from airflow_dq.learn.constraint.range import Clause
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.report.chart import history_chart
from airflow_dq.report.markup import element
from airflow_dq.report.number import expected, numbers, odds
from airflow_dq.XX import TransformKind

AlertKey = tuple[str | None, str | None, float | None, float | None]
"""Column, metric and bounds: one metric may have two clauses, which differ in their bounds."""


def legend() -> Element:
    """What the marks of the charts mean."""
    entries = (("past", "past partition"), ("range", "learned range"), ("now", "this partition"))
    keys = (element("span", element("i", class_=name), words) for name, words in entries)
    return element("p", *keys, class_="legend", aria_hidden="true")


def alert_card(alert: Alert, partition: str | None, clause: Clause | None) -> Element:
    """The card of one alert, which says everything about it.

    :param partition: key of the partition that was judged
    :param clause: the violated clause, see :func:`clauses_of`; None for an alert about the schema
    """
    name = element("span", alert.column, class_="column") if alert.column else element("span", "whole table")
    metric = element("span", (alert.metric or alert.rule).replace("_", " "), class_="metric")
    parts: list[Element | None] = [element("h3", name, metric), element("p", alert.message, class_="sentence")]
    if alert.cause and alert.cause not in alert.message:
        parts.append(element("p", "Looks like ", element("strong", alert.cause), class_="cause"))
    parts += _charts(alert, partition, is_moving(clause))
    lines = details(alert)
    if lines:
        parts.append(element("ul", *(element("li", line) for line in lines), class_="changes"))
    return element("article", *parts, _facts(alert, clause), class_=None if alert.root else "moved")


def chart_card(alert: Alert, partition: str | None, clause: Clause | None) -> Element:
    """The card of one alert about a metric, for a page that names the column, the cause and the changes above it."""
    title = metric_words(alert.metric or "", clause is not None and clause.pair)
    heading = element("h4", title[:1].upper() + title[1:])
    return element("article", heading, *_charts(alert, partition, is_moving(clause)), _facts(alert, clause))


def _charts(alert: Alert, partition: str | None, moving: bool) -> list[Element]:
    if alert.metric is None or not alert.history:
        return []
    # Two sizes, one shown: scaling a wide chart down would make its text too small to read.
    narrow = history_chart(alert, partition, moving=moving, width=340, height=210)
    wide = history_chart(alert, partition, moving=moving)
    return [element("div", wide, class_="wide"), element("div", narrow, class_="narrow")]


def predicate(alert: Alert) -> str:
    """The alert's sentence without its subject and the likely cause, for a place that has them above it."""
    text = replace(alert, cause=None).message
    start = f"{alert.column or 'the table'}: "
    if not text.startswith(start):
        return text
    rest = text.removeprefix(start)
    return rest[:1].upper() + rest[1:]


def _facts(alert: Alert, clause: Clause | None) -> Element | None:
    facts = []
    if isinstance(alert.observed, Reason):
        facts.append(("Observed", str(alert.observed)))
    elif alert.observed is not None:
        facts.append(("Observed", numbers(alert, [alert.observed])[0]))
    if alert.lower is not None or alert.upper is not None:
        facts.append(("Expected now" if is_moving(clause) else "Expected", expected(alert)))
    # What never changed has no spread to estimate a chance from.
    if clause is not None and clause.spread == 0:
        facts.append(("Before", "never changed"))
    elif alert.fpr is not None:
        facts.append(("False alarm", odds(alert.fpr)))
    past = past_partitions(clause) if clause else sum(value is not None for _, value in alert.history)
    if past:
        facts.append(("Learned from", f"{past} partition{'s' if past > 1 else ''}"))
    rows = (element("div", element("dt", name), element("dd", value)) for name, value in facts)
    return element("dl", *rows) if facts else None


def is_moving(clause: Clause | None) -> bool:
    """Whether the clause's bounds hold for one partition only, because it compares with an earlier one."""
    return clause is not None and clause.transform.kind is not TransformKind.IDENTITY


def key_of(alert: Alert) -> AlertKey:
    """What an alert has in common with the clause behind it."""
    return alert.column, alert.metric, alert.lower, alert.upper


def clauses_of(verdict: Verdict) -> dict[AlertKey, Clause]:
    """The violated clause behind each alert."""
    results = [result for scope in (verdict.table, *verdict.columns.values()) for result in scope.results]
    return {
        (result.clause.column, result.clause.metric, *result.expected): result.clause
        for result in results
        if result.status is Status.FAIL
    }

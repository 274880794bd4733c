"""One alert as a card: its sentence, its chart, what changed, and the facts behind it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.explanation import past_partitions
from airflow_dq.explain.lines import details
from airflow_dq.explain.wording import metric_words
from airflow_dq.judge.verdict import Status, Verdict
from airflow_dq.learn.constraint.range import Clause
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.report.chart import history_chart
from airflow_dq.report.number import expected, numbers, odds
from airflow_dq.report.words import capitalized, count, spaced
from airflow_dq.XX import TransformKind

AlertKey = tuple[str | None, str | None, float | None, float | None]
"""Column, metric and bounds: one metric may have two clauses, which differ in their bounds."""


@dataclass(frozen=True, slots=True)
class Charts:
    """One chart in two sizes, of which a page shows the one that fits."""

    wide: Element
    narrow: Element


@dataclass(frozen=True, slots=True)
class Card:
    """What a card shows.

    :param column: None for the table as a whole
    :param rule: metric or rule that broke
    :param heading: the same in words, for a page that names the column above the card
    :param cause: the likely cause, where the sentence does not name it
    :param facts: (name, value)
    :param moved: whether it only moved with another
    """

    column: str | None
    rule: str
    heading: str
    sentence: str
    cause: str | None
    charts: Charts | None
    changes: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    moved: bool


def cards(alerts: Iterable[Alert], verdict: Verdict) -> list[Card]:
    """The cards of some of a verdict's alerts."""
    clauses = clauses_of(verdict)
    return [_card(alert, verdict.partition, clauses.get(key_of(alert))) for alert in alerts]


def _card(alert: Alert, partition: str | None, clause: Clause | None) -> Card:
    """:param clause: the violated clause, see :func:`clauses_of`; None for an alert about the schema"""
    return Card(
        column=alert.column,
        rule=spaced(alert.metric or alert.rule),
        heading=capitalized(metric_words(alert.metric or "", clause is not None and clause.pair)),
        sentence=alert.message,
        cause=None if alert.cause and alert.cause in alert.message else alert.cause,
        charts=charts(alert, partition, is_moving(clause)),
        changes=details(alert),
        facts=tuple(_facts(alert, clause)),
        moved=not alert.root,
    )


def charts(alert: Alert, partition: str | None, moving: bool) -> Charts | None:
    """The charts of an alert about a metric; None for any other.

    :param moving: see :func:`is_moving`
    """
    if alert.metric is None or not alert.history:
        return None
    narrow = history_chart(alert, partition, moving=moving, width=340, height=210)
    return Charts(history_chart(alert, partition, moving=moving), narrow)


def _facts(alert: Alert, clause: Clause | None) -> Iterable[tuple[str, str]]:
    if isinstance(alert.observed, Reason):
        yield "Observed", str(alert.observed)
    elif alert.observed is not None:
        yield "Observed", numbers(alert, [alert.observed])[0]
    if alert.lower is not None or alert.upper is not None:
        yield "Expected now" if is_moving(clause) else "Expected", expected(alert)
    # What never changed has no spread to estimate a chance from.
    if clause is not None and clause.spread == 0:
        yield "Before", "never changed"
    elif alert.fpr is not None:
        yield "False alarm", odds(alert.fpr)
    past = past_partitions(clause) if clause else sum(value is not None for _, value in alert.history)
    if past:
        yield "Learned from", count(past, "partition")


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

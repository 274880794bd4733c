"""One alert as a card: its sentence, its chart, what changed, and the facts behind it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from xml.etree.ElementTree import Element

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.evidence import evidence_words
from airflow_dq.explain.lines import details
from airflow_dq.explain.wording import metric_words
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.report.chart import HEIGHT, WIDTH, history_chart
from airflow_dq.report.course import Course
from airflow_dq.report.number import expected, numbers
from airflow_dq.report.words import capitalized, count, spaced


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


def cards(alerts: Iterable[Alert], partition: str | None, courses: Iterable[Course | None] = ()) -> list[Card]:
    """The cards of some of a verdict's alerts on a partition.

    :param courses: how the metric of each went, where that is known
    """
    return [_card(alert, partition, course) for alert, course in zip_longest(alerts, courses) if alert is not None]


def _card(alert: Alert, partition: str | None, course: Course | None) -> Card:
    return Card(
        column=alert.column,
        rule=spaced(alert.metric or alert.rule),
        heading=capitalized(metric_words(alert.metric or "", pair=True)),
        sentence=alert.message,
        cause=alert.cause if alert.is_range and alert.cause_stated else None,
        charts=charts(alert, partition, course),
        changes=details(alert),
        facts=tuple(_facts(alert)),
        moved=not alert.root,
    )


def charts(alert: Alert, partition: str | None, course: Course | None = None) -> Charts | None:
    """The charts of an alert about a metric; None for any other."""
    if alert.metric is None or not (alert.history or course):
        return None
    wide, narrow = (
        history_chart(alert, partition, moving=alert.moving, width=width, height=height, course=course)
        for width, height in ((WIDTH, HEIGHT), (340, 210))
    )
    return Charts(wide, narrow)


def _facts(alert: Alert) -> Iterable[tuple[str, str]]:
    if isinstance(alert.observed, Reason):
        yield "Observed", str(alert.observed)
    elif alert.observed is not None:
        yield "Observed", numbers(alert, [alert.observed])[0]
    if alert.lower is not None or alert.upper is not None:
        yield "Expected now" if alert.moving else "Expected", expected(alert)
    known = alert.evidence
    if known is not None:
        words = evidence_words(known.deviation, known.worst, known.rank, known.partitions, known.since)
        yield "Evidence", words
    if alert.partitions:
        yield "Learned from", count(alert.partitions, "partition")

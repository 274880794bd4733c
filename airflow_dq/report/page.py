"""The report as one HTML file: no script, nothing fetched, readable on a phone and in the dark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from airflow_dq.metrics.registry import Reason
from airflow_dq.program.digest import details
from airflow_dq.program.explanation import past_partitions
from airflow_dq.program.model import Alert, Clause, Status, TransformKind, Verdict
from airflow_dq.report.chart import history_chart
from airflow_dq.report.markup import element, to_html
from airflow_dq.report.number import expected, numbers, odds
from airflow_dq.report.style import css
from airflow_dq.report.text import finding, status_words, summary

_TONES = {Status.PASS: "good", Status.FAIL: "bad", Status.ERROR: "bad"}


def write_report(path: Path, verdicts: Sequence[tuple[str, Verdict]]) -> None:
    """Write the page that :func:`render_page` makes; the folder is created when it is missing.

    :param path: the file to write
    :param verdicts: (dataset, verdict) in the order to show them
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render_page(verdicts), encoding="utf-8")


def render_page(verdicts: Sequence[tuple[str, Verdict]]) -> str:
    """A self-contained HTML page: a table of verdicts, then one card with a history chart per alert.

    :param verdicts: (dataset, verdict) in the order to show them
    """
    datasets = list(dict.fromkeys(dataset for dataset, _ in verdicts))
    title = ", ".join(datasets) or "no dataset"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"Data quality: {title}"),
        element("style", css("theme", "chart", "page")),
    )
    body = element(
        "body",
        element(
            "header",
            element("p", "Data quality report", class_="eyebrow"),
            element("h1", title),
            element("p", summary([verdict for _, verdict in verdicts]), class_="lede"),
        ),
        element(
            "main",
            _overview(verdicts, len(datasets) > 1),
            *(_section(number, *pair) for number, pair in enumerate(verdicts)),
        ),
        element("footer", "A bound is learned from the past partitions alone; no rule was written by hand."),
    )
    return "<!DOCTYPE html>\n" + to_html(element("html", head, body, lang="en")) + "\n"


def _overview(verdicts: Sequence[tuple[str, Verdict]], many: bool) -> Element:
    heads = [*(["Dataset"] if many else []), "Partition", "Verdict", "Finding"]
    rows = []
    for place, (dataset, verdict) in enumerate(verdicts):
        key: Element | str = verdict.partition or "–"
        if verdict.alerts:
            key = element("a", key, href=f"#partition-{place}")
        cells = [element("td", dataset)] if many else []
        cells += [
            element("td", key, class_="key"),
            element("td", _badge(verdict.status)),
            element("td", finding(verdict), class_="finding"),
        ]
        rows.append(element("tr", *cells))
    head = element("thead", element("tr", *(element("th", text, scope="col") for text in heads)))
    return element("div", element("table", head, element("tbody", *rows)), class_="overview")


def _section(place: int, dataset: str, verdict: Verdict) -> Element | None:
    if not verdict.alerts:
        return None
    clauses = _clauses(verdict)
    cards = (_card(alert, verdict.partition, clauses.get(_key(alert))) for alert in verdict.alerts)
    heading = element(
        "h2", f"{dataset} ", element("span", verdict.partition or "–", class_="key"), " ", _badge(verdict.status)
    )
    return element("section", heading, _legend(), element("div", *cards, class_="cards"), id=f"partition-{place}")


def _legend() -> Element:
    entries = (("past", "past partition"), ("range", "learned range"), ("now", "this partition"))
    keys = (element("span", element("i", class_=name), words) for name, words in entries)
    return element("p", *keys, class_="legend", aria_hidden="true")


def _card(alert: Alert, partition: str | None, clause: Clause | None) -> Element:
    subject = [element("span", alert.column, class_="column") if alert.column else element("span", "whole table")]
    subject.append(element("span", (alert.metric or alert.rule).replace("_", " "), class_="metric"))
    parts: list[Element | None] = [element("h3", *subject), element("p", alert.message, class_="sentence")]
    if alert.cause and alert.cause not in alert.message:
        parts.append(element("p", "Looks like ", element("strong", alert.cause), class_="cause"))
    moving = clause is not None and clause.transform.kind is not TransformKind.IDENTITY
    if alert.metric is not None and alert.history:
        # Two sizes, one shown: scaling a wide chart down would make its text too small to read.
        parts.append(element("div", history_chart(alert, partition, moving=moving), class_="wide"))
        narrow = history_chart(alert, partition, moving=moving, width=340, height=210)
        parts.append(element("div", narrow, class_="narrow"))
    lines = details(alert)
    if lines:
        parts.append(element("ul", *(element("li", line) for line in lines), class_="changes"))
    facts = _facts(alert, clause, moving)
    if facts:
        rows = (element("div", element("dt", name), element("dd", value)) for name, value in facts)
        parts.append(element("dl", *rows))
    return element("article", *parts, class_=None if alert.root else "moved")


def _facts(alert: Alert, clause: Clause | None, moving: bool) -> list[tuple[str, str]]:
    facts = []
    if isinstance(alert.observed, Reason):
        facts.append(("Observed", str(alert.observed)))
    elif alert.observed is not None:
        facts.append(("Observed", numbers(alert, [alert.observed])[0]))
    if alert.lower is not None or alert.upper is not None:
        facts.append(("Expected now" if moving else "Expected", expected(alert)))
    # What never changed has no spread to estimate a chance from; the sentence says so.
    if alert.fpr is not None and (clause is None or clause.spread > 0):
        facts.append(("False alarm", odds(alert.fpr)))
    past = past_partitions(clause) if clause else sum(value is not None for _, value in alert.history)
    if past:
        facts.append(("Learned from", f"{past} partition{'s' if past > 1 else ''}"))
    return facts


_AlertKey = tuple[str | None, str | None, float | None, float | None]


def _key(alert: Alert) -> _AlertKey:
    return alert.column, alert.metric, alert.lower, alert.upper


def _clauses(verdict: Verdict) -> dict[_AlertKey, Clause]:
    """The violated clause behind each alert; one metric may have two, which differ in their bounds."""
    results = [result for scope in (verdict.table, *verdict.columns.values()) for result in scope.results]
    return {
        (result.clause.column, result.clause.metric, *result.expected): result.clause
        for result in results
        if result.status is Status.FAIL
    }


def _badge(status: Status) -> Element:
    return element("span", status_words(status), class_=f"badge {_TONES.get(status, 'wait')}")

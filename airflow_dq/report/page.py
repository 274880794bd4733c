"""The report as one HTML file: no script, nothing fetched, readable on a phone and in the dark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from airflow_dq.judge.verdict import Status, Verdict
from airflow_dq.report.card import alert_card, clauses_of, key_of, legend
from airflow_dq.report.markup import element, to_html
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
    clauses = clauses_of(verdict)
    cards = (alert_card(alert, verdict.partition, clauses.get(key_of(alert))) for alert in verdict.alerts)
    heading = element(
        "h2", f"{dataset} ", element("span", verdict.partition or "–", class_="key"), " ", _badge(verdict.status)
    )
    return element("section", heading, legend(), element("div", *cards, class_="cards"), id=f"partition-{place}")


def _badge(status: Status) -> Element:
    return element("span", status_words(status), class_=f"badge {_TONES.get(status, 'wait')}")

"""A backtest as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from xml.etree.ElementTree import Element

from airflow_dq.backtest.model import BacktestResult, PartitionOutcome
from airflow_dq.explain.alert import Alert
from airflow_dq.judge.verdict import Status
from airflow_dq.report.backtest_words import (
    caution,
    count,
    counts,
    headline,
    next_step,
    rate_words,
    share,
    sorted_recall,
    subject,
)
from airflow_dq.report.chart import history_chart
from airflow_dq.report.markup import element, to_html
from airflow_dq.report.style import css
from airflow_dq.report.text import status_words

CARDS = 60
"""Most alarms that get a chart, the newest ones: a page must stay small enough to be mailed."""
_SENTENCES = 8
_TONES = {Status.PASS: "good", Status.FAIL: "bad"}


def write_backtest(path: Path, result: BacktestResult) -> None:
    """Write the page that :func:`render_backtest_page` makes; the folder is created when it is missing.

    :param path: the file to write
    :param result: what :func:`airflow_dq.program.backtest` found
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render_backtest_page(result), encoding="utf-8")


def render_backtest_page(result: BacktestResult) -> str:
    """The page: a strip of all partitions, what they say about the gate, and a chart for each alarm.

    :param result: what :func:`airflow_dq.program.backtest` found
    """
    title = result.dataset or "files"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"Backtest: {title}"),
        element("style", css("theme", "chart", "page", "backtest")),
    )
    alarms = [outcome for outcome in result.partitions if outcome.status is Status.FAIL]
    shown = {id(outcome) for outcome in alarms[-CARDS:]}
    body = element(
        "body",
        element(
            "header",
            element("p", "Backtest", class_="eyebrow"),
            element("h1", title),
            element("p", headline(result), class_="lede"),
        ),
        element(
            "main",
            *_strip(result.partitions, shown),
            _notes(result),
            _section("What another target would have meant", _targets(result)),
            _section("Errors that would be caught", _recall(result)),
            _section("Alarms by column", _columns(result)),
            _alarms(result, shown, len(alarms) - len(shown)),
        ),
        element("footer", "Each partition was judged by what came before it alone; no rule was written by hand."),
    )
    return "<!DOCTYPE html>\n" + to_html(element("html", head, body, lang="en")) + "\n"


def _strip(outcomes: Sequence[PartitionOutcome], shown: set[int]) -> Iterable[Element]:
    """One mark per partition, oldest first; an alarm's leads to its chart."""
    cells = []
    for place, outcome in enumerate(outcomes):
        linked = id(outcome) in shown
        words = (
            f"{outcome.partition or '–'}: {'alarm' if outcome.status is Status.FAIL else status_words(outcome.status)}"
        )
        cells.append(
            element(
                "a" if linked else "span",
                class_=_TONES.get(outcome.status, "wait"),
                title=words,
                aria_label=words if linked else None,
                href=f"#partition-{place}" if linked else None,
            )
        )
    yield element("div", *cells, class_="strip")
    if outcomes:
        ends = (element("span", outcomes[place].partition or "–") for place in (0, -1))
        yield element("p", *ends, class_="keys")


def _notes(result: BacktestResult) -> Element:
    notes = [
        ("Alarms", rate_words(result)),
        *(("Note", text) for text in caution(result)),
        ("Partitions", counts(result)),
    ]
    if result.suggestion is not None:
        notes.append((f"Suggestion: target_fpr={result.suggestion.target_fpr:g}", result.suggestion.reason))
    notes.append(("Next", next_step(result)))
    return element("ul", *(element("li", element("b", f"{label}. "), text) for label, text in notes), class_="notes")


def _section(heading: str, table: Element | None) -> Element | None:
    if table is None:
        return None
    return element("section", element("h2", heading), element("div", table, class_="overview"))


def _table(heads: Sequence[tuple[str, str]], rows: Iterable[Element]) -> Element:
    cells = (element("th", text, class_=style or None, scope="col") for text, style in heads)
    return element("table", element("thead", element("tr", *cells)), element("tbody", *rows))


def _bar(value: float) -> Element:
    return element("td", element("i", style=f"width:{100 * value:.1f}%"), class_="bar")


def _number(text: str) -> Element:
    return element("td", text, class_="number")


def _targets(result: BacktestResult) -> Element | None:
    if not result.targets or not result.targets[0].judged:
        return None
    chosen = result.suggestion.target_fpr if result.suggestion else None
    rows = [
        element(
            "tr",
            element("td", f"{one.target_fpr:g}", class_="key"),
            _number(f"{one.alarms} of {one.judged}"),
            _number("not known" if one.recall is None else share(one.recall)),
            _bar(one.recall or 0.0),
            class_="chosen" if one.target_fpr == chosen else None,
        )
        for one in result.targets
    ]
    return _table([("target_fpr", ""), ("Alarms", "number"), ("Injected errors caught", "number"), ("", "")], rows)


def _recall(result: BacktestResult) -> Element | None:
    if not result.recall:
        return None
    rows = [
        element(
            "tr",
            element("td", one.type.replace("_", " "), class_="key"),
            _number(f"{one.caught:,} of {one.injected:,}"),
            _number(share(one.caught / one.injected, 0)),
            _bar(one.caught / one.injected),
        )
        for one in sorted_recall(result)
    ]
    return _table([("Error", ""), ("Caught", "number"), ("Share", "number"), ("", "")], rows)


def _columns(result: BacktestResult) -> Element | None:
    if not result.false_alarms.of:
        return None
    alarmed = [one for one in result.columns if one.alarms.count]
    rows = [
        element(
            "tr",
            element("td", subject(one.column), class_="key"),
            _number(f"{one.alarms.count} of {one.alarms.of}"),
            _number(share(one.alarms.value or 0.0)),
            _number(f"{share(one.alarms.low)} to {share(one.alarms.high)}"),
        )
        for one in alarmed
    ]
    quiet = len(result.columns) - len(alarmed)
    if quiet:
        words = f"{quiet} others" if alarmed else "the table and all its columns"
        rows.append(element("tr", element("td", words), _number("never"), _number(""), _number("")))
    return _table([("Column", ""), ("Alarms", "number"), ("Share", "number"), ("95% interval", "number")], rows)


def _alarms(result: BacktestResult, shown: set[int], left_out: int) -> Element | None:
    if not shown:
        return None
    places = [place for place, outcome in enumerate(result.partitions) if id(outcome) in shown]
    cards = element("div", *(_alarm(place, result.partitions[place]) for place in places), class_="cards")
    return element("section", element("h2", "Alarms"), cards, _left_out(left_out))


def _alarm(place: int, outcome: PartitionOutcome) -> Element:
    """One alarm: its first reason with a chart, the others as sentences."""
    first, *others = outcome.alerts
    said = None if outcome.decision is None else outcome.decision.replace("_", " ")
    decision = "alarm" if said is None else f"alarm, {said} by a person"
    heading = element(
        "h3",
        element("span", outcome.partition or "–", class_="key"),
        element("span", subject(first.column), class_="column"),
        element("span", (first.metric or first.rule).replace("_", " "), class_="metric"),
        element("span", decision, class_="badge bad"),
    )
    parts: list[Element | None] = [heading, element("p", first.message, class_="sentence")]
    if first.metric is not None and first.history:
        moving = _moving(first)
        parts.append(element("div", history_chart(first, outcome.partition, moving=moving), class_="wide"))
        narrow = history_chart(first, outcome.partition, moving=moving, width=340, height=210)
        parts.append(element("div", narrow, class_="narrow"))
    if others:
        items = [element("li", alert.message) for alert in islice(others, _SENTENCES)]
        if len(others) > _SENTENCES:
            items.append(element("li", f"and {count(len(others) - _SENTENCES, 'alert')} more"))
        parts.append(element("ul", *items, class_="more"))
    return element("article", *parts, id=f"partition-{place}")


def _moving(alert: Alert) -> bool:
    """Whether the bounds are this partition's own: those of a metric that is compared with an earlier partition."""
    values = [value for _, value in alert.history if value is not None]
    inside = sum(
        (alert.lower is None or value >= alert.lower) and (alert.upper is None or value <= alert.upper)
        for value in values
    )
    return inside < 0.9 * len(values)


def _left_out(number: int) -> Element | None:
    if number <= 0:
        return None
    return element("p", f"{count(number, 'older alarm')} without a chart here; --json has them all.", class_="lede")

"""What changed in a column, side by side: the partition before, and this one."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from airflow_dq.explain.alert import Change
from airflow_dq.explain.wording import number_words, pattern_words, share_words, times_words
from airflow_dq.report.markup import element
from airflow_dq.states.base import Kind

_TITLES = {
    "rows": "Rows",
    "missing": "Missing values",
    "quantile": "Quantiles",
    "value": "Values",
    "pattern": "Patterns",
    "text": "Shares",
}
"""Aspects that have two sides, in this order; the history has only words, and a chart shows it."""
_QUANTILES = {"p05": "5% below", "p25": "25% below", "p75": "75% below", "p95": "95% below"}
_BAR_CLASSES = 20


def difference(changes: Sequence[Change], kind: Kind | None) -> Element | None:
    """The table; None when nothing is known to have changed."""
    groups = [(title, [change for change in changes if change.aspect == aspect]) for aspect, title in _TITLES.items()]
    bodies = [_body(title, group, kind or Kind.NUMERIC) for title, group in groups if group]
    if not bodies:
        return None
    heads = ("", "before", "now", "change")
    head = element("thead", element("tr", *(element("th", text, scope="col") for text in heads)))
    return element("div", element("table", head, *bodies, class_="difference"), class_="overview")


def _body(title: str, changes: Sequence[Change], kind: Kind) -> Element:
    head = element("tr", element("th", title, colspan=4, scope="rowgroup"), class_="group")
    return element("tbody", head, *(_row(change, kind) for change in changes))


def _row(change: Change, kind: Kind) -> Element:
    if change.subject is None or change.before is None or change.now is None:
        return element("tr", element("td", change.words, colspan=4, class_="words"))
    if change.aspect in ("quantile", "rows"):
        return _amounts(change, change.subject, change.before, change.now, kind)
    before, now = change.before, change.now
    difference = 100 * (now - before)
    return element(
        "tr",
        element("th", _label(change, change.subject), scope="row"),
        element("td", _bar(before), "–" if before == 0 else share_words(before), class_="share"),
        element("td", _bar(now), "–" if now == 0 else share_words(now), class_="share"),
        element("td", _verb(before, now) or f"{difference:+.1f} points", class_="number"),
    )


def _amounts(change: Change, subject: str, before: float, now: float, kind: Kind) -> Element:
    metric, kind = ("row_count", Kind.NUMERIC) if change.aspect == "rows" else (subject, kind)
    old, new = number_words(metric, kind, [before, now])
    factor = times_words(now, before) if kind is Kind.NUMERIC and before and now / before > 0 else ""
    return element(
        "tr",
        element("th", _label(change, subject), scope="row"),
        element("td", old, class_="number"),
        element("td", new, class_="number"),
        element("td", factor, class_="number factor"),
    )


def _label(change: Change, subject: str) -> str:
    match change.aspect:
        case "rows":
            return "number of rows"
        case "quantile":
            return _QUANTILES.get(subject, subject)
        case "pattern":
            return pattern_words(subject)
    return change.label or subject


def _verb(before: float, now: float) -> str:
    if before == 0:
        return "appeared"
    return "vanished" if now == 0 else ""


def _bar(share: float) -> Element:
    """A bar as wide as the share; in steps, because the page allows no style of its own."""
    step = 0 if share <= 0 else max(1, round(share * _BAR_CLASSES))
    return element("i", class_=f"bar w{min(step, _BAR_CLASSES)}", aria_hidden="true")

"""The filters above the list: a plain form whose state is in the page's address."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from airflow_dq.report.markup import element
from airflow_dq.store.review_model import AlertFilter

_STATES = (("open", "Needs a decision"), ("decided", "Decided"), ("closed", "Closed by itself"), ("all", "All"))
_SEVERITIES = (("", "Any severity"), ("fail", "Stops the gate"), ("warn", "Only warns"))


def filter_form(chosen: AlertFilter, datasets: Sequence[str], action: str) -> Element:
    """The form.

    :param datasets: names to suggest
    :param action: the list's address
    """
    since, until = (None if day is None else day.isoformat() for day in (chosen.since, chosen.until))
    return element(
        "form",
        _field("Dataset", "dataset", element("input", **_input("dataset", chosen.dataset), list="datasets")),
        element("datalist", *(element("option", value=name) for name in datasets), id="datasets"),
        _field("State", "state", choice("state", _STATES, chosen.state or "all")),
        _field("Severity", "severity", choice("severity", _SEVERITIES, chosen.severity or "")),
        _field("Judged from", "since", element("input", **_input("since", since), type="date")),
        _field("to", "until", element("input", **_input("until", until), type="date")),
        element("button", "Filter", type="submit", class_="button"),
        class_="filters",
        method="get",
        action=action,
        role="search",
        aria_label="Filter",
    )


def choice(name: str, options: Sequence[tuple[str, str]], chosen: str, **attributes: str) -> Element:
    """A drop-down list of (value, words)."""
    entries = (
        element("option", words, value=value, selected="selected" if value == chosen else None)
        for value, words in options
    )
    return element("select", *entries, name=name, id=name, **attributes)


def _field(words: str, name: str, control: Element) -> Element:
    return element("div", element("label", words, for_=name), control, class_="field")


def _input(name: str, value: str | None) -> dict[str, str]:
    given = {"name": name, "id": name}
    return {**given, "value": value} if value else given

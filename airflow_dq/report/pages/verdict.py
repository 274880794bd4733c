"""Verdicts as one HTML file: no script, nothing fetched, readable on a phone and in the dark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from airflow_dq.explain.lines import marked
from airflow_dq.explain.record import record_words
from airflow_dq.judge.verdict import Verdict
from airflow_dq.report.pages.card import Card, cards
from airflow_dq.report.pages.mark import Badge, machine_badge
from airflow_dq.report.render import render
from airflow_dq.report.text import finding, summary

NO_KEY = "–"
"""Stands for the key of a partition that has none."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """One verdict.

    :param place: its place among all of them, which a link inside the page leads to
    """

    place: int
    dataset: str
    partition: str
    badge: Badge
    finding: str
    headlines: Sequence[str]
    cards: Sequence[Card]
    record: str | None


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
    return render(
        "verdict.html",
        title=", ".join(datasets) or "no dataset",
        lede=summary([verdict for _, verdict in verdicts]),
        many=len(datasets) > 1,
        verdicts=[_shown(place, *pair) for place, pair in enumerate(verdicts)],
    )


def _shown(place: int, dataset: str, verdict: Verdict) -> _Shown:
    return _Shown(
        place=place,
        dataset=dataset,
        partition=verdict.partition or NO_KEY,
        badge=machine_badge(verdict.status, verdict.severity),
        finding=finding(verdict),
        headlines=[marked(problem) for problem in verdict.problems],
        cards=cards(verdict.alerts, verdict.partition),
        record=record_words(verdict.record),
    )

"""The list: which judged partitions wait for a person, and which had alerts before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from xml.etree.ElementTree import Element

from airflow_dq.report.markup import element
from airflow_dq.report.review.address import Addresses
from airflow_dq.report.review.badge import alerts_words, badge
from airflow_dq.report.review.filter_form import filter_form
from airflow_dq.report.review.shell import render
from airflow_dq.report.review.timestamp import moment
from airflow_dq.store.review_model import AlertFilter, VerdictSummary
from airflow_dq.store.summary import DatasetSummary

DATASETS = 24
"""Most datasets that the page shows; the filter finds the others."""
NAMES = 200
"""Most names that the filter suggests."""


@dataclass(frozen=True, slots=True)
class ListView:
    """What the list shows.

    :param rows: newest verdict first
    :param datasets: those that the reader may see
    :param dag_id: the DAG that the list is about; None: all that the reader may see
    :param older: verdict id before which the next page begins; None when this is the last one
    :param first: False when there are newer pages
    :param now: the present
    """

    rows: Sequence[VerdictSummary]
    chosen: AlertFilter
    datasets: Sequence[DatasetSummary]
    dag_id: str | None
    older: int | None
    first: bool
    now: datetime


def render_list(view: ListView, addresses: Addresses) -> str:
    """The page."""
    names = [summary.name for summary in view.datasets[:NAMES]]
    return render(
        addresses,
        "Data quality",
        filter_form(view.chosen, names, addresses.listing(view.dag_id)),
        _rows(view, addresses),
        _paging(view, addresses),
        _datasets(view, addresses),
        crumbs=[] if view.dag_id is None else [("Data quality", addresses.listing())],
        heading=["Data quality"] if view.dag_id is None else ["Data quality of ", element("code", view.dag_id)],
        lede=[_lede(view)],
    )


def _lede(view: ListView) -> str:
    waiting = sum(summary.open_partitions for summary in view.datasets)
    if not view.datasets:
        return "No gate has judged a partition of any dataset that you may see."
    count = "No partition waits" if not waiting else f"{waiting:,} partition{'s wait' if waiting > 1 else ' waits'}"
    many = len(view.datasets)
    return f"{count} for a decision in {many:,} dataset{'s' if many > 1 else ''}."


def _rows(view: ListView, addresses: Addresses) -> Element:
    if not view.rows:
        return element("p", _nothing(view), class_="nothing")
    return element("ul", *(_row(row, view.now, addresses) for row in view.rows), class_="judged")


def _nothing(view: ListView) -> str:
    chosen = view.chosen
    filtered = chosen.dataset or chosen.severity or chosen.since or chosen.until or not view.first
    if chosen.state == "open" and not filtered:
        return "Nothing waits for you: every judged partition passed, was repaired, or was decided."
    return "No judged partition with an alert matches these filters."


def _row(row: VerdictSummary, now: datetime, addresses: Addresses) -> Element:
    # Whatever is listed was judged by a task of a DAG that the reader may see, and has an alert.
    assert row.origin is not None
    assert row.first_alert_id is not None
    decided = row.decided_by and element("span", f"by {row.decided_by}", class_="by")
    many = alerts_words(row.alert_count)
    if row.open_count and row.open_count != row.alert_count:
        many += f", {row.open_count} open"
    state = badge(row.status, row.severity, row.decision)
    if row.decision is None and not row.open_count:
        state = element("span", "closed", class_="badge wait")
    return element(
        "li",
        element(
            "a",
            element("span", row.dataset, class_="dataset"),
            " ",
            element("span", row.partition, class_="key"),
            href=addresses.alert(row.origin.dag_id, row.first_alert_id),
            class_="subject",
        ),
        element("p", row.headline or "", class_="headline"),
        element("p", state, *([decided] if decided else []), class_="state"),
        element("p", f"{many} · ", moment(row.judged_at, now), class_="when"),
        class_="waiting" if row.open_count else None,
    )


def _paging(view: ListView, addresses: Addresses) -> Element | None:
    links = []
    if not view.first:
        links.append(element("a", "← Newest", href=_page(view, addresses, None)))
    if view.older is not None:
        links.append(element("a", "Older →", href=_page(view, addresses, view.older), class_="older", rel="next"))
    return element("nav", *links, class_="paging", aria_label="Pages") if links else None


def _page(view: ListView, addresses: Addresses, before: int | None) -> str:
    chosen = view.chosen
    return addresses.listing(
        view.dag_id,
        dataset=chosen.dataset,
        state=chosen.state or "all",
        severity=chosen.severity,
        since=None if chosen.since is None else chosen.since.isoformat(),
        until=None if chosen.until is None else chosen.until.isoformat(),
        before=before,
    )


def _datasets(view: ListView, addresses: Addresses) -> Element | None:
    if not view.datasets:
        return None
    order = sorted(view.datasets, key=lambda summary: (-summary.open_partitions, summary.name))
    tiles = (_tile(summary, addresses) for summary in order[:DATASETS])
    rest = len(order) - DATASETS
    more = element("p", f"{rest:,} more: type a name into the filter.", class_="more") if rest > 0 else None
    return element("section", element("h2", "Datasets"), element("ul", *tiles, class_="tiles"), more)


def _tile(summary: DatasetSummary, addresses: Addresses) -> Element:
    waiting = summary.open_partitions
    state = (
        element("span", f"{waiting} to decide", class_="badge bad")
        if waiting
        else element("span", "nothing to decide", class_="badge good")
    )
    newest = f"{summary.partitions:,} partitions" + (f", newest {summary.newest}" if summary.newest else "")
    return element(
        "li",
        element("a", summary.name, href=addresses.dataset(summary.name), class_="subject"),
        state,
        element("p", newest, class_="when"),
    )

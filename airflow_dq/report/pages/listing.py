"""The list of alarms: which judged partitions wait for a person, and which had alerts before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from airflow_dq.report.pages.address import Addresses
from airflow_dq.report.pages.mark import Badge, badge
from airflow_dq.report.render import render
from airflow_dq.report.words import count, count_or_no
from airflow_dq.store.review_model import AlertFilter, VerdictSummary, through
from airflow_dq.store.summary import DatasetSummary

NAMES = 200
"""Most names that the filter suggests."""
_STATES = (("open", "Needs a decision"), ("decided", "Decided"), ("closed", "Closed by itself"), ("all", "All"))
_SEVERITIES = (("", "Any severity"), ("fail", "Stops the gate"), ("warn", "Only warns"))


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


@dataclass(frozen=True, slots=True)
class _Filters:
    """The filter form: names to suggest, what can be chosen, and what is."""

    names: Sequence[str]
    states: Sequence[tuple[str, str]]
    severities: Sequence[tuple[str, str]]
    dataset: str | None
    state: str
    severity: str
    since: str | None
    until: str | None


@dataclass(frozen=True, slots=True)
class _Row:
    """One judged partition; its page is found by its first alert."""

    dag_id: str
    alert_id: int
    dataset: str
    partition: str
    headline: str
    badge: Badge
    decided_by: str | None
    alerts: str
    judged_at: datetime
    waiting: bool


def render_list(view: ListView, addresses: Addresses) -> str:
    """The page."""
    return render(
        "listing.html",
        links=addresses,
        title="Alarms",
        dag_id=view.dag_id,
        lede=_lede(view),
        filters=_filters(view),
        rows=[_row(row, view.chosen.dag_ids) for row in view.rows],
        nothing=_nothing(view),
        newest=None if view.first else _page(view, addresses, None),
        older=None if view.older is None else _page(view, addresses, view.older),
        now=view.now,
    )


def _lede(view: ListView) -> str:
    waiting = sum(summary.open_partitions for summary in view.datasets)
    if not view.datasets:
        return "No gate has judged a partition of any dataset that you may see."
    words = "No partition waits" if not waiting else f"{waiting:,} partition{'s wait' if waiting > 1 else ' waits'}"
    return f"{words} for a decision in {count(len(view.datasets), 'dataset')}."


def _filters(view: ListView) -> _Filters:
    chosen = view.chosen
    return _Filters(
        names=[summary.name for summary in view.datasets[:NAMES]],
        states=_STATES,
        severities=_SEVERITIES,
        dataset=chosen.dataset,
        state=chosen.state or "all",
        severity=chosen.severity or "",
        since=_day(chosen.since),
        until=_day(chosen.until),
    )


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _nothing(view: ListView) -> str:
    """What is said instead of an empty list."""
    chosen = view.chosen
    filtered = chosen.dataset or chosen.severity or chosen.since or chosen.until or not view.first
    if chosen.state == "open" and not filtered:
        return "Nothing waits for you: every judged partition passed, was repaired, or was decided."
    return "No judged partition with an alert matches these filters."


def _row(row: VerdictSummary, dag_ids: frozenset[str] | None) -> _Row:
    # Whatever is listed was judged by a task of a DAG that the reader may see, and has an alert.
    origin = through(row.origins, dag_ids) if dag_ids is not None else row.origin
    assert origin is not None
    assert row.first_alert_id is not None
    alerts = count_or_no(row.alert_count, "alert")
    if row.open_count and row.open_count != row.alert_count:
        alerts += f", {row.open_count} open"
    closed = row.decision is None and not row.open_count
    return _Row(
        dag_id=origin.dag_id,
        alert_id=row.first_alert_id,
        dataset=row.dataset,
        partition=row.partition,
        headline=row.headline or "",
        badge=Badge("closed", "wait") if closed else badge(row.status, row.severity, row.decision),
        decided_by=row.decided_by,
        alerts=alerts,
        judged_at=row.judged_at,
        waiting=bool(row.open_count),
    )


def _page(view: ListView, addresses: Addresses, before: int | None) -> str:
    """Address of another page of the same list."""
    chosen = view.chosen
    return addresses.listing(
        view.dag_id,
        dataset=chosen.dataset,
        state=chosen.state or "all",
        severity=chosen.severity,
        since=_day(chosen.since),
        until=_day(chosen.until),
        before=before,
    )

"""One judged partition: what broke, the decision, the evidence, and what was said about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from airflow_dq.report.pages.address import Addresses
from airflow_dq.report.pages.decision import DecisionCard, Waiting, decision_card, trail
from airflow_dq.report.pages.evidence import evidence, first_words
from airflow_dq.report.pages.mark import Mark, badge, strip
from airflow_dq.report.pages.snooze import DAY_OPTIONS, scope_options
from airflow_dq.report.render import render
from airflow_dq.report.words import capitalized, count, count_or_no
from airflow_dq.store.review_model import Snooze, VerdictDetail, through
from airflow_dq.store.summary import PartitionSummary


@dataclass(frozen=True, slots=True)
class AlertView:
    """What the page shows.

    :param dag_id: the DAG through which the reader came
    :param may_decide: whether the reader may decide
    :param recent: the dataset's newest partitions, oldest first
    :param readable: DAGs that the reader may see: only what they judged is linked
    :param notice: what has just been done, in words
    :param refusal: why it was not done
    :param unreadable: columns of which what is stored is damaged
    """

    detail: VerdictDetail
    dag_id: str
    may_decide: bool
    recent: Sequence[PartitionSummary]
    readable: frozenset[str]
    now: datetime
    notice: str | None = None
    refusal: str | None = None
    unreadable: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Actions:
    """What can be done about the partition.

    :param snooze: where the form of a new snooze is sent; None for a reader who may not
    :param end_snooze: where the form is sent that ends one; None for a reader who may not
    """

    decision: DecisionCard
    snoozes: Sequence[Snooze]
    snooze: str | None
    end_snooze: str | None
    scopes: Sequence[tuple[str, str]]
    days: Sequence[tuple[str, str]]


def render_alert(view: AlertView, addresses: Addresses) -> str:
    """The page."""
    detail, partition = view.detail, view.detail.partition
    closed = [alert for alert in detail.alerts if alert.closed_at is not None]
    return render(
        "partition.html",
        links=addresses,
        title=f"{partition.dataset} {partition.partition}",
        partition=partition,
        origin=through(partition.origins, (view.dag_id,)),
        shown=badge(partition.status, partition.severity, partition.decision),
        found_words=_found_words(detail),
        notice=view.notice,
        refusal=view.refusal,
        damaged=_damaged_words(view.unreadable),
        first=first_words(detail.verdict),
        recent=_recent(view, addresses),
        actions=_actions(view, addresses) if partition.alert_count else None,
        found=evidence(detail.verdict),
        # Where none is open the trail says why.
        closed=closed if len(closed) < len(detail.alerts) else [],
        events=trail(partition, detail.events),
        now=view.now,
    )


def _damaged_words(columns: Sequence[str]) -> str | None:
    """What cannot be read of the partition's profile, so that no later partition is compared with it."""
    if not columns:
        return None
    return (
        f"What is stored of this partition's {', '.join(columns)} is damaged: later partitions are judged without it. "
        "Profile the partition again."
    )


def _found_words(detail: VerdictDetail) -> str:
    columns = len({alert.column for alert in detail.verdict.alerts if alert.column is not None})
    found = capitalized(count_or_no(detail.partition.alert_count, "alert"))
    return f"{found} in {count(columns, 'column')}" if columns else found


def _actions(view: AlertView, addresses: Addresses) -> _Actions:
    detail, alert_id = view.detail, view.detail.partition.first_alert_id
    readable = [origin for origin in detail.partition.origins if origin.dag_id in {*view.readable, view.dag_id}]
    waiting = [Waiting(f"{origin.dag_id} · {origin.task_id}", addresses.waiting(origin)) for origin in readable]
    decide = snooze = end = None
    if view.may_decide and alert_id is not None:
        decide, snooze, end = (
            addresses.action(view.dag_id, alert_id, name) for name in ("decision", "snooze", "snooze/end")
        )
    return _Actions(
        decision=decision_card(detail, decide, waiting, view.dag_id),
        snoozes=detail.snoozes,
        snooze=snooze if detail.alerts else None,
        end_snooze=end,
        scopes=scope_options(detail.alerts),
        days=DAY_OPTIONS,
    )


def _recent(view: AlertView, addresses: Addresses) -> list[Mark]:
    def where(partition: PartitionSummary) -> str | None:
        origin = through(partition.origins, view.readable)
        if origin is None or partition.first_alert_id is None:
            return None
        return addresses.alert(origin.dag_id, partition.first_alert_id)

    return strip(view.recent, where, view.detail.partition.partition)

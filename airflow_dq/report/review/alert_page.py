"""One judged partition: what broke, the decision, the evidence, and what was said about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from xml.etree.ElementTree import Element

from airflow_dq.report.markup import element
from airflow_dq.report.review.address import Addresses
from airflow_dq.report.review.badge import alerts_words, badge
from airflow_dq.report.review.evidence import evidence, first_words
from airflow_dq.report.review.shell import render
from airflow_dq.report.review.snooze_form import snooze_form, snooze_list
from airflow_dq.report.review.strip import strip
from airflow_dq.report.review.timestamp import moment
from airflow_dq.report.review.trail import closed, trail
from airflow_dq.report.review.verdict_form import Rights, verdict_card
from airflow_dq.store.review_model import VerdictDetail
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
    """

    detail: VerdictDetail
    dag_id: str
    may_decide: bool
    recent: Sequence[PartitionSummary]
    readable: frozenset[str]
    now: datetime
    notice: str | None = None
    refusal: str | None = None


def render_alert(view: AlertView, addresses: Addresses) -> str:
    """The page."""
    detail, partition = view.detail, view.detail.partition
    alert_id = partition.first_alert_id
    decide = view.may_decide and alert_id is not None
    rights = Rights(
        decide=addresses.action(view.dag_id, alert_id or 0, "decision") if decide else None,
        waiting=addresses.waiting(partition.origin) if partition.origin else None,
    )
    has_alerts = bool(partition.alert_count)
    return render(
        addresses,
        f"{partition.dataset} {partition.partition}",
        element("p", view.notice, class_="notice", role="status") if view.notice else None,
        element("p", view.refusal, class_="notice bad", role="alert") if view.refusal else None,
        element(
            "div",
            element("div", first_words(detail.verdict), _context(view, addresses), class_="found"),
            _actions(view, rights, addresses) if has_alerts else None,
            class_="summary" if has_alerts else None,
        ),
        *evidence(detail.verdict),
        closed(detail.alerts, view.now) if any(alert.closed_at is None for alert in detail.alerts) else None,
        trail(partition, detail.events, view.now),
        crumbs=[
            ("Data quality", addresses.listing()),
            (partition.dataset, addresses.dataset(partition.dataset)),
        ],
        heading=[
            element("span", partition.dataset, class_="dataset"),
            " ",
            element("span", partition.partition, class_="key"),
            " ",
            badge(partition.status, partition.severity, partition.decision),
        ],
        lede=_lede(view, addresses),
    )


def _lede(view: AlertView, addresses: Addresses) -> list[Element | str]:
    partition = view.detail.partition
    columns = len({alert.column for alert in view.detail.verdict.alerts if alert.column is not None})
    found = alerts_words(partition.alert_count)
    if columns:
        found += f" in {columns} column{'' if columns == 1 else 's'}"
    words: list[Element | str] = [f"{found[0].upper()}{found[1:]}, judged ", moment(partition.judged_at, view.now)]
    if partition.origin is not None:
        task = f"{partition.origin.dag_id} · {partition.origin.task_id}"
        # Inside Airflow's frame, the page around it goes there.
        words += [" by ", element("a", task, href=addresses.task(partition.origin), data_top="1")]
    return words


def _actions(view: AlertView, rights: Rights, addresses: Addresses) -> Element:
    alert_id = view.detail.partition.first_alert_id or 0
    end = addresses.action(view.dag_id, alert_id, "snooze/end") if rights.decide else None
    snooze = None
    if rights.decide and view.detail.alerts:
        snooze = snooze_form(view.detail.alerts, addresses.action(view.dag_id, alert_id, "snooze"))
    return element(
        "aside",
        verdict_card(view.detail, rights, view.now),
        snooze_list(view.detail.snoozes, view.now, end),
        snooze,
    )


def _context(view: AlertView, addresses: Addresses) -> Element | None:
    if not view.recent:
        return None

    def where(partition: PartitionSummary) -> str | None:
        origin = partition.origin
        if origin is None or origin.dag_id not in view.readable or partition.first_alert_id is None:
            return None
        return addresses.alert(origin.dag_id, partition.first_alert_id)

    return element(
        "section",
        element("h2", "Partitions of this dataset"),
        strip(view.recent, where, view.detail.partition.partition),
        class_="context",
    )

"""The chart of a stored alert."""

from __future__ import annotations

from fastapi import HTTPException

from airflow_dq.explain.alert import Alert
from airflow_dq.report.chart import standalone_chart
from airflow_dq.store.review_model import AlertSummary, VerdictDetail


def chart_of(detail: VerdictDetail, alert_id: int) -> str:
    """The chart as an SVG file; of the first alert that has one, where this alert is about no metric.

    :raises HTTPException: 404 when no alert of the current verdict has a chart
    """
    summary = next((alert for alert in detail.alerts if alert.id == alert_id), None)
    charted = [alert for alert in detail.verdict.alerts if alert.history]
    if summary is None or not charted:
        raise HTTPException(404, f"Alert {alert_id} has no chart: it is about no metric, or is no longer true.")
    alert = min(charted, key=lambda alert: not _same(alert, summary))
    return standalone_chart(alert, detail.partition.partition, moving=alert.moving)


def _same(alert: Alert, summary: AlertSummary) -> bool:
    """Whether the verdict's document, which has the history, means the same alert."""
    return (alert.rule, alert.column, alert.metric, alert.message) == (
        summary.rule,
        summary.column,
        summary.metric,
        summary.message,
    )

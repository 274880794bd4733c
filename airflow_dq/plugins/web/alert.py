"""The page of one judged partition, found by an alert, by its key, or by the task that judged it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Response
from fastapi.responses import HTMLResponse
from pydantic import BeforeValidator

from airflow_dq.judge.verdict import Decision
from airflow_dq.plugins.web.access import judged_by, requires_reading
from airflow_dq.plugins.web.context import Store, page
from airflow_dq.plugins.web.picture import chart_of
from airflow_dq.plugins.web.route import PageRoute
from airflow_dq.plugins.web.visit import Visiting
from airflow_dq.report.pages import render_message
from airflow_dq.store.review_model import NO_MAP_INDEX, Origin, VerdictDetail

router = APIRouter(prefix="/dags/{dag_id}", dependencies=[Depends(requires_reading)], route_class=PageRoute)

Done = Literal[
    "decided", "resumed", "snoozed", "unsnoozed", "rerun", "drill", "acknowledged", "saved", "noise", "not_noise"
]
_DECIDED: dict[Decision, str] = {
    "accepted": "Accepted: the partition joins the history.",
    "rejected": "Rejected: the partition stays out of the history.",
    "new_normal": "New normal: the history restarts at this partition.",
}
_RESUMED: dict[Decision, str] = {
    "accepted": "The gate that waited goes on.",
    "rejected": "The gate that waited fails now, and what follows it does not run.",
    "new_normal": "The gate that waited goes on.",
}
_NOT_RESUMED = "No gate waited for it: a task that has failed already goes by it once it is cleared."
_OTHERS = {
    "rerun": "The profile's task is cleared: it and what follows it run again, then this page tells the new verdict.",
    "drill": "The task that looks for the rows is cleared: what it finds is shown here once it has run.",
    "snoozed": "Snoozed. From the next judgement on, these alerts only warn.",
    "unsnoozed": "The snooze has ended.",
    "acknowledged": "Acknowledged. The problem goes on waiting for a decision.",
    "saved": "Saved, for all partitions in a row that have the problem.",
    "noise": "Called noise: later partitions are judged by wider ranges. This one still waits for a decision.",
    "not_noise": "Taken back: later partitions are judged by the ranges as they were.",
}


def notice_of(done: Done | None, detail: VerdictDetail) -> str | None:
    """What a page says after an action: what really happened.

    The address only names the action, so that no link can put words here; what was decided is read from the database.
    """
    if done is None or done in _OTHERS:
        return _OTHERS.get(done or "")
    decision = detail.partition.decision
    if decision is None:
        return None
    return f"{_DECIDED[decision]} {_RESUMED[decision] if done == 'resumed' else _NOT_RESUMED}"


def _unmapped(value: Any) -> Any:
    # Airflow leaves its placeholder, or nothing, where a task is not mapped.
    return value if isinstance(value, int) or str(value).strip().isdecimal() else NO_MAP_INDEX


MapIndex = Annotated[int, BeforeValidator(_unmapped), Query(ge=NO_MAP_INDEX, le=2**31 - 1)]
AlertId = Annotated[int, Path(ge=1, le=2**63 - 1)]


@router.get("/alerts/{alert_id}")
def alert(visit: Visiting, alert_id: AlertId, done: Done | None = None) -> HTMLResponse:
    """The partition that an alert is about."""
    detail = visit.of_alert(alert_id)
    return page(visit.render(detail, notice=notice_of(done, detail)))


@router.get("/partition")
def partition(
    visit: Visiting, dataset: str, partition: str, other: Annotated[str | None, Query(alias="with")] = None
) -> HTMLResponse:
    """The columns of any partition, judged or not, also beside those of another one."""
    return page(visit.render_columns(dataset, partition, other))


@router.get("/task")
def task(visit: Visiting, run_id: str, task_id: str, map_index: MapIndex = NO_MAP_INDEX) -> HTMLResponse:
    """What a task has judged: the tab on its page."""
    detail = visit.store.verdict_of_task(Origin(visit.dag_id, run_id, task_id, map_index))
    if detail is None:
        text = "This task has judged no partition. A data-quality gate does, once it has run."
        return page(render_message(visit.where, "Nothing judged here", text))
    judged = visit.judged(detail, "such task").partition
    if judged.first_alert_id is not None:
        return page(visit.render(detail))
    return page(visit.render_columns(judged.dataset, judged.partition, None))


@router.get("/alerts/{alert_id}/chart.svg")
def chart(dag_id: str, alert_id: AlertId, store: Store) -> Response:
    """An alert's chart as a picture, for Airflow's page of required actions."""
    detail = judged_by(dag_id, store.verdict_of_alert(alert_id), f"alert {alert_id}")
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
    return Response(chart_of(detail, alert_id), media_type="image/svg+xml", headers=headers)

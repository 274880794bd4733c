"""The page of one judged partition, found by an alert, by its key, or by the task that judged it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Response
from fastapi.responses import HTMLResponse
from pydantic import BeforeValidator

from airflow_dq.plugins.web.access import judged_by, requires_reading
from airflow_dq.plugins.web.context import Store, page
from airflow_dq.plugins.web.picture import chart_of
from airflow_dq.plugins.web.route import PageRoute
from airflow_dq.plugins.web.visit import Visiting
from airflow_dq.report.pages import render_message
from airflow_dq.store.review_model import NO_MAP_INDEX, Origin

router = APIRouter(prefix="/dags/{dag_id}", dependencies=[Depends(requires_reading)], route_class=PageRoute)

Done = Literal["decided", "resumed", "snoozed", "unsnoozed"]
DONE: dict[Done, str] = {
    "decided": "Your decision is stored, and this partition's alerts are closed.",
    "resumed": "Your decision is stored, and the gate that waited for it goes on.",
    "snoozed": "Snoozed. From the next judgement on, these alerts only warn.",
    "unsnoozed": "The snooze has ended.",
}
"""What a page says after each action; the address only names it, so that no link can put words here."""


def _unmapped(value: Any) -> Any:
    # Airflow leaves its placeholder, or nothing, where a task is not mapped.
    return value if isinstance(value, int) or str(value).strip().isdecimal() else NO_MAP_INDEX


MapIndex = Annotated[int, BeforeValidator(_unmapped), Query(ge=NO_MAP_INDEX, le=2**31 - 1)]
AlertId = Annotated[int, Path(ge=1, le=2**63 - 1)]


@router.get("/alerts/{alert_id}")
def alert(visit: Visiting, alert_id: AlertId, done: Done | None = None) -> HTMLResponse:
    """The partition that an alert is about."""
    notice = None if done is None else DONE[done]
    return page(visit.render(visit.of_alert(alert_id), notice=notice))


@router.get("/partition")
def partition(visit: Visiting, dataset: str, partition: str) -> HTMLResponse:
    """A judged partition by its key; it need not have an alert."""
    found = visit.store.verdict_of_partition(dataset, partition)
    return page(visit.render(visit.judged(found, f"partition {partition!r} of {dataset!r}")))


@router.get("/task")
def task(visit: Visiting, run_id: str, task_id: str, map_index: MapIndex = NO_MAP_INDEX) -> HTMLResponse:
    """What a task has judged: the tab on its page."""
    detail = visit.store.verdict_of_task(Origin(visit.dag_id, run_id, task_id, map_index))
    if detail is None:
        text = "This task has judged no partition. A data-quality gate does, once it has run."
        return page(render_message(visit.where, "Nothing judged here", text))
    return page(visit.render(visit.judged(detail, "such task")))


@router.get("/alerts/{alert_id}/chart.svg")
def chart(dag_id: str, alert_id: AlertId, store: Store) -> Response:
    """An alert's chart as a picture, for Airflow's page of required actions."""
    detail = judged_by(dag_id, store.verdict_of_alert(alert_id), f"alert {alert_id}")
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
    return Response(chart_of(detail, alert_id), media_type="image/svg+xml", headers=headers)

"""The page of one judged partition, found by an alert, by its key, or by the task that judged it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Response
from fastapi.responses import HTMLResponse

from airflow_dq.plugins.web.access import MayDecide, ReadableDags, judged_by, requires_reading
from airflow_dq.plugins.web.context import Now, Store, Where, page
from airflow_dq.plugins.web.picture import chart_of
from airflow_dq.report.review import Addresses, AlertView, render_alert, render_message
from airflow_dq.store import Repository
from airflow_dq.store.review_model import NO_MAP_INDEX, JudgedDetail, Origin

router = APIRouter(prefix="/dags/{dag_id}", dependencies=[Depends(requires_reading)])
RECENT = 60

Done = Literal["decided", "resumed", "snoozed", "unsnoozed"]
DONE: dict[Done, str] = {
    "decided": "Your decision is stored, and this partition's alerts are closed.",
    "resumed": "Your decision is stored, and the gate that waited for it goes on.",
    "snoozed": "Snoozed. From the next judgement on, these alerts only warn.",
    "unsnoozed": "The snooze has ended.",
}
"""What a page says after each action; the address only names it, so that no link can put words here."""
AlertId = Annotated[int, Path(ge=1, le=2**63 - 1)]


@router.get("/alerts/{alert_id}")
def alert(
    dag_id: str,
    alert_id: AlertId,
    readable: ReadableDags,
    may_decide: MayDecide,
    store: Store,
    where: Where,
    now: Now,
    done: Done | None = None,
) -> HTMLResponse:
    """The partition that an alert is about."""
    detail = judged_by(dag_id, store.judged_detail(alert_id), f"alert {alert_id}")
    notice = None if done is None else DONE[done]
    return page(render(store, detail, readable, may_decide, where, now, notice=notice))


@router.get("/partition")
def partition(
    dag_id: str,
    dataset: str,
    partition: str,
    readable: ReadableDags,
    may_decide: MayDecide,
    store: Store,
    where: Where,
    now: Now,
) -> HTMLResponse:
    """A judged partition by its key; it need not have an alert."""
    detail = judged_by(dag_id, store.judged_partition(dataset, partition), f"partition {partition!r} of {dataset!r}")
    return page(render(store, detail, readable, may_decide, where, now))


@router.get("/task")
def task(
    dag_id: str,
    run_id: str,
    task_id: str,
    readable: ReadableDags,
    may_decide: MayDecide,
    store: Store,
    where: Where,
    now: Now,
    map_index: str = "",
) -> HTMLResponse:
    """What a task has judged: the tab on its page.  Airflow leaves a placeholder where a task is not mapped."""
    index = int(map_index) if map_index.isdecimal() else NO_MAP_INDEX
    detail = store.judged_by(Origin(dag_id, run_id, task_id, index))
    if detail is None:
        text = "This task has judged no partition. A data-quality gate does, once it has run."
        return page(render_message(where, "Nothing judged here", text))
    return page(render(store, judged_by(dag_id, detail, "such task"), readable, may_decide, where, now))


@router.get("/alerts/{alert_id}/chart.svg")
def chart(dag_id: str, alert_id: AlertId, store: Store) -> Response:
    """An alert's chart as a picture, for Airflow's page of required actions."""
    detail = judged_by(dag_id, store.judged_detail(alert_id), f"alert {alert_id}")
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
    return Response(chart_of(detail, alert_id), media_type="image/svg+xml", headers=headers)


def render(
    store: Repository,
    detail: JudgedDetail,
    readable: frozenset[str],
    may_decide: bool,
    where: Addresses,
    now: datetime,
    *,
    notice: str | None = None,
    refusal: str | None = None,
) -> str:
    """The page of a partition that the reader may see."""
    newest = store.verdict_strip(detail.partition.dataset, RECENT)
    assert detail.partition.origin is not None
    view = AlertView(
        detail=detail,
        dag_id=detail.partition.origin.dag_id,
        may_decide=may_decide,
        recent=list(reversed(newest)),
        readable=readable,
        now=now,
        notice=notice,
        refusal=refusal,
    )
    return render_alert(view, where)

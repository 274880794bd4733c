"""The overview of datasets: of all DAGs that the reader may see, or of one; and the number that waits, as an icon."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import HTMLResponse

from airflow_dq.plugins.web.access import ReadableDags, requires_reading
from airflow_dq.plugins.web.context import Now, Store, Where, page
from airflow_dq.plugins.web.route import PageRoute
from airflow_dq.report.pages import Overview, render_overview
from airflow_dq.report.pages.overview import State
from airflow_dq.report.pages.strip import MARKS
from airflow_dq.store import Repository

router = APIRouter(route_class=PageRoute)
MOST = 2000
"""Datasets on the page: a thousand take less than a second."""

Search = Annotated[str, Query(max_length=200)]


@router.get("/")
def overview(
    readable: ReadableDags, store: Store, where: Where, now: Now, q: Search = "", state: State = "all"
) -> HTMLResponse:
    """The datasets that a task of any readable DAG has judged."""
    return page(render_overview(_view(store, readable, None, now, q, state), where))


@router.get("/dags/{dag_id}", dependencies=[Depends(requires_reading)])
def overview_of_dag(
    dag_id: str, readable: ReadableDags, store: Store, where: Where, now: Now, q: Search = "", state: State = "all"
) -> HTMLResponse:
    """The datasets that a task of one DAG has judged."""
    return page(render_overview(_view(store, readable & {dag_id}, dag_id, now, q, state), where))


def _view(
    store: Repository, dag_ids: frozenset[str], dag_id: str | None, now: Now, search: str, state: State
) -> Overview:
    search = search.strip()
    # One more than is shown tells whether there are others.  Few enough are all sent: the script then filters at once.
    found = store.overview(dag_ids, partitions=MARKS, most=MOST + 1)
    more = len(found) > MOST
    if more and search:
        found = store.overview(dag_ids, partitions=MARKS, most=MOST + 1, name=search)
    return Overview(found[:MOST], now, dag_id, search, state, more)

"""The list of partitions with alerts: of all DAGs that the reader may see, or of one."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from airflow_dq.plugins.web.access import ReadableDags, requires_reading
from airflow_dq.plugins.web.context import Now, Store, Where, page
from airflow_dq.plugins.web.route import PageRoute
from airflow_dq.report.pages import Addresses, ListView, render_list
from airflow_dq.store import Repository
from airflow_dq.store.review_model import AlertFilter

router = APIRouter(route_class=PageRoute)
PAGE = 40
"""Partitions on a page: so many can be looked through."""
MOST = 100
"""Most partitions that a request may ask for on a page."""
_ID = 2**63 - 1
"""The largest id that the database has; a larger one would be an error in it."""


def _none_if_empty(value: Any) -> Any:
    # A form sends its empty fields too.
    return None if value == "" else value


_Empty = BeforeValidator(_none_if_empty)
# Nothing was judged before there was Airflow; the day after the last one of the calendar is none.
_Day = Annotated[date, Field(ge=date(2000, 1, 1), le=date(2999, 12, 31))]


class Filters(BaseModel):
    """The filters in the page's address."""

    model_config = ConfigDict(extra="ignore")

    dataset: Annotated[str | None, _Empty] = None
    state: Literal["open", "decided", "closed", "all"] = "open"
    severity: Annotated[Literal["fail", "warn"] | None, _Empty] = None
    since: Annotated[_Day | None, _Empty] = None
    until: Annotated[_Day | None, _Empty] = None
    before: Annotated[int | None, Query(ge=1, le=_ID)] = None
    limit: Annotated[int, Query(ge=1, le=MOST)] = PAGE

    def chosen(self, dag_ids: frozenset[str]) -> AlertFilter:
        """The same for the store."""
        state = None if self.state == "all" else self.state
        return AlertFilter(dag_ids, self.dataset, state, self.severity, self.since, self.until)


Chosen = Annotated[Filters, Query()]


@router.get("/alerts")
def listing(readable: ReadableDags, filters: Chosen, store: Store, where: Where, now: Now) -> HTMLResponse:
    """What tasks of any readable DAG have judged."""
    view = _view(store, filters, readable, None, now)
    return _rendered(view, where)


@router.get("/dags/{dag_id}/alerts", dependencies=[Depends(requires_reading)])
def listing_of_dag(
    dag_id: str, readable: ReadableDags, filters: Chosen, store: Store, where: Where, now: Now
) -> HTMLResponse:
    """What tasks of one DAG have judged."""
    view = _view(store, filters, readable & {dag_id}, dag_id, now)
    return _rendered(view, where)


def _view(store: Repository, filters: Filters, dag_ids: frozenset[str], dag_id: str | None, now: Any) -> ListView:
    chosen = filters.chosen(dag_ids)
    # One more than is shown tells whether there is a next page.
    rows = store.verdicts(chosen, limit=filters.limit + 1, before=filters.before)
    shown = rows[: filters.limit]
    return ListView(
        rows=shown,
        chosen=chosen,
        datasets=store.datasets_of(dag_ids),
        dag_id=dag_id,
        older=shown[-1].verdict_id if len(rows) > len(shown) else None,
        first=filters.before is None,
        now=now,
    )


def _rendered(view: ListView, where: Addresses) -> HTMLResponse:
    return page(render_list(view, where))

"""A dataset's page."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import HTMLResponse

from airflow_dq.plugins.web.access import ReadableDags
from airflow_dq.plugins.web.context import Now, Store, Where, page
from airflow_dq.plugins.web.known import PARTITIONS, moves_of
from airflow_dq.plugins.web.route import PageRoute
from airflow_dq.report.pages import DatasetView, render_dataset
from airflow_dq.store.metric_history import METRICS, TABLE_METRIC

router = APIRouter(route_class=PageRoute)


@router.get("/dataset")
def dataset(
    name: Annotated[str, Query(min_length=1)], readable: ReadableDags, store: Store, where: Where, now: Now
) -> HTMLResponse:
    """A dataset that a task of a readable DAG has judged; of others' verdicts only that they are there is shown."""
    judged_by = readable & store.dags_of(name)
    if not judged_by:
        raise HTTPException(404, f"No DAG that you may see judges a dataset {name!r}.")
    newest = store.partitions(name, PARTITIONS)
    # Read once: the small charts show a few of what the map is made of.
    found = moves_of(store, name)
    view = DatasetView(
        name=name,
        readable=readable,
        partitions=[replace(partition, error=None) for partition in reversed(newest)],
        series=[one for one in found if one.metric in (TABLE_METRIC, *METRICS)],
        moves=found,
        program=store.current_program(name),
        snoozes=store.snoozes(name),
        now=now,
        judged_by=judged_by,
    )
    return page(render_dataset(view, where))

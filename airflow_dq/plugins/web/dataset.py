"""A dataset's page."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import HTMLResponse

from airflow_dq.plugins.web.access import ReadableDags
from airflow_dq.plugins.web.context import Now, Store, Where, page
from airflow_dq.plugins.web.route import PageRoute
from airflow_dq.report.known import PARTITIONS, ahead_in, known_of, moves_of
from airflow_dq.report.pages import DatasetView, render_dataset
from airflow_dq.store.metric_history import METRICS, TABLE_METRIC
from airflow_dq.store.review_model import through

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
    latest = next((one for one in newest if one.rows is not None), None)
    # What only other DAGs have judged is a mark: its values are in the series all the same.
    detail = None if latest is None else store.verdict_of_partition(name, latest.partition)
    known = None if latest is None else known_of(store, name, latest.partition, detail)
    moves = moves_of(store, name) if known is None else known.moves
    view = DatasetView(
        name=name,
        readable=readable,
        partitions=[replace(partition, error=None) for partition in reversed(newest)],
        series=[one for one in moves if one.metric in (TABLE_METRIC, *METRICS)],
        moves=moves,
        program=store.current_program(name),
        snoozes=store.snoozes(name),
        now=now,
        judged_by=judged_by,
        newest=None if known is None else known.profile,
        detail=detail if detail is not None and through(detail.partition.origins, readable) else None,
        insight=None if known is None else known.insight,
        ahead=None if known is None or latest is None else ahead_in(store, name, known, latest),
    )
    return page(render_dataset(view, where))

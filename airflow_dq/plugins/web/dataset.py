"""A dataset's page."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Annotated, Literal

from airflow.api_fastapi.core_api.security import GetUserDep
from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import HTMLResponse

from airflow_dq.plugins.web.access import ReadableDags, undecidable
from airflow_dq.plugins.web.context import Now, Store, Where, page
from airflow_dq.plugins.web.route import PageRoute
from airflow_dq.report.known import PARTITIONS, ahead_in, known_of, moves_of
from airflow_dq.report.pages import DatasetView, render_dataset
from airflow_dq.store.metric_history import METRICS, TABLE_METRIC
from airflow_dq.store.review_model import through

router = APIRouter(route_class=PageRoute)
ASKED = 50
"""DAGs that a page asks Airflow about: each takes a query to its database, of half a millisecond."""
Edited = Literal["event_added", "event_deleted", "confirm", "mute", "delete"]
_DONE: dict[Edited, str] = {
    "event_added": "Added to the calendar. It holds from the next judgement on.",
    "event_deleted": "Removed from the calendar, from the next judgement on.",
    "confirm": "The learned rule is muted. Add this line to the dataset's declared checks, which ask the same:",
    "mute": "Muted: the rule is neither counted nor judged any more, nor learned again.",
    "delete": "Deleted: the rule is learned again where it holds.",
}
"""What the page says after a change.  The address only names it, so that no link can put words here."""


def _may_edit_all(user: GetUserDep, gating: frozenset[str], readable: frozenset[str]) -> bool:
    """Whether to offer what holds for every dataset; all of the DAGs are asked for when the form is sent."""
    return gating <= readable and not undecidable(user, islice(gating, ASKED))


@router.get("/dataset")
def dataset(
    name: Annotated[str, Query(min_length=1)],
    readable: ReadableDags,
    store: Store,
    where: Where,
    now: Now,
    user: GetUserDep,
    done: Edited | None = None,
    rule: Annotated[int | None, Query(ge=1, le=2**63 - 1)] = None,
) -> HTMLResponse:
    """A dataset that a task of a readable DAG has judged; of others' verdicts only that they are there is shown."""
    gating = store.dags_of(name)
    judged_by = readable & gating
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
        rules=(rules := store.stored_rules(name)),
        calendar=store.calendar(name),
        may_edit=(may_edit := not undecidable(user, gating)),
        may_edit_all=may_edit and _may_edit_all(user, store.dags_of(None), readable),
        notice=None if done is None else _DONE[done],
        confirmed=None if done != "confirm" else next((one.check_line for one in rules if one.id == rule), None),
        ahead=None if known is None or latest is None else ahead_in(store, name, known, latest),
    )
    return page(render_dataset(view, where))

"""What a person changes about a dataset: its calendar of events, and its learned rules."""

from __future__ import annotations

from typing import Annotated, Literal

from airflow.api_fastapi.core_api.security import GetUserDep
from fastapi import APIRouter, Depends, Form, HTTPException, Response
from fastapi.responses import RedirectResponse

from airflow_dq.judge.calendar import Effect, EventKind
from airflow_dq.plugins.web.access import ReadableDags, require_right_on_all, requires_same_origin
from airflow_dq.plugins.web.context import Store, Where
from airflow_dq.plugins.web.route import PageRoute
from airflow_dq.store.calendar import LONGEST

router = APIRouter(prefix="/dataset", dependencies=[Depends(requires_same_origin)], route_class=PageRoute)

Number = Annotated[int, Form(ge=1, le=2**63 - 1)]
Key = Annotated[str, Form(max_length=500)]


def editable(
    name: Annotated[str, Form(min_length=1, max_length=500)], readable: ReadableDags, store: Store, user: GetUserDep
) -> str:
    """The dataset's name, if the user may see it, and decide for every DAG that gates it.

    :raises HTTPException: 404, 403
    """
    gating = store.dags_of(name)
    if not readable & gating:
        raise HTTPException(404, f"No DAG that you may see judges a dataset {name!r}.")
    require_right_on_all(user, gating, readable, name, "Such a change")
    return name


Editable = Annotated[str, Depends(editable)]


@router.post("/events")
def add_event(
    dataset: Editable,
    store: Store,
    where: Where,
    user: GetUserDep,
    readable: ReadableDags,
    called: Annotated[str, Form(max_length=LONGEST)],
    first: Key,
    kind: Annotated[EventKind, Form()],
    effect: Annotated[Effect, Form()],
    last: Key = "",
    comment: Annotated[str, Form(max_length=2000)] = "",
    of: Annotated[Literal["one", "all"], Form()] = "one",
) -> Response:
    """Add an event to the dataset's calendar, or to that of all datasets."""
    if of == "all":
        require_right_on_all(user, store.dags_of(None), readable, None, "An event of all datasets")
    store.add_event(
        dataset if of == "one" else None,
        called,
        first,
        last.strip() or None,
        kind=kind,
        effect=effect,
        by=user.get_name(),
        comment=comment.strip() or None,
    )
    return RedirectResponse(where.dataset(dataset, done="event_added"), 303)


@router.post("/events/delete")
def delete_event(
    dataset: Editable, store: Store, where: Where, user: GetUserDep, readable: ReadableDags, event_id: Number
) -> Response:
    """Take an event from the calendar: this dataset's, or one of all datasets."""
    event = next((one for one in store.calendar(dataset) if one.id == event_id), None)
    if event is None:
        raise HTTPException(404, f"Dataset {dataset!r} has no event {event_id}.")
    if event.dataset is None:
        require_right_on_all(user, store.dags_of(None), readable, None, "An event of all datasets")
    store.delete_event(event_id, user.get_name())
    return RedirectResponse(where.dataset(dataset, done="event_deleted"), 303)


@router.post("/rules")
def change_rule(
    dataset: Editable,
    store: Store,
    where: Where,
    user: GetUserDep,
    rule_id: Number,
    change: Annotated[Literal["confirm", "mute", "delete"], Form()],
) -> Response:
    """Confirm, mute or delete a learned rule of the dataset."""
    rule = next((one for one in store.stored_rules(dataset) if one.id == rule_id), None)
    if rule is None:
        raise HTTPException(404, f"Dataset {dataset!r} has no learned rule {rule_id}.")
    by = user.get_name()
    if change == "delete":
        store.delete_rule(dataset, rule_id, by)
    elif change == "confirm" and rule.check is None:
        raise HTTPException(
            409, f"This rule cannot be written as a check, for {rule.why_no_check}; it goes on as a learned one."
        )
    else:
        store.mute_rule(dataset, rule_id, by, confirmed=change == "confirm")
    return RedirectResponse(where.dataset(dataset, done=change, rule=rule_id), 303)

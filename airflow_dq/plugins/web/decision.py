"""What a person decides: recorded once, with the waiting gate resumed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated

from airflow.api_fastapi.common.db.common import SessionDep
from airflow.api_fastapi.core_api.security import GetUserDep
from fastapi import APIRouter, Depends, Form, HTTPException, Response
from fastapi.responses import RedirectResponse
from sqlalchemy.orm import Session

from airflow_dq.exceptions import AlreadyDecidedError
from airflow_dq.hooks.required_action import answer_parked
from airflow_dq.judge.verdict import BUTTONS, Decision
from airflow_dq.plugins.web.access import (
    require_right_on_all,
    requires_deciding,
    requires_reading,
    requires_same_origin,
)
from airflow_dq.plugins.web.alert import AlertId, Done
from airflow_dq.plugins.web.context import page
from airflow_dq.plugins.web.route import PageRoute
from airflow_dq.plugins.web.visit import Visit, Visiting
from airflow_dq.report.pages.snooze import DAYS, read_scope
from airflow_dq.store.review_model import Origin, VerdictDetail

router = APIRouter(
    prefix="/dags/{dag_id}/alerts/{alert_id}",
    dependencies=[Depends(requires_reading), Depends(requires_deciding), Depends(requires_same_origin)],
    route_class=PageRoute,
)
Comment = Annotated[str, Form(max_length=2000)]


@router.post("/decision")
def decide(
    visit: Visiting,
    alert_id: AlertId,
    user: GetUserDep,
    session: SessionDep,
    decision: Annotated[Decision, Form()],
    comment: Comment = "",
    revise: Annotated[bool, Form()] = False,
    fingerprint: Annotated[str | None, Form(max_length=200)] = None,
) -> Response:
    """Decide about the partition of an alert; a second decision is answered with 409, and changes nothing.

    So is one about content that was replaced since: ``fingerprint`` is that of what the page showed.
    """
    partition = visit.of_alert(alert_id).partition
    said = comment.strip() or None
    # Airflow's session is committed last: should the decision be refused, no gate is resumed either.
    resumed = _resume(visit.dag_id, partition.origins, BUTTONS[decision], said, user, session)
    try:
        visit.store.decide(
            partition.dataset,
            partition.partition,
            decision,
            user.get_name(),
            said,
            revise=revise,
            fingerprint=fingerprint or partition.fingerprint,
        )
    except AlreadyDecidedError as error:
        stored = visit.store.decision(partition.dataset, partition.partition)
        if resumed and stored is not None and stored.decision == decision:
            # Stored before, and then the gate could not be told: it goes by what is stored.
            session.commit()
            return _back(visit, alert_id, "resumed")
        session.rollback()
        return page(visit.render(visit.of_alert(alert_id), refusal=str(error)), 409)
    session.commit()
    return _back(visit, alert_id, "resumed" if resumed else "decided")


def _resume(
    dag_id: str, origins: Sequence[Origin], option: str, comment: str | None, user: GetUserDep, session: Session
) -> bool:
    """Let every gate go on that waits for a decision about the partition; whether one did.

    :raises HTTPException: when the user may not answer for a gate of the DAG in the address
    """
    resumed = False
    for origin in origins:
        try:
            resumed |= answer_parked(origin, option, comment, user, session)
        except HTTPException:
            # Another DAG's gate that only some may answer asks them, and then goes by what is stored.
            if origin.dag_id == dag_id:
                raise
    return resumed


def _require_right_on_all(visit: Visit, detail: VerdictDetail, user: GetUserDep) -> None:
    """Refuse a snooze to whoever may not decide for each DAG that it would silence.

    :raises HTTPException: 403
    """
    dataset = detail.partition.dataset
    others = visit.store.dags_of(dataset) - {visit.dag_id}
    require_right_on_all(user, others, visit.readable, dataset, "A snooze")


@router.post("/snooze")
def snooze(
    visit: Visiting,
    alert_id: AlertId,
    user: GetUserDep,
    scope: Annotated[str, Form(max_length=5000)],
    days: Annotated[int, Form()],
    comment: Comment = "",
) -> Response:
    """Let alerts like these only warn for some days."""
    detail = visit.of_alert(alert_id)
    _require_right_on_all(visit, detail, user)
    chosen = read_scope(scope)
    if chosen is None or days not in DAYS:
        raise HTTPException(422, "Choose one of the offered scopes and durations.")
    column, metric = chosen
    visit.store.snooze(
        detail.partition.dataset,
        column=column,
        metric=metric,
        until=visit.now + timedelta(days=days),
        by=user.get_name(),
        comment=comment.strip() or None,
    )
    return _back(visit, alert_id, "snoozed")


@router.post("/snooze/end")
def end_snooze(
    visit: Visiting,
    alert_id: AlertId,
    user: GetUserDep,
    snooze_id: Annotated[int, Form(ge=1, le=2**63 - 1)],
) -> Response:
    """End a snooze of the alert's dataset now."""
    detail = visit.of_alert(alert_id)
    _require_right_on_all(visit, detail, user)
    # Its number alone would reach the snoozes of other datasets.
    if snooze_id not in {snooze.id for snooze in detail.snoozes}:
        raise HTTPException(404, f"Dataset {detail.partition.dataset!r} has no active snooze {snooze_id}.")
    visit.store.end_snooze(snooze_id, user.get_name())
    return _back(visit, alert_id, "unsnoozed")


def _back(visit: Visit, alert_id: int, done: Done) -> Response:
    # 303: the browser asks for the page with GET, and reloading it sends nothing again.
    return RedirectResponse(visit.where.alert(visit.dag_id, alert_id, done=done), 303)

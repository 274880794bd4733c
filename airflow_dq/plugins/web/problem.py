"""What a person says of one problem: that it was seen, who sees to it, where its ticket is, that it is noise."""

from __future__ import annotations

from typing import Annotated, Literal

from airflow.api_fastapi.core_api.security import GetUserDep
from fastapi import APIRouter, Depends, Form, Response
from fastapi.responses import RedirectResponse

from airflow_dq.explain.problem import same_problem
from airflow_dq.plugins.web.access import requires_deciding, requires_reading, requires_same_origin
from airflow_dq.plugins.web.alert import AlertId
from airflow_dq.plugins.web.route import PageRoute
from airflow_dq.plugins.web.visit import Visit, Visiting
from airflow_dq.store.problem_writer import LONGEST, LONGEST_OWNER, ticket_address

router = APIRouter(
    prefix="/dags/{dag_id}/alerts/{alert_id}",
    dependencies=[Depends(requires_reading), Depends(requires_deciding), Depends(requires_same_origin)],
    route_class=PageRoute,
)


@router.post("/problem")
def say(
    visit: Visiting,
    alert_id: AlertId,
    user: GetUserDep,
    said: Annotated[Literal["acknowledged", "saved", "noise", "not_noise"], Form()],
    owner: Annotated[str, Form(max_length=LONGEST_OWNER)] = "",
    ticket: Annotated[str, Form(max_length=LONGEST)] = "",
) -> Response:
    """Record it of the problem that an alert is evidence of."""
    visit.of_alert(alert_id)  # of this DAG
    by = user.get_name()
    if said == "acknowledged":
        visit.store.acknowledge_problem(alert_id, by)
    elif said == "noise":
        visit.store.call_noise(alert_id, by)
    elif said == "not_noise":
        visit.store.take_back_noise(alert_id, by)
    else:
        _save(visit, alert_id, owner.strip(), ticket_address(ticket), by)
    return RedirectResponse(visit.where.alert(visit.dag_id, alert_id, done=said), 303)


def _save(visit: Visit, alert_id: int, owner: str, ticket: str, by: str) -> None:
    """Record the owner and the ticket, each when it is another one than before."""
    detail = visit.of_alert(alert_id)
    key = next(alert.problem for alert in detail.alerts if alert.id == alert_id)
    before = next((one for one in visit.problems(detail) if same_problem(key, one.key)), None)
    if before is None or owner != (before.assigned_to or ""):
        visit.store.assign_problem(alert_id, owner, by)
    if before is None or ticket != (before.ticket or ""):
        visit.store.link_ticket(alert_id, ticket, by)

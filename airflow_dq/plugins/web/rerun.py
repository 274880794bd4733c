"""Fixed upstream: the partition is profiled and judged again, by clearing the profile's task of the gate's own run."""

from __future__ import annotations

from airflow.api_fastapi.common.db.common import SessionDep
from airflow.api_fastapi.core_api.security import GetUserDep
from fastapi import APIRouter, Depends, HTTPException, Response
from fastapi.responses import RedirectResponse

from airflow_dq.plugins.web.access import requires_clearing, requires_reading, requires_same_origin
from airflow_dq.plugins.web.alert import AlertId
from airflow_dq.plugins.web.impact import profiles_of
from airflow_dq.plugins.web.route import PageRoute
from airflow_dq.plugins.web.visit import Visiting
from airflow_dq.store.review_model import through

router = APIRouter(
    prefix="/dags/{dag_id}/alerts/{alert_id}",
    dependencies=[Depends(requires_reading), Depends(requires_clearing), Depends(requires_same_origin)],
    route_class=PageRoute,
)


@router.post("/rerun")
def rerun(visit: Visiting, alert_id: AlertId, user: GetUserDep, session: SessionDep) -> Response:
    """Clear the profile's task and all that follows it in the run, as Airflow's own *Clear* does."""
    from airflow.api_fastapi.core_api.datamodels.task_instances import ClearTaskInstancesBody
    from airflow.api_fastapi.core_api.routes.public.task_instances import post_clear_task_instances
    from airflow.models.dagbag import DBDagBag

    detail = visit.of_alert(alert_id)
    origin = through(detail.partition.origins, (visit.dag_id,))
    assert origin is not None  # of_alert has seen to it
    profiles = profiles_of(origin, session)
    if not profiles:
        raise HTTPException(
            409,
            f"Airflow knows no profile task before {origin.task_id!r} in DAG {origin.dag_id!r} that could be cleared. "
            "Profile the partition again where that is done, and clear the gate.",
        )
    body = ClearTaskInstancesBody(
        dry_run=False,
        dag_run_id=origin.run_id,
        task_ids=list(profiles),
        include_downstream=True,
        only_failed=False,
        reset_dag_runs=True,
    )
    post_clear_task_instances(dag_id=origin.dag_id, dag_bag=DBDagBag(), body=body, session=session, user=user)
    session.commit()
    return RedirectResponse(visit.where.alert(visit.dag_id, alert_id, done="rerun"), 303)

"""What runs once more in the gate's own run: the profile with all that follows it, or the drill alone."""

from __future__ import annotations

from collections.abc import Sequence

from airflow.api_fastapi.common.db.common import SessionDep
from airflow.api_fastapi.core_api.security import GetUserDep
from fastapi import APIRouter, Depends, HTTPException, Response
from fastapi.responses import RedirectResponse
from sqlalchemy.orm import Session

from airflow_dq.plugins.web.access import requires_clearing, requires_reading, requires_same_origin
from airflow_dq.plugins.web.alert import AlertId
from airflow_dq.plugins.web.impact import drills_of, profiles_of
from airflow_dq.plugins.web.route import PageRoute
from airflow_dq.plugins.web.visit import Visit, Visiting
from airflow_dq.report.pages.drill import Stage
from airflow_dq.store.review_model import Origin, through
from airflow_dq.version_compat import taken_by

router = APIRouter(
    prefix="/dags/{dag_id}/alerts/{alert_id}",
    dependencies=[Depends(requires_reading), Depends(requires_clearing), Depends(requires_same_origin)],
    route_class=PageRoute,
)


@router.post("/rerun")
def rerun(visit: Visiting, alert_id: AlertId, user: GetUserDep, session: SessionDep) -> Response:
    """Fixed upstream: the partition is profiled and judged again."""
    origin = _origin(visit, alert_id)
    profiles = profiles_of(origin, session)
    if not profiles:
        raise HTTPException(
            409,
            f"Airflow knows no profile task before {origin.task_id!r} in DAG {origin.dag_id!r} that could be cleared. "
            "Profile the partition again where that is done, and clear the gate.",
        )
    _clear(origin, profiles, user, session, with_what_follows=True)
    return RedirectResponse(visit.where.alert(visit.dag_id, alert_id, done="rerun"), 303)


@router.post("/drill")
def drill(visit: Visiting, alert_id: AlertId, user: GetUserDep, session: SessionDep) -> Response:
    """Look which rows carry the change, once more or for the first time."""
    origin = _origin(visit, alert_id)
    drills = drills_of(origin, session)
    ended = [one.task_id for one in drills if one.stage is Stage.ENDED]
    if not ended or any(one.stage is Stage.RUNS for one in drills):
        raise HTTPException(
            409,
            f"No task behind {origin.task_id!r} in DAG {origin.dag_id!r} that looks for the rows has ended, so that it "
            "could run again. `airflow dq drill` looks for them where the data can be read.",
        )
    _clear(origin, ended, user, session, with_what_follows=False)
    return RedirectResponse(visit.where.alert(visit.dag_id, alert_id, done="drill"), 303)


def _origin(visit: Visit, alert_id: int) -> Origin:
    origin = through(visit.of_alert(alert_id).partition.origins, (visit.dag_id,))
    assert origin is not None  # of_alert has seen to it
    return origin


def _clear(
    origin: Origin, task_ids: Sequence[str], user: GetUserDep, session: Session, *, with_what_follows: bool
) -> None:
    """Clear tasks of the run, as Airflow's own *Clear* does."""
    from airflow.api_fastapi.core_api.datamodels.task_instances import ClearTaskInstancesBody
    from airflow.api_fastapi.core_api.routes.public.task_instances import post_clear_task_instances
    from airflow.models.dagbag import DBDagBag

    body = ClearTaskInstancesBody(
        dry_run=False,
        dag_run_id=origin.run_id,
        task_ids=list(task_ids),
        include_downstream=with_what_follows,
        only_failed=False,
        reset_dag_runs=True,
    )
    who = taken_by(post_clear_task_instances, user=user)
    post_clear_task_instances(dag_id=origin.dag_id, dag_bag=DBDagBag(), body=body, session=session, **who)
    session.commit()

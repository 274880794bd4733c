"""Asking a person through Airflow's own "Required Action", and answering it from elsewhere.

It is what ``HITLOperator`` of the standard provider does, for an operator that does other things as well: from Airflow
3.3 on the task waits in state ``awaiting_input``; before that it is deferred to the provider's ``HITLTrigger``.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NoReturn

from airflow_dq.gate.answer import COMMENT
from airflow_dq.judge.verdict import BUTTONS
from airflow_dq.version_compat import TaskAwaitingInput

if TYPE_CHECKING:
    from airflow.api_fastapi.auth.managers.models.base_user import BaseUser
    from airflow.sdk import BaseOperator, Context
    from sqlalchemy.orm import Session

    from airflow_dq.store.review_model import Origin


def park(
    operator: BaseOperator,
    context: Context,
    *,
    subject: str,
    body: str,
    timeout: timedelta | None,
    method_name: str,
    kwargs: Mapping[str, Any],
) -> NoReturn:
    """Ask, and leave the worker; the answer calls ``method_name`` with ``kwargs`` and the ``event``.

    :param body: Markdown
    :param timeout: how long to wait for a person (None: for ever)
    """
    from airflow.sdk.execution_time.hitl import upsert_hitl_detail

    ti_id = context["ti"].id
    options, params = list(BUTTONS.values()), _form()
    upsert_hitl_detail(ti_id=ti_id, options=options, subject=subject, body=body, multiple=False, params=params)
    if TaskAwaitingInput is not None:
        raise TaskAwaitingInput(method_name=method_name, kwargs=dict(kwargs), timeout=timeout)
    from airflow.providers.standard.triggers.hitl import HITLTrigger

    until = None if timeout is None else datetime.now(UTC) + timeout
    trigger = HITLTrigger(ti_id=ti_id, options=options, params=params, multiple=False, timeout_datetime=until)
    operator.defer(trigger=trigger, method_name=method_name, kwargs=dict(kwargs))
    raise AssertionError("unreachable")


def _form() -> dict[str, Any]:
    from airflow.providers.standard.version_compat import AIRFLOW_V_3_1_3_PLUS
    from airflow.sdk import Param

    comment = Param(
        "", type=["string", "null"], title="Comment", description="Why: it is kept with the decision.", maxLength=2000
    )
    return {COMMENT: comment.serialize() if AIRFLOW_V_3_1_3_PLUS else comment.value}


def answer_parked(origin: Origin, option: str, comment: str | None, user: BaseUser, session: Session) -> bool:
    """Answer a parked task in the name of a user, inside Airflow's API server.

    Airflow's own route does it, with its locks and its respect for assigned users; whoever calls has authorized the
    user for the DAG.

    :param option: one of the words of :data:`~airflow_dq.judge.verdict.BUTTONS`
    :return: True when the task was waiting and goes on now; False when nothing waits there, or it was answered before
    :raises fastapi.HTTPException: when the user may not answer, or Airflow refuses for another reason
    """
    from airflow.api_fastapi.core_api.datamodels.hitl import UpdateHITLDetailPayload
    from airflow.api_fastapi.core_api.routes.public.hitl import update_hitl_detail
    from fastapi import HTTPException

    _wait_for_others(origin, session)
    payload = UpdateHITLDetailPayload(chosen_options=[option], params_input={COMMENT: comment or ""})
    try:
        update_hitl_detail(
            dag_id=origin.dag_id,
            dag_run_id=origin.run_id,
            task_id=origin.task_id,
            map_index=origin.map_index,
            update_hitl_detail_payload=payload,
            user=user,
            session=session,
        )
    except HTTPException as error:
        if error.status_code in (404, 409):
            return False
        raise
    return True


def _wait_for_others(origin: Origin, session: Session) -> None:
    """Lock the task until the session ends.

    Airflow's route looks whether there is an answer, and then waits for this lock: of twenty people at once, each whom
    it let wait would be told to be the first, and the last one's name would stand there.
    """
    from airflow.models.taskinstance import TaskInstance
    from sqlalchemy import select

    # Only its id: what the session has read before the lock it would not read again.
    task = select(TaskInstance.id).where(
        TaskInstance.dag_id == origin.dag_id,
        TaskInstance.run_id == origin.run_id,
        TaskInstance.task_id == origin.task_id,
        TaskInstance.map_index == origin.map_index,
    )
    session.execute(task.with_for_update(of=TaskInstance))

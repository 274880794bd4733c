"""A task whose trigger Airflow has given up: it crashed, or waited longer than the task may take.

Airflow then fails the task without a word to its operator, and with nothing of what was left for it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from airflow_dq.exceptions import DQError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.version_compat import AirflowException

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airflow.sdk import Context

_ANNOUNCED = "announced"
"""Key of the XCom by which the attempts of a try that has deferred are known to it when nothing else is left."""


def remember_announced(context: Context, announced: Sequence[int]) -> None:
    """Keep the attempts that a try has begun before it deferred."""
    ti: Any = context.get("ti")
    if ti is not None and announced:
        ti.xcom_push(key=_ANNOUNCED, value=list(announced))


def given_up(subject: str, dq_conn_id: str, context: Context, error: AirflowException) -> NoReturn:
    """End what the try has begun, so that no gate waits for it for ever, and say what has become of the job.

    :param subject: what the task is about
    :param error: Airflow's own
    :raises AirflowException: always
    """
    said = (
        f"Airflow's triggerer has given up waiting for the job of {subject} ({error}; see the triggerer's log). "
        "The job itself may go on, and what it stores counts; the next try finds it again where the cluster tells of "
        "it, and starts another one where not."
    )
    ti: Any = context.get("ti")
    announced = None if ti is None else ti.xcom_pull(task_ids=ti.task_id, key=_ANNOUNCED, map_indexes=ti.map_index)
    if announced:
        with suppress(DQError), DQHook(dq_conn_id).get_store() as store:
            for number in announced:
                store.fail_attempt(number, said)
    raise type(error)(said) from None

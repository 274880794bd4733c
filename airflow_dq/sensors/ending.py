"""How a gate's task ends: it tells everybody, and succeeds, skips, fails, or parks on a person."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from airflow.sdk import Asset

from airflow_dq.gate.question import body, subject
from airflow_dq.hooks.metric import count
from airflow_dq.hooks.required_action import park
from airflow_dq.links.alert import DQAlertLink, alert_path
from airflow_dq.version_compat import AirflowFailException, AirflowSkipException

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import timedelta

    from airflow.sdk import BaseNotifier, BaseOperator, Context

    from airflow_dq.gate.conclusion import Conclusion
    from airflow_dq.store.review_model import VerdictDetail


def finish(task: BaseOperator, context: Context, conclusion: Conclusion) -> dict[str, Any]:
    """Count, log and announce the conclusion, and end the task as it says.

    :return: the conclusion as a small dict, for XCom
    :raises AirflowFailException: when the partition does not pass
    :raises AirflowSkipException: when what follows is to be skipped
    """
    count(f"gate.{conclusion.outcome}", conclusion.dataset)
    level = "info" if conclusion.is_right else "error" if conclusion.outcome == "fail" else "warning"
    getattr(task.log, level)(conclusion.message)
    if conclusion.outcome in ("fail", "skip"):
        # A task that raises returns nothing, and what runs after it all the same may ask why.
        if task.do_xcom_push:
            context["ti"].xcom_push(key="return_value", value=conclusion.to_dict())
        raise (AirflowSkipException if conclusion.outcome == "skip" else AirflowFailException)(conclusion.line)
    _announce(task, context, conclusion)
    return conclusion.to_dict()


def _announce(task: BaseOperator, context: Context, conclusion: Conclusion) -> None:
    """Give the assets' events the verdict, or see to it that there are none."""
    if conclusion.is_right:
        for asset in task.outlets:
            if isinstance(asset, Asset):
                context["outlet_events"][asset].extra = conclusion.to_dict()
    elif task.outlets:
        task.log.warning("No event for the assets in outlets: the partition was not checked and found right.")
        # Airflow makes an event for each asset that the task has when it succeeds.
        task.outlets = []


def ask(
    task: BaseOperator,
    context: Context,
    conclusion: Conclusion,
    detail: VerdictDetail,
    *,
    notifiers: Iterable[BaseNotifier],
    timeout: timedelta | None,
) -> NoReturn:
    """Park on a person.  The answer is about what was judged now, also if the data is replaced meanwhile.

    :param notifiers: who is told that a person is asked
    :param timeout: how long to wait for a person (None: for ever)
    """
    count("gate.review", conclusion.dataset)
    task.log.warning(conclusion.message)
    alert_id = detail.partition.first_alert_id
    page = None if alert_id is None else alert_path(context["ti"].dag_id, alert_id)
    if page is not None:
        # Airflow itself asks for the link only when the task has ended.
        link = partial(context["ti"].xcom_push, key=DQAlertLink().xcom_key, value=page)
        _attempt(task, "The link to the alert", link)
    for notifier in notifiers:
        _attempt(task, f"The notifier {type(notifier).__name__}", partial(notifier, context))
    park(
        task,
        context,
        subject=subject(detail),
        body=body(detail, page),
        timeout=timeout,
        method_name="execute_review",
        kwargs={"fingerprint": detail.partition.fingerprint},
    )


def _attempt(task: BaseOperator, what: str, work: Callable[[], object]) -> None:
    """Do what the question can be found without, and must not be lost for."""
    try:
        work()
    except Exception:
        task.log.exception("%s failed.", what)

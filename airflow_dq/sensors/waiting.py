"""When a gate began to wait: one moment for all tries of a task, however it waits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from airflow_dq.hooks.task import first_try

if TYPE_CHECKING:
    from datetime import datetime

    from airflow.sdk import Context


def waiting_since(context: Context, retries: int | None) -> float:
    """Seconds since the epoch at which the task first started since it was last cleared.

    From Airflow 3.3 on it is kept in the task's state; before that, a retry starts the clock anew, except in mode
    ``reschedule``.
    """
    now = time.time()
    store = context.get("task_state_store")
    if store is None:
        first = _first_reschedule(context)
        return now if first is None else float(first.timestamp())
    # A cleared task is a new wait: its state is kept, so the key must be another one.
    key = f"dq_waiting_since_{first_try(context, retries)}"
    since = store.get(key)
    if since is None:
        store.set(key, now)
        return now
    return float(str(since))


def has_waited(context: Context) -> bool:
    """Whether the task, in mode ``reschedule``, has looked before and gone on waiting."""
    return _first_reschedule(context) is not None


def _first_reschedule(context: Context) -> datetime | None:
    rescheduled = getattr(context.get("ti"), "get_first_reschedule_date", None)
    return rescheduled(context) if rescheduled else None

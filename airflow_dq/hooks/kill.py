"""Ending a job from a task that is killed: whatever asks its cluster to do so may hang."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

KILL_SECONDS = 30.0
"""Longest wait for each step of ending a job: a kill command that hangs must not hang the task."""


def end_in_time(kill: Callable[[], object], log: Any) -> None:
    """Ask for the end of a job, and wait for the answer no longer than :data:`KILL_SECONDS`.  Always returns.

    :param kill: what asks for it, which may wait without a limit, or raise
    :param log: the task's log
    """

    def ask() -> None:
        try:
            kill()
        except Exception:
            log.exception("The job could not be ended.")

    thread = threading.Thread(target=ask, name="dq-kill", daemon=True)
    thread.start()
    thread.join(KILL_SECONDS)
    if thread.is_alive():
        log.warning("The end of the job has not been confirmed within %.0f s.", KILL_SECONDS)

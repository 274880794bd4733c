"""Waiting for a profile and for a statistics database that goes away: for how long, and what is not waited for."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from airflow_dq.exceptions import StoreUnreachableError

T = TypeVar("T")

ANSWER_SECONDS = 600
"""Longest time that a person's answer waits for a database that cannot be reached: a restart or a failover takes
minutes, and a task that gave up would ask the person again."""


@dataclass(slots=True)
class Wait:
    """One task's wait for a profile, from its first start on, however many tries and looks it takes."""

    deadline: float | None = None
    """Seconds since the epoch after which to give up; None while the triggerer looks at the clock."""
    has_reached: bool = False
    """Whether this task has reached the database before."""
    said: str = ""
    """What the last look found wanting."""

    @property
    def is_late(self) -> bool:
        """Whether to give up."""
        return self.deadline is not None and time.time() >= self.deadline

    @property
    def compares(self) -> bool:
        """Whether this look also says what else is in the database: the first one and the last one do."""
        return not self.has_reached or self.is_late

    def require_patience(self, error: StoreUnreachableError, has_waited: bool) -> None:
        """Wait for a database that was there before; a wrong address or password is told at once.

        :param has_waited: whether an earlier process of this task has looked and gone on waiting
        :raises StoreUnreachableError: the error, when there is nothing to wait for
        """
        if not (self.has_reached or has_waited):
            raise error


def when_reachable(work: Callable[[], T], pause: float, log: Any) -> T:
    """Do it as soon as the database can be reached, looking for at most :data:`ANSWER_SECONDS`.

    :param pause: seconds between two looks
    :raises StoreUnreachableError: when it stays away
    """
    until = time.monotonic() + ANSWER_SECONDS
    while True:
        try:
            return work()
        except StoreUnreachableError as error:
            if time.monotonic() >= until:
                raise
            log.warning("%s Looking again.", error)
            time.sleep(pause)

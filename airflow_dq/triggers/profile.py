"""Waiting for a partition's profile without a worker: the trigger that looks again and again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

from airflow.triggers.base import BaseTrigger, TriggerEvent

from airflow_dq.exceptions import DQError, StoreUnreachableError
from airflow_dq.gate.progress import Progress, progress
from airflow_dq.hooks.dq import DQHook


class ProfileTrigger(BaseTrigger):
    """Fires once: when the newest attempt has ended, when the deadline has passed, or when the store cannot be read.

    A store that cannot be reached is waited for like the profile: the task has seen it before it deferred.

    Its event is ``{"status": "ended" | "timeout" | "error", "message": <sentence>, "deadline": <as given>}``, with
    ``"retry"`` for an error.  It carries no secret: the connection's id, never the DSN.

    :param dataset: name of the dataset
    :param partition: the partition's key
    :param dq_conn_id: connection to the statistics database
    :param poke_interval: seconds between two looks
    :param deadline: seconds since the epoch after which to give up
    :param newer_than: a moment as ISO 8601: an attempt that began before is not waited for, but for the next one
    """

    def __init__(
        self,
        dataset: str,
        partition: str,
        dq_conn_id: str,
        poke_interval: float,
        deadline: float,
        newer_than: str | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # Airflow's is untyped
        self.dataset = dataset
        self.partition = partition
        self.dq_conn_id = dq_conn_id
        self.poke_interval = poke_interval
        self.deadline = deadline
        self.newer_than = newer_than

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """The arguments, for the database of Airflow."""
        names = ("dataset", "partition", "dq_conn_id", "poke_interval", "deadline", "newer_than")
        return f"{__name__}.{type(self).__qualname__}", {name: getattr(self, name) for name in names}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Yield the one event."""
        try:
            event = await self._wait()
        except DQError as error:
            event = {"status": "error", "message": str(error), "retry": error.retryable}
        except Exception as error:
            self.log.exception("Waiting for the profile broke")
            event = {"status": "error", "message": f"{type(error).__name__}: {error}", "retry": True}
        yield TriggerEvent(event | {"deadline": self.deadline})  # type: ignore[no-untyped-call]  # Airflow's is untyped

    async def _wait(self) -> dict[str, Any]:
        from asgiref.sync import sync_to_async

        # Airflow's own bridge: a connection is asked for over the triggerer's channel, which only it can cross.
        get_dsn = sync_to_async(DQHook(self.dq_conn_id).get_dsn)
        dsn = await get_dsn()
        first = True
        while True:
            # The log begins with what there is in the store, and the last message ends with it.
            late = time.time() >= self.deadline
            try:
                seen = await asyncio.to_thread(self._look, dsn, first or late)
                first = False
            except StoreUnreachableError as error:
                seen = Progress("waiting", str(error))
                dsn = await get_dsn()  # it may have moved
            self.log.info(seen.message)
            if seen.state != "waiting":
                return {"status": "ended", "message": seen.message}
            if late:
                return {"status": "timeout", "message": seen.message}
            await asyncio.sleep(min(self.poke_interval, max(self.deadline - time.time(), 0.0)))

    def _look(self, dsn: str, compare: bool) -> Progress:
        from airflow_dq.store import open_store

        # A connection for each look: one triggerer waits for hundreds of partitions.
        with open_store(dsn) as repository:
            newer_than = None if self.newer_than is None else datetime.fromisoformat(self.newer_than)
            return progress(repository, self.dataset, self.partition, newer_than=newer_than, compare=compare)

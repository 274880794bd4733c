"""Waiting for a Spark driver on a cluster without a worker: the trigger that asks its cluster manager."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from airflow.triggers.base import BaseTrigger, TriggerEvent

from airflow_dq.exceptions import DQError

if TYPE_CHECKING:
    from airflow_dq.hooks.spark_driver import SparkDriver

LEAST = 10.0
"""Seconds between two looks at least: what Airflow's own hook leaves a resource manager."""
PATIENCE = 600.0
"""Seconds without an answer after which the task is told: a manager that is restarted is back by then."""


class DriverTrigger(BaseTrigger):
    """Fires once, when the driver has ended, or its manager has not answered for ten minutes.

    Its event is ``{"status": "succeeded" | "failed" | "error", "message": <sentence>}``.  It holds no state: started
    again after a triggerer was, it asks on.  A person who ends the task ends the driver, where Airflow tells a trigger
    of it (3.3 and newer).

    :param conn_id: the Spark connection that the driver was submitted through
    :param master: the master that won over the connection's
    :param driver: YARN's id of the application, or namespace and name of the driver's pod
    :param poll_interval: seconds between two looks
    """

    def __init__(self, conn_id: str, master: str | None, driver: str, poll_interval: float) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # Airflow's is untyped
        self.conn_id = conn_id
        self.master = master
        self.driver = driver
        self.poll_interval = poll_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """The arguments, for the database of Airflow."""
        names = ("conn_id", "master", "driver", "poll_interval")
        return f"{__name__}.{type(self).__qualname__}", {name: getattr(self, name) for name in names}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Yield the one event."""
        try:
            event = await self._wait()
        except DQError as error:
            event = {"status": "error", "message": str(error)}
        except Exception as error:
            self.log.exception("Waiting for the driver broke")
            event = {"status": "error", "message": f"{type(error).__name__}: {error}"}
        yield TriggerEvent(event)  # type: ignore[no-untyped-call]  # Airflow's is untyped

    async def on_kill(self) -> None:
        """End the driver: a person has ended the task."""
        driver = await self._found()
        await asyncio.to_thread(driver.kill)

    async def _wait(self) -> dict[str, Any]:
        driver = await self._found()
        answered, last = time.monotonic(), ""
        while True:
            try:
                seen = await asyncio.to_thread(driver.look)
                answered = time.monotonic()
                if seen.status != "running":
                    return {"status": seen.status, "message": seen.message}
                message = seen.message
            except RuntimeError as error:
                message = str(error)
                if time.monotonic() - answered > PATIENCE:
                    return {"status": "error", "message": f"No answer for {PATIENCE:.0f} s: {message}"}
            if message != last:
                self.log.info(message)
            last = message
            await asyncio.sleep(max(self.poll_interval, LEAST))

    async def _found(self) -> SparkDriver:
        from asgiref.sync import sync_to_async

        from airflow_dq.hooks.spark_driver import SparkDriver

        # Airflow's own bridge: a connection is asked for over the triggerer's channel, which only it can cross.
        return await sync_to_async(SparkDriver)(self.conn_id, self.master, self.driver)

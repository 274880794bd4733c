"""What the tries of a task on a fleet of datasets know of each other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from airflow_dq.hooks.task import first_try
from airflow_dq.job.result import JobResult
from airflow_dq.options.fleet import Orders

if TYPE_CHECKING:
    from airflow.sdk import Context

BEGAN = "began"
"""Key of the XCom that says when the first of these tries began: a gate of the fleet waits for no older attempt."""
_CLOCKS = timedelta(seconds=2)
"""By how much the database's clock may be behind: twice what two clocks differ by that a time service keeps."""


class Tries:
    """All tries of a task since it was last cleared.  Airflow 3.3 and newer keep what they note; before that, each try
    begins anew."""

    def __init__(self, context: Context, retries: int | None) -> None:
        """Look at what the tries before have noted."""
        self._state: Any = context.get("task_state_store")
        self._key = f"dq_fleet_{first_try(context, retries)}"
        kept = None if self._state is None else self._state.get(self._key)
        known = json.loads(str(kept)) if kept else {}
        self.began: str = known.get(BEGAN) or (datetime.now(UTC) - _CLOCKS).isoformat()
        """The moment as ISO 8601."""
        self.done: dict[str, dict[str, Any]] = known.get("done", {})
        """What a dataset has come to that is stored, by its name."""

    def begin(self, context: Context) -> None:
        """Tell the gates since when what they judge may have been profiled; not where a task goes on that has begun."""
        ti: Any = context.get("ti")
        if ti is not None:
            ti.xcom_push(key=BEGAN, value=self.began)
        self._keep()

    def left(self, orders: Orders) -> Orders | None:
        """What there is still to do; None when it is nothing."""
        left = tuple(order for order in orders if order.dataset not in self.done)
        return replace(orders, each=left) if left else None

    def note(self, orders: Orders, results: Sequence[JobResult]) -> None:
        """Keep what is done of some orders."""
        keys = {order.dataset: order.key for order in orders}
        for one in results:
            if one.error is None and one.dataset in keys:
                self.done[one.dataset] = {
                    "partition": keys[one.dataset],
                    "partitions": one.profiled,
                    "rows": one.rows,
                }
        self._keep()

    def _keep(self) -> None:
        if self._state is not None:
            self._state.set(self._key, json.dumps({BEGAN: self.began, "done": self.done}))

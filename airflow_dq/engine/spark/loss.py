"""Executors that are lost one after the other: for Spark no reason to end a job, which then never ends."""

from __future__ import annotations

import re
from typing import Any

from pyspark.sql import SparkSession

LOSSES = 10
"""Executors that are lost in a row, with no task done in between: what fells so many fells all that come after them."""
MARK = "airflow_dq gives up: "
"""How the reason begins for which the jobs are cancelled; Spark hands it on as the jobs' error."""
_ON_PURPOSE = re.compile(r"killed by driver|decommission|idle", re.IGNORECASE)
"""Reasons of Spark's own to let an executor go that has nothing to do."""


class Losses:
    """The executors of an application that were lost, as its driver knows them."""

    def __init__(self, spark: SparkSession) -> None:
        """Those that have been lost before do not count."""
        # Kept whether or not the application has a web page.
        self._store: Any = spark.sparkContext._jsc.sc().statusStore()
        self._done = -1
        self._known: set[str] = set()
        self.reason: str | None = None
        """Why to give up, in a sentence; None: there is no reason yet."""

    def look(self) -> None:
        """Look once, and remember a reason to give up."""
        done, lost = 0, {}
        executors = self._store.executorList(False)
        for number in range(executors.size()):
            one = executors.apply(number)
            done += int(one.completedTasks())
            if not one.isActive() and not _ON_PURPOSE.search(said := _reason(one)):
                lost[str(one.id())] = said
        if done != self._done:
            self._done, self._known = done, set(lost)
        fresh = [said for name, said in lost.items() if name not in self._known]
        if len(fresh) >= LOSSES:
            self.reason = (
                f"{len(fresh)} executors were lost one after the other, and no task was done meanwhile; the reason of "
                f"the last one: {fresh[-1] or 'none is known'}. See the executors' logs: too little memory, a Python "
                "or Java that crashes, or machines that go away"
            )


def _reason(executor: Any) -> str:
    reason = executor.removeReason()
    # The stack behind the first line is Spark's own.
    return str(reason.get()).partition("\n")[0].strip().rstrip(".") if reason.isDefined() else ""

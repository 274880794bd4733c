"""A profile job from its order to the stored profiles: each partition by itself, none lost through another."""

from __future__ import annotations

from collections.abc import Callable

from airflow_dq.engine.base import Engine
from airflow_dq.job.ledger import Ledger
from airflow_dq.job.outcome import Outcome, remarks
from airflow_dq.options.retention import RETENTION
from airflow_dq.store import Repository


class ProfileJob:
    """One job, whatever engine carries it out: ``ProfileJob(engine, store, say).run()``."""

    def __init__(self, engine: Engine, store: Repository, say: Callable[[str], None]) -> None:
        """Prepare the job.

        :param engine: holds the order
        :param say: takes the lines of the job's log
        """
        self._engine = engine
        self._say = say
        self._ledger = Ledger(store, engine.order, say, RETENTION.injected_by_job)

    def run(self) -> list[Outcome]:
        """Profile and store every partition of the order.

        A partition that fails is recorded and the others go on.

        :return: what became of each partition, in the order of their keys
        :raises DQError: when there is nothing to profile: the source as a whole is missing, empty or unreadable
        """
        engine, ledger = self._engine, self._ledger
        keys = engine.partitions()
        ledger.begin(keys, engine.origin)
        with ledger.closing():
            for remark in (*engine.remarks, *remarks(keys)):
                self._say(f"{engine.order.dataset}: {remark}")
            for result in engine.scan(RETENTION.injected_by_job):
                ledger.take(result)
            return ledger.finish(engine.inject)

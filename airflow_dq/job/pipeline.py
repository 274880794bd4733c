"""A profile job from its order to the stored profiles: each partition by itself, none lost through another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from airflow_dq.engine.base import Engine
from airflow_dq.engine.key_folder import EngineKeys
from airflow_dq.engine.order import where_of
from airflow_dq.exceptions import DQError, ProfileError, said_of
from airflow_dq.job.beyond import Beyond
from airflow_dq.job.fitting import require_fitting
from airflow_dq.job.keeper import Keeper
from airflow_dq.job.ledger import Ledger
from airflow_dq.job.outcome import Outcome, remarks
from airflow_dq.options.job import NULL_KEY
from airflow_dq.options.retention import RETENTION
from airflow_dq.profile.check.stored import require_measured


class ProfileJob:
    """One job, whatever engine carries it out: ``ProfileJob(engine, store, say).run()``."""

    def __init__(self, engine: Engine, store: Keeper, say: Callable[[str], None]) -> None:
        """Prepare the job.

        :param engine: holds the order
        :param say: takes the lines of the job's log
        """
        self._engine = engine
        self._store = store
        self._say = say
        self._folder: EngineKeys | None = None
        self._ledger = Ledger(store, engine.order, say, RETENTION.injected_by_job)

    @property
    def engine(self) -> Engine:
        """What carries the order out."""
        return self._engine

    def run(self) -> list[Outcome]:
        """Profile and store every partition of the order.

        A partition that fails is recorded and the others go on.

        :return: what became of each partition, in the order of their keys
        :raises DQError: when there is nothing to profile: the source as a whole is missing, empty or unreadable
        """
        self.begin()
        return self.finish()

    def begin(self) -> None:
        """Look which partitions there are, and begin an attempt at each.

        :raises DQError: as :meth:`run` does
        """
        with self._discreet():
            ledger = self._ledger
            with ledger.refusing():
                require_measured(self._engine.order.checks)
                self._folder = self._engine.keys()
                keys = self._engine.partitions()
                if self._engine.order.checks:
                    require_fitting(self._engine, keys, self._store.seen_columns(self._engine.order.dataset))
            dated = [key for key in keys if key != NULL_KEY]
            if dated:
                # By now there is a verdict on whatever was profiled before, and perhaps a person's answer.
                self._engine.rules = self._store.learn_rules(self._engine.order.dataset, dated[0])
            ledger.begin(keys, self._engine.origin)
            with ledger.closing():
                for remark in (*self._engine.remarks, *remarks(keys)):
                    self._say(f"{self._engine.order.dataset}: {remark}")

    def finish(self) -> list[Outcome]:
        """Read and store the partitions that :meth:`begin` has found; to the same end as :meth:`run`."""
        ledger = self._ledger
        with self._discreet(), ledger.closing():
            beyond = Beyond(self._engine, self._folder)
            for result in self._engine.scan(RETENTION.injected_by_job):
                ledger.take(beyond.look(result))
            outcomes = ledger.finish(self._engine.inject, self._folder)
            self._count_between([one.partition for one in outcomes if one.error is None])
            return outcomes

    def abandon(self, error: BaseException) -> None:
        """End the attempts that :meth:`begin` has begun and :meth:`finish` has not come to."""
        with suppress(type(error)), self._ledger.closing():
            raise error

    @contextmanager
    def _discreet(self) -> Iterator[None]:
        """Whoever prints or keeps an error must not learn a value that is hidden."""
        try:
            yield
        except Exception as error:
            if not self._engine.order.profile_options.discreet:
                raise
            raise discreet(error, where_of(self._engine.order)) from None

    def _count_between(self, partitions: Sequence[str]) -> None:
        """Count what relations between rows say of partitions, now that those before are stored as well."""
        dataset = self._engine.order.dataset
        try:
            self._store.update_between(dataset, self._engine.rules, partitions)
        except Exception as error:
            # Whatever it is, the profiles are stored, and say that these rows were not counted.
            said = said_of(error, discreet=self._engine.order.profile_options.discreet)
            self._say(f"{dataset}: relations between rows could not be counted: {said}")


def discreet(error: Exception, where: str) -> DQError:
    """The error without anything that was read from data."""
    said = said_of(error, discreet=True)
    if isinstance(error, DQError):
        return type(error)(said)
    return ProfileError(f"{where}: the job ended with {said}; what it says is left out, for columns are hidden.")

"""The stored history of a dataset, for a backtest: every partition that has a profile, whatever became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.key import order_key
from airflow_dq.options.retention import RETENTION

if TYPE_CHECKING:
    from airflow_dq.judge.verdict import Decision
    from airflow_dq.learn.history.answer import AnsweredAlarm
    from airflow_dq.profile.model import Profile
    from airflow_dq.store import Repository

_EVERY = 1_000_000
"""Most partitions that are asked for: more than there are."""
_END = "\U0010ffff"
"""Sorts behind every partition key."""


@dataclass(frozen=True)
class StoredHistory:
    """Profiles in the order of their keys, and what people have decided about them."""

    repository: Repository
    dataset: str
    profiles: Sequence[Profile]
    decisions: dict[str, Decision]
    eligible: frozenset[str]
    """Keys of the partitions that the gate learns from as things stand."""
    answers: Sequence[AnsweredAlarm] = ()
    """The alarms that people have decided about."""
    left_out: frozenset[str] = frozenset()
    """Keys of the partitions that the calendar of events leaves out."""

    @classmethod
    def load(
        cls, repository: Repository, dataset: str, until: str | None = None, newest: int | None = None
    ) -> StoredHistory:
        """Load all profiles up to a key; states only of those few whose distances are not stored yet.

        :param newest: only so many of the newest ones
        :raises ConfigurationError: when there is none
        """
        listed = [line for line in repository.partitions(dataset, _EVERY) if line.rows is not None]
        last = _END if until is None else until
        keys = sorted((one.partition for one in listed if order_key(one.partition) <= order_key(last)), key=order_key)
        if not keys:
            known = ", ".join(line.name for line in repository.datasets()) or "none"
            upto = f" up to {until}" if until is not None and listed else ""
            raise ConfigurationError(
                f"No partition of a dataset {dataset!r}{upto} is profiled (datasets: {known}). Profile its past with "
                "`airflow dq backfill`, or try --files on the files themselves."
            )
        keys = keys[-(newest or len(keys)) :]
        loaded, restarts = _eras(repository, dataset, len(keys) if newest else len(listed), keys[0])
        eligible = frozenset(loaded)
        # What a program is tried on: loaded with all that is kept of it.
        trained = sorted(eligible, key=order_key)[-RETENTION.with_injected_errors :]
        # Partitions that failed are no history for the gate, and are judged by a backtest all the same.
        for key in keys:
            if key not in loaded or key in trained:
                found = repository.load_profile(dataset, key)
                if found is not None:
                    loaded[key] = found
        decisions: dict[str, Decision] = dict.fromkeys(restarts, "new_normal")
        decisions |= {line.partition: line.decision for line in listed if line.decision is not None}
        profiles = [loaded[key] for key in keys if key in loaded]
        events = [event for event in repository.calendar(dataset) if event.effect == "left_out"]
        left_out = frozenset(key for key in keys if any(event.covers(key) for event in events))
        answers = repository.answered_alarms(dataset)
        return cls(repository, dataset, profiles, decisions, eligible, answers, left_out)

    def reload(self, partition: str) -> Profile | None:
        """The profile with the states that are kept of it."""
        return self.repository.load_profile(self.dataset, partition)


def _eras(repository: Repository, dataset: str, limit: int, first: str) -> tuple[dict[str, Profile], list[str]]:
    """The partitions that the gate learns from, by key, and those at which a person has restarted its history.

    One load ends at the newest of these: what is before it was history once.

    :param limit: most partitions of one load
    :param first: key of the first partition that is asked for
    """
    loaded: dict[str, Profile] = {}
    restarts: list[str] = []
    before = _END
    while True:
        loaded |= {str(profile.partition): profile for profile in repository.load_history(dataset, before, limit)}
        start = repository.history_start(dataset, before)
        if start is None or order_key(start.partition) < order_key(first):
            return loaded, restarts
        restarts.append(start.partition)
        before = start.partition

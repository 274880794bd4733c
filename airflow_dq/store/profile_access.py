"""Profiles: attempts at them, storing and loading them, what is measured between them, and dropping old ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from airflow_dq.store import attempt as attempts
from airflow_dq.store import (
    distance_writer,
    drilled,
    profile_reader,
    profile_writer,
    prune,
    retention,
    total,
)
from airflow_dq.store.connected import Connected
from airflow_dq.store.summary import Pruned
from airflow_dq.store.transaction import run

if TYPE_CHECKING:
    from airflow_dq.check.model import Check
    from airflow_dq.drill.report import DrillReport
    from airflow_dq.metrics.descriptor import MetricValue
    from airflow_dq.profile.check.many_keys import KeyFolder
    from airflow_dq.profile.check.trial import SeenColumn
    from airflow_dq.profile.model import Profile
    from airflow_dq.store.summary import (
        AttemptStatus,
        WhereRead,
    )


class ProfileAccess(Connected):
    """What a profile job and a gate do with profiles."""

    def begin_attempt(
        self,
        dataset: str,
        partition: str,
        *,
        source: str | None = None,
        read_options: Mapping[str, str] | None = None,
        engine: str | None = None,
    ) -> int:
        """Start an attempt at profiling a partition; any earlier attempt at it can no longer write.

        :param source: path, table or query that is read
        :param read_options: reader options, kept with the attempt: no secrets
        :param engine: what reads, and its version
        :return: the attempt's id, greater than that of any earlier one
        """
        return self.begin_attempts(dataset, [partition], source=source, read_options=read_options, engine=engine)[
            partition
        ]

    def begin_attempts(
        self,
        dataset: str,
        partitions: Sequence[str],
        *,
        source: str | None = None,
        read_options: Mapping[str, str] | None = None,
        engine: str | None = None,
        place: Mapping[str, str] | None = None,
    ) -> dict[str, int]:
        """Start attempts at several partitions at once; their ids by partition.

        :param place: by what :meth:`where_read` tells where a partition was read
        """
        return run(self._engine, lambda c: attempts.begin(c, dataset, partitions, source, read_options, engine, place))

    def where_read(self, dataset: str, partition: str) -> WhereRead | None:
        """Where, and as what, the current profile's rows were read; None when there is no profile."""
        return run(self._engine, lambda c: attempts.where_read(c, dataset, partition))

    def save_profile(self, attempt: int, dataset: str, profile: Profile, *, tidy: bool = True) -> bool:
        """Make this the partition's current profile, all of it or nothing, and end the attempt.

        :param tidy: False when the caller saves several profiles and calls :meth:`tidy` itself
        :return: False when the same content was stored already, and only its times and attempt changed
        :raises StaleAttemptError: when a newer attempt at the partition has started
        """
        changed = run(self._engine, lambda c: profile_writer.save(c, attempt, dataset, profile))
        self._states.keep_all(profile)
        if tidy:
            self.tidy(dataset)
        return changed

    def save_profiles(self, dataset: str, profiles: Mapping[int, Profile]) -> None:
        """Make these the current profiles of their partitions, all of them or none, and end the attempts.

        :param profiles: by the attempts at them; the caller calls :meth:`tidy` itself
        :raises StaleAttemptError: when a newer attempt at one of the partitions has started
        """
        run(self._engine, lambda c: profile_writer.save_all(c, dataset, profiles))
        for profile in profiles.values():
            self._states.keep_all(profile)

    def import_profiles(self, profiles: Callable[[], Iterable[tuple[str, Profile]]]) -> int:
        """Store profiles that were exported, each as a new attempt at its partition: all of them, or nothing.

        :param profiles: gives (dataset, profile); asked again should the connection die
        :return: how many of them are new, or have other content than what was stored
        """
        datasets: set[str] = set()

        def work(connection: Connection) -> int:
            changed = 0
            for dataset, profile in profiles():
                key = str(profile.partition)
                attempt = attempts.begin(connection, dataset, [key], "import", None, None)[key]
                changed += profile_writer.save(connection, attempt, dataset, profile)
                datasets.add(dataset)
            return changed

        stored = run(self._engine, work)
        for dataset in sorted(datasets):
            self.tidy(dataset)
        return stored

    def update_totals(
        self, dataset: str, checks: Sequence[Check], changed: Sequence[str], folder: KeyFolder | None = None
    ) -> int:
        """Measure the totals of checks anew, from the first of some partitions on; how many were merged for that.

        :param folder: where keys are that are too many to be stored here
        """
        return run(self._engine, lambda c: total.update_totals(c, dataset, checks, changed, folder))

    def tidy(self, dataset: str) -> None:
        """Drop the states and injected errors of old partitions, once the distances that need them are stored."""
        retention.tidy(self._engine, dataset, self._states)

    def fail_attempt(self, attempt: int, error: str) -> None:
        """Record in a sentence why an attempt failed; the partition keeps the profile it had."""
        run(self._engine, lambda c: attempts.fail(c, attempt, error))

    def attempt_status(self, dataset: str, partition: str) -> AttemptStatus | None:
        """The newest attempt at a partition, or None when there was none."""
        return run(self._engine, lambda c: attempts.status(c, dataset, partition))

    def seen_columns(self, dataset: str) -> list[SeenColumn]:
        """The columns that the newest partitions of a dataset have, whatever became of these, each with its types."""
        return run(self._engine, lambda c: profile_reader.seen_columns(c, dataset))

    def load_profile(self, dataset: str, partition: str, *, variants: bool = True) -> Profile | None:
        """The current profile of a partition, with its states and variants as far as they are kept, or None.

        :param variants: False leaves them out; they are most of what there is to read
        """
        return run(self._engine, lambda c: profile_reader.load(c, dataset, partition, variants=variants), snapshot=True)

    def save_drill(self, dataset: str, report: DrillReport) -> None:
        """Keep which slices carry a partition's change, with its current profile and as long as its states.

        :raises StoreError: when there is no profile of the partition
        """
        run(self._engine, lambda c: drilled.save(c, dataset, report))

    def load_drill(self, dataset: str, partition: str) -> DrillReport | None:
        """What :meth:`save_drill` kept of the partition's current profile, or None."""
        return run(self._engine, lambda c: drilled.load(c, dataset, partition))

    def load_history(self, dataset: str, before: str, limit: int) -> list[Profile]:
        """What a partition is judged against: the newest ``limit`` eligible profiles before it, oldest first.

        Eligible is a partition that was never judged, passed, is warming up, or was accepted by a person; not one
        that failed, could not be judged or was rejected, also when it was profiled anew with other content since, and
        nothing before the partition that a person has called the new normal.  Only the
        newest has its variants.  It has its states, as have the partitions that it and the next one are compared with,
        and every one that is needed for a two-distribution metric which is not stored.
        """
        return run(self._engine, lambda c: profile_reader.history(c, dataset, before, limit), snapshot=True)

    def load_like_days(self, dataset: str, before: str, limit: int, *, every: bool = False) -> list[Profile]:
        """Eligible partitions before the history of a partition that stand at its place in the calendar, oldest first.

        With them come the days around each, which say what was to be expected of it, and those of the beginnings and
        ends of months within the history; all without states and variants.  Nothing where keys are no dates.

        :param limit: the most partitions of the history, as for :meth:`load_history`
        :param every: for places like the 15th of a month too, which are no beginning and no end
        """
        return run(
            self._engine, lambda c: profile_reader.like_days(c, dataset, before, limit, every=every), snapshot=True
        )

    def save_distances(
        self, dataset: str, profiles: Sequence[Profile], measured: Mapping[tuple[str, str], Mapping[str, MetricValue]]
    ) -> int:
        """Keep the distances that have been measured between some profiles; the number of columns that changed.

        :param measured: by the fingerprints of a column and its baseline, as
            :attr:`airflow_dq.learn.history.distance.Distances.measured` gives them
        """
        return run(self._engine, lambda c: distance_writer.save_distances(c, dataset, profiles, measured))

    def unreadable_columns(self, dataset: str, partition: str) -> tuple[str, ...]:
        """The columns of a partition whose stored values or statistics are damaged."""
        return run(self._engine, lambda c: profile_reader.unreadable_columns(c, dataset, partition))

    def prune(self, keep: int, dataset: str | None = None, say: Callable[[str, Pruned], None] | None = None) -> Pruned:
        """Drop all but the newest ``keep`` partitions, by key, of one dataset or of all.

        With a partition go its attempts, profile, program, verdict and alerts; decisions stay in the audit trail.
        It is done in many small transactions, with a rest as long as each: no gate waits for it, and what was
        interrupted is finished by the next call.  Partitions without a key are neither counted nor dropped.

        :param keep: at least 1
        :param say: called with the name of each dataset that is done, and what was dropped of it
        :raises StoreError: when the dataset is unknown, nothing would be kept, or too little for a dataset's gate to
            learn from: then nothing is dropped of any dataset
        """
        return prune.prune(self._engine, keep, dataset, say)

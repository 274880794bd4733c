"""The store as its callers see it: the few things the product does with its database, one transaction each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sqlalchemy import Engine

from airflow_dq.store import attempt as attempts
from airflow_dq.store import judgement, pair_cache, profile_reader, profile_writer, status
from airflow_dq.store.address import describe
from airflow_dq.store.transaction import run

if TYPE_CHECKING:
    from airflow_dq.profile.model import Profile
    from airflow_dq.program.model import Program, Verdict
    from airflow_dq.store.summary import AttemptStatus, DatasetSummary, PartitionSummary


class Repository:
    """The statistics database; :func:`airflow_dq.store.open_store` makes one.

    Every method raises :class:`~airflow_dq.exceptions.StoreUnreachableError` when the connection is lost and cannot
    be made again, and :class:`~airflow_dq.exceptions.StoreError` when the database refuses.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __repr__(self) -> str:
        """Names the database, never the password."""
        return f"<Repository of the {describe(self._engine.url)}>"

    def __enter__(self) -> Self:
        """The repository itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections; the repository can still be used and then makes new ones."""
        self._engine.dispose()

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
    ) -> dict[str, int]:
        """Start attempts at several partitions at once; their ids by partition."""
        return run(self._engine, lambda c: attempts.begin(c, dataset, partitions, source, read_options, engine))

    def save_profile(self, attempt: int, dataset: str, profile: Profile) -> bool:
        """Make this the partition's current profile, all of it or nothing, and end the attempt.

        :return: False when the same content was stored already, and only its times and attempt changed
        :raises StaleAttemptError: when a newer attempt at the partition has started
        """
        return run(self._engine, lambda c: profile_writer.save(c, attempt, dataset, profile))

    def fail_attempt(self, attempt: int, error: str) -> None:
        """Record in a sentence why an attempt failed; the partition keeps the profile it had."""
        run(self._engine, lambda c: attempts.fail(c, attempt, error))

    def attempt_status(self, dataset: str, partition: str) -> AttemptStatus | None:
        """The newest attempt at a partition, or None when there was none."""
        return run(self._engine, lambda c: attempts.status(c, dataset, partition))

    def load_profile(self, dataset: str, partition: str) -> Profile | None:
        """The current profile of a partition, with its states and variants, or None."""
        return run(self._engine, lambda c: profile_reader.load(c, dataset, partition))

    def load_history(self, dataset: str, before: str, limit: int) -> list[Profile]:
        """What a partition is judged against: the newest ``limit`` eligible profiles with lesser keys, oldest first.

        Eligible is a partition that was never judged, passed, is warming up, or was accepted by a person; not one
        that failed or was rejected.  Variants are those of the newest; states are there for the newest two, and
        wherever a two-distribution metric of consecutive partitions is not cached.
        """
        return run(self._engine, lambda c: profile_reader.history(c, dataset, before, limit))

    def save_pairs(self, dataset: str, profiles: Sequence[Profile]) -> int:
        """Keep the two-distribution metrics that were computed on these profiles; the number of columns changed."""
        return run(self._engine, lambda c: pair_cache.save_pairs(c, dataset, profiles))

    def save_judgement(
        self, dataset: str, profile: Profile, program: Program | None, verdict: Verdict, *, inputs: str | None = None
    ) -> None:
        """Make this the current judgement of the profile's partition; the same again changes only its time.

        :param program: what it was judged by; None when none could be synthesized
        :param inputs: digest of what the program was synthesized from
        :raises StaleAttemptError: when the partition was profiled anew with other content in the meantime
        """
        run(self._engine, lambda c: judgement.save(c, dataset, profile, program, verdict, inputs))

    def load_verdict(self, dataset: str, partition: str) -> Verdict | None:
        """The verdict on the partition's current profile; None when that one was not judged."""
        return run(self._engine, lambda c: judgement.load_verdict(c, dataset, partition))

    def load_program(self, dataset: str, partition: str, *, inputs: str | None = None) -> Program | None:
        """The program the partition was judged by; with ``inputs``, only if it was synthesized from these."""
        return run(self._engine, lambda c: judgement.load_program(c, dataset, partition, inputs))

    def datasets(self) -> list[DatasetSummary]:
        """Every dataset, by name."""
        return run(self._engine, status.datasets)

    def partitions(self, dataset: str, limit: int = 30) -> list[PartitionSummary]:
        """The newest partitions of a dataset that were at least attempted, newest first."""
        return run(self._engine, lambda c: status.partitions(c, dataset, limit))

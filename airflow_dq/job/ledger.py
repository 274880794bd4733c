"""What becomes of the partitions of a job, whatever engine reads them: each is stored or failed, none is forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from airflow_dq.corruption.variant import WITH_VARIANTS
from airflow_dq.exceptions import DQError
from airflow_dq.explain.wording import listed
from airflow_dq.job.outcome import Outcome
from airflow_dq.options.job import JobSpec
from airflow_dq.profile.model import Profile
from airflow_dq.profile.remark import LOOKS_NUMERIC, numeric_share
from airflow_dq.store import Repository
from airflow_dq.store.retention import AT_ONCE


class Ledger:
    """The partitions of one job, from the beginning of their attempts to their ends.

    The newest are kept back until :meth:`finish`: only they get injected errors, and which they are is known then.
    """

    def __init__(self, store: Repository, spec: JobSpec, say: Callable[[str], None]) -> None:
        self._store = store
        self._spec = spec
        self._dataset = spec.dataset
        self._say = say
        self._attempts: dict[str, int] = {}
        self._newest: list[tuple[Profile, Outcome]] = []
        self._outcomes: dict[str, Outcome] = {}

    def begin(self, partitions: Sequence[str], *, source: str, read_options: Mapping[str, str], engine: str) -> None:
        """Begin an attempt at each partition; see :meth:`airflow_dq.store.Repository.begin_attempts`."""
        self._say(f"{self._dataset}: {len(partitions)} partition(s) to profile from {source}")
        self._attempts = self._store.begin_attempts(
            self._dataset, partitions, source=source, read_options=read_options, engine=engine
        )

    @contextmanager
    def closing(self) -> Iterator[None]:
        """Fails what the block leaves unfinished when it ends with an error."""
        try:
            yield
        except BaseException as error:
            for key in self._attempts.keys() - self._outcomes.keys():
                self._store.fail_attempt(self._attempts[key], f"The job ended: {type(error).__name__}: {error}")
            raise

    def keep(self, profile: Profile, seconds: float, skipped: Mapping[str, str] | None = None) -> None:
        """Take a scanned partition, and store the one that is then no longer among the newest.

        :param seconds: time that was spent on it
        :param skipped: columns that are not in the profile, and why
        """
        refused = self._spec.unhidden(profile.columns)
        if refused is not None:
            self.fail(profile.partition or "", refused)
            return
        noted = {column.name: str(column.note) for column in profile.columns.values() if not column.in_full}
        full = len(profile.columns) - len(noted)
        outcome = Outcome(profile.partition or "", profile.row_count, full, {**(skipped or {}), **noted}, seconds)
        self._newest.append((profile, outcome))
        self._newest.sort(key=lambda kept: kept[1].partition)
        if len(self._newest) > WITH_VARIANTS:
            self._save(*self._newest.pop(0))

    def fail(self, key: str, error: str, trace: str | None = None) -> None:
        """Record that a partition cannot be profiled, and why."""
        where = f"Dataset {self._dataset!r}, partition {key!r}"
        error = error if error.startswith("Dataset ") else f"{where}: {error}"
        self._store.fail_attempt(self._attempts[key], error)
        self._end(Outcome(key, error=error, trace=trace))

    def finish(self, inject: Callable[[list[Profile]], list[Profile]]) -> list[Outcome]:
        """Store the newest.

        :param inject: gives these profiles with their injected errors, in the same order
        :return: what became of each partition, in the order of their keys
        """
        if self._newest:
            self._remark(self._newest[-1][0])
        profiles = inject([profile for profile, _ in self._newest])
        self._newest = [(profile, outcome) for profile, (_, outcome) in zip(profiles, self._newest, strict=True)]
        while self._newest:
            self._save(*self._newest.pop(0))
        self._store.tidy(self._dataset)
        return [self._outcomes[key] for key in sorted(self._outcomes)]

    def _remark(self, profile: Profile) -> None:
        """Say which columns of a text file are numbers to a reader but not to the metrics."""
        if self._spec.format.lower() != "csv" or "inferschema" in map(str.lower, self._spec.options):
            return
        shares = {column.name: numeric_share(column.states) for column in profile.columns.values()}
        names = [repr(name) for name, share in shares.items() if share is not None and share >= LOOKS_NUMERIC]
        if names:
            self._say(
                f"{self._dataset} {profile.partition}: {listed(names)} read as numbers and are profiled as text, for a "
                "CSV file has no types. For the metrics of numbers let Spark find the types (read option "
                "inferSchema=true, not with engine='arrow'), or write Parquet."
            )

    def is_open(self, key: str) -> bool:
        """Whether a partition is neither scanned nor failed."""
        return key not in self._outcomes and all(outcome.partition != key for _, outcome in self._newest)

    def _save(self, profile: Profile, outcome: Outcome) -> None:
        try:
            self._store.save_profile(self._attempts[outcome.partition], self._dataset, profile, tidy=False)
        except DQError as error:
            self.fail(outcome.partition, str(error))
        else:
            self._end(outcome)

    def _end(self, outcome: Outcome) -> None:
        self._outcomes[outcome.partition] = outcome
        done, total = len(self._outcomes), len(self._attempts)
        if done % AT_ONCE == 0:
            self._store.tidy(self._dataset)
        # About twenty lines, however many partitions.
        if done == total or done * 20 // total > (done - 1) * 20 // total:
            failed = sum(known.error is not None for known in self._outcomes.values())
            self._say(f"profiled {done - failed}/{total} partitions" + (f", {failed} failed" if failed else ""))

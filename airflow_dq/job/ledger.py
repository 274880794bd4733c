"""What becomes of the partitions of a job, whatever engine reads them: each is stored or failed, none is forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from airflow_dq.engine.base import Origin, ScanResult
from airflow_dq.engine.csv_text import settles_types
from airflow_dq.engine.order import where_of
from airflow_dq.exceptions import ConfigurationError, DQError, StoreError, said_of
from airflow_dq.explain.wording import listed
from airflow_dq.job.keeper import Keeper
from airflow_dq.job.outcome import Outcome
from airflow_dq.learn.between import rules_to_try
from airflow_dq.learn.relation import mine_profile
from airflow_dq.options.job import JobSpec
from airflow_dq.options.key import order_key, require_trimmed
from airflow_dq.options.retention import AT_ONCE, COLUMNS_AT_ONCE
from airflow_dq.profile.check.many_keys import KeyFolder
from airflow_dq.profile.check.tallies import Tallies
from airflow_dq.profile.check.total import kept_for_totals, of_totals
from airflow_dq.profile.model import Profile
from airflow_dq.profile.remark import looking_numeric


class Ledger:
    """The partitions of one job, from the beginning of their attempts to their ends.

    The newest are kept back until :meth:`finish`: only they get injected errors, and which they are is known then.
    """

    def __init__(self, store: Keeper, spec: JobSpec, say: Callable[[str], None], with_errors: int) -> None:
        """Open the ledger of an order.

        :param with_errors: number of newest partitions that get injected errors
        """
        self._store = store
        self._spec = spec
        self._dataset = spec.dataset
        self._say = say
        self._with_errors = with_errors
        self._attempts: dict[str, int] = {}
        self._refused: dict[str, str] = {}
        self._newest: list[tuple[Profile, Outcome]] = []
        self._waiting: dict[str, tuple[Profile, Outcome]] = {}
        self._outcomes: dict[str, Outcome] = {}
        self._kept: dict[str, Tallies] = {}

    def begin(self, partitions: Sequence[str], origin: Origin) -> None:
        """Begin an attempt at each partition; see :meth:`airflow_dq.store.Repository.begin_attempts`."""
        self._say(f"{self._dataset}: {len(partitions)} partition(s) to profile from {origin.source}")
        self._refused = {key: refused for key in partitions if (refused := self._why_not(key)) is not None}
        self._attempts = self._store.begin_attempts(
            self._dataset,
            [key for key in partitions if key not in self._refused],
            source=origin.source,
            read_options=origin.read_options,
            engine=origin.engine,
            place=origin.place,
        )

    def _why_not(self, key: str) -> str | None:
        """Why there cannot be a partition with this key, if there cannot."""
        try:
            require_trimmed(key, f"partition of dataset {self._dataset!r}")
        except ConfigurationError as error:
            return str(error)
        return None

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Records why there is nothing to begin, for a gate that waits: where the order names its partition."""
        try:
            yield
        except Exception as error:
            key = self._spec.key
            with suppress(DQError):  # the error that counts is the first one
                begun = {} if key is None else self._store.begin_attempts(self._dataset, [key])
                for attempt in begun.values():
                    said = said_of(error, discreet=self._spec.profile_options.discreet)
                    self._store.fail_attempt(attempt, said)
            raise

    @contextmanager
    def closing(self) -> Iterator[None]:
        """Fails what the block leaves unfinished when it ends with an error."""
        try:
            yield
        except BaseException as error:
            if not isinstance(error, StoreError):
                with suppress(BaseException):  # the error that counts is the first one
                    self._store_what_can_be()
            for key in self._attempts.keys() - self._outcomes.keys():
                said = said_of(error, discreet=self._spec.profile_options.discreet)
                self._store.fail_attempt(self._attempts[key], f"The job ended: {said}")
            raise

    def take(self, result: ScanResult) -> None:
        """Take a scanned partition, and store the one that is then no longer among the newest."""
        profile = result.profile
        if result.partition in self._refused:
            self._end(Outcome(result.partition, error=self._refused[result.partition], retryable=False))
            return
        if profile is None:
            self._fail(result.partition, result.error or "", retryable=result.retryable, traceback=result.traceback)
            return
        refused = self._spec.unhidden(profile.columns)
        if refused is not None:
            self._fail(result.partition, refused, retryable=False)
            return
        noted = {column.name: str(column.remark) for column in profile.columns.values() if not column.in_full}
        full = len(profile.columns) - len(noted)
        skipped = {**result.skipped, **noted}
        outcome = Outcome(result.partition, profile.row_count, full, skipped, result.seconds)
        # Of what was counted only what totals are made of is needed any longer, and not where errors are injected.
        self._kept[result.partition] = kept_for_totals(profile)
        profile = replace(profile, tallies={})
        self._newest.append((profile, outcome))
        self._newest.sort(key=lambda kept: order_key(kept[1].partition))
        if len(self._newest) > self._with_errors:
            self._save(*self._newest.pop(0))

    def _fail(self, key: str, error: str, *, retryable: bool, traceback: str | None = None) -> None:
        """Record that a partition cannot be profiled, and why."""
        error = error if error.startswith("Dataset ") else f"{where_of(self._spec, key)}: {error}"
        self._store.fail_attempt(self._attempts[key], error)
        self._end(Outcome(key, error=error, traceback=traceback, retryable=retryable))

    def finish(self, inject: Callable[[Sequence[Profile]], list[Profile]], keys: KeyFolder | None) -> list[Outcome]:
        """Store the newest.

        :param inject: the same profiles with their injected errors
        :param keys: the folder for keys that are too many for the database
        :return: what became of each partition, in the order of their keys
        """
        if self._newest:
            self._remark(self._newest[-1][0])
        drawn = [profile for profile, _ in self._newest]
        injected = inject(drawn)
        outcomes = [outcome for _, outcome in self._newest]
        self._newest = []
        for profile, outcome in zip(injected, outcomes, strict=True):
            self._save(profile, outcome)
        self._store_waiting()
        self._look_between(drawn)
        for profile in drawn:
            self._look_for_relations(profile)
        saved = [key for key, outcome in self._outcomes.items() if outcome.error is None]
        if of_totals(self._spec.checks) and saved:
            merged = self._store.update_totals(self._dataset, self._spec.checks, saved, keys)
            self._say(f"{self._dataset}: totals over all partitions, of which {merged} were merged")
        self._store.tidy(self._dataset)
        return [self._outcomes[key] for key in sorted(self._outcomes, key=order_key)]

    def _look_between(self, drawn: Sequence[Profile]) -> None:
        """Keep what rows have in common, within partitions and from one to the next, for later ones to be held to."""
        try:
            added = self._store.add_between(self._dataset, rules_to_try(drawn, self._dataset))
        except Exception as error:
            # Whatever it is, the profiles are stored, and nothing is judged by what was not found.
            said = said_of(error, discreet=self._spec.profile_options.discreet)
            self._say(f"{self._dataset}: relations between rows could not be looked for: {said}")
            return
        if added:
            self._say(f"{self._dataset}: {added} relation(s) between rows will be counted from the next partition on")

    def _look_for_relations(self, profile: Profile) -> None:
        """Keep what holds between the columns of the rows that were drawn, for later partitions to be held against."""
        where = where_of(self._spec, profile.partition)
        try:
            added = self._store.add_relations(self._dataset, mine_profile(profile, self._dataset))
        except Exception as error:
            # Whatever it is, the profile is stored, and nothing is judged by what was not found.
            said = said_of(error, discreet=self._spec.profile_options.discreet)
            self._say(f"{where}: relations between columns could not be looked for: {said}")
            return
        if added:
            self._say(f"{where}: {added} relation(s) between columns found, see `airflow dq rules {self._dataset}`")

    def _remark(self, profile: Profile) -> None:
        """Say which columns of a text file are numbers to a reader but not to the metrics."""
        if self._spec.format.lower() != "csv" or settles_types(self._spec.options):
            return
        names = list(map(repr, looking_numeric(profile)))
        if names:
            self._say(
                f"{self._dataset} {profile.partition}: {listed(names)} read as numbers and are profiled as text, with "
                "mean, spread, least and largest of the numbers, for a CSV file has no types. For all metrics of "
                "numbers let Spark find the types (read option inferSchema=true, not with engine='arrow'), or write "
                "Parquet."
            )

    def _save(self, profile: Profile, outcome: Outcome) -> None:
        key = outcome.partition
        self._waiting[key] = replace(profile, tallies=self._kept.pop(key).by_group), outcome
        columns = sum(len(one.columns) for one, _ in self._waiting.values())
        if len(self._waiting) >= AT_ONCE or columns >= COLUMNS_AT_ONCE:
            self._store_waiting()

    def _store_waiting(self) -> None:
        """Store what waits together, or one after the other where that cannot be: none is lost through another."""
        waiting = list(self._waiting)
        if waiting and not self._store_together(waiting):
            for key in waiting:
                self._store_together([key])

    def _store_together(self, keys: Sequence[str]) -> bool:
        """Store all of some that wait, or none and return False; one that cannot be stored by itself has failed."""
        try:
            self._store.save_profiles(self._dataset, {self._attempts[key]: self._waiting[key][0] for key in keys})
        except DQError as error:
            if len(keys) > 1:
                return False
            (key,) = keys
            del self._waiting[key]
            self._fail(key, str(error), retryable=error.retryable)
            return True
        for key in keys:
            self._end(self._waiting.pop(key)[1])
        return True

    def _store_what_can_be(self) -> None:
        """Store what waits, as a job ends with an error: what had been profiled by then is kept."""
        for key in tuple(self._waiting):
            with suppress(Exception):
                self._store_together([key])

    def _end(self, outcome: Outcome) -> None:
        self._outcomes[outcome.partition] = outcome
        done, total = len(self._outcomes), len(self._attempts) + len(self._refused)
        if done % AT_ONCE == 0:
            self._store.tidy(self._dataset)
        # About twenty lines, however many partitions.
        if done == total or done * 20 // total > (done - 1) * 20 // total:
            failed = sum(known.error is not None for known in self._outcomes.values())
            self._say(f"profiled {done - failed}/{total} partitions" + (f", {failed} failed" if failed else ""))

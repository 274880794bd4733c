"""A profile job from its order to the stored profiles: each partition by itself, none lost through another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice

from pyspark.errors import PythonException
from pyspark.sql import SparkSession

from airflow_dq.corruption.variant import WITH_VARIANTS
from airflow_dq.engine.spark.combined_scan import open_together
from airflow_dq.engine.spark.direct import DirectPart, open_direct
from airflow_dq.engine.spark.direct_scan import scan_directly, tiny_lanes
from airflow_dq.engine.spark.failure import SPARK_ERRORS, explain, named_file, same_place
from airflow_dq.engine.spark.progress import progress
from airflow_dq.engine.spark.reader import describe
from airflow_dq.engine.spark.scan import compute_variants, scan
from airflow_dq.engine.spark.source import Part, Place, locate, open_by_column, open_part
from airflow_dq.engine.worker.task import Partial
from airflow_dq.exceptions import DQError, EnvironmentMismatchError
from airflow_dq.job.ledger import Ledger
from airflow_dq.job.outcome import Outcome, remarks
from airflow_dq.options.job import JobSpec
from airflow_dq.profile.model import Profile
from airflow_dq.store import Repository

_OPENERS = 4
_SECRET = re.compile(r"pass|secret|token|credential|key|auth", re.IGNORECASE)


class ProfileJob:
    """One job: ``ProfileJob(...).run()``."""

    def __init__(self, spark: SparkSession, spec: JobSpec, store: Repository, say: Callable[[str], None]) -> None:
        self._spark = spark
        self._spec = spec
        self._say = say
        self._options = spec.profile_options
        self._skipped: dict[str, Mapping[str, str]] = {}
        self._ledger = Ledger(store, spec, say)
        self._unsampled: dict[str, DirectPart] = {}

    def run(self) -> list[Outcome]:
        """Profile and store every partition of the order.

        A partition that fails is recorded and the others go on.

        :return: what became of each partition, in the order of their keys
        :raises DQError: when there is nothing to profile: the source as a whole is missing, empty or unreadable
        """
        with self._ledger.closing(), progress(self._spark, self._say):
            self._scan(self._open())
            return self._ledger.finish(self._inject)

    def _open(self) -> list[Part]:
        """Begin the attempts and open every partition; those that cannot be opened are recorded."""
        places = locate(self._spark, self._spec)
        if places is None:
            part = open_by_column(self._spark, self._spec, self._options)
            self._begin(part.keys)
            parts = [part]
        else:
            self._begin(tuple(places))
            self._scan_directly(places)
            places = {key: place for key, place in places.items() if self._ledger.is_open(key)}
            parts = open_together(self._spark, self._spec, self._options, places)
            opened_already = {key for part in parts for key in part.keys}
            with ThreadPoolExecutor(_OPENERS) as pool:
                left = [(key, place) for key, place in places.items() if key not in opened_already]
                opened = [pool.submit(self._open_one, key, place) for key, place in left]
            parts += [part for one in opened for part in one.result()]
        for part in parts:
            for key in part.keys:
                self._skipped[key] = {**self._skipped.get(key, {}), **part.skipped}
        return parts

    def _begin(self, partitions: Sequence[str]) -> None:
        options = {name: "***" if _SECRET.search(name) else value for name, value in self._spec.options.items()}
        self._ledger.begin(
            partitions,
            source=describe(self._spec),
            read_options={"format": self._spec.format, **options},
            engine=f"spark {self._spark.version}",
        )
        for note in remarks(partitions):
            self._say(f"{self._spec.dataset}: {note}")

    def _open_one(self, key: str, place: Place) -> list[Part]:
        try:
            return open_part(self._spark, self._spec, self._options, key, place)
        except DQError as error:
            self._ledger.fail(key, str(error))
            return []

    def _scan_directly(self, places: Mapping[str, Place]) -> None:
        """Profile the partitions whose files the tasks can read by themselves; what fails is left to Spark's reader."""
        parts, refused = open_direct(self._spark, self._spec, self._options, places)
        for key, reason in islice(refused.items(), 1):
            self._say(f"{self._spec.dataset}: {len(refused)} partition(s) go through Spark's reader; {key!r}: {reason}")
        if not parts:
            return
        self._say(f"{self._spec.dataset}: {len(parts)} partition(s) are read by the tasks themselves")
        lanes = tiny_lanes(self._spark, parts) if len(places) <= WITH_VARIANTS else 0
        newest = sorted(places)[-WITH_VARIANTS:]
        parts = [replace(part, sampled=part.key in newest) for part in parts]
        self._unsampled = {part.key: part for part in parts if not part.sampled}
        try:
            for key, partial in scan_directly(self._spark, parts, self._options, lanes):
                self._take(key, partial)
        except SPARK_ERRORS:
            # If it is for good, it comes up again when Spark reads them, and is explained there.
            self._say(f"{self._spec.dataset}: that has failed, and Spark reads those that are left")

    def _scan(self, parts: list[Part]) -> None:
        """Scan the parts in one job; when Spark fails, again without the partition at fault, or in halves."""
        waiting = [parts]
        while waiting:
            batch = [part.only(rest) for part in waiting.pop() if (rest := self._unfinished(part))]
            if not batch:
                continue
            try:
                for key, partial in scan(self._spark, batch, self._options):
                    self._take(key, partial)
            except PythonException as error:
                raise _worker_failure(error) from error
            except SPARK_ERRORS as error:
                waiting += self._divide(batch, error)

    def _divide(self, parts: list[Part], error: Exception) -> list[list[Part]]:
        """What to try next after a failure; a single partition has failed for good."""
        rest = {key: part.place(key) for part in parts for key in self._unfinished(part)}
        if len(rest) == 1:
            for key, place in rest.items():
                self._ledger.fail(key, str(explain(error, self._where(key), place)))
        if len(rest) <= 1:
            return []
        file, keys = named_file(error), list(rest)
        guilty = {key for key, place in rest.items() if file is not None and same_place(file, place)}
        if not guilty or len(guilty) == len(rest):
            guilty = set(keys[len(keys) // 2 :])
        # All parts of a partition stay together: its profile is that of all of them.
        return [_only(parts, rest.keys() - guilty), _only(parts, guilty)]

    def _unfinished(self, part: Part) -> tuple[str, ...]:
        return tuple(key for key in part.keys if self._ledger.is_open(key))

    def _take(self, key: str, partial: Partial) -> None:
        if partial.state is None:
            self._ledger.fail(key, f"{self._where(key)}: {partial.problem}", partial.trace)
        else:
            self._ledger.keep(partial.profile(key, self._options), partial.seconds, self._skipped.get(key))

    def _inject(self, profiles: list[Profile]) -> list[Profile]:
        computed = compute_variants(self._spark, list(self._sampled(profiles)))
        done = {profile.partition: profile for profile in computed}
        self._say(f"storing the newest {len(profiles)} partitions")
        return [done.get(profile.partition, profile) for profile in profiles]

    def _sampled(self, profiles: Sequence[Profile]) -> Iterator[Profile]:
        """The profiles with rows drawn of them.

        Rows are drawn of the newest partitions only.  Where one of these has failed, an older one has taken its place,
        and is read again.
        """
        lacking = [profile.partition or "" for profile in profiles if _lacks_rows(profile)]
        again: dict[str, Partial] = {}
        try:
            parts = [replace(self._unsampled[key], sampled=True) for key in lacking]
            again.update(scan_directly(self._spark, parts, self._options) if parts else ())
        except SPARK_ERRORS as error:
            self._say(f"{self._spec.dataset}: {error}")
        for profile in profiles:
            found = again.get(profile.partition or "")
            if found is not None and found.state is not None:
                yield replace(profile, sample=found.state.sample)
            elif profile.partition not in lacking:
                yield profile
            else:
                self._say(f"{self._where(profile.partition)} cannot be read again: it has no injected errors")

    def _where(self, key: str | None) -> str:
        return f"Dataset {self._spec.dataset!r}, partition {key!r}"


def _only(parts: Sequence[Part], keys: Set[str]) -> list[Part]:
    """The parts, as far as they are of these partitions."""
    return [part.only(chosen) for part in parts if (chosen := tuple(key for key in part.keys if key in keys))]


def _lacks_rows(profile: Profile) -> bool:
    """Whether no rows were drawn of the partition that were to be."""
    return profile.sample is not None and profile.sample.size != profile.options.sample_rows


def _worker_failure(error: PythonException) -> Exception:
    """A failure of a Python worker outside a partition's own code concerns all partitions."""
    missing = re.search(r"ModuleNotFoundError: No module named '(\w+)", str(error))
    if missing is None:
        return error
    return EnvironmentMismatchError(
        f"The Python of Spark's executors lacks the module {missing[1]!r}: install numpy and pyarrow there, or point "
        "PYSPARK_PYTHON at a Python that has them."
    )

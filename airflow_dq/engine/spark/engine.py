"""A cluster as an engine: tasks read plain Parquet by themselves, Spark's reader all the rest, in one job each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import islice

import pyarrow as pa
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession

from airflow_dq.check.model import Check
from airflow_dq.engine.base import Engine, Origin, ScanResult
from airflow_dq.engine.drawn import is_plain, together
from airflow_dq.engine.key_folder import EngineKeys
from airflow_dq.engine.naming import require_key
from airflow_dq.engine.order import (
    describe,
    lacks_key_column,
    place_of,
    read_options,
    require_partition,
    where_of,
    with_key_column,
)
from airflow_dq.engine.spark.combined_scan import open_combined
from airflow_dq.engine.spark.direct import Direct, DirectPartition, open_direct
from airflow_dq.engine.spark.direct_scan import lanes_if_tiny, scan_directly
from airflow_dq.engine.spark.failure import SPARK_ERRORS, cluster_fault, explain, named_file, same_place
from airflow_dq.engine.spark.key_folder import SparkKeyFolder
from airflow_dq.engine.spark.listing import Listing, log_above, look_again, strays
from airflow_dq.engine.spark.progress import progress
from airflow_dq.engine.spark.reader import is_tiny
from airflow_dq.engine.spark.scan import compute_variants, scan
from airflow_dq.engine.spark.source import (
    PartitionRows,
    Place,
    arrow_field,
    locate,
    open_by_column,
    open_partition,
    parts_of,
)
from airflow_dq.engine.spark.table_partition import own_columns
from airflow_dq.engine.table_log import LOGGED, TableLog
from airflow_dq.engine.worker.failing import FAILING_DDL, failing_batches
from airflow_dq.engine.worker.files import Place as Store
from airflow_dq.engine.worker.parquet import RowGroups
from airflow_dq.engine.worker.partial import Partial
from airflow_dq.exceptions import ConfigurationError, DQError, SparkLostError, said_of
from airflow_dq.options.job import JobSpec
from airflow_dq.options.key import order_key
from airflow_dq.profile.check.failed_rows import FailedRows
from airflow_dq.profile.check.failing import Sampled
from airflow_dq.profile.check.trial import joined
from airflow_dq.profile.model import Profile
from airflow_dq.profile.sample import RowSample

_OPENERS = 4
"""Partitions that are opened at once: each waits for the file system more than it computes."""


class SparkEngine(Engine):
    """One order on one Spark session."""

    def __init__(self, spark: SparkSession, order: JobSpec, say: Callable[[str], None]) -> None:
        """Take the order.

        :param say: takes lines about how far the job has come
        """
        super().__init__(order)
        self._spark = spark
        self._say = say
        # None when only the rows themselves tell to which partition they belong: then they are one source.
        self._places: Mapping[str, Place] | None = None
        self._by_column: PartitionRows | None = None
        self._waiting: set[str] = set()
        self._unsampled: dict[str, DirectPartition] = {}
        self._ahead: dict[str, Partial] = {}
        self._opened: Direct | None = None

    def partitions(self) -> tuple[str, ...]:
        """The keys of the order; see :meth:`Engine.partitions`."""
        look_again(self._spark)
        if lacks_key_column(self.order):
            where = where_of(self.order, self.order.key)
            own = own_columns(self._spark, self.order.table, where) if self.order.table else []
            self.order = with_key_column(self.order, own)
        self._places = locate(self._spark, self.order)
        if self._places is None:
            self._require_plain_source()
            self._by_column = open_by_column(self._spark, self.order, self.options)
            keys = self._by_column.keys
        else:
            keys = tuple(self._places)
        self._waiting = set(keys)
        return keys

    @property
    def remarks(self) -> tuple[str, ...]:
        """Files beside the partitions' folders."""
        if self.order.pattern is None or self.order.partition_by is not None:
            return ()
        try:
            places = (place for place in (self._places or {}).values() if isinstance(place, str))
            said = strays(self._spark, self.order.pattern, places)
        except SPARK_ERRORS:
            # Whoever may read the partitions need not be allowed to list what is beside them.
            return ()
        return () if said is None else (said,)

    @property
    def origin(self) -> Origin:
        """The source, as Spark reads it."""
        return Origin(
            describe(self.order), read_options(self.order), f"spark {self._spark.version}", place_of(self.order)
        )

    def schema(self, partition: str) -> pa.Schema:
        """What Spark's reader says; see :meth:`Engine.schema`."""
        try:
            return joined(part.schema for part in self._again(partition))
        except SPARK_ERRORS as error:
            raise explain(error, where_of(self.order, partition), describe(self.order)) from error

    def scan(self, with_errors: int) -> Iterator[ScanResult]:
        """Profile every partition; when Spark fails, the one at fault alone is lost.

        :param with_errors: rows are drawn of so many newest partitions only
        """
        with progress(self._spark, self._say):
            for result in self._results(with_errors):
                self._waiting.discard(result.partition)
                yield result

    def small(self) -> list[RowGroups]:
        """The row groups of the order's one partition, where it is small and a task can read it by itself."""
        places = self._places or {}
        if len(places) != 1:
            return []
        self._opened = open_direct(self._spark, self.order, self.options, places)
        return [
            one for part in self._opened.parts if is_tiny(part.size, len(part.files)) for one, _ in part.row_groups()
        ]

    def take(self, key: str, found: Partial) -> None:
        """What has been found of a partition of :meth:`small`, which is then not read again."""
        self._ahead[key] = found

    @property
    def store(self) -> Store | None:
        """The object store that what :meth:`small` has named is in; None: it is local."""
        return None if self._opened is None else self._opened.store

    def beside(self, order: JobSpec) -> Engine:
        """Another order on the same session."""
        return SparkEngine(self._spark, order, self._say)

    def inject(self, profiles: Sequence[Profile]) -> list[Profile]:
        """The profiles with injected errors, made by the executors."""
        with progress(self._spark, self._say):
            sampled = self._sampled(profiles)
            computed = iter(compute_variants(self._spark, [one for one in sampled if one is not None]))
            found = [profile if one is None else next(computed) for profile, one in zip(profiles, sampled, strict=True)]
        self._say(f"storing the newest {len(profiles)} partitions")
        return found

    def failing(self, partition: str, check: Check, size: int) -> FailedRows:
        """The rows; see :meth:`Engine.failing`."""
        where, found = where_of(self.order, partition), Sampled((), size)
        options = replace(self.options, columns=None, exclude=())
        for part in self._parts(partition):
            task = partial(failing_batches, names=part.names, options=options, check=check, size=size)
            try:
                pieces = part.frame.drop("key").mapInArrow(task, FAILING_DDL).collect()
            except SPARK_ERRORS as error:
                raise explain(error, where, part.location) from error
            for piece in pieces:
                if piece["problem"] is not None:
                    raise ConfigurationError(f"{where}: check {check.id!r} cannot be computed: {piece['problem']}.")
                found = found._with(Sampled.decode(json.loads(piece["rows"]), b""))
        return found.shown(check, self.order.checks)

    def _keys(self, folder: str) -> EngineKeys:
        return SparkKeyFolder(self._spark, folder, where_of(self.order), self._again)

    def drawn(self, partition: str, share: float) -> pa.Table:
        """The rows; see :meth:`Engine.drawn`."""
        found = []
        for part in self._parts(partition):
            fields = [arrow_field(part.frame.schema[f"c{n}"]) for n in range(len(part.names))]
            plain = [n for n, field in enumerate(fields) if field is not None and is_plain(field.type)]
            frame = part.frame.select(*(f"c{n}" for n in plain))
            if share < 1.0:
                frame = frame.sample(share, self.options.seed)
            try:
                table = _collected(frame)
            except SPARK_ERRORS as error:
                raise explain(error, where_of(self.order, partition), part.location) from error
            found.append(table.rename_columns([part.names[n] for n in plain]))
        return together(found)

    def _parts(self, partition: str) -> list[PartitionRows]:
        """The rows of one partition, to be read once more."""
        require_partition(self.partitions(), partition, where_of(self.order, partition))
        return self._again(partition)

    def _again(self, partition: str) -> list[PartitionRows]:
        """The rows of one of the partitions that have been asked for."""
        if self._by_column is not None:
            return [self._by_column.only((partition,))]
        return open_partition(self._spark, self.order, self.options, partition, (self._places or {})[partition])

    def _results(self, with_errors: int) -> Iterator[ScanResult]:
        if self._by_column is not None:
            yield from self._scan([self._by_column], with_errors)
            return
        places = self._places or {}
        yield from self._refused(places)
        places = {key: place for key, place in places.items() if key in self._waiting}
        yield from self._scan_directly(places, with_errors)
        places = {key: place for key, place in places.items() if key in self._waiting}
        sources = open_combined(self._spark, self.order, self.options, places)
        together = {key for source in sources for key in source.keys}
        alone = {key: place for key, place in places.items() if key not in together}
        with ThreadPoolExecutor(_OPENERS) as pool:
            opened = pool.map(lambda found: self._open(*found), alone.items())
        for found in opened:
            if isinstance(found, ScanResult):
                yield found
            else:
                sources += found
        yield from self._scan(sources, with_errors)

    def _require_plain_source(self) -> None:
        """Refuse files with rows of several partitions that are a part of a table with a log."""
        path = self.order.pattern or next(iter(self.order.paths.values()), "")
        where = where_of(self.order)
        log = self._log_above(path, {}, where) if self._reads_files else None
        if log is not None:
            raise log.refusal(where, path)

    def _log_above(self, path: str, known: dict[str, TableLog | None], where: str) -> TableLog | None:
        """The log of a table in whose folder a path lies.

        :raises DQError: when its file system cannot be looked at: a jar of it may be missing
        """
        try:
            return log_above(self._spark, path, known)
        except SPARK_ERRORS as error:
            raise explain(error, where, path) from error

    @property
    def _reads_files(self) -> bool:
        """Whether the order is about files of a format in which tables with a log keep their rows."""
        return not self.order.whole and self.order.format.lower() in LOGGED

    def _refused(self, places: Mapping[str, Place]) -> Iterator[ScanResult]:
        """The partitions without a key, and those of a table that says itself which files are its rows."""
        known: dict[str, TableLog | None] = {}
        for key, place in places.items():
            roots = place.roots if isinstance(place, Listing) else (place,)
            where = where_of(self.order, key)
            try:
                require_key(key, roots[0], where)
                logs = [self._log_above(root, known, where) for root in roots] if self._reads_files else []
                log = next((log for log in logs if log is not None), None)
                if log is not None:
                    raise log.refusal(where, roots[0])
            except SparkLostError:
                raise
            except DQError as error:
                yield ScanResult.failed(key, error, self.order)

    def _open(self, key: str, place: Place) -> list[PartitionRows] | ScanResult:
        try:
            return open_partition(self._spark, self.order, self.options, key, place)
        except SparkLostError:
            raise
        except DQError as error:
            return ScanResult.failed(key, error, self.order)

    def _scan_directly(self, places: Mapping[str, Place], with_errors: int) -> Iterator[ScanResult]:
        """Profile the partitions whose files the tasks can read by themselves; what fails is left to Spark's reader."""
        opened = self._opened or open_direct(self._spark, self.order, self.options, places)
        dataset = self.order.dataset
        for key, reason in islice(opened.refused.items(), 1):
            self._say(f"{dataset}: {len(opened.refused)} partition(s) go through Spark's reader; {key!r}: {reason}")
        for one in opened.parts:
            if one.key in self._ahead and one.key in places:
                yield self._result(one.key, self._ahead.pop(one.key), {})
        found = [one for one in opened.parts if one.key in self._waiting and one.key in places]
        if not found:
            return
        self._say(f"{dataset}: {len(found)} partition(s) are read by the tasks themselves")
        lanes = lanes_if_tiny(self._spark, found) if len(places) <= with_errors else 0
        newest = sorted(places, key=order_key)[-with_errors:]
        found = [replace(one, sampled=one.key in newest) for one in found]
        self._unsampled = {one.key: one for one in found if not one.sampled}
        try:
            for key, partial in scan_directly(self._spark, found, self.options, lanes, opened.store):
                yield self._result(key, partial, {})
        except SPARK_ERRORS as error:
            if (fault := cluster_fault(error)) is not None:
                raise fault from error
            # If it is for good, it comes up again when Spark reads them, and is explained there.
            self._say(f"{dataset}: that has failed, and Spark reads those that are left")

    def _scan(self, sources: list[PartitionRows], with_errors: int) -> Iterator[ScanResult]:
        """Scan in one Spark job; when Spark fails, again without the partition at fault, or in halves."""
        skipped: dict[str, dict[str, str]] = {}
        for source in sources:
            for key in source.keys:
                skipped.setdefault(key, {}).update(source.skipped)
        batches = [sources]
        while batches:
            batch = parts_of(batches.pop(), self._waiting)
            if not batch:
                continue
            try:
                for key, partial in scan(self._spark, batch, self.options, with_errors):
                    yield self._result(key, partial, skipped[key])
            except PythonException as error:
                # Of a worker, outside a partition's own code: it concerns all partitions.
                raise cluster_fault(error) or error from error
            except SPARK_ERRORS as error:
                if (fault := cluster_fault(error)) is not None:
                    raise fault from error
                rest = {key: one.place(key) for one in parts_of(batch, self._waiting) for key in one.keys}
                if len(rest) == 1:
                    ((key, place),) = rest.items()
                    yield ScanResult.failed(key, explain(error, where_of(self.order, key), place), self.order)
                else:
                    batches += [parts_of(batch, keys) for keys in _divided(rest, error)]

    def _result(self, key: str, partial: Partial, skipped: Mapping[str, str]) -> ScanResult:
        if partial.state is None:
            problem = f"{where_of(self.order, key)}: {partial.problem}"
            return ScanResult(key, error=problem, traceback=partial.traceback)
        return ScanResult(key, partial.profile(key, self.options), partial.seconds, skipped)

    def _sampled(self, profiles: Sequence[Profile]) -> list[Profile | None]:
        """The profiles with rows drawn of them; None where there are none to be had.

        Rows are drawn of the newest partitions only.  Where one of these has failed, an older one has taken its place,
        and is read again.
        """
        lacking = [profile.partition or "" for profile in profiles if _lacks_rows(profile)]
        again: dict[str, Partial] = {}
        try:
            unread = [replace(self._unsampled[key], sampled=True) for key in lacking]
            again.update(scan_directly(self._spark, unread, self.options) if unread else ())
        except SPARK_ERRORS as error:
            self._say(f"{self.order.dataset}: {said_of(error, discreet=self.options.discreet)}")
        sampled: list[Profile | None] = []
        for profile in profiles:
            found = again.get(profile.partition or "")
            if found is not None and found.state is not None:
                sampled.append(replace(profile, sample=found.state.sample))
            elif profile.partition not in lacking:
                sampled.append(profile)
            else:
                where = where_of(self.order, profile.partition)
                self._say(f"{where} cannot be read again: it has no injected errors")
                sampled.append(None)
        return sampled


def _divided(places: Mapping[str, str], error: Exception) -> list[set[str]]:
    """The keys of partitions that failed together, in two sets to be tried apart: by the file at fault, or halves.

    All rows of a partition stay together: its profile is that of all of them.
    """
    file, keys = named_file(error), list(places)
    guilty = {key for key, place in places.items() if file is not None and same_place(file, place)}
    if not guilty or len(guilty) == len(keys):
        guilty = set(keys[len(keys) // 2 :])
    return [innocent, guilty] if (innocent := set(keys) - guilty) else []


def _collected(frame: DataFrame) -> pa.Table:
    """All rows of a frame."""
    if hasattr(frame, "toArrow"):
        return frame.toArrow()
    batches: list[pa.RecordBatch] = getattr(frame, "_collect_as_arrow")()  # noqa: B009  (Spark 3.5, untyped)
    return pa.Table.from_batches(batches)


def _lacks_rows(profile: Profile) -> bool:
    """Whether no rows were drawn of the partition that were to be."""
    return isinstance(profile.sample, RowSample) and profile.sample.size != profile.options.sample_rows

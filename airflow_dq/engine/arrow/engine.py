"""This very process as an engine: small files and tables, of this machine or of an object store."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from airflow_dq.check.model import Check
from airflow_dq.corruption.variant import with_variants
from airflow_dq.engine.arrow.key_folder import ArrowKeyFolder
from airflow_dq.engine.arrow.listing import local_path
from airflow_dq.engine.arrow.source import source_of
from airflow_dq.engine.base import Engine, Origin, ScanResult
from airflow_dq.engine.drawn import is_plain, profiled, together
from airflow_dq.engine.key_folder import EngineKeys
from airflow_dq.engine.naming import require_key
from airflow_dq.engine.order import describe, place_of, read_options, require_partition, where_of
from airflow_dq.engine.store_access import NO_ACCESS, StoreAccess
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.job import JobSpec
from airflow_dq.profile.check.evaluate import RuleError
from airflow_dq.profile.check.failed_rows import FailedRows
from airflow_dq.profile.check.failing import Sampled, draw_more
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import TableState


class ArrowEngine(Engine):
    """One order in this process, one partition after the other."""

    def __init__(self, order: JobSpec, access: StoreAccess = NO_ACCESS) -> None:
        """Take the order.

        :param access: the way to the object store that holds the rows, if one does
        :raises ConfigurationError: when it needs Spark, saying what it is that needs it
        """
        super().__init__(order)
        self._access = access
        self._source = source_of(order, access)
        self._places: Mapping[str, str] = {}

    def partitions(self) -> tuple[str, ...]:
        """The keys of the order; see :meth:`Engine.partitions`."""
        self._places = self._source.locate()
        self.order = self._source.order
        return tuple(self._places)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the source itself has to say."""
        return self._source.remarks

    @property
    def origin(self) -> Origin:
        """The source, as pyarrow reads it."""
        return Origin(describe(self.order), read_options(self.order), f"arrow {pa.__version__}", place_of(self.order))

    def schema(self, partition: str) -> pa.Schema:
        """What the source says of itself; see :meth:`Engine.schema`."""
        return self._source.schema(partition)

    def scan(self, with_errors: int) -> Iterator[ScanResult]:
        """Profile every partition, in the order of their keys."""
        for key in self._places:
            yield self._scan(key)

    def beside(self, order: JobSpec) -> Engine:
        """Another order in this process."""
        return ArrowEngine(order, self._access)

    def inject(self, profiles: Sequence[Profile]) -> list[Profile]:
        """The profiles with injected errors of every column."""
        return [with_variants(profile) for profile in profiles]

    def batches(self, partition: str) -> Iterator[pa.RecordBatch]:
        """The rows of a partition, once the partitions have been asked for, as they are profiled.

        :raises DQError: when they are missing or cannot be read
        """
        return self._source.batches(partition)

    def failing(self, partition: str, check: Check, size: int) -> FailedRows:
        """The rows; see :meth:`Engine.failing`."""
        where, found = where_of(self.order, partition), Sampled((), size)
        require_partition(self.partitions(), partition, where)
        try:
            for batch in self.batches(partition):
                found = draw_more(found, batch, check, self.order.profile_options)
        except RuleError as error:
            raise ConfigurationError(f"{where}: check {check.id!r} cannot be computed: {error}.") from None
        return found.shown(check, self.order.checks)

    def _keys(self, folder: str) -> EngineKeys:
        return ArrowKeyFolder(local_path(folder), self.batches)

    def drawn(self, partition: str, share: float) -> pa.Table:
        """The rows; see :meth:`Engine.drawn`."""
        require_partition(self.partitions(), partition, where_of(self.order, partition))
        random, parts = np.random.default_rng(self.options.seed), []
        for batch in self.batches(partition):
            names = [one.name for one in batch.schema if is_plain(one.type) and profiled(one.name, self.options)]
            part = pa.table({name: batch.column(name) for name in names})
            parts.append(part if share >= 1.0 else part.filter(pa.array(random.random(part.num_rows) < share)))
        return together(parts)

    def _scan(self, key: str) -> ScanResult:
        began, where = time.monotonic(), where_of(self.order, key)
        try:
            require_key(key, self._places[key], where)
            profile = TableState.of_all(self.batches(key), self.options).profile(key, self.options)
        except Exception as error:
            return ScanResult.failed(key, error, self.order)
        return ScanResult(key, profile, time.monotonic() - began)

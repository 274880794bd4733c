"""This very process as an engine: small files of this machine, read with pyarrow."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from airflow_dq.check.model import Check
from airflow_dq.corruption.variant import all_variants
from airflow_dq.engine.arrow.key_folder import ArrowKeyFolder
from airflow_dq.engine.arrow.listing import data_files, local_path, locate, strays
from airflow_dq.engine.arrow.reader import FileReader, csv_format, require_no_options
from airflow_dq.engine.base import Engine, Origin, ScanResult
from airflow_dq.engine.drawn import is_plain, profiled, together
from airflow_dq.engine.key_folder import EngineKeys
from airflow_dq.engine.naming import require_key
from airflow_dq.engine.order import describe, place_of, read_options, require_partition, where_of
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.job import JobSpec
from airflow_dq.profile.check.evaluate import RuleError
from airflow_dq.profile.check.failed_rows import FailedRows
from airflow_dq.profile.check.failing import Sampled, draw_more
from airflow_dq.profile.model import Profile

FORMATS = ("parquet", "csv", "arrow")
"""Formats whose types are the same to pyarrow as to Spark: JSON's are not."""


class ArrowEngine(Engine):
    """One order in this process, one partition after the other."""

    def __init__(self, order: JobSpec) -> None:
        """Take the order.

        :raises ConfigurationError: when it needs Spark, saying what it is that needs it
        """
        super().__init__(order)
        self._reader = _reader(order)
        self._places: Mapping[str, str] = {}

    def partitions(self) -> tuple[str, ...]:
        """The keys of the order; see :meth:`Engine.partitions`."""
        self._places = locate(self.order)
        return tuple(self._places)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Files beside the partitions' folders."""
        said = None if self.order.pattern is None else strays(self.order.pattern, self._places.values())
        return () if said is None else (said,)

    @property
    def origin(self) -> Origin:
        """The files, as pyarrow reads them."""
        return Origin(describe(self.order), read_options(self.order), f"arrow {pa.__version__}", place_of(self.order))

    def scan(self, with_errors: int) -> Iterator[ScanResult]:
        """Profile every partition, in the order of their keys."""
        for key in self._places:
            yield self._scan(key)

    def beside(self, order: JobSpec) -> Engine:
        """Another order in this process."""
        return ArrowEngine(order)

    def inject(self, profiles: Sequence[Profile]) -> list[Profile]:
        """The profiles with injected errors of every column."""
        return [replace(profile, variants={**all_variants(profile)}) for profile in profiles]

    def batches(self, partition: str) -> Iterator[pa.RecordBatch]:
        """The rows of a partition, once the partitions have been asked for, as they are profiled.

        :raises DQError: when its files are missing or cannot be read
        """
        where = where_of(self.order, partition)
        for path in data_files(self._places[partition], where, self._reader.format):
            yield from self._reader.batches(path, where)

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
            files = data_files(self._places[key], where, self._reader.format)
            profile = self._reader.profile(key, files, self.options, where)
        except Exception as error:
            return ScanResult.failed(key, error, self.order)
        return ScanResult(key, profile, time.monotonic() - began)


def _reader(order: JobSpec) -> FileReader:
    asked = [name for name in ("table", "sql", "partition_by", "where") if getattr(order, name)]
    file_format = order.format.lower()
    if asked or file_format not in FORMATS:
        what = " and ".join(asked) or f"format {order.format!r}"
        raise ConfigurationError(
            f"{where_of(order)}: engine='arrow' reads files of the formats {', '.join(FORMATS)} and no {what}: use "
            "engine='spark'."
        )
    try:
        if file_format == "csv":
            return FileReader(file_format, csv_format(order.options))
        require_no_options(file_format, order.options)
    except ConfigurationError as error:
        raise ConfigurationError(f"{where_of(order)}: {error}") from None
    return FileReader(file_format)

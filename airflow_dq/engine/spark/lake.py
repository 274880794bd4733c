"""The offline index as a Spark job: which patterns are worth keeping, then what every table says of them.

Both passes see a bounded sample of each column, which is taken once.  Local files are opened by the tasks; small files
elsewhere come to them whole through Spark, with its credentials; of large ones Spark reads the first rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from pyspark import RDD, StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql.types import StringType

from airflow_dq.engine.lake import tables_of
from airflow_dq.engine.spark.failure import SPARK_ERRORS, explain
from airflow_dq.engine.spark.listing import list_path, load_paths, look_again
from airflow_dq.engine.spark.session import column
from airflow_dq.engine.worker.index import (
    Contributed,
    Sampled,
    contributions,
    kept_hashes,
    sample_bytes,
    sample_file,
    strong_hashes,
)
from airflow_dq.engine.worker.lake import FORMATS, ROWS, suffix_of
from airflow_dq.exceptions import SourceMissingError
from airflow_dq.pattern.contribution import HashedPatterns, least_columns, sampled
from airflow_dq.pattern.index import PatternIndex

if TYPE_CHECKING:
    from pyspark import SparkContext

TABLES_AT_ONCE = 20_000
"""Tables whose patterns are counted together: one that is in a single column of so many tables is not kept.  What a
driver holds of them is a few hundred megabytes."""
_TABLES_PER_TASK = 100
"""Half a second of work, where what Spark spends on a task is a tenth.  The tables of a task are done before it is
saved."""
_REDUCERS = 16
"""Tasks that count patterns, of some 10 MB each.  As many as there are tasks that find them would be a block for each
pair of both: of sixteen times the columns 256 times the blocks."""
_SAVED = 2_000
"""Tables after which what has been found is saved: a minute's work of one core."""
_MORE = 4
"""Once there are many, a part of those that there are by then: adding some to an index takes as long as the whole index
is large, and adding a fixed number each time would take a time with the square of the tables."""
_WHOLE = 64 * 2**20
"""Bytes up to which a file that is not local comes to a task whole; of larger ones Spark reads the first rows."""
_LOCAL = re.compile(r"file:/*(?=/)")
Save = Callable[[PatternIndex], None]


@dataclass(frozen=True, slots=True)
class LakeFile:
    """The file of a table that is looked at."""

    path: str
    size: int

    @property
    def local(self) -> str | None:
        """Its path for a task that opens it by itself; None where Spark must."""
        found = _LOCAL.sub("", self.path)
        return found if found.startswith("/") else None


def lake_tables(spark: SparkSession, pattern: str) -> dict[str, LakeFile]:
    """Table -> the newest file of it; ``**`` stands for any folders.

    :raises SourceMissingError: when no file that can be read matches
    :raises DQError: when Spark cannot list it
    """
    base, deep, _ = pattern.partition("**")
    look_again(spark)
    try:
        # With the slash: a bucket alone is no path.
        listing = list_path(spark, (base[: base.rfind("/") + 1] or ".") if deep else pattern)
    except SPARK_ERRORS as error:
        raise explain(error, "the pattern index", pattern) from error
    wanted = re.compile(f"(?:.*/)?{_expression(_path(pattern))}(?:/.*)?") if deep else None
    sizes = {
        file.path: file.size
        for file in (listing.files if listing else ())
        if wanted is None or wanted.fullmatch(_path(file.path))
    }
    found = tables_of(sizes, _common(listing.roots if listing else ()))
    if not found:
        raise SourceMissingError(f"No file of the kinds {', '.join(FORMATS)} matches {pattern}.")
    return {table: LakeFile(file, sizes[file]) for table, file in found.items()}


def index_lake(
    spark: SparkSession, tables: Mapping[str, LakeFile], index: PatternIndex, save: Save
) -> tuple[PatternIndex, list[str]]:
    """Extend an index by tables; it is saved over and over, so that an interrupted job goes on from there.

    :return: the index, and what could not be read
    :raises DQError: when the job fails
    """
    unreadable: list[str] = []
    names = list(tables)
    for start in range(0, len(names), TABLES_AT_ONCE):
        some = {name: tables[name] for name in names[start : start + TABLES_AT_ONCE]}
        samples = _samples(spark, some).persist(StorageLevel.MEMORY_AND_DISK)
        try:
            known = np.union1d(index.hashes, _kept(samples))
            for found in _contributed(spark.sparkContext, samples, HashedPatterns(known), len(index.tables)):
                unreadable += [one.problem for one in found if one.problem is not None]
                parts = {one.table: one.part for one in found if one.part is not None}
                index = index.merge(PatternIndex.of(parts, known))
                save(index)
        except SPARK_ERRORS as error:
            raise explain(error, "the pattern index", f"{len(some):,} files, the first {names[start]}") from error
        finally:
            samples.unpersist()
    return index, unreadable


def _kept(samples: RDD[Sampled]) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    """The hashes of the patterns that are worth keeping, ascending."""
    counted = samples.mapPartitions(strong_hashes).groupByKey(min(_REDUCERS, samples.getNumPartitions()))
    least = least_columns(samples.map(lambda table: len(table.samples)).sum())
    kept = counted.map(partial(kept_hashes, least=least)).collect()
    return np.sort(np.concatenate([np.empty(0, np.uint64), *kept]))


def _contributed(
    context: SparkContext, samples: RDD[Sampled], known: HashedPatterns, had: int
) -> Iterator[list[Contributed]]:
    """What the tables say of patterns, some tables at a time.

    :param had: tables that the index has already
    """
    shared = context.broadcast(known)
    task = partial(contributions, known=shared)
    for chosen in pieces(samples.getNumPartitions(), had // _TABLES_PER_TASK):
        yield list(context.runJob(samples, task, list(chosen)))
    shared.destroy()


def pieces(tasks: int, had: int) -> Iterator[range]:
    """The tasks, as many at a time as are done before what they found is saved.

    :param had: how many tasks what the index has already would have taken
    """
    start = 0
    while start < tasks:
        end = min(tasks, start + max(1, _SAVED // _TABLES_PER_TASK, (had + start) // _MORE))
        yield range(start, end)
        start = end


def _samples(spark: SparkSession, tables: Mapping[str, LakeFile]) -> RDD[Sampled]:
    """The sampled values of each table's columns."""
    context = spark.sparkContext
    local = [(name, file.path, path) for name, file in tables.items() if (path := file.local)]
    far = {name: file for name, file in tables.items() if not file.local}
    whole = {file.path: name for name, file in far.items() if file.size <= _WHOLE and "," not in file.path}
    parts = [context.parallelize(local, _tasks(local)).map(sample_file)] if local else []
    if whole:
        read = context.binaryFiles(",".join(load_paths(list(whole))), _tasks(whole))
        parts.append(read.map(partial(sample_bytes, tables=whole)))
    large = [_first_rows(spark, name, file) for name, file in far.items() if file.path not in whole]
    if large:
        parts.append(context.parallelize(large, _tasks(large)))
    return context.union(parts)


def _tasks(tables: Sequence[object] | Mapping[str, str]) -> int:
    return -(-len(tables) // _TABLES_PER_TASK)


def _first_rows(spark: SparkSession, name: str, file: LakeFile) -> Sampled:
    """The sampled values of a table whose file is too large to come to a task whole."""
    kind = FORMATS[suffix_of(file.path)]
    options = {"header": "true", "sep": "\t" if suffix_of(file.path) == ".tsv" else ","} if kind == "csv" else {}
    try:
        frame = spark.read.format(kind).options(**options).load(list(load_paths([file.path])))
        names = [field.name for field in frame.schema.fields if isinstance(field.dataType, StringType)]
        rows = frame.select(*(column(one) for one in names)).limit(ROWS).collect() if names else []
    except SPARK_ERRORS as error:
        return Sampled(name, (), str(explain(error, "the pattern index", file.path)))
    columns: Iterable[list[str]] = (sampled(values) for values in zip(*rows, strict=True))
    return Sampled(name, tuple(sample for sample in columns if sample), None)


def _common(roots: Sequence[str]) -> str:
    """The folder that all paths lie in."""
    first, last = (min(roots), max(roots)) if roots else ("", "")
    size = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:size].rpartition("/")[0]


def _path(address: str) -> str:
    """A path without scheme and host, which a file system may spell in its own way."""
    return re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*:(//[^/]*)?", "", address).lstrip("/")


def _expression(pattern: str) -> str:
    """What a glob pattern matches: ``**`` any folders, ``*`` and ``?`` inside a name."""
    found = ""
    for part in re.split(r"(\*\*/?|\*|\?)", pattern):
        found += {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(part, re.escape(part))
    return found

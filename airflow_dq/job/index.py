"""The pattern index of a lake: where it is kept, and the three ways in which it grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from airflow_dq.exceptions import CodecError, ConfigurationError, SourceUnreadableError
from airflow_dq.pattern import PatternIndex

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from airflow_dq.store import Repository

File = TypeVar("File")
_AT_ONCE = 5_000
"""Tables whose patterns are counted together in this process, and after which what has been found is saved: an
interrupted run goes on from there.  Of so many, the sampled values take some 200 MB."""


class Place(Protocol):
    """Where an index is kept."""

    def load(self) -> PatternIndex | None:
        """The index; None where there is none yet.

        :raises CodecError: when it is damaged, or of another version
        """

    def save(self, index: PatternIndex) -> None:
        """Keep it, whole or not at all."""


@dataclass(frozen=True, slots=True)
class FilePlace:
    """An index in a file."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    def load(self) -> PatternIndex | None:
        """The index; None where there is no such file."""
        return PatternIndex.load(self.path) if self.path.exists() else None

    def save(self, index: PatternIndex) -> None:
        """Write the file.

        :raises ConfigurationError: when it cannot be written
        """
        try:
            index.save(self.path)
        except OSError as error:
            raise ConfigurationError(
                f"The pattern index cannot be written to {self.path}: {error.strerror}."
            ) from error


@dataclass(frozen=True, slots=True)
class StorePlace:
    """The index in the statistics database."""

    store: Repository

    def __str__(self) -> str:
        return "the statistics database"

    def load(self) -> PatternIndex | None:
        """The index; None where there is none yet."""
        return self.store.pattern_index()

    def save(self, index: PatternIndex) -> None:
        """Put it in the place of the one that there was."""
        self.store.save_pattern_index(index)


@dataclass(frozen=True, slots=True)
class Indexed:
    """What came of a run."""

    place: str
    """Where the index is kept, in words."""
    index: PatternIndex
    new: int
    """Tables that were looked at and could be read."""
    unreadable: tuple[str, ...] = ()
    """What was left out, and why."""

    @property
    def document(self) -> dict[str, object]:
        """As JSON."""
        return {
            "index": self.place,
            "tables": len(self.index.tables),
            "new": self.new,
            "columns": self.index.columns,
            "patterns": len(self.index),
            "unreadable": list(self.unreadable),
        }

    @property
    def text(self) -> str:
        """For a person."""
        index = self.index
        line = (
            f"{self.place}: {len(index):,} patterns of {index.columns:,} columns of {len(index.tables):,} tables, "
            f"{self.new:,} of them new."
        )
        return "\n".join([line, *(f"Left out: {said}" for said in self.unreadable)])


def index_files(source: str, place: Place, renew: bool) -> Indexed:
    """Index local files in this process."""
    from airflow_dq.engine.arrow.lake import tables

    found = _begun(place, renew)
    new = _lacking(tables(source), found, renew)
    unreadable: list[str] = []
    left = iter(new.items())
    while some := list(islice(left, _AT_ONCE)):
        found = found.extended(columns_of(dict(some), unreadable))
        place.save(found)
    if not new:
        place.save(found)
    return Indexed(str(place), found, len(new) - len(unreadable), tuple(unreadable))


def index_by_spark(spark: SparkSession, source: str, place: Place, renew: bool, say: Callable[[str], None]) -> Indexed:
    """Index whatever files Spark can list, in its tasks."""
    from airflow_dq.engine.spark.lake import index_lake, lake_tables

    found = _begun(place, renew)
    new = _lacking(lake_tables(spark, source), found, renew)
    say(f"{place}: {len(new):,} tables to look at")

    def save(index: PatternIndex) -> None:
        place.save(index)
        say(f"{place}: {len(index.tables):,} tables")

    found, unreadable = index_lake(spark, new, found, save)
    if not new:
        place.save(found)
    return Indexed(str(place), found, len(new) - len(unreadable), tuple(unreadable))


def index_store(store: Repository, place: Place, renew: bool) -> Indexed:
    """Index what the newest profile of each dataset keeps of its texts: no row is read for it.

    Every dataset is looked at each time: a pattern that came to two of them on different days is found all the same.
    """
    found = _begun(place, renew)
    columns = [(name, values) for name in store.dataset_names() for values in store.newest_texts(name)]
    found = found.extended(columns)
    place.save(found)
    return Indexed(str(place), found, len({name for name, _ in columns}))


def columns_of(
    files: Mapping[str, str], unreadable: list[str], *, named: bool = False
) -> Iterator[tuple[str, list[str | None]]]:
    """The string columns of local files: table (``named``: and column) and values; why a file was left out is noted."""
    from airflow_dq.engine.worker.lake import string_columns

    for table, file in files.items():
        try:
            for column, values in string_columns(file):
                yield f"{table} {column}" if named else table, values
        except SourceUnreadableError as error:
            unreadable.append(str(error))


def _begun(place: Place, renew: bool) -> PatternIndex:
    """What there is so far; of one that cannot be read nothing, where everything is looked at again anyway.

    :raises CodecError: with what to do
    """
    try:
        return place.load() or PatternIndex.build(())
    except CodecError as error:
        if not renew:
            raise CodecError(f"{error} With --renew, all tables are looked at again, and it is replaced.") from error
        return PatternIndex.build(())


def _lacking(tables: Mapping[str, File], index: PatternIndex, renew: bool) -> dict[str, File]:
    had = set() if renew else set(index.tables)
    return {table: file for table, file in tables.items() if table not in had}

"""The file systems that a Spark session reads from: through Java where there is a gateway to it, else by its tasks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from pyspark.sql import SparkSession

from airflow_dq.engine.naming import is_hidden
from airflow_dq.engine.table_log import TableLog, log_among

GLOB = re.compile(r"[*?\[\]{}\\]")
"""Characters by which a path is a pattern."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or a folder."""

    path: str
    is_folder: bool
    size: int

    @property
    def name(self) -> str:
        """The last component of the path."""
        return self.path.rpartition("/")[2]


class Files(Protocol):
    """What a listing asks of file systems; paths come back as these spell them."""

    def qualified(self, path: str) -> str:
        """A path or pattern with its scheme."""

    def at(self, path: str) -> Entry | None:
        """What is at a path."""

    def matching(self, pattern: str) -> list[Entry]:
        """What matches a glob pattern."""

    def inside(self, folder: str) -> list[Entry]:
        """What is in a folder."""

    def exists(self, path: str) -> bool:
        """Whether something is at a path.

        :raises PermissionError: when it may not be looked at
        """

    def children(self, folder: str) -> list[str]:
        """The names in a folder; none when there is no such folder.

        :raises PermissionError: when it may not be looked at
        """

    def accepted(self, pattern: str, entry: Entry) -> bool:
        """Whether the name of a file matches a pattern of names."""


def is_connect(spark: SparkSession) -> bool:
    """Whether a session is one of Spark Connect, behind which there is no Java to be called and no RDD."""
    return not hasattr(spark, "_jsparkSession")


def base_path(pattern: str) -> str:
    """The path above the first component that holds a glob character: where folders ``name=value`` begin."""
    parts = pattern.split("/")
    fixed = next((index for index, part in enumerate(parts) if GLOB.search(part)), len(parts))
    return "/".join(parts[:fixed]) or "/"


def walk(files: Files, entry: Entry, logs: list[TableLog]) -> Iterator[Entry]:
    """The files at or below an entry, without hidden names below it, in the order of their names.

    :param logs: takes the logs of tables that are met
    """
    if not entry.is_folder:
        yield entry
        return
    children = files.inside(entry.path)
    log = log_among(entry.path, [child.name for child in children])
    logs += [] if log is None else [log]
    for child in children:
        if not is_hidden(child.name):
            yield from walk(files, child, logs)

"""Hadoop's FileSystem API through the session's Java gateway: local folders, HDFS and object stores alike.

A folder is asked for in three calls, however many files it holds: each call over the gateway takes as long as to list
some files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from airflow_dq.engine.naming import is_hidden
from airflow_dq.engine.table_log import TableLog, log_among

_SEPARATOR = "\0"
"""In no name of a file."""
_TOLD = re.compile(r"(true|false)(?:; length=(\d+))?")
"""What Hadoop's text of a file's status says behind its path."""


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


class Hadoop:
    """The file systems that a session knows."""

    def __init__(self, spark: SparkSession) -> None:
        """Take the session."""
        self._jvm: Any = spark.sparkContext._jvm
        self._conf: Any = spark._jsparkSession.sessionState().newHadoopConf()

    def path(self, text: str) -> Any:
        """Java's form of a path."""
        return self._jvm.org.apache.hadoop.fs.Path(text)

    def system(self, path: Any) -> Any:
        """The file system of a path, which takes no side files into account."""
        system = path.getFileSystem(self._conf)
        # Local folders only: an empty or outdated `.crc` beside a file would fail the read of a good file.
        system.setVerifyChecksum(False)
        return system

    def at(self, system: Any, path: Any) -> Entry:
        """What is at a path."""
        return _entry(system.getFileStatus(path))

    def matching(self, system: Any, pattern: Any) -> list[Entry]:
        """What matches a glob pattern."""
        return self._entries(system.globStatus(pattern))

    def inside(self, system: Any, folder: Any) -> list[Entry]:
        """What is in a folder."""
        return self._entries(system.listStatus(folder))

    def walk(self, system: Any, entry: Entry, logs: list[TableLog]) -> Iterator[Entry]:
        """The files at or below an entry, without hidden names below it, in the order of their names.

        :param logs: takes the logs of tables that are met
        """
        if not entry.is_folder:
            yield entry
            return
        children = self.inside(system, self.path(entry.path))
        log = log_among(entry.path, [child.name for child in children])
        logs += [] if log is None else [log]
        for child in children:
            if not is_hidden(child.name):
                yield from self.walk(system, child, logs)

    def exists(self, system: Any, path: str) -> bool:
        """Whether something is at a path; what may not be looked at is not there."""
        try:
            return bool(system.exists(self.path(path)))
        except Py4JJavaError:
            return False

    def children(self, system: Any, path: str) -> list[str]:
        """The names in a folder; none when there is no such folder."""
        try:
            return [entry.name for entry in self.inside(system, self.path(path))]
        except Py4JJavaError:
            return []

    def names(self, pattern: str | None) -> Any:
        """A filter of paths by the pattern of their last name, or None."""
        return None if pattern is None else self._jvm.org.apache.hadoop.fs.GlobFilter(pattern)

    def _entries(self, statuses: Any) -> list[Entry]:
        """The entries of an array of Java's, read out of two texts; one by one where these say something else."""
        if statuses is None or len(statuses) == 0:
            return []
        paths = self._joined(self._jvm.org.apache.hadoop.fs.FileUtil.stat2Paths(statuses))
        texts = self._joined(statuses)
        found = [_told(path, text) for path, text in zip(paths, texts, strict=False)]
        if len(paths) == len(texts) == len(statuses) and None not in found:
            return [entry for entry in found if entry is not None]
        return [_entry(status) for status in statuses]

    def _joined(self, array: Any) -> list[str]:
        join = self._jvm.org.apache.hadoop.util.StringUtils.join
        return str(join(_SEPARATOR, self._jvm.java.util.Arrays.asList(array))).split(_SEPARATOR)


def _entry(status: Any) -> Entry:
    return Entry(str(status.getPath().toString()), bool(status.isDirectory()), int(status.getLen()))


def _told(path: str, text: str) -> Entry | None:
    """An entry out of Hadoop's text of it; None when that is not as it has always been."""
    kind, mark, rest = text.partition(f"{{path={path}; isDirectory=")
    told = _TOLD.match(rest) if mark and kind.isidentifier() else None
    if told is None or (told[1] == "false" and told[2] is None):
        return None
    return Entry(path, told[1] == "true", int(told[2] or 0))

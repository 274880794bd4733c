"""Hadoop's FileSystem API through the session's Java gateway: local folders, HDFS and object stores alike.

What is in a folder comes over the gateway as one text, however many files it holds: a few calls for each of 20,000
files take longer than the job.  Each name of a Java package is a call, and an error of Java's is twenty: classes and
file systems are asked for once, and no folder is opened that is not there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from pyspark.sql import SparkSession

from airflow_dq.engine.spark.failure import is_denied
from airflow_dq.engine.spark.files import Entry
from airflow_dq.engine.spark.gateway import Py4JError, Py4JJavaError
from airflow_dq.engine.table_log import exists_here, names_here
from airflow_dq.engine.worker.files import denied

_LOCAL = "file:"
_ROOT = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(//[^/]*)?")
"""The part of a path that tells the file system; without it the path is of the session's own."""


class Hadoop:
    """The file systems that a session knows."""

    def __init__(self, spark: SparkSession) -> None:
        """Take the session."""
        jvm: Any = spark.sparkContext._jvm
        self._jvm = jvm
        self._conf: Any = spark._jsparkSession.sessionState().newHadoopConf()
        self._path: Any = jvm.org.apache.hadoop.fs.Path
        self._systems: dict[str, Any] = {}

    def qualified(self, path: str) -> str:
        """A path with its scheme."""
        target = self._path(path)
        return str(self._system(path, target).makeQualified(target).toString())

    def at(self, path: str) -> Entry | None:
        """What is at a path."""
        target = self._path(path)
        system = self._system(path, target)
        return _entry(system.getFileStatus(target)) if system.exists(target) else None

    def matching(self, pattern: str) -> list[Entry]:
        """What matches a glob pattern."""
        target = self._path(pattern)
        return self._entries(self._system(pattern, target).globStatus(target))

    def inside(self, folder: str) -> list[Entry]:
        """What is in a folder."""
        target = self._path(folder)
        return self._entries(self._system(folder, target).listStatus(target))

    def exists(self, path: str) -> bool:
        """Whether something is at a path.

        :raises PermissionError: when it may not be looked at
        """
        if path.startswith(_LOCAL):
            # Java is on this machine: it would be asked three times for what is the same to both.
            return exists_here(path.removeprefix(_LOCAL))
        with _told_if_denied(path):
            target = self._path(path)
            return bool(self._system(path, target).exists(target))

    def children(self, folder: str) -> list[str]:
        """The names in a folder; none when there is no such folder.

        :raises PermissionError: when it may not be looked at
        """
        if folder.startswith(_LOCAL):
            return names_here(folder.removeprefix(_LOCAL))
        if not self.exists(folder):
            return []
        with _told_if_denied(folder):
            return [entry.name for entry in self.inside(folder)]

    def accepted(self, pattern: str, entry: Entry) -> bool:
        """Whether the name of a file matches a pattern of names."""
        return bool(self._jvm.org.apache.hadoop.fs.GlobFilter(pattern).accept(self._path(entry.path)))

    def _system(self, text: str, path: Any) -> Any:
        """The file system of a path, which takes no side files into account."""
        found = _ROOT.match(text)
        root = found[0] if found else ""
        if root not in self._systems:
            system = path.getFileSystem(self._conf)
            # Local folders only: an empty or outdated `.crc` beside a file would fail the read of a good file.
            system.setVerifyChecksum(False)
            self._systems[root] = system
        return self._systems[root]

    def _entries(self, statuses: Any) -> list[Entry]:
        """The entries of an array of Java's; one by one where their fields cannot be had at once."""
        if statuses is None or len(statuses) == 0:
            return []
        try:
            return told(str(self._writer.writeValueAsString(statuses)))
        except (Py4JError, ValueError):
            return [_entry(status) for status in statuses]

    @cached_property
    def _writer(self) -> Any:
        """Writes the fields of objects as JSON, and paths as their texts."""
        jackson = self._jvm.com.fasterxml.jackson
        visibility, accessor = (
            getattr(jackson.annotation, "JsonAutoDetect$Visibility"),
            jackson.annotation.PropertyAccessor,
        )
        module = jackson.databind.module.SimpleModule()
        module.addSerializer(self._path("/").getClass(), jackson.databind.ser.std.ToStringSerializer())
        mapper = jackson.databind.ObjectMapper()
        mapper.registerModule(module)
        mapper.setVisibility(accessor.ALL, visibility.NONE)
        mapper.setVisibility(accessor.FIELD, visibility.ANY)
        return mapper


@contextmanager
def _told_if_denied(path: str) -> Iterator[None]:
    """Raise Java's denial of a path as Python's."""
    try:
        yield
    except Py4JJavaError as error:
        if is_denied(error):
            raise denied(path) from error
        raise


def told(text: str) -> list[Entry]:
    """The entries out of the fields of their statuses.

    :param text: JSON
    :raises ValueError: when one of them lacks a field: another version of Hadoop may name them differently
    """
    found = [(one.get("path"), one.get("isdir"), one.get("length")) for one in json.loads(text)]
    if not all(isinstance(path, str) and isinstance(folder, bool) and size is not None for path, folder, size in found):
        raise ValueError("no status of a file")
    return [Entry(path, folder, 0 if folder else int(size)) for path, folder, size in found]


def _entry(status: Any) -> Entry:
    folder = bool(status.isDirectory())
    return Entry(str(status.getPath().toString()), folder, 0 if folder else int(status.getLen()))

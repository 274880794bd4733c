"""What files lie at a path: through Hadoop's file systems, so local folders, HDFS and object stores alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any
from urllib.parse import unquote

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from airflow_dq.engine.naming import HIVE_NULL, beside, is_hidden, is_side_file, keys_of
from airflow_dq.engine.table_log import TableLog, folders_above, log_among, log_at

_GLOB = re.compile(r"[*?\[\]{}\\]")


@dataclass(frozen=True, slots=True)
class DataFile:
    """One data file below a root."""

    path: str
    size: int


@dataclass(frozen=True, slots=True)
class Listing:
    """The data files at one path."""

    roots: tuple[str, ...]
    """The path itself, or what it matched when it is a glob pattern."""
    files: tuple[DataFile, ...]
    one_by_one: bool
    """Whether Spark must be given each file: left to itself it reads side files, and skips plain sub-folders."""
    log: TableLog | None = None
    """What was found, at the path or below it, of a table that says itself which of the files count."""

    @property
    def load_paths(self) -> tuple[str, ...]:
        """What to hand to Spark's reader."""
        return load_paths([file.path for file in self.files] if self.one_by_one else self.roots)

    def by_column(self, name: str) -> tuple[dict[str, Listing], tuple[str, ...]]:
        """The files in folders ``name=value``, by value; and the paths of those that lie in no such folder."""
        found: dict[str, tuple[dict[str, None], list[DataFile]]] = {}
        outside = []
        for file in self.files:
            parts = file.path.split("/")[:-1]
            depth = next((depth for depth, part in enumerate(parts) if _names(part, name)), None)
            if depth is None:
                outside.append(file.path)
                continue
            roots, files = found.setdefault(unquote(parts[depth].partition("=")[2]), ({}, []))
            roots["/".join(parts[: depth + 1])] = None
            files.append(file)
        return {
            value: Listing(tuple(roots), tuple(files), self.one_by_one, self.log)
            for value, (roots, files) in found.items()
        }, tuple(outside)


def load_paths(paths: Sequence[str]) -> tuple[str, ...]:
    """Paths as Spark's reader wants them, with its glob characters escaped."""
    return tuple(_GLOB.sub(r"\\\g<0>", path) for path in paths)


def list_path(spark: SparkSession, path: str, names: str | None = None) -> Listing | None:
    """The data files at a path or glob pattern, hidden and side files left out; None when nothing is there.

    :param names: a pattern that the files' names match (Spark's option ``pathGlobFilter``)
    """
    hadoop = _Hadoop(spark)
    target = hadoop.path(path)
    system = hadoop.system(target)
    if system.exists(target):
        roots = [system.getFileStatus(target)]
    else:
        roots = list(system.globStatus(target) or ()) if _GLOB.search(path) else []
    if not roots:
        return None
    wanted = hadoop.names(names)
    files: list[DataFile] = []
    logs: list[TableLog] = []
    one_by_one = False
    for root in roots:
        top = root.getPath().toString()
        for status in hadoop.walk(system, root, logs):
            file = status.getPath()
            if wanted is not None and not wanted.accept(file):
                continue
            if is_side_file(file.getName()) and not root.isFile():
                one_by_one = True
                continue
            files.append(DataFile(file.toString(), status.getLen()))
            inner = file.toString()[len(top) :].split("/")[1:-1]
            one_by_one = one_by_one or any("=" not in folder for folder in inner)
    return Listing(tuple(root.getPath().toString() for root in roots), tuple(files), one_by_one, next(iter(logs), None))


def log_above(spark: SparkSession, path: str, known: dict[str, TableLog | None]) -> TableLog | None:
    """The log of a table in whose folder a path lies, at whatever depth.

    :param known: takes what is found out of each folder, so that nothing is looked at twice
    """
    hadoop = _Hadoop(spark)
    target = hadoop.path(path)
    system = hadoop.system(target)
    for folder in folders_above(system.makeQualified(target).toString()):
        if folder not in known:
            known[folder] = log_at(folder, partial(hadoop.exists, system), partial(hadoop.children, system))
        if known[folder] is not None:
            return known[folder]
    return None


def match_pattern(spark: SparkSession, pattern: str) -> dict[str, str]:
    """Partition key -> path for a pattern with one ``*``, whose match is the key, in the keys' order.

    Keys are the raw text of the names, with the escapes undone that Spark and Hive write into them (``%3A``), see
    :func:`~airflow_dq.engine.naming.keys_of`; the folder of the rows without a key has the key
    :data:`~airflow_dq.options.job.NULL_KEY`.
    """
    hadoop = _Hadoop(spark)
    target = hadoop.path(pattern)
    system = hadoop.system(target)
    # Both as the file system spells them, so that a relative pattern matches too.
    text = re.escape(system.makeQualified(target).toString()).replace(r"\*", "([^/]*)")
    found = {}
    for status in system.globStatus(target) or ():
        path = status.getPath().toString()
        match = re.fullmatch(text, path)
        if match and (match[1] == HIVE_NULL or not is_hidden(status.getPath().getName())):
            found[match[1]] = path
    return {key: found[folder] for folder, key in sorted(keys_of(found).items(), key=itemgetter(1))}


def strays(spark: SparkSession, pattern: str, places: Iterable[str]) -> str | None:
    """What is to be said of files that lie beside the folders that a pattern matches.

    :param places: what it matches
    """
    hadoop = _Hadoop(spark)
    # What follows the star may be a folder or a file: one look at one match tells.
    matched = next(iter(places), None)
    if matched is None:
        return None
    target = hadoop.path(base_path(pattern))
    system = hadoop.system(target)
    if not system.getFileStatus(hadoop.path(matched)).isDirectory():
        return None
    found = system.listStatus(target)
    return beside(target.toString(), [one.getPath().getName() for one in found if one.isFile()])


def base_path(pattern: str) -> str:
    """The path above the first component that holds a glob character: where folders ``name=value`` begin."""
    parts = pattern.split("/")
    fixed = next((index for index, part in enumerate(parts) if _GLOB.search(part)), len(parts))
    return "/".join(parts[:fixed]) or "/"


def _names(folder: str, column: str) -> bool:
    name, equals, _ = folder.partition("=")
    return bool(equals) and unquote(name) == column


class _Hadoop:
    """Hadoop's FileSystem API through the session's Java gateway."""

    def __init__(self, spark: SparkSession) -> None:
        self._jvm: Any = spark.sparkContext._jvm
        self._conf: Any = spark._jsparkSession.sessionState().newHadoopConf()

    def path(self, text: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(text)

    def system(self, path: Any) -> Any:
        """The file system of a path, which takes no side files into account."""
        system = path.getFileSystem(self._conf)
        # Local folders only: an empty or outdated `.crc` beside a file would fail the read of a good file.
        system.setVerifyChecksum(False)
        return system

    def walk(self, system: Any, status: Any, logs: list[TableLog]) -> list[Any]:
        """The files at or below a status, without hidden names below it, in the order of their names.

        :param logs: takes the logs of tables that are met
        """
        if status.isFile():
            return [status]
        children = [(child, child.getPath().getName()) for child in system.listStatus(status.getPath())]
        log = log_among(status.getPath().toString(), [name for _, name in children])
        logs += [] if log is None else [log]
        return [file for child, name in children if not is_hidden(name) for file in self.walk(system, child, logs)]

    def exists(self, system: Any, path: str) -> bool:
        """Whether something is at a path; what may not be looked at is not there."""
        try:
            return bool(system.exists(self.path(path)))
        except Py4JJavaError:
            return False

    def children(self, system: Any, path: str) -> list[str]:
        """The names in a folder; none when there is no such folder."""
        try:
            return [status.getPath().getName() for status in system.listStatus(self.path(path))]
        except Py4JJavaError:
            return []

    def names(self, pattern: str | None) -> Any:
        """A filter of paths by the pattern of their last name, or None."""
        return None if pattern is None else self._jvm.org.apache.hadoop.fs.GlobFilter(pattern)

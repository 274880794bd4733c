"""What files lie at a path: through Hadoop's file systems, so local folders, HDFS and object stores alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from pyspark.sql import SparkSession

from airflow_dq.engine.naming import HIVE_NULL, is_hidden, is_side_file, keys_of
from airflow_dq.options.key import order_key

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

    @property
    def load_paths(self) -> tuple[str, ...]:
        """What to hand to Spark's reader."""
        return load_paths([file.path for file in self.files] if self.one_by_one else self.roots)

    def by_column(self, name: str) -> dict[str, Listing] | None:
        """The files in folders ``name=value``, by value; None when a file lies in no such folder."""
        found: dict[str, tuple[dict[str, None], list[DataFile]]] = {}
        for file in self.files:
            parts = file.path.split("/")[:-1]
            depth = next((depth for depth, part in enumerate(parts) if _names(part, name)), None)
            if depth is None:
                return None
            roots, files = found.setdefault(unquote(parts[depth].partition("=")[2]), ({}, []))
            roots["/".join(parts[: depth + 1])] = None
            files.append(file)
        return {value: Listing(tuple(roots), tuple(files), self.one_by_one) for value, (roots, files) in found.items()}


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
    one_by_one = False
    for root in roots:
        top = root.getPath().toString()
        for status in hadoop.walk(system, root):
            file = status.getPath()
            if wanted is not None and not wanted.accept(file):
                continue
            if is_side_file(file.getName()) and not root.isFile():
                one_by_one = True
                continue
            files.append(DataFile(file.toString(), status.getLen()))
            inner = file.toString()[len(top) :].split("/")[1:-1]
            one_by_one = one_by_one or any("=" not in folder for folder in inner)
    return Listing(tuple(root.getPath().toString() for root in roots), tuple(files), one_by_one)


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
    return {key: found[folder] for folder, key in sorted(keys_of(found).items(), key=lambda pair: order_key(pair[1]))}


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

    def walk(self, system: Any, status: Any) -> list[Any]:
        """The files at or below a status, without hidden names below it, in the order of their names."""
        if status.isFile():
            return [status]
        found = []
        for child in system.listStatus(status.getPath()):
            if not is_hidden(child.getPath().getName()):
                found += self.walk(system, child)
        return found

    def names(self, pattern: str | None) -> Any:
        """A filter of paths by the pattern of their last name, or None."""
        return None if pattern is None else self._jvm.org.apache.hadoop.fs.GlobFilter(pattern)

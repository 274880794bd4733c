"""What files lie at a path: through Hadoop's file systems, so local folders, HDFS and object stores alike."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from pyspark.sql import SparkSession

_GLOB = re.compile(r"[*?\[\]{}\\]")
# Spark leaves out names that start with a dot or underscore by itself, but reads these as data.
_SIDE_SUFFIXES = (".tmp", ".crc", "._COPYING_")


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
    side_files: bool
    """Whether there are files that are not data, and that Spark would read as data."""

    @property
    def load_paths(self) -> tuple[str, ...]:
        """What to hand to Spark's reader, whose own glob characters are escaped."""
        paths = (file.path for file in self.files) if self.side_files else self.roots
        return tuple(_GLOB.sub(r"\\\g<0>", path) for path in paths)


def list_path(spark: SparkSession, path: str) -> Listing | None:
    """The data files at a path or glob pattern, hidden and side files left out; None when nothing is there."""
    hadoop = _Hadoop(spark)
    target = hadoop.path(path)
    system = hadoop.system(target)
    if system.exists(target):
        roots = [system.getFileStatus(target)]
    else:
        roots = list(system.globStatus(target) or ()) if _GLOB.search(path) else []
    if not roots:
        return None
    files: list[DataFile] = []
    side_files = False
    for root in roots:
        for status in hadoop.walk(system, root):
            if status.getPath().getName().endswith(_SIDE_SUFFIXES):
                side_files = True
            else:
                files.append(DataFile(status.getPath().toString(), status.getLen()))
    return Listing(tuple(root.getPath().toString() for root in roots), tuple(files), side_files)


def match_pattern(spark: SparkSession, pattern: str) -> dict[str, str]:
    """Partition key -> path for a pattern with one ``*``, whose match is the key, in the keys' order.

    Keys are the raw text of the names, with the escapes undone that Spark and Hive write into them (``%3A``).
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
        if match and not match[1].startswith(("_", ".")):
            found[unquote(match[1])] = path
    return dict(sorted(found.items()))


def base_path(pattern: str) -> str:
    """The path above the first component that holds a glob character: where folders ``name=value`` begin."""
    parts = pattern.split("/")
    fixed = next((index for index, part in enumerate(parts) if _GLOB.search(part)), len(parts))
    return "/".join(parts[:fixed]) or "/"


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
            name = child.getPath().getName()
            # Spark's own rule: `_x=1` is a partition folder, `_temporary` and `_SUCCESS` are not data.
            if not name.startswith(".") and not (name.startswith("_") and "=" not in name):
                found += self.walk(system, child)
        return found

"""What files lie at a path, on whatever file system, and which of them are data."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import unquote
from weakref import WeakKeyDictionary

from pyspark.sql import SparkSession

from airflow_dq.engine.naming import HIVE_NULL, beside, is_hidden, is_side_file, keys_of
from airflow_dq.engine.spark.connect_files import ConnectFiles
from airflow_dq.engine.spark.files import GLOB, Files, base_path, is_connect, walk
from airflow_dq.engine.spark.hadoop import Hadoop
from airflow_dq.engine.spark.refused import RefusedError
from airflow_dq.engine.spark.store_files import StoreFiles, lacks_jar, store_place
from airflow_dq.engine.table_log import TableLog, folders_above, log_at
from airflow_dq.options.key import order_key

_known: WeakKeyDictionary[SparkSession, dict[str, Files]] = WeakKeyDictionary()


def files_of(spark: SparkSession, path: str = "") -> Files:
    """The file systems of a session: by Java where there is a gateway to it, else by its tasks.

    :param path: that is to be looked at: a store for which Java has no jar is looked at by this process
    """
    known = _known.setdefault(spark, {})
    store = "" if is_connect(spark) or "://" not in path else path[: path.find("/", path.find("://") + 3) + 1]
    if store not in known:
        known[store] = _opened(spark, store, known)
    return known[store]


def _opened(spark: SparkSession, store: str, known: dict[str, Files]) -> Files:
    if is_connect(spark):
        return ConnectFiles(spark)
    with suppress(RefusedError):
        # Where there is no way at all, Java says so.
        if store and lacks_jar(spark, store) and (place := store_place(spark, store)) is not None:
            return StoreFiles(spark, store, place)
    return known.setdefault("", Hadoop(spark))


def look_again(spark: SparkSession) -> None:
    """Forget what has been looked at in a session before: another job begins."""
    _known.pop(spark, None)


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
    return tuple(GLOB.sub(r"\\\g<0>", path) for path in paths)


def list_path(spark: SparkSession, path: str, names: str | None = None) -> Listing | None:
    """The data files at a path or glob pattern, hidden and side files left out; None when nothing is there.

    :param names: a pattern that the files' names match (Spark's option ``pathGlobFilter``)
    """
    system = files_of(spark, path)
    root = system.at(path)
    roots = [root] if root is not None else system.matching(path) if GLOB.search(path) else []
    if not roots:
        return None
    files: list[DataFile] = []
    logs: list[TableLog] = []
    one_by_one = False
    for root in roots:
        for file in walk(system, root, logs):
            if names is not None and not system.accepted(names, file):
                continue
            if is_side_file(file.name) and root.is_folder:
                one_by_one = True
                continue
            files.append(DataFile(file.path, file.size))
            inner = file.path[len(root.path) :].split("/")[1:-1]
            one_by_one = one_by_one or any("=" not in folder for folder in inner)
    return Listing(tuple(root.path for root in roots), tuple(files), one_by_one, next(iter(logs), None))


def log_above(spark: SparkSession, path: str, known: dict[str, TableLog | None]) -> TableLog | None:
    """The log of a table in whose folder a path lies, at whatever depth.

    :param known: takes what is found out of each folder, so that nothing is looked at twice
    """
    system = files_of(spark, path)
    found = system.qualified(path)
    for folder in (*folders_above(found), *folders_above(_behind_links(found))):
        if folder not in known:
            known[folder] = log_at(folder, system.exists, system.children)
        if known[folder] is not None:
            return known[folder]
    return None


def _behind_links(path: str) -> str:
    """A path of this machine without the links on its way; any other as it is."""
    scheme, colon, inner = path.partition(":")
    return f"file:{os.path.realpath(inner)}" if colon and scheme == "file" else path


def match_pattern(spark: SparkSession, pattern: str) -> dict[str, str]:
    """Partition key -> path for a pattern with one ``*``, whose match is the key, in the keys' order.

    Keys are the raw text of the names, with the escapes undone that Spark and Hive write into them (``%3A``), see
    :func:`~airflow_dq.engine.naming.keys_of`; the folder of the rows without a key has the key
    :data:`~airflow_dq.options.job.NULL_KEY`.
    """
    system = files_of(spark, pattern)
    # Both as the file system spells them, so that a relative pattern matches too.
    text = re.escape(system.qualified(pattern)).replace(r"\*", "([^/]*)")
    found = {}
    for entry in system.matching(pattern):
        match = re.fullmatch(text, entry.path)
        if match and (match[1] == HIVE_NULL or not is_hidden(entry.name)):
            found[match[1]] = entry.path
    return {key: found[folder] for folder, key in sorted(keys_of(found).items(), key=lambda pair: order_key(pair[1]))}


def strays(spark: SparkSession, pattern: str, places: Iterable[str]) -> str | None:
    """What is to be said of files that lie beside the folders that a pattern matches.

    :param places: what it matches
    """
    system = files_of(spark, pattern)
    # What follows the star may be a folder or a file: one look at one match tells.
    matched = next(iter(places), None)
    if matched is None:
        return None
    found = system.at(matched)
    if found is None or not found.is_folder:
        return None
    base = base_path(pattern)
    return beside(system.qualified(base), [one.name for one in system.inside(base) if not one.is_folder], pattern)


def _names(folder: str, column: str) -> bool:
    name, equals, _ = folder.partition("=")
    return bool(equals) and unquote(name) == column

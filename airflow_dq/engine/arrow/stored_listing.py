"""Which partitions there are in an object store, and their files: by the rules for this machine's own folders."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from functools import partial

import pyarrow as pa
from pyarrow import fs

from airflow_dq.engine.arrow.store import Store, store_of, unreachable
from airflow_dq.engine.data_file import StoredFile
from airflow_dq.engine.naming import HIVE_NULL, is_hidden, is_side_file, keys_of
from airflow_dq.engine.store_access import HDFS, StoreAccess, kind_of
from airflow_dq.engine.table_log import TableLog, folders_above, log_among, log_at
from airflow_dq.engine.worker.files import told_if_denied
from airflow_dq.exceptions import ConfigurationError, SourceEmptyError, SourceMissingError


def stored_matches(pattern: str, access: StoreAccess, where: str) -> dict[str, str]:
    """The path of everything that the pattern matches, by the key that stands in place of its ``*``.

    :raises SourceUnreadableError: when the store does not answer, or does not let one in
    """
    store = store_of(pattern, access, where)
    start, _, end = store.inner.partition("*")
    folder, _, _ = start.rpartition("/")
    name_end, _, below = end.partition("/")
    shape = re.compile(f"{re.escape(start)}([^/]*){re.escape(name_end)}")
    found = {}
    try:
        for info in store.system.get_file_info(fs.FileSelector(folder, allow_not_found=True)):
            match = shape.fullmatch(info.path)
            if match and (match[1] == HIVE_NULL or not is_hidden(info.base_name)):
                found[match[1]] = f"{info.path}/{below}" if below else info.path
        if below:
            there = store.system.get_file_info(list(found.values()))
            exists = [info.type != fs.FileType.NotFound for info in there]
            found = {key: path for (key, path), is_there in zip(found.items(), exists, strict=True) if is_there}
        if not found:
            _require_bucket(store, pattern, where)
    except (OSError, pa.ArrowException) as error:
        raise unreachable(error, where, pattern) from error
    return {key: store.outer(found[name]) for name, key in keys_of(found).items()}


def stored_files(
    place: str, access: StoreAccess, where: str, logs: dict[str, TableLog | None] | None
) -> list[StoredFile]:
    """The data files at or below a path, hidden and side files left out, in the order of their names.

    :param logs: takes what is found out of the folders above; None for formats of which no table with a log is made
    :raises SourceMissingError: when nothing is there
    :raises SourceEmptyError: when no data file is
    :raises SourceUnreadableError: when the store does not answer, or does not let one in
    :raises ConfigurationError: when sub-folders hold columns, or when a table's log says which of the files count
    """
    store = store_of(place, access, where)
    root = store.inner.rstrip("/")
    try:
        found = store.system.get_file_info(root)
        if found.type == fs.FileType.NotFound:
            _require_bucket(store, place, where)
            raise missing(place, where)
        below = [] if found.is_file else store.system.get_file_info(fs.FileSelector(root, recursive=True))
        log = None if logs is None else _log(store.system, root, below, logs)
    except (OSError, pa.ArrowException) as error:
        raise unreachable(error, where, place) from error
    if log is not None:
        raise replace(log, root=store.outer(log.root)).refusal(where, place)
    paths = [root] if found.is_file else sorted(info.path for info in below if info.is_file)
    files = [StoredFile(store.system, path, store.outer(path)) for path in paths if _is_data(path, root, where)]
    if not files:
        raise empty(place, where)
    return files


def _require_bucket(store: Store, place: str, where: str) -> None:
    """Refuse a bucket that is not there, which looks like an empty one.

    :raises SourceMissingError: naming it
    """
    bucket = store.inner.strip("/").partition("/")[0]
    if kind_of(place) != HDFS and store.system.get_file_info(bucket).type == fs.FileType.NotFound:
        raise SourceMissingError(f"{where}: there is no bucket {bucket!r} for {place}. Check its name and its store.")


def missing(place: str, where: str) -> SourceMissingError:
    """The error of a path at which nothing is."""
    return SourceMissingError(f"{where}: the source {place} does not exist. Check the path and that it was written.")


def empty(place: str, where: str) -> SourceEmptyError:
    """The error of a folder without data."""
    return SourceEmptyError(
        f"{where}: {place} exists and holds no data file (hidden and side files left aside). Check that the "
        "upstream task wrote it; a table without rows is written as a file with none."
    )


def _is_data(path: str, root: str, where: str) -> bool:
    """Whether a file counts.

    :raises ConfigurationError: when it lies in a folder that is a column
    """
    *folders, name = path[len(root) :].strip("/").split("/") if path != root else [""]
    if any(map(is_hidden, (*folders, name))) or is_side_file(name):
        return False
    column = next((folder for folder in folders if "=" in folder), None)
    if column is not None:
        raise ConfigurationError(
            f"{where}: the folder {root} has a sub-folder that is a column ({column}): use engine='spark'."
        )
    return True


def _log(
    system: fs.FileSystem, root: str, below: list[fs.FileInfo], known: dict[str, TableLog | None]
) -> TableLog | None:
    """The log of a table at a path, below it, or in a folder above."""
    names: dict[str, list[str]] = defaultdict(list)
    for info in below:
        folder, _, name = info.path.rpartition("/")
        names[folder].append(name)
    for folder, inner in names.items():
        log = log_among(folder, inner)
        if log is not None:
            return log
    for folder in folders_above(root):
        if folder not in known:
            known[folder] = log_at(folder, partial(_exists, system), partial(_names, system))
        if known[folder] is not None:
            return known[folder]
    return None


def _exists(system: fs.FileSystem, path: str) -> bool:
    with told_if_denied(path):
        return bool(system.get_file_info(path).type != fs.FileType.NotFound)


def _names(system: fs.FileSystem, folder: str) -> list[str]:
    with told_if_denied(folder):
        return [info.base_name for info in system.get_file_info(fs.FileSelector(folder, allow_not_found=True))]

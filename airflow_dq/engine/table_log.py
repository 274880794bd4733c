"""Tables that keep a log of which files are theirs: what lies in their folders may be replaced or deleted rows."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from airflow_dq.exceptions import ConfigurationError

LOGGED = ("parquet", "orc", "avro")
"""Formats of the files that such tables are made of."""

STREAM_LOG = "_spark_metadata"
"""What a stream of Spark keeps its log in, by which Spark reads the folder right above."""

_BY_KEY = "partition_by=<the key column>"
_SIGNS = {
    "_delta_log": ("a Delta", f"source_format='delta' (--format delta), source='{{root}}', {_BY_KEY}"),
    ".hoodie": ("a Hudi", f"engine='spark', source_format='hudi' (--format hudi), source='{{root}}', {_BY_KEY}"),
    STREAM_LOG: (
        "a Spark stream's",
        "engine='spark', sql='SELECT * FROM parquet.`{root}` WHERE <the key column> = ...'",
    ),
    "metadata": (
        "an Iceberg",
        f"source_format='iceberg' (--format iceberg), table='<catalog>.<database>.<table>', {_BY_KEY}",
    ),
}
_ALSO = {".hoodie_partition_metadata": ".hoodie"}
_ICEBERG = "metadata"
SIGNS = (*(sign for sign in _SIGNS if sign != _ICEBERG), *_ALSO)
"""Names that in a folder mean a table with a log."""
FOLDER_SIGN = _ICEBERG
"""The name of a folder that may hold such a log: what is in it tells."""
_POSIX = ("/", "file:", "hdfs:", "viewfs:")
"""How paths begin where who may not look into a folder reads nothing below it either.  In an object store a policy
commonly allows what begins with one prefix, and says nothing of what lies beside or above it."""
_START = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?/*")
"""The scheme of a path, and the slashes before its first name."""


@dataclass(frozen=True, slots=True)
class TableLog:
    """The log of a table, as far as it matters where it was found."""

    sign: str
    """The name of what keeps the log."""
    root: str
    """The table's folder, or the folder below it in which the sign lies."""
    denied: str = ""
    """Why the sign could not be looked at, when that is so: whether there is a log is not known then."""

    def refusal(self, where: str, place: str) -> ConfigurationError:
        """The error of who would read the files by themselves, with what to write instead.

        :param where: the dataset and the partition, in words
        :param place: what was to be read
        """
        sign = f"{self.root.rstrip('/')}/{self.sign}"
        if self.denied:
            return ConfigurationError(
                f"{where}: whether {place} holds files of a table with a log cannot be told: {sign} may not be looked "
                f"at ({self.denied}). Grant reading and listing of it; or, if it is such a table, read it as that: "
                "source_format= (--format), or table=."
            )
        kind, instead = _SIGNS[_ALSO.get(self.sign, self.sign)]
        return ConfigurationError(
            f"{where}: {place} holds files of {kind} table: {sign} says which of them count, "
            "and others may hold rows that were replaced or deleted. Read it as the table that it is: "
            f"{instead.format(root=self.root)}."
        )


def log_among(folder: str, names: Collection[str]) -> TableLog | None:
    """The log that the names in a folder show."""
    sign = next((name for name in names if name != _ICEBERG and (name in _SIGNS or name in _ALSO)), None)
    if sign is not None:
        return TableLog(sign, folder)
    parent, _, name = folder.rstrip("/").rpartition("/")
    return TableLog(_ICEBERG, parent) if name == _ICEBERG and _is_iceberg(names) else None


def log_at(folder: str, exists: Callable[[str], bool], names: Callable[[str], Iterable[str]]) -> TableLog | None:
    """The log of a table whose folder this may be, without a look at all that is in it.

    What may not be looked at is not taken for absent, or a table's replaced and deleted rows would be read.  A folder
    that may be listed answers for itself all the same.  One that may not be is nobody's to ask in an object store,
    see :data:`_POSIX`; elsewhere it is refused, and so is a ``metadata`` that is there and hides what it holds.

    :param exists: whether something is at a path; PermissionError when that cannot be seen
    :param names: of what is in a folder; nothing when it is none, PermissionError when they cannot be seen
    """
    base = folder.rstrip("/")
    try:
        for sign in SIGNS:
            if exists(f"{base}/{sign}"):
                return TableLog(sign, folder)
        return TableLog(_ICEBERG, folder) if _is_iceberg(names(f"{base}/{_ICEBERG}")) else None
    except PermissionError as error:
        return _log_listed(folder, names, error)


def exists_here(path: str) -> bool:
    """Whether something, if only a link to nowhere, is at a path of this machine.

    :raises PermissionError: when that cannot be seen, for whatever reason
    """
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise PermissionError(error.errno, error.strerror, path) from error
    return True


def names_here(folder: str) -> list[str]:
    """What is in a folder of this machine; nothing when there is none.

    :raises PermissionError: when that cannot be seen, for whatever reason
    """
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise PermissionError(error.errno, error.strerror, folder) from error


def folders_above(path: str) -> Iterator[str]:
    """The folders that a path lies in, the nearest first, without the root of the file system."""
    start = _START.match(path)
    prefix = start[0] if start else ""
    parts = path[len(prefix) :].rstrip("/").split("/")
    yield from (prefix + "/".join(parts[:end]) for end in range(len(parts) - 1, 0, -1))


def _log_listed(folder: str, names: Callable[[str], Iterable[str]], denied: PermissionError) -> TableLog | None:
    """The log of a table by the names in its folder, one of whose signs may not be looked at."""
    try:
        shown = list(names(folder))
    except PermissionError:
        return _not_seen(folder, denied) if folder.startswith(_POSIX) else None
    log = log_among(folder, shown)
    if log is not None or _ICEBERG not in shown:
        return log
    try:
        inner = names(f"{folder.rstrip('/')}/{_ICEBERG}")
    except PermissionError as error:
        return _not_seen(folder, error)
    return TableLog(_ICEBERG, folder) if _is_iceberg(inner) else None


def _not_seen(folder: str, denied: PermissionError) -> TableLog:
    return TableLog(str(denied.filename).rpartition("/")[2], folder, str(denied.strerror))


def _is_iceberg(names: Iterable[str]) -> bool:
    return any(name == "version-hint.text" or name.endswith((".metadata.json", ".metadata.json.gz")) for name in names)

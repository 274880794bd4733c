"""Files behind a Spark Connect server: a task lists all of a place at once, and what is asked is answered from that."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from airflow_dq.engine.spark.files import Entry, base_path
from airflow_dq.engine.table_log import FOLDER_SIGN, SIGNS, folders_above
from airflow_dq.engine.worker.files import ENTRY_DDL, HEAD_DDL, UNSEEN, denied, list_tree, read_heads

_PARTS = re.compile(r"\\(.)|(\*)|(\?)|\[([^\]]*)\]|\{([^}]*)\}|([^*?\[\]{}\\]+)")
Task = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def expression(pattern: str) -> re.Pattern[str]:
    """Hadoop's glob as a regular expression of whole paths: a star stays within one component.

    >>> bool(expression("/a/{x,y}=[0-9]*").fullmatch("/a/y=12")), bool(expression("/a/*").fullmatch("/a/b/c"))
    (True, False)
    """
    found = ""
    for escaped, star, one, among, either, plain in _PARTS.findall(pattern):
        if star:
            found += "[^/]*"
        elif one:
            found += "[^/]"
        elif among:
            found += f"[{among.replace('!', '^', 1) if among.startswith('!') else among}]"
        elif either:
            found += f"(?:{'|'.join(expression(part).pattern for part in either.split(','))})"
        else:
            found += re.escape(escaped or plain)
    return re.compile(found)


class ConnectFiles:
    """The files that the executors of a Spark Connect session see."""

    def __init__(self, spark: SparkSession) -> None:
        """Nothing is looked at yet."""
        self._spark = spark
        self._listed: list[str] = []
        self._asked: set[str] = set()
        self._unseen: set[str] = set()
        self._entries: dict[str, Entry] = {}
        self._inside: dict[str, dict[str, Entry]] = defaultdict(dict)

    def qualified(self, path: str) -> str:
        """A path with its scheme."""
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", path):
            return re.sub(r"^file:/+", "file:/", path).rstrip("/")
        return re.sub("/+", "/", f"file:{path}").rstrip("/")

    def at(self, path: str) -> Entry | None:
        """What is at a path."""
        self._look(path)
        return self._entries.get(self.qualified(path))

    def matching(self, pattern: str) -> list[Entry]:
        """What matches a glob pattern."""
        self._look(base_path(pattern))
        wanted = expression(self.qualified(pattern))
        return [entry for path, entry in self._entries.items() if wanted.fullmatch(path)]

    def inside(self, folder: str) -> list[Entry]:
        """What is in a folder."""
        self._look(folder)
        return list(self._inside[self.qualified(folder)].values())

    def exists(self, path: str) -> bool:
        """Whether something is at a path.

        :raises PermissionError: when it may not be looked at
        """
        self._look(path, alone=True)
        self._require_seen(path)
        return self.qualified(path) in self._entries

    def children(self, folder: str) -> list[str]:
        """The names in a folder; none when there is no such folder.

        :raises PermissionError: when it may not be looked at
        """
        self._require_seen(folder)
        if not any(path.rpartition("/")[0] == self.qualified(folder) for path in self._unseen):
            # Else its names came with what in it may not be looked at.
            self._look(folder)
            self._require_seen(folder)
        return [entry.name for entry in self._inside[self.qualified(folder)].values()]

    def accepted(self, pattern: str, entry: Entry) -> bool:
        """Whether the name of a file matches a pattern of names."""
        return expression(pattern).fullmatch(entry.name) is not None

    def heads(self, files: Sequence[str], size: int, *, packed: bool = False) -> dict[str, bytes]:
        """The first bytes of some files, unpacked by their names, or as they are stored."""
        rows = self._run(partial(read_heads, files=list(files), size=size, packed=packed), HEAD_DDL)
        return {row["path"]: bytes(row["head"]) for row in rows}

    def _look(self, path: str, *, alone: bool = False) -> None:
        """List a place, unless it or a larger one that it lies in is known, and ask for signs of tables above it.

        :param alone: whether something is there is all that is asked: it may turn out to be denied
        """
        base = self.qualified(path)
        if base in self._asked or any(base == known or base.startswith(f"{known}/") for known in self._listed):
            return
        above = list(folders_above(base))
        signs = [f"{folder}/{sign}" for folder in above for sign in SIGNS]
        inside = [f"{folder}/{FOLDER_SIGN}" for folder in above]
        wanted = dict.fromkeys([*signs, base] if alone else [sign for sign in signs if sign != base])
        task = partial(list_tree, base=base, above=list(wanted), inside=inside)
        for row in self._run(task, ENTRY_DDL):
            if row["size"] == UNSEEN:
                self._unseen.add(row["path"])
                continue
            entry = Entry(row["path"], row["folder"], row["size"])
            self._entries[entry.path] = entry
            self._inside[entry.path.rpartition("/")[0]][entry.path] = entry
        self._listed += [] if alone else [base]
        self._asked.update(wanted, inside)

    def _require_seen(self, path: str) -> None:
        if self.qualified(path) in self._unseen:
            raise denied(path)

    def _run(self, task: Task, schema: str) -> list[Any]:
        return list(self._spark.range(0, 1, 1, 1).mapInArrow(task, schema).collect())

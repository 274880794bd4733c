"""File systems through Arrow, as Spark's tasks and the driver look at them: paths are spelled as Spark spells them."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from urllib.parse import urlsplit

import pyarrow as pa
from pyarrow import fs

ENTRY = pa.schema([("path", pa.string()), ("folder", pa.bool_()), ("size", pa.int64())])
"""A file or a folder."""
ENTRY_DDL = "path string, folder boolean, size long"
HEAD = pa.schema([("path", pa.string()), ("head", pa.binary())])
"""The first bytes of a file."""
HEAD_DDL = "path string, head binary"
_S3 = {"s3a": "s3", "s3n": "s3"}
"""Spark's names of a scheme that Arrow knows by another."""
_DENIED = re.compile(r"AWS Error ACCESS_DENIED|PERMISSION_DENIED|Authorization(?:Failure|PermissionMismatch)\b")
"""How S3, Google and Azure, in Arrow's words, say 403; the numeral alone may be one of the path's."""
UNSEEN = -1
"""In place of the bytes of what may not be looked at."""


def list_tree(
    batches: Iterable[pa.RecordBatch],
    base: str,
    above: Sequence[str],
    inside: Sequence[str],
    place_of: Callable[[str], Place] | None = None,
) -> Iterator[pa.RecordBatch]:
    """All that is at or below a path, hidden names included, and what there is of some other places.

    Of those what may not be looked at comes with :data:`UNSEEN`, and the names beside it as far as they may be listed.

    :param batches: one row, for one task
    :param base: the path
    :param above: other paths that are looked at alone, or the same, below which nothing is wanted then
    :param inside: folders of which the names are wanted, as far as they are there
    :param place_of: the file system of a path; None: :meth:`Place.of`
    :return: rows of :data:`ENTRY`, spelled as Spark spells paths
    """
    if not any(batch.num_rows for batch in batches):
        return
    place = (place_of or Place.of)(base)
    found = [] if base in above else [place.look(base), *place.below(base, recursive=True)]
    unseen: list[str] = []
    for path in above:
        found += _unless_denied(path, lambda path: [place.look(path)], unseen)
    for folder in inside:
        found += _unless_denied(folder, partial(place.below, recursive=False), unseen)
    for folder in dict.fromkeys(path.rpartition("/")[0] for path in unseen):
        found += _unless_denied(folder, partial(place.below, recursive=False), unseen)
    found += [(path, False, UNSEEN) for path in unseen]
    rows = [entry for entry in found if entry is not None]
    columns = zip(*rows, strict=True) if rows else ([], [], [])
    yield pa.record_batch([pa.array(cells, one.type) for cells, one in zip(columns, ENTRY, strict=True)], ENTRY)


def read_heads(
    batches: Iterable[pa.RecordBatch],
    files: Sequence[str],
    size: int,
    place_of: Callable[[str], Place] | None = None,
    *,
    packed: bool = False,
) -> Iterator[pa.RecordBatch]:
    """The first bytes of some files, unpacked by their names; none of a file that cannot be read.

    :param batches: one row, for one task
    :param packed: as they are stored instead
    :param place_of: as for :func:`list_tree`
    :return: rows of :data:`HEAD`
    """
    if not any(batch.num_rows for batch in batches):
        return
    for file in files:
        head = (place_of or Place.of)(file).head(file, size, packed=packed)
        yield pa.record_batch([pa.array([file]), pa.array([head], pa.binary())], HEAD)


def denied(path: str) -> PermissionError:
    """The error of a path that may not be looked at, whatever file system says so."""
    return PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


@contextmanager
def told_if_denied(path: str) -> Iterator[None]:
    """Raise PermissionError whatever file system says that a path may not be looked at."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        if isinstance(error, PermissionError) or _DENIED.search(str(error)):
            raise denied(path) from error
        raise


Found = tuple[str, bool, int]
"""Path, whether it is a folder, bytes."""


def _unless_denied(
    path: str, look: Callable[[str], Sequence[Found | None]], unseen: list[str]
) -> Sequence[Found | None]:
    """What is seen of a path, or the path among what is not."""
    try:
        with told_if_denied(path):
            return look(path)
    except PermissionError:
        unseen.append(path)
        return []


class Place:
    """A file system, and how its paths are spelled outside of it."""

    def __init__(self, system: fs.FileSystem, spelled: str, root: str) -> None:
        """Take the file system.

        :param spelled: how a path begins for Spark
        :param root: how the same path begins here
        """
        self._system = system
        self._spelled = spelled
        self._root = root

    @classmethod
    def of(cls, path: str) -> Place:
        """The file system of a path: credentials come from the environment of the executors."""
        parts = urlsplit(path)
        if parts.scheme in ("", "file"):
            return cls(fs.LocalFileSystem(), "file:", "")
        address = f"{_S3.get(parts.scheme, parts.scheme)}://{parts.netloc}"
        system, root = fs.FileSystem.from_uri(address)
        return cls(system, f"{parts.scheme}://{parts.netloc}", root.rstrip("/"))

    def look(self, path: str) -> Found | None:
        """What is at a path."""
        return self._found(self._system.get_file_info(self._inner(path)))

    def below(self, path: str, *, recursive: bool) -> list[Found]:
        """What is in a folder, in the order of the names; nothing when there is none."""
        if self._system.get_file_info(self._inner(path)).type != fs.FileType.Directory:
            return []
        chosen = fs.FileSelector(self._inner(path), recursive=recursive, allow_not_found=True)
        infos = sorted(self._system.get_file_info(chosen), key=lambda info: str(info.path))
        return [found for info in infos if (found := self._found(info)) is not None]

    def head(self, path: str, size: int, *, packed: bool = False) -> bytes:
        """The first bytes of a file; none when it cannot be read: Spark comes to the same error, and says more."""
        try:
            unpack = None if packed else "detect"
            with self._system.open_input_stream(self._inner(path), compression=unpack) as stream:
                return bytes(stream.read(size))
        except (OSError, pa.ArrowException):
            return b""

    def holds(self, path: str) -> bool:
        """Whether a path is one of this file system."""
        return path.startswith(self._spelled)

    def stamp(self, path: str) -> tuple[int, int]:
        """A file's size in bytes, and when it was last changed, in nanoseconds since 1970.

        :raises FileNotFoundError: when it is not there
        :raises OSError: when it may not be looked at
        """
        info = self._system.get_file_info(self._inner(path))
        if info.type != fs.FileType.File:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return int(info.size), int(info.mtime_ns or 0)

    def open(self, path: str) -> pa.NativeFile:
        """A file, to be read from anywhere in it."""
        return self._system.open_input_file(self._inner(path))

    def footer(self, path: str) -> bytes:
        """The end of a Parquet file: its footer, that one's length, and the four bytes with which such a file ends."""
        with self.open(path) as file:
            end = file.size()
            file.seek(end - 8)
            length = int.from_bytes(file.read(4), "little")
            file.seek(end - 8 - length)
            return bytes(file.read(length + 8))

    def _inner(self, path: str) -> str:
        plain = path.removeprefix(self._spelled)
        if self._spelled == "file:":
            return os.path.abspath("/" + plain.lstrip("/") if plain.startswith("//") else plain)
        return self._root + plain

    def _found(self, info: fs.FileInfo) -> Found | None:
        if info.type == fs.FileType.NotFound:
            return None
        spelled = self._spelled + str(info.path)[len(self._root) :]
        return spelled, info.type == fs.FileType.Directory, int(info.size or 0)

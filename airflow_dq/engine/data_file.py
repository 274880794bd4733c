"""One file of data: on this machine, or in an object store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pyarrow as pa
from pyarrow import fs

_CODECS = {".gz": "gzip", ".gzip": "gzip", ".bz2": "bz2", ".zst": "zstd", ".zstd": "zstd", ".lz4": "lz4"}
"""Ending of a packed file's name, in any case as for Spark -> what pyarrow unpacks it by."""
_OTHER_CODECS = (".snappy", ".deflate")
"""Endings by which Spark unpacks a file and pyarrow does not: read as it is, it would be strange text."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that pyarrow opens on some file system; as much of a path as readers ask for."""

    system: fs.FileSystem
    inner: str
    """The path for the file system."""
    place: str
    """The path as people write it."""

    def __str__(self) -> str:
        return self.place

    @property
    def name(self) -> str:
        """The last component of the path."""
        return PurePosixPath(self.inner).name

    @property
    def suffix(self) -> str:
        """The last ending of the name."""
        return PurePosixPath(self.inner).suffix

    @property
    def suffixes(self) -> list[str]:
        """The endings of the name."""
        return PurePosixPath(self.inner).suffixes


DataFile = Path | StoredFile


def opened(file: DataFile) -> pa.NativeFile:
    """The file, to be read at any place.

    :raises OSError: when it cannot be opened
    """
    return pa.OSFile(str(file)) if isinstance(file, Path) else file.system.open_input_file(file.inner)


def unpacked(file: DataFile) -> pa.NativeFile:
    """The file from its beginning, unpacked by its name.

    :raises OSError: when it cannot be opened
    :raises ValueError: when it is packed as only Spark unpacks it
    """
    ending = file.suffix.lower()
    if ending in _OTHER_CODECS:
        raise ValueError(f"only engine='spark' unpacks {ending}")
    codec = _CODECS.get(ending)
    if isinstance(file, Path):
        return pa.input_stream(str(file), compression=codec)
    return file.system.open_input_stream(file.inner, compression=codec)

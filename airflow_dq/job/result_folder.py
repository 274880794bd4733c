"""A folder in which a job leaves what it has found, on this machine or on an object store that two machines reach."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from airflow_dq.engine.store_access import NO_ACCESS, kind_of
from airflow_dq.exceptions import ConfigurationError, ProfileError

_BLOCK = 8 * 2**20
"""Bytes that are copied at once."""
ORDER = "order.json"
"""The order, for a submitter that takes few bytes of arguments; whoever submits the job leaves it here."""


class ResultFolder:
    """One job's folder.  A file of it is there whole or not at all; a later one of its name takes its place.

    Credentials come from the environment: of the driver where it writes, of the task where it reads.
    """

    def __init__(self, path: str) -> None:
        """Take the folder, which need not be there yet.

        :param path: ``s3://bucket/dq``, ``gs://``, ``abfss://``, ``hdfs://``, ``file:///dq`` or a local path
        :raises ConfigurationError: when it is on no file system that Arrow knows
        """
        from airflow_dq.engine.arrow.store import store_of

        self.path = path.rstrip("/")
        self._local = urlsplit(path).scheme in ("", "file")
        if not (self._local or _is_known(path)):
            raise ConfigurationError(
                f"The folder for results {path!r} is on no file system that pyarrow knows: give one that the job's "
                "driver and this task both reach, s3://, gs://, abfss://, hdfs://, or a path that both have mounted."
            )
        found = store_of(self.path, NO_ACCESS, f"The folder for results {path!r}")
        self._system, self._root = found.system, os.path.abspath(found.inner) if self._local else found.inner

    def __str__(self) -> str:
        return self.path

    def inside(self, name: str) -> ResultFolder:
        """A folder in this one."""
        return ResultFolder(f"{self.path}/{name}")

    def put(self, name: str, content: IO[bytes]) -> None:
        """Write a file.

        :raises ProfileError: when that fails
        """
        with self._explained("written"):
            self._system.create_dir(self._root, recursive=True)
            target = f"{self._root}/{name}"
            # An object appears when it is complete; a local file has to be moved there.
            aside = f"{target}.{os.getpid()}.part" if self._local else target
            with self._system.open_output_stream(aside) as stream:
                shutil.copyfileobj(content, stream, _BLOCK)
            if aside != target:
                Path(aside).replace(target)

    def get(self, name: str) -> bytes | None:
        """What is in a file; None where there is none.

        :raises ProfileError: when it cannot be read
        """
        with self._explained("read"):
            try:
                with self._system.open_input_stream(f"{self._root}/{name}") as stream:
                    return bytes(stream.read())
            except FileNotFoundError:
                return None

    @contextmanager
    def copied(self, name: str) -> Iterator[IO[bytes]]:
        """A file's content in one of this machine, from its beginning.

        :raises ProfileError: when it is not there, or cannot be read
        """
        with tempfile.TemporaryFile() as copy:
            with self._explained("read"), self._system.open_input_stream(f"{self._root}/{name}") as stream:
                shutil.copyfileobj(stream, copy, _BLOCK)
            copy.seek(0)
            yield copy

    def remove(self) -> None:
        """Remove the folder with all that is in it, if it is there.

        :raises ProfileError: when that fails
        """
        from pyarrow import fs

        with self._explained("removed"):
            if self._system.get_file_info(self._root).type == fs.FileType.Directory:
                self._system.delete_dir(self._root)

    @contextmanager
    def _explained(self, done: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ProfileError(f"The folder for results {self.path} cannot be {done}: {error}") from error


def _is_known(path: str) -> bool:
    try:
        return kind_of(path) != ""
    except ConfigurationError:
        return False

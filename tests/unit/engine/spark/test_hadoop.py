"""A folder's entries out of the fields of Hadoop's own objects, whatever names the files have."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from py4j.protocol import Py4JJavaError

from airflow_dq.engine.spark.files import Entry
from airflow_dq.engine.spark.hadoop import Hadoop, told

_FILE = {"path": 'file:/a/b ; isdir=true\n"x', "length": 123, "isdir": False, "blocksize": 33554432, "symlink": None}
_FOLDER = {"path": "s3a://lake/day=1", "length": 4096, "isdir": True, "attr": []}


def test_a_file_and_a_folder_are_told() -> None:
    found = told(json.dumps([_FILE, _FOLDER]))
    assert found == [Entry(str(_FILE["path"]), False, 123), Entry("s3a://lake/day=1", True, 0)]
    assert [entry.name for entry in found] == ['b ; isdir=true\n"x', "day=1"]


@pytest.mark.parametrize("lacking", ["path", "isdir", "length"])
def test_what_lacks_a_field_is_not_guessed_at(lacking: str) -> None:
    with pytest.raises(ValueError, match="no status"):
        told(json.dumps([_FOLDER, {name: value for name, value in _FILE.items() if name != lacking}]))


class FailedError(Py4JJavaError):  # type: ignore[misc, unused-ignore]
    """An exception of Java's, without a Java."""

    def __init__(self, kind: str, message: str) -> None:
        self.java_exception = MagicMock()
        self.java_exception.getClass().getName.return_value = kind
        self.java_exception.getMessage.return_value = message
        self.java_exception.getCause.return_value = None

    def __str__(self) -> str:
        return "of Java"


def failing(error: Exception) -> Hadoop:
    """A session whose file systems answer with an error."""
    files = Hadoop(MagicMock())
    system: Any = files._path("/").getFileSystem.return_value
    system.exists.side_effect = error
    return files


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("java.nio.file.AccessDeniedException", "s3a://lake/t/_delta_log: getFileStatus: Forbidden"),
        ("org.apache.hadoop.security.AccessControlException", "Permission denied: user=dq"),
        ("com.google.api.client.googleapis.json.GoogleJsonResponseException", "403 Forbidden GET https://storage"),
    ],
)
def test_what_may_not_be_looked_at_is_not_taken_for_absent(kind: str, message: str) -> None:
    files = failing(FailedError(kind, message))
    for look in (files.exists, files.children):
        with pytest.raises(PermissionError, match="s3a://lake/t/_delta_log"):
            look("s3a://lake/t/_delta_log")


def test_a_store_that_does_not_answer_is_not_taken_for_one_without_logs() -> None:
    files = failing(FailedError("java.net.SocketTimeoutException", "Read timed out: s3a://lake/403/_delta_log"))
    for look in (files.exists, files.children):
        with pytest.raises(FailedError):
            look("s3a://lake/403/_delta_log")


def test_folders_of_this_machine_are_not_absent_when_denied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = Hadoop(MagicMock())
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "a").touch()
    assert files.exists(f"file:{tmp_path}/metadata")
    assert not files.exists(f"file:{tmp_path}/metadata/a/b")
    assert files.children(f"file:{tmp_path}/metadata") == ["a"]
    assert files.children(f"file:{tmp_path}/none") == files.children(f"file:{tmp_path}/metadata/a") == []

    def denied(path: str) -> Any:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    monkeypatch.setattr(os, "lstat", denied)
    monkeypatch.setattr(os, "listdir", denied)
    for look in (files.exists, files.children):
        with pytest.raises(PermissionError, match="metadata"):
            look(f"file:{tmp_path}/metadata")

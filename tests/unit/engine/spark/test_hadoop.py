"""A folder's entries out of Hadoop's own texts, whatever names they have."""

from __future__ import annotations

import pytest

from airflow_dq.engine.spark.hadoop import Entry, _told

_REST = "replication=1; blocksize=33554432; modification_time=1; isSymlink=false; hasAcl=false}"


@pytest.mark.parametrize(
    "kind", ["FileStatus", "DeprecatedRawLocalFileStatus", "S3AFileStatus", "HdfsLocatedFileStatus"]
)
@pytest.mark.parametrize(
    "path", ["file:/a/b.parquet", "s3a://lake/day=1/x", "file:/a/{path=x; isDirectory=true; length=9"]
)
def test_a_file_and_a_folder_are_told_by_any_file_system(kind: str, path: str) -> None:
    file = f"{kind}{{path={path}; isDirectory=false; length=123; {_REST}"
    assert _told(path, file) == Entry(path, False, 123)
    folder = f"{kind}{{path={path}; isDirectory=true; modification_time=1}}"
    assert _told(path, folder) == Entry(path, True, 0)


@pytest.mark.parametrize(
    "text", ["VendorStatus[/a 123]", "FileStatus{path=/b; isDirectory=true}", "FileStatus{path=/a; isDirectory=false}"]
)
def test_another_text_is_not_guessed_at(text: str) -> None:
    assert _told("/a", text) is None

"""A folder's entries out of the fields of Hadoop's own objects, whatever names the files have."""

from __future__ import annotations

import json

import pytest

from airflow_dq.engine.spark.files import Entry
from airflow_dq.engine.spark.hadoop import told

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

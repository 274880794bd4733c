"""What a task tells of files, and how that is spelled: as Spark does."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pytest

from airflow_dq.engine.worker.files import list_tree, read_heads

ONE = [pa.record_batch({"id": [0]})]


def told(base: str, above: tuple[str, ...] = (), inside: tuple[str, ...] = ()) -> list[tuple[str, bool, int]]:
    rows = [row for batch in list_tree(ONE, base, above, inside) for row in batch.to_pylist()]
    return [(row["path"], row["folder"], row["size"]) for row in rows]


@pytest.mark.parametrize("scheme", ["", "file:", "file://"])
def test_all_of_a_folder_is_told_hidden_names_included(tmp_path: Path, scheme: str) -> None:
    (tmp_path / "d=1").mkdir()
    (tmp_path / "d=1" / "a b%41;x").write_text("123")
    (tmp_path / "d=1" / "_SUCCESS").touch()
    base = f"file:{tmp_path}"
    assert told(f"{scheme}{tmp_path}") == [
        (base, True, 0),
        (f"{base}/d=1", True, 0),
        (f"{base}/d=1/_SUCCESS", False, 0),
        (f"{base}/d=1/a b%41;x", False, 3),
    ]


def test_a_file_is_told_alone_and_what_is_missing_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "v1.metadata.json").touch()
    base = f"file:{tmp_path}"
    assert told(f"{base}/nowhere") == []
    found = told(f"{base}/a", (f"{base}/_delta_log", f"{base}/metadata"), (f"{base}/metadata", f"{base}/none"))
    assert [path for path, _, _ in found] == [f"{base}/a", f"{base}/metadata", f"{base}/metadata/v1.metadata.json"]
    assert list(list_tree([], base, (), ())) == []


def test_heads_are_unpacked_and_an_unreadable_file_has_none(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,name")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(b"id,text"))
    files = [f"file:{tmp_path}/{name}" for name in ("a.csv", "b.csv.gz", "nowhere")]
    rows = [row for batch in read_heads(ONE, files, 4) for row in batch.to_pylist()]
    assert [(row["path"], row["head"]) for row in rows] == list(zip(files, (b"id,n", b"id,t", b""), strict=True))
    rows = [row for batch in read_heads(ONE, files, 2, packed=True) for row in batch.to_pylist()]
    assert [row["head"] for row in rows] == [b"id", b"\x1f\x8b", b""]

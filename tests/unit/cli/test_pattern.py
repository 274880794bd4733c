"""``airflow dq index`` and ``airflow dq tag`` on files."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from airflow_dq.cli.main import main
from airflow_dq.pattern import PatternIndex

KEYS = [f"K{n * 37 % 900 + 100}" for n in range(30)]


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    for name in ("a", "b", "c"):
        for day in ("1", "2"):
            folder = tmp_path / "lake" / name / f"day={day}"
            folder.mkdir(parents=True)
            table = pa.table({"key": KEYS, "hour": [f"{n % 24}:0{n % 10}" for n in range(30)], "n": list(range(30))})
            pyarrow.parquet.write_table(table, folder / "part-0.parquet")
    (tmp_path / "lake" / "d.csv").write_text("key,word\nK123,x\nK456,y\n", encoding="utf-8")
    return tmp_path / "lake"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    main([*arguments, "--json"])
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_a_lake_is_indexed_and_extended(lake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "index")
    first = said(capsys, "index", file, "--source", str(lake / "a"))
    assert (first["tables"], first["columns"], first["new"]) == (1, 2, 1)
    again = said(capsys, "index", file, "--source", str(lake / "**" / "*"))
    assert (again["tables"], again["columns"], again["new"]) == (4, 8, 3)
    assert said(capsys, "index", file, "--source", str(lake))["new"] == 0
    assert PatternIndex.load(Path(file)).columns == 8


def test_a_file_that_cannot_be_read_is_left_out_and_told(
    lake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (lake / "broken.parquet").write_bytes(b"nothing")
    with pytest.raises(SystemExit) as ended:
        main(["index", str(tmp_path / "index"), "--source", str(lake)])
    assert ended.value.code == 1
    assert "broken.parquet cannot be read" in capsys.readouterr().out


def test_columns_of_a_type_are_found(lake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    examples = tmp_path / "examples"
    examples.write_text("\n".join(KEYS), encoding="utf-8")
    file = str(tmp_path / "index")
    said(capsys, "index", file, "--source", str(lake))
    arguments = ["tag", "key", "--source", str(lake), "--pattern", "K<digit>{3}"]
    found = said(capsys, *arguments)
    assert [one["column"].rsplit(" ", 1)[-1] for one in found["columns"]] == ["key"] * 4  # type: ignore[attr-defined]
    main([*arguments, "--least", "1"])
    assert "K<digit>{3}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["index", "x", "--source", "/nowhere/*"], "No file of the kinds"),
        (["tag", "key", "--source", "/nowhere"], "needs --examples"),
        (["tag", "key", "--source", "/nowhere", "--pattern", "<digt>"], "no class <digt>"),
    ],
)
def test_a_mistake_is_explained(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err

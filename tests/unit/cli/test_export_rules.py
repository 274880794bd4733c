"""``airflow dq export-rules`` of declared checks: without a database, to a folder or the standard output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_dq.cli.main import main

CHECKS = """\
dataset: orders
checks:
  - rows: {error: [1, 50]}
  - skewness: {column: price, error: "<3"}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "orders.dq.yml"
    path.write_text(CHECKS)
    return path


def export(file: Path, *more: str) -> None:
    main(["export-rules", "orders", "--checks", str(file), "--only", "declared", *more])


def test_one_file_goes_to_the_standard_output(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export(file, "--to", "dqdl")
    told = capsys.readouterr()
    assert "(RowCount >= 1) and (RowCount <= 50)" in told.out
    assert "1 rules written, 1 not:\n  skewness.price: there is no portable SQL for skewness\n" in told.err


def test_a_folder_is_written_to_and_nothing_over_it(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    export(file, "--to", "dbt", "--out", str(folder), "--table", "shop_orders")
    written = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert written == ["models/shop_orders.dq.yml", "tests/generic/dq_within.sql"]
    with pytest.raises(SystemExit):
        export(file, "--to", "dbt", "--out", str(folder), "--table", "shop_orders")
    assert "is there already: give --replace" in capsys.readouterr().err
    export(file, "--to", "dbt", "--out", str(folder), "--table", "shop_orders", "--replace")


def test_several_files_need_a_folder(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        export(file, "--to", "dbt")
    assert "give --out with the folder" in capsys.readouterr().err


def test_json_has_the_files_and_what_is_not_in_them(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export(file, "--to", "odcs", "--json")
    found = json.loads(capsys.readouterr().out)
    assert (found["said"], found["lost"]) == (2, [])
    assert list(found["files"]) == ["orders.odcs.yaml"]

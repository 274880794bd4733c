from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from airflow_dq.cli.main import main


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    table = pa.table(
        {"city": ["Ulm", "Ulm", "Bonn", None], "price": [1.5, 2.5, 40.0, 2.5], "raw": [b"a", b"b", b"c", b"d"]}
    )
    pyarrow.parquet.write_table(table, tmp_path / "orders.parquet")
    return tmp_path / "orders.parquet"


def test_columns_are_shown_in_a_line_each(orders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["profile", str(orders)])
    first, _, heads, *lines = capsys.readouterr().out.splitlines()
    assert first == "4 rows, 3 columns, 1 file"
    assert heads.split() == ["COLUMN", "TYPE", "MISSING", "DISTINCT", "MIN", "MEDIAN", "MAX", "MOST", "FREQUENT"]
    assert lines[0].split() == ["city", "string", "25.0%", "2", "-", "-", "-", "'Ulm'", "66.7%,", "'Bonn'", "33.3%"]
    assert lines[1].split() == ["price", "double", "0%", "3", "1.5", "2.5", "40", "-"]
    assert lines[3].startswith("raw: binary")


def test_json_has_the_profile_as_well(orders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["profile", str(orders.parent), "--columns", "price", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["rows"], [one["name"] for one in found["columns"]]) == (4, ["price"])
    assert found["profile"]["row_count"] == 4


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("absent.csv",), "absent.csv does not exist"),
        (("ORDERS", "--columns", "prise"), "No column is named 'prise'"),
        (("ORDERS", "--option", "sep=;"), "There are no read options for parquet"),
    ],
)
def test_a_users_error_is_a_sentence(
    orders: Path, arguments: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["profile", *(one.replace("ORDERS", str(orders)) for one in arguments)])
    assert ended.value.code == 2
    assert sentence in capsys.readouterr().err


def test_no_rows_are_a_profile_and_a_file_without_even_a_header_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "orders.csv"
    path.write_text("id,price\n")
    main(["profile", str(path)])
    assert capsys.readouterr().out.startswith("0 rows, 2 columns, 1 file")
    path.write_text("")
    with pytest.raises(SystemExit) as ended:
        main(["profile", str(path)])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "There are no columns in" in told
    assert "orders.csv: a text file names them in its first line" in told

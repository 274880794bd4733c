from __future__ import annotations

from airflow_dq.cli.table import render


def test_text_stands_left_and_numbers_right() -> None:
    assert render(("NAME", "ROWS"), [("a", 12345), ("longer", None), ("b", 7)]).splitlines() == [
        "NAME      ROWS",
        "a       12,345",
        "longer       -",
        "b            7",
    ]


def test_a_column_without_any_value_is_text() -> None:
    assert render(("A",), [(None,)]).splitlines() == ["A", "-"]


def test_no_rows_is_the_head() -> None:
    assert render(("A", "B"), []) == "A  B"

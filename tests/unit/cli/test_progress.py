from __future__ import annotations

import pytest

from airflow_dq.cli import progress


def done(capsys: pytest.CaptureFixture[str], number: int) -> str:
    assert list(progress.followed(iter(range(number)), number, "days seen")) == list(range(number))
    return capsys.readouterr().err


def test_what_is_short_says_nothing_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert done(capsys, 500) == ""


def test_what_is_long_says_ten_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_SHORT", 0.0)
    lines = done(capsys, 500).splitlines()
    assert len(lines) == 10
    assert (lines[0], lines[-1]) == ("50 of 500 days seen", "500 of 500 days seen")


def test_a_terminal_has_a_bar_that_goes_away(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    said = done(capsys, 2)
    assert "[###############...............] 1 of 2 days seen" in said
    assert said.endswith(progress._CLEAR)

"""Names from data in what people read: nothing of them acts on a terminal, or makes a line of a log."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.cli.table import render
from airflow_dq.exceptions import DQError
from airflow_dq.explain.alert import Alert
from airflow_dq.job.outcome import Outcome
from airflow_dq.visible import visible

EVIL = "a\x1b[2K\x9b1A\u202eb\nERROR: all is well\u2028\r\x00\u200b"


def acts(text: str) -> bool:
    return any(unicodedata.category(letter) in ("Cc", "Zl", "Zp", "Cs") or letter in "\u202e\u200b" for letter in text)


@given(st.text())
def test_what_is_visible_stays_and_nothing_else_does(text: str) -> None:
    shown = visible(text)
    assert not acts(shown)
    assert visible(shown) == shown
    assert visible(text, lines=True).count("\n") == text.count("\n")
    if text.isprintable():
        assert shown == text


@pytest.mark.parametrize("text", ["naïve 数量 🙂", "a 'b' \\x1b", ""])
def test_a_harmless_name_is_shown_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_messages_logs_and_tables_show_what_hides_in_a_name() -> None:
    alert = Alert("range", EVIL, f"mean of {EVIL} is 3", cause=EVIL, moved_with=(EVIL,), snoozed=EVIL)
    outcome = Outcome(EVIL, error=EVIL)
    for said in (alert.sentence, alert.message, alert.headline, outcome.line(EVIL), render(("a",), [(EVIL,)])):
        assert not acts(said.replace("\n", "", 1) if said.startswith("a\n") else said)
        assert "\\x1b[2K" in said
    assert not acts(str(DQError(f"Column {EVIL} is odd.")).replace("\n", ""))

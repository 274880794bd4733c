from __future__ import annotations

from dataclasses import replace

from airflow_dq.explain.alert import Alert

ALERT = Alert("range", "price", "mean was 1,000; expected 90 to 110.", metric="mean")
TENFOLD = replace(ALERT, cause="change of unit, x10")


def test_a_message_is_the_sentence_where_nothing_more_is_known() -> None:
    assert ALERT.message == ALERT.headline == ALERT.sentence == "price: mean was 1,000; expected 90 to 110."


def test_a_message_ends_with_the_cause_and_what_moved_with_it() -> None:
    assert replace(TENFOLD, moved_with=("tax",)).message == (
        "price: mean was 1,000; expected 90 to 110. Looks like: change of unit, x10. 1 other column moved with it: tax."
    )


def test_a_headline_begins_with_the_cause() -> None:
    assert replace(TENFOLD, moved_with=("tax", "net")).headline == (
        "Looks like change of unit, x10. 2 other columns moved with it: tax, net. "
        "price: mean was 1,000; expected 90 to 110."
    )
    assert replace(ALERT, moved_with=("tax",)).headline.startswith("price: mean")


def test_a_cause_that_is_stated_elsewhere_is_not_in_the_message() -> None:
    assert replace(TENFOLD, cause_stated=True).message == ALERT.sentence
    assert replace(TENFOLD, cause_stated=True).headline == ALERT.sentence


def test_columns_of_the_table_are_no_other_columns() -> None:
    table = Alert("range", None, "number of rows was 1.", moved_with=("a", "b", "c", "d"))
    assert table.message == "the table: number of rows was 1. 4 columns moved with it: a, b, c and 1 more."


def test_a_snooze_is_the_end_of_a_message() -> None:
    snoozed = replace(TENFOLD, snoozed="by ann, until 2026-03-01 18:30 UTC")
    assert snoozed.message.endswith(" Looks like: change of unit, x10. (Snoozed by ann, until 2026-03-01 18:30 UTC.)")

"""What the values that break a pattern look like."""

from __future__ import annotations

import pytest

from airflow_dq.explain.exception_cause import cause_of
from airflow_dq.pattern import PatternRule

ORDER = PatternRule(("ORD-<digit>{7}",), min_length=11, max_length=11, values=100, distinct=100)
DATE = PatternRule(("<digit>{4}-<digit>{2}-<digit>{2}",), min_length=10, max_length=10, values=100, distinct=100)
NUMBERED = PatternRule(("<upper>+<num>",), min_length=3, max_length=9, values=100, distinct=100)
PAYLOAD = PatternRule(('{"v": <digit>+, "bat": <digit>+}',), min_length=14, max_length=40, values=100, distinct=100)
STATION = PatternRule(("ST-<digit>{3}",), min_length=6, max_length=6, values=100, distinct=40)
UNDONE = [
    (STATION, "station", "ST-5", "leading zeros lost"),
    (STATION, "station", "ST", "values cut short"),
    (PAYLOAD, "payload", '{"v": 12, "battery": 80}', "'battery' in place of 'bat'"),
    (
        PAYLOAD,
        "payload",
        '"{\\"v\\": 12, \\"bat\\": 80}"',
        "values in quotes, with those inside of them escaped",
    ),
    (ORDER, "order_id", "order_id", "a header row among the data"),
    (ORDER, "order_id", " ORD-1234567", "padded with blanks"),
    (ORDER, "order_id", '"ORD-1234567"', "values in quotes"),
    (ORDER, "order_id", "ord-1234567", "letters in another case"),
    (ORDER, "order_id", "Ord-1234567", "letters in another case"),
    (ORDER, "order_id", "X-ORD-1234567", "a new prefix 'X-'"),
    (ORDER, "order_id", "PO-1234567", "a new prefix 'PO' in place of 'ORD'"),
    (ORDER, "order_id", "ORD-1234", "values cut short"),
    (ORDER, "order_id", "OR", "values cut short"),
    (ORDER, "order_id", "anything else", None),
    (DATE, "day", "31/12/2026", "another date format, DD/MM/YYYY in place of YYYY-MM-DD"),
    (DATE, "day", "2026-12-31T10:00:00", "another date format, YYYY-MM-DDThh:mm:ss in place of YYYY-MM-DD"),
    (DATE, "day", "2026-12", "values cut short"),
    (NUMBERED, "code", "AB", "values cut short"),
]
USUAL = {
    STATION: "ST-014",
    PAYLOAD: '{"v": 7, "bat": 99}',
    ORDER: "ORD-7654321",
    DATE: "2026-11-30",
    NUMBERED: "ABC1.5",
}


@pytest.mark.parametrize(("rule", "column", "value", "words"), UNDONE, ids=[value for _, _, value, _ in UNDONE])
def test_the_nearest_cause_is_named(rule: PatternRule, column: str, value: str, words: str | None) -> None:
    assert cause_of(rule, column, [(value, 3)], USUAL[rule]) == words


def test_a_cause_speaks_for_most_of_the_rows() -> None:
    examples = [("ord-1234567", 7), ("anything else", 3)]
    assert cause_of(ORDER, "order_id", examples, None) == "letters in another case"
    assert cause_of(ORDER, "order_id", [("ord-1234567", 6), ("anything else", 4)], None) is None
    assert cause_of(ORDER, "order_id", [], None) is None


@pytest.mark.parametrize("value", ["", " ", "\x00", "ORD", "é" * 200, "-" * 200, "\n"])
def test_no_value_brings_it_down(value: str) -> None:
    for rule in USUAL:
        cause_of(rule, "", [(value, 1)], None)


def test_what_broke_only_what_is_usual_is_asked_of_that() -> None:
    """Upper and lower case have the pattern as well: neither is why a word without its number is unusual."""
    rule = PatternRule(
        ("<letter>+", "<letter>+ <digit>+"), min_length=1, max_length=20, usual=("<letter>+ <digit>+",),
        values=100, distinct=20,
    )  # fmt: skip
    assert cause_of(rule, "system", [("iOS", 8), ("Android", 9)], "Windows 11") == "values cut short"

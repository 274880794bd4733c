from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.explain.evidence import evidence_words, ordinal, times_of_largest


@pytest.mark.parametrize(
    ("deviation", "worst", "rank", "count", "text"),
    [
        (45.9, 1.0, 1, 30, "45 times the largest deviation in 30 partitions"),
        (1.59, 1.0, 1, 30, "1.5 times the largest deviation in 30 partitions"),
        (2.0, 1.0, 1, 1, "2 times the largest deviation in 1 partition"),
        (1.0999, 1.0, 1, 30, "slightly more than the largest deviation in 30 partitions"),
        (12_345.0, 1.0, 1, 30, "12,300 times the largest deviation in 30 partitions"),
        (5.0, 1e-12, 1, 30, "more than 1,000,000 times the largest deviation in 30 partitions"),
        (0.5, 0.0, 1, 30, "it never changed in 30 partitions"),
        (1.0, 1.0, 1, 30, "as large as the largest deviation in 30 partitions"),
        (0.9, 1.0, 2, 30, "the 2nd largest deviation in 30 partitions"),
        (0.1, 1.0, 31, 30, "smaller than every deviation in 30 partitions"),
        (0.0, 1.0, 31, 30, "no deviation, as compared with 30 partitions"),
        (3.0, 0.0, 1, 0, "there is no past partition to compare it with"),
    ],
)
def test_evidence_in_words(deviation: float, worst: float, rank: int, count: int, text: str) -> None:
    assert evidence_words(deviation, worst, rank, count) == text


def test_the_oldest_partition_is_named_where_it_is_known() -> None:
    assert evidence_words(9.0, 2.0, 1, 1_200, "2013-01-01") == (
        "4.5 times the largest deviation in 1,200 partitions since 2013-01-01"
    )
    assert evidence_words(9.0, 0.0, 1, 12, "2013-01-01") == "it never changed in 12 partitions since 2013-01-01"


@pytest.mark.parametrize(("deviation", "worst", "text"), [(2.3, 1.0, "2.3 times"), (0.3, 0.1, "3 times")])
def test_binary_fractions_do_not_cost_a_digit(deviation: float, worst: float, text: str) -> None:
    assert times_of_largest(deviation, worst) == text


@given(st.floats(1e-300, 1e300), st.floats(1e-300, 1e300))
def test_no_more_is_claimed_than_was_measured(one: float, other: float) -> None:
    worst, deviation = sorted((one, other))
    words = evidence_words(deviation, worst, 1, 30)
    found = re.match(r"(?:more than )?([\d,.]+) times ", words)
    if found:
        claimed = float(found[1].replace(",", ""))
        assert 1.1 <= claimed <= deviation / worst * (1 + 1e-8)
    else:
        assert deviation < 1.1 * worst
    assert "chance" not in words
    assert "1 in" not in words


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th"), (21, "21st"),
     (22, "22nd"), (101, "101st"), (111, "111th"), (1_002, "1,002nd")],
)  # fmt: skip
def test_ordinals(number: int, text: str) -> None:
    assert ordinal(number) == text

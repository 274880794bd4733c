"""The one order of partition keys."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.key import is_year_last, order_key, require_trimmed

CHANGE = datetime(2024, 10, 27, tzinfo=UTC)
SEQUENCES = {
    "batches": [str(number) for number in (0, 1, 2, 9, 10, 11, 99, 100, 123_456_789, 1_234_567_890, 10**18, 10**27)],
    "padded": [f"{number:05d}" for number in (0, 9, 10, 99, 100, 99_999)],
    "below zero": ["-100", "-10.5", "-10", "-1.55", "-1.5", "-1.25", "-1", "-0.5", "0", "0.25", "0.5", "1.0E7", "2e7"],
    "prefixed": ["day1", "day2", "day9", "day10", "day10a", "day11", "eu-1", "eu-10"],
    "dates": ["2023-12-31", "2024-01-01", "2024-01-02", "2024-1-3", "2024-01-10", "2024-1-11"],
    "compact dates": ["20231231", "20240101", "20240102"],
    "hours": ["2024-01-01T00", "2024-01-01T01", "2024-01-01T9", "2024-01-01T10"],
    "fractions": ["2024-01-01T00:00:00", "2024-01-01 00:00:00.25", "2024-01-01T00:00:00.5", "2024-01-01T00:00:01"],
    "quarters": ["2023-Q4", "2024-Q1", "2024-Q2"],
    "weeks": ["2024-W9", "2024-W10", "2025-W1"],
    "day first": ["31.12.2023", "01.01.2024", "2.1.2024", "13.01.2024", "01.02.2024"],
    "month first": ["12/31/2023", "01/01/2024", "1/2/2024", "01/13/2024", "02/01/2024", "02/01/2024 06:00"],
    "the hour that comes twice": [
        (CHANGE + timedelta(hours=hour)).astimezone(timezone(timedelta(hours=1 + (hour < 1)))).isoformat()
        for hour in range(-1, 3)
    ],
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_keys_are_ordered_as_what_they_are(name: str) -> None:
    keys = SEQUENCES[name]
    assert sorted(set(keys), key=order_key) == keys


@given(st.lists(st.text(), unique=True))
def test_no_two_keys_are_one(keys: list[str]) -> None:
    assert len({order_key(key) for key in keys}) == len(keys)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3), st.decimals(allow_nan=False, allow_infinity=False))
def test_numbers_are_ordered_by_value(one: Decimal, other: Decimal) -> None:
    one, other = (value.quantize(Decimal("0.0001")) if abs(value) < 10**20 else Decimal(0) for value in (one, other))
    if one != other:
        assert (order_key(f"{one:f}") < order_key(f"{other:f}")) == (one < other)


@given(st.lists(st.dates(min_value=date(1000, 1, 1)), min_size=2, unique=True), st.sampled_from(["%Y-%m-%d", "%Y%m%d"]))
def test_dates_are_ordered_by_the_calendar(days: list[date], form: str) -> None:
    keys = [day.strftime(form) for day in sorted(days)]
    assert all(order_key(earlier) < order_key(later) for earlier, later in pairwise(keys))


def test_a_date_of_another_spelling_is_no_neighbour_of_those_in_use() -> None:
    assert order_key("01/21/2024") < order_key("2024-01-01")
    assert [is_year_last(key) for key in ("01/21/2024", "2024-01-21", "31/31/2024", "1.2.3")] == [
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize("name", ["", "a", "a b", "2024-01-21"])
def test_blanks_at_the_ends_are_refused(name: str) -> None:
    require_trimmed(name, "partition")
    for blank in (" ", "\t", "\n", "\u00a0"):
        for wrong in (name + blank, blank + name):
            with pytest.raises(ConfigurationError, match=r"^Partition of dataset 'a' is .*begins or ends with a blank"):
                require_trimmed(wrong, "partition of dataset 'a'")

"""What is asked of a number: how it is written, what lies within, and what can be asked of nothing."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.check import Checks
from airflow_dq.check.bounds import Bounds, require_range
from airflow_dq.check.duration import duration_words, seconds_of
from airflow_dq.exceptions import ConfigurationError


@pytest.mark.parametrize(
    ("given_bounds", "words", "inside", "outside"),
    [
        (">=0.9", ">= 0.9", 0.9, 0.89),
        (" > 0 ", "> 0", 0.1, 0),
        ("<=10", "<= 10", 10, 10.1),
        ("<1e3", "< 1,000", 999, 1000),
        ("==1", "exactly 1", 1.0, 0.999),
        ("-2.5", "exactly -2.5", -2.5, 2.5),
        (7, "exactly 7", 7, 8),
        ([1_000, 50_000], "1,000 to 50,000", 1_000, 999),
        ((None, 5), "<= 5", -1e9, 6),
        (Bounds(0, 1, upper_open=True), ">= 0 and < 1", 0, 1),
        (">=9007199254740993", ">= 9,007,199,254,740,993", 9007199254740993, 9007199254740992),
    ],
)
def test_bounds_are_read_and_hold_for_what_lies_within(
    given_bounds: Any, words: str, inside: Any, outside: Any
) -> None:
    bounds = Bounds.of(given_bounds)
    assert bounds.words == words
    assert bounds.holds(inside)
    assert not bounds.holds(outside)


@pytest.mark.parametrize(
    "wrong",
    ["", ">=", "0.9<=", ">=a", "1 to 2", [1], [1, 2, 3], None, True, [2, 1], float("nan"), [1, float("inf")], {}],
)
def test_what_are_no_bounds_is_refused(wrong: Any) -> None:
    with pytest.raises(ConfigurationError):
        Bounds.of(wrong)


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False), st.integers(-3, 3))
def test_bounds_exclude_the_bound_itself_exactly_when_they_are_open(value: float, step: int) -> None:
    assert Bounds(lower=value).holds(value)
    assert not Bounds(lower=value, lower_open=True).holds(value)
    assert Bounds(upper=value).holds(value)
    assert not Bounds(upper=value, upper_open=True).holds(value)
    if isinstance(value, int):
        assert Bounds(value, value).holds(value + step) == (step == 0)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("26h", 93_600),
        ("1d 2h", 93_600),
        ("90m", 5_400),
        ("30s", 30),
        (60, 60),
        (timedelta(hours=1), 3_600),
        ("1.5h", 5_400),
    ],
)
def test_durations_are_read(written: Any, seconds: float) -> None:
    assert seconds_of(written) == seconds


@pytest.mark.parametrize("wrong", ["", "5y", "h", "1h later", 0, -5, None, True, []])
def test_what_is_no_duration_is_refused(wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match="no duration"):
        seconds_of(wrong)


@pytest.mark.parametrize(
    ("seconds", "words"), [(5, "5 s"), (-90, "-90 s"), (3_600, "60 min"), (93_600, "26 h"), (360_000, "4 d 4 h")]
)
def test_durations_are_told(seconds: float, words: str) -> None:
    assert duration_words(seconds) == words


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (10, 1, "is above"),
        ("b", "a", "is above"),
        ("2026-01-01", "2025-12-31T23:59:59", "is above"),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00+02:00", "is above"),
        (1, "z", "are of different types"),
        (True, 2, "are of different types"),
    ],
)
def test_a_range_that_no_value_lies_in_is_refused(low: Any, high: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        require_range(low, high)
    with pytest.raises(ConfigurationError, match=rf"Check 'between\.a': .*{said}"):
        Checks("t").col("a").between(low, high)
    require_range(low, low)


def test_every_mistake_names_the_check_that_it_is_in() -> None:
    checks = Checks("t")
    for mistake in (
        lambda: checks.rows().between(10, 1),
        lambda: checks.fresh("at", within="26x"),
        lambda: checks.col("a").mean(anomaly="nromal"),
        lambda: checks.col("a").gaps("1x"),
        lambda: checks.rows(eror=">1"),  # type: ignore[call-arg]
        lambda: checks.rows(error=">1", level="fatal"),  # type: ignore[arg-type]
    ):
        with pytest.raises(ConfigurationError, match=r"^Check '(rows|fresh\.at|mean\.a|gaps\.a)': "):
            mistake()

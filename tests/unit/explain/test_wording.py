from __future__ import annotations

import pytest

from airflow_dq.explain.wording import (
    listed,
    metric_words,
    number_words,
    pattern_words,
    quoted,
    share_words,
    times_words,
)
from airflow_dq.states.base import Kind


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (9061.0, "9,061"),
        (148.23456, "148.2"),
        (156.9, "156.9"),
        (1234567.89, "1,234,568"),
        (0.00123456, "0.001235"),
        (-12.5, "-12.5"),
        (0.0, "0"),
        (1.23456e-9, "1.235e-09"),
        (4e20, "4e+20"),
        (50.000000001, "50"),
    ],
)
def test_numbers_have_four_significant_digits(value: float, text: str) -> None:
    assert number_words("mean", Kind.NUMERIC, [value]) == [text]


def test_ratios_are_percentages() -> None:
    assert number_words("complete_ratio", Kind.STRING, [0.87345, 1.0]) == ["87.34%", "100%"]


def test_more_digits_where_two_values_would_look_the_same() -> None:
    assert number_words("mean", Kind.NUMERIC, [100.01, 100.02]) == ["100.01", "100.02"]
    assert number_words("complete_ratio", Kind.NUMERIC, [0.9999986, 1.0]) == ["99.9999%", "100%"]
    assert number_words("mean", Kind.NUMERIC, [2.0, 2.0]) == ["2", "2"]


def test_timestamps_are_dates() -> None:
    assert number_words("max", Kind.TIMESTAMP, [1361923200.0]) == ["2013-02-27 00:00:00"]
    assert number_words("range", Kind.TIMESTAMP, [86400.0]) == ["86,400 s"]
    assert number_words("min", Kind.TIMESTAMP, [-62135596800.0]) == ["0001-01-01 00:00:00"]
    assert number_words("min", Kind.TIMESTAMP, [1e17]) == ["1e+17 s since 1970"]
    assert number_words("max", Kind.TIMESTAMP, [0.25, 0.5]) == [
        "1970-01-01 00:00:00.250000",
        "1970-01-01 00:00:00.500000",
    ]
    assert number_words("row_count", Kind.TIMESTAMP, [12.0]) == ["12"]


def test_metrics_are_called_by_words_or_else_by_name() -> None:
    assert metric_words("dist_val_count", False) == "number of distinct values"
    assert metric_words("pat_l1", True) == "L1 distance of value patterns from the partition before"
    assert metric_words("upper_quartile", False) == "upper quartile"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0%"),
        (1.0, "100%"),
        (0.123, "12.3%"),
        (0.9999, "99.99%"),
        (0.0123, "1.23%"),
        (0.0005, "0.05%"),
        (1e-7, "under 0.001%"),
    ],
)
def test_a_share_never_looks_like_none_or_all(share: float, text: str) -> None:
    assert share_words(share) == text


def test_values_from_the_data_are_quoted_cut_and_kept_on_one_line() -> None:
    assert quoted("a\nb") == "'a\\x0ab'"
    assert quoted("x" * 50) == "'" + "x" * 39 + "…'"


def test_patterns_are_nines_and_counted_runs() -> None:
    assert pattern_words("dddd.dd.dd ll") == "9999.99.99 aa"
    assert pattern_words("l" * 12 + "d") == "a{12}9"


def test_a_long_list_names_three() -> None:
    assert listed(["a", "b", "c"]) == "a, b, c"
    assert listed(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"


def test_a_ratio() -> None:
    assert times_words(60.0, 1.0) == "x60"
    assert times_words(1.0, 8.0) == "x0.125"


def test_a_ratio_that_no_profile_has_is_a_share_too() -> None:
    assert number_words("nonconforming_ratio", Kind.STRING, [0.4708]) == ["47.08%"]
    assert number_words("nobody_knows_this", Kind.STRING, [0.4708]) == ["0.4708"]

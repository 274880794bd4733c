from __future__ import annotations

import pytest

from airflow_dq.corruption.rule import RULES, Change, finite, scale_rules, scaled, shifted
from airflow_dq.metrics.registry import Reason


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (Change(10.0, 11.0, 12.0), 11.0),  # a rise is a shift
        (Change(10.0, 11.0, 0.0), 0.0),  # a fall of something never negative ends at 0 with the sample
        (Change(-10.0, -11.0, 0.0), 0.0),
        (Change(1.0, -1.0, 3.0), 5.0),
    ],
)
def test_a_shift_of_the_sample_is_added_to_the_partition(change, expected):
    assert shifted(change) == expected


def test_a_factor_on_the_sample_multiplies_the_partition():
    assert scaled(Change(10.0, 5.0, 50.0)) == 100.0
    assert scaled(Change(10.0, 0.0, 7.0)) == 7.0
    assert scaled(Change(10.0, 5.0, -7.0)) == -7.0


@pytest.mark.parametrize(("injected", "expected"), [(0.0, 0.0), (0.45, 0.4), (0.9, 0.8), (0.95, 0.9), (1.0, 1.0)])
def test_ratios_stay_between_0_and_1(injected, expected):
    assert RULES["complete_ratio"](Change(0.8, 0.9, injected)) == pytest.approx(expected)


def test_sums_grow_with_the_partition():
    assert RULES["sum"](Change(1000.0, 10.0, 30.0, scale=100.0)) == 3000.0
    assert RULES["sum"](Change(1000.0, 10.0, 0.0, scale=100.0)) == 0.0


def test_linear_changes_are_exact():
    rules = scale_rules(2.0, 1.0)
    assert rules["median"](Change(10.0, 11.0, 99.0)) == 21.0
    assert rules["range"](Change(10.0, 11.0, 99.0)) == 20.0


def test_what_no_float_holds_has_a_reason():
    assert finite(float("inf")) is Reason.OVERFLOW
    assert finite(2.0) == 2.0

from __future__ import annotations

import pytest

from airflow_dq.metrics.extrapolation import LEVEL, SHARE, TOTAL, WIDTH, SampleChange, scaled, shifted
from airflow_dq.metrics.registry import find_metric


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (SampleChange(10.0, 11.0, 12.0), 11.0),  # a rise is a shift
        (SampleChange(10.0, 11.0, 0.0), 0.0),  # a fall of something never negative ends at 0 with the sample
        (SampleChange(-10.0, -11.0, 0.0), 0.0),
        (SampleChange(1.0, -1.0, 3.0), 5.0),
    ],
)
def test_a_shift_of_the_sample_is_added_to_the_partition(change: SampleChange, expected: float) -> None:
    assert shifted(change) == expected


def test_a_factor_on_the_sample_multiplies_the_partition() -> None:
    assert scaled(SampleChange(10.0, 5.0, 50.0)) == 100.0
    assert scaled(SampleChange(10.0, 0.0, 7.0)) == 7.0
    assert scaled(SampleChange(10.0, 5.0, -7.0)) == -7.0


@pytest.mark.parametrize(("injected", "expected"), [(0.0, 0.0), (0.45, 0.4), (0.9, 0.8), (0.95, 0.9), (1.0, 1.0)])
def test_ratios_stay_between_0_and_1(injected: float, expected: float) -> None:
    assert SHARE.replaced(SampleChange(0.8, 0.9, injected)) == pytest.approx(expected)


def test_sums_grow_with_the_partition() -> None:
    assert TOTAL.replaced(SampleChange(1000.0, 10.0, 30.0, scale=100.0)) == 3000.0
    assert TOTAL.replaced(SampleChange(1000.0, 10.0, 0.0, scale=100.0)) == 0.0


def test_linear_changes_are_exact() -> None:
    assert LEVEL.linear(SampleChange(10.0, 11.0, 99.0), 2.0, 1.0) == 21.0
    assert WIDTH.linear(SampleChange(10.0, 11.0, 99.0), 2.0, 1.0) == 20.0


def test_a_range_follows_from_the_extremes() -> None:
    entry = find_metric("range")
    assert entry is not None
    assert entry.extrapolation.derived is not None
    assert entry.extrapolation.derived({"min": -1.0, "max": 4.0, "mean": 2.0}) == 5.0
    assert entry.extrapolation.derived({"max": 4.0}) is None

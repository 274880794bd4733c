from __future__ import annotations

import pytest
from scipy.stats import binomtest

from airflow_dq.backtest.model import TargetOutcome
from airflow_dq.backtest.suggestion import suggest
from airflow_dq.backtest.summary import rate


@pytest.mark.parametrize(("count", "of"), [(0, 1), (1, 1), (0, 113), (2, 113), (7, 30), (30, 30)])
def test_rate_has_the_exact_interval(count: int, of: int) -> None:
    found = rate(count, of)
    expected = binomtest(count, of).proportion_ci(0.95, "exact")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert found.value == count / of


def test_of_nothing_nothing_is_known() -> None:
    found = rate(0, 0)
    assert (found.low, found.high, found.value) == (0.0, 1.0, None)


def targets(alarms: list[int], caught: list[int], judged: int = 100, injected: int = 1000) -> list[TargetOutcome]:
    rates = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
    return [TargetOutcome(r, a, judged, c, injected) for r, a, c in zip(rates, alarms, caught, strict=True)]


def test_the_smallest_target_that_catches_all_that_is_free() -> None:
    found = suggest(targets([1, 1, 1, 1, 4], [700, 750, 805, 810, 830]))
    assert found is not None
    assert found.target_fpr == 1e-3
    assert found.reason == (
        "1 alarm in 100 judged partitions, no target gives fewer; 80.5% of the injected errors are caught, "
        "10.5 points more than at 0.0001."
    )


def test_a_dearer_target_that_catches_much_more_is_named() -> None:
    found = suggest(targets([0, 1, 2, 2, 3], [500, 540, 560, 570, 600]))
    assert found is not None
    assert found.target_fpr == 1e-4
    assert found.reason == (
        "no alarms in 100 judged partitions, no target gives fewer; 50.0% of the injected errors are caught. "
        "0.001 would catch 6.0 points more, for 2 more alarms."
    )


def test_alarms_at_every_target_are_no_matter_of_the_target() -> None:
    found = suggest(targets([9] * 5, [868, 870, 874, 876, 880]))
    assert found is not None
    assert found.target_fpr == 3e-4
    assert found.reason.endswith("The alarms do not depend on the target: look at each of them.")


def test_without_injected_errors_the_tightest_of_the_quiet_ones() -> None:
    found = suggest(targets([1, 1, 1, 2, 2], [0] * 5, injected=0))
    assert found is not None
    assert found.target_fpr == 1e-3
    assert "not known" in found.reason


def test_nothing_is_suggested_from_too_little() -> None:
    assert suggest([]) is None
    assert suggest(targets([0] * 5, [1] * 5, judged=9)) is None

from __future__ import annotations

import math

import pytest

from airflow_dq.explain.bounds import as_read, widths_outside
from airflow_dq.learn.constraint.base import Finding, Scope
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.states.base import Kind
from tests.unit.learn.builder import a_range

SCOPE = Scope(("price",))


def _finding(observed: float | Reason, lower: float | None, upper: float | None) -> Finding:
    return Finding("range", SCOPE, metric="mean", observed=observed, lower=lower, upper=upper)


@pytest.mark.parametrize(
    ("metric", "observed", "lower", "upper", "widths"),
    [
        ("mean", 30.0, 10.0, 20.0, 1.0),
        ("mean", 0.0, 10.0, 20.0, 1.0),
        ("mean", 15.0, 10.0, 20.0, 0.0),
        ("mean", 21.0, 20.0, 20.0, math.inf),
        ("mean", 60.0, None, 20.0, 2.0),
        ("complete_ratio", 0.5, 0.9, 1.2, 4.0),
        ("mean", Reason.NO_VALUES, 10.0, 20.0, math.inf),
    ],
)
def test_how_far_outside(
    metric: str, observed: float | Reason, lower: float | None, upper: float | None, widths: float
) -> None:
    assert widths_outside(metric, Kind.NUMERIC, _finding(observed, lower, upper)) == pytest.approx(widths)


def test_a_lower_bound_below_zero_of_what_was_never_negative_is_not_shown() -> None:
    mean, past = a_range("mean", -3.0, 20.0), (("a", 5.0), ("b", None), ("c", 9.0))
    too_large, negative = _finding(90.0, -3.0, 20.0), _finding(-9.0, -3.0, 20.0)
    assert as_read(mean, too_large, past).lower is None
    assert as_read(mean, negative, past).lower == -3.0
    assert as_read(mean, too_large, (("a", -1.0), *past)).lower == -3.0
    assert as_read(mean, _finding(90.0, 3.0, 20.0), past).lower == 3.0


def test_bounds_of_a_count_are_counts() -> None:
    rows = a_range("row_count", 791.6, 808.1)
    shown = as_read(rows, _finding(1000.0, 791.6, 808.1), ())
    assert (shown.lower, shown.upper) == (792.0, 808.0)
    exact = as_read(rows, _finding(51.0, 50 - 5e-11, 50 + 5e-11), ())
    assert (exact.lower, exact.upper) == (50.0, 50.0)
    mean = a_range("mean", 791.6, 808.1)
    assert as_read(mean, _finding(1000.0, 791.6, 808.1), ()).upper == 808.1

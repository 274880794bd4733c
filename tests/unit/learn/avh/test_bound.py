from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from airflow_dq.learn.avh.bound import false_positive_rate
from airflow_dq.metrics.descriptor import Bound


@pytest.mark.parametrize(("beta", "expected"), [(0.05, 0.04), (0.1, 0.01)])
def test_example_4_of_the_paper(beta: float, expected: float) -> None:
    # mean 0.9, variance 0.0001
    assert false_positive_rate(Bound.CHEBYSHEV, math.sqrt(0.0001), beta) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("multiple", [0.5, 1.0, 2.0, 3.0, 5.0])
def test_clt_is_the_two_sided_normal_tail(multiple: float) -> None:
    assert false_positive_rate(Bound.CLT, 2.0, 2.0 * multiple) == pytest.approx(2 * stats.norm.sf(multiple), rel=1e-9)


def test_cantelli_is_attained_by_its_extremal_distribution() -> None:
    # The two-point variable with mean 0 and variance 1 that makes Cantelli's inequality an equality at k.
    k = 3.0
    high = 1 / (1 + k**2)
    low_value = -high * k / (1 - high)
    assert high * k**2 + (1 - high) * low_value**2 == pytest.approx(1.0)
    assert false_positive_rate(Bound.CANTELLI, 1.0, k) == pytest.approx(high)


@given(
    st.sampled_from([Bound.CHEBYSHEV, Bound.CANTELLI, Bound.CLT]),
    st.floats(1e-6, 1e6),
    st.floats(0.01, 100),
    st.floats(1.01, 10),
)
def test_wider_constraints_have_lower_rates(bound: Bound, sigma: float, multiple: float, wider: float) -> None:
    near = false_positive_rate(bound, sigma, sigma * multiple)
    far = false_positive_rate(bound, sigma, sigma * multiple * wider)
    assert 0.0 <= far <= near <= 1.0


@given(st.floats(1e-6, 1e6), st.floats(1.0, 100))
def test_tighter_inequalities_for_special_metrics(sigma: float, multiple: float) -> None:
    rates = [
        false_positive_rate(bound, sigma, sigma * multiple) for bound in (Bound.CHEBYSHEV, Bound.CANTELLI, Bound.CLT)
    ]
    assert rates == sorted(rates, reverse=True)

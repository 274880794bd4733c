from __future__ import annotations

import math

import pyarrow as pa
import pytest

from airflow_dq.metrics.category import chi_squared, cosine, js_div, kl_div, l1, l_inf
from airflow_dq.metrics.evaluate import measure
from airflow_dq.metrics.pattern import pat_l1
from airflow_dq.states.base import Kind, states_for
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.category_pair import CategoryPair
from airflow_dq.states.pattern import PatternDistribution, PatternPair


def distribution(text: str) -> CategoryDistribution:
    """One value for each character."""
    return CategoryDistribution.of(pa.array(list(text), pa.string()))


def test_distances_agree_with_those_computed_by_hand() -> None:
    now, before = distribution("aaab"), distribution("ab")
    assert l1(CategoryPair(now, before)) == pytest.approx(0.5)
    assert l_inf(CategoryPair(now, before)) == pytest.approx(0.25)
    assert cosine(CategoryPair(now, before)) == pytest.approx(1 - 1 / (math.sqrt(0.625) * math.sqrt(0.5)) * 0.5)
    # Expected under homogeneity: 8/3, 4/3 of four and 4/3, 2/3 of two.
    statistic = (1 / 9) / (8 / 3) + (1 / 9) / (4 / 3) + (1 / 9) / (4 / 3) + (1 / 9) / (2 / 3)
    assert chi_squared(CategoryPair(now, before)) == pytest.approx(statistic / 6)


def test_nothing_in_common() -> None:
    now, before = distribution("aab"), distribution("xyz")
    assert l1(CategoryPair(now, before)) == pytest.approx(2.0)
    assert cosine(CategoryPair(now, before)) == pytest.approx(1.0)
    assert chi_squared(CategoryPair(now, before)) == pytest.approx(1.0)
    assert js_div(CategoryPair(now, before)) == pytest.approx(math.log(2))
    assert 5 < kl_div(CategoryPair(now, before)) < 15


@pytest.mark.parametrize("distance", [l1, l_inf, cosine, chi_squared, js_div, kl_div])
def test_distances_do_not_depend_on_the_number_of_rows(distance) -> None:
    small = distance(CategoryPair(distribution("aab"), distribution("abc")))
    assert distance(CategoryPair(distribution("aab" * 100), distribution("abc" * 100))) == pytest.approx(small)


def test_patterns_see_the_format_and_not_the_values() -> None:
    now, before = (PatternDistribution.of(pa.array(values)) for values in (["a-1", "b-2"], ["c-3", "d-4"]))
    assert pat_l1(PatternPair(now, before)) == 0.0
    spaced = PatternDistribution.of(pa.array(["c 3", "d-4"]))
    assert pat_l1(PatternPair(spaced, before)) == pytest.approx(1.0)


def test_distinct_strings() -> None:
    array = pa.array(["a", "a", "b", "", None, "A"], pa.string())
    metrics = measure(Kind.STRING, {state.key: state.of(array) for state in states_for(Kind.STRING)})
    assert (metrics["dist_val_count"], metrics["unique_ratio"]) == (3.0, 0.75)
    assert metrics["complete_ratio"] == pytest.approx(4 / 6)

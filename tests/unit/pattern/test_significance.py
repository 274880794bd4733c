"""The tests against scipy's."""

from __future__ import annotations

import pytest
from scipy.stats import betabinom, chi2_contingency, fisher_exact

from airflow_dq.pattern.significance import chi_squared, evidence_of, fisher, predictive, usual_predictive

TABLES = [(0, 10, 5, 40), (2, 30, 30, 60), (1, 5, 0, 50), (7, 9, 3, 200), (0, 100, 100, 100)]


@pytest.mark.parametrize("table", TABLES)
def test_fisher_is_two_tailed(table: tuple[int, int, int, int]) -> None:
    bad, before, bad_now, now = table
    assert fisher(*table) == pytest.approx(fisher_exact([[bad, before - bad], [bad_now, now - bad_now]]).pvalue)


@pytest.mark.parametrize("table", TABLES)
def test_chi_squared_has_yates_correction(table: tuple[int, int, int, int]) -> None:
    bad, before, bad_now, now = table
    assert chi_squared(*table) == pytest.approx(
        chi2_contingency([[bad, before - bad], [bad_now, now - bad_now]]).pvalue
    )


@pytest.mark.parametrize("table", TABLES)
def test_predictive_is_the_tail_of_a_beta_binomial(table: tuple[int, int, int, int]) -> None:
    bad, before, bad_now, now = table
    wanted = betabinom.sf(bad_now - 1, now, 0.2 + bad, 9.8 + before - bad)
    assert predictive(*table) == pytest.approx(float(wanted), rel=1e-6)


def test_the_same_value_again_is_little_evidence_of_forms() -> None:
    assert evidence_of(12, 1, 1) < evidence_of(12, 12, 12) < evidence_of(1_000, 1, 1)
    assert evidence_of(12, 2, 2) < evidence_of(12, 2, 10) < evidence_of(12, 12, 12)
    assert evidence_of(5, 5, 5) == 5
    few, many = (usual_predictive(evidence, 0, 100, 50, 100) for evidence in (1.0, 10.0))
    assert many < 0.001 < few


def test_large_counts_take_no_memory() -> None:
    assert fisher(300_000, 100_000_000, 310_000, 100_000_000) < 1e-6
    assert predictive(0, 100, 10_000_000, 1_000_000_000) < predictive(0, 100, 1_000_000, 1_000_000_000)

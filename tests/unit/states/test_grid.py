from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_dq.states.grid import (
    CELLS,
    Histogram,
    bin_edges,
    grid_edges,
    grid_keys,
    grid_level,
    log_edges,
    log_keys,
)

FLOAT = st.floats(allow_nan=False, allow_infinity=False)
FLOATS = st.lists(FLOAT, min_size=1, max_size=20).map(lambda items: np.array(items, float) + 0.0)


def fraction_floor(value: float, level: int) -> int:
    return math.floor(Fraction(value) / Fraction(2) ** level)


@given(FLOATS)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_the_grid_is_the_floor_of_exact_arithmetic(values: np.ndarray) -> None:
    level = grid_level(values.min(), values.max())
    keys = grid_keys(values, level).tolist()
    assert keys == [fraction_floor(value, level) for value in values.tolist()]
    assert max(keys) - min(keys) < CELLS
    edges, ends = grid_edges(np.array(keys), level), grid_edges(np.array(keys) + 1, level)
    assert (edges <= values).all()
    assert (values < ends).all()


@given(FLOATS, FLOAT)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_a_wider_range_is_a_coarser_grid_and_coarsening_is_exact(values: np.ndarray, more: float) -> None:
    fine = grid_level(values.min(), values.max())
    coarse = grid_level(min(values.min(), more), max(values.max(), more))
    assert coarse >= fine
    ones = np.ones(len(values), np.int64)
    direct = Histogram.of(grid_keys(values, coarse), ones)
    assert Histogram.of(grid_keys(values, fine), ones).coarsened(coarse - fine) == direct


def test_the_level_is_the_finest_possible() -> None:
    assert grid_level(0.0, 2047.0) == 0
    assert grid_level(0.0, 2048.0) == 1
    assert grid_level(1.7e9, 1.7e9 + 86400) == 6


@given(FLOATS)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_logarithmic_bins_are_ordered_and_hold_their_values(values: np.ndarray) -> None:
    values = np.sort(values)
    keys = log_keys(values)
    assert (np.diff(keys) >= 0).all()
    assert (log_edges(keys) <= values).all()
    assert (values < log_edges(keys + 1)).all()
    assert ((keys == 0) == (values == 0.0)).all()


@pytest.mark.parametrize("value", [1.0, -3.7, 1e-5, -1e200])
def test_logarithmic_bins_are_less_than_one_percent_wide(value: float) -> None:
    key = log_keys(np.array([value]))
    low, high = log_edges(key)[0], log_edges(key + 1)[0]
    assert (high - low) / abs(value) < 0.01


@given(FLOAT, FLOAT)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_bin_edges_are_even_up_to_a_grid_cell(a: float, b: float) -> None:
    low, high = min(a, b) + 0.0, max(a, b) + 0.0
    edges = bin_edges(low, high, 20)
    assert len(edges) == 19
    assert (np.diff(edges) >= 0).all()
    cell = Fraction(2) ** grid_level(low, high)
    for i, edge in enumerate(edges.tolist(), 1):
        even = Fraction(low) + (Fraction(high) - Fraction(low)) * i / 20
        assert edge % cell == 0
        assert -abs(even) / 2**50 <= Fraction(edge) - even <= cell + abs(even) / 2**50


@pytest.mark.parametrize(("low", "high"), [(0, 300), (-59, 373), (3, 2000), (7, 8), (-2047, 0)])
def test_integers_fall_into_numpys_bins(low: int, high: int) -> None:
    values = np.arange(low, high + 1, dtype=float)
    edges = np.concatenate([[low], bin_edges(float(low), float(high), 20), [high]])
    assert np.histogram(values, edges)[0].tolist() == np.histogram(values, 20)[0].tolist()

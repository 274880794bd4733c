"""The arithmetic of extrapolated counts, on small numbers."""

from __future__ import annotations

import numpy as np
import pytest

from airflow_dq.corruption.movement import aligned, kept_share, moved, rounded


def test_nothing_moves_when_the_sample_does_not():
    full, clean = np.array([500, 300, 200]), np.array([52, 30, 18])
    assert moved(full, clean, clean).tolist() == [500, 300, 200]


def test_a_value_that_leaves_takes_all_of_its_rows():
    full, clean, injected = np.array([500, 500, 0]), np.array([60, 40, 0]), np.array([0, 40, 60])
    # Half of the rows hold the value, though the sample has 60 % of it.
    assert moved(full, clean, injected).tolist() == [0, 500, 500]


def test_values_that_the_sample_missed_move_like_their_neighbours():
    clean = np.zeros(2000, dtype=np.int64)
    clean[::2] = 1
    injected = np.zeros(2000, dtype=np.int64)
    injected[:1000:2] = 2
    found = moved(np.full(2000, 7), clean, injected)
    assert found[100:900].sum() == pytest.approx(14 * 800, rel=0.05)
    assert found[1100:].sum() == 0


def test_random_losses_are_spread_over_all_values():
    rng = np.random.default_rng(3)
    clean = np.full(20, 50)
    kept = rng.binomial(clean, 0.5)
    # Each value kept half of its rows, give or take chance: the extrapolated loss must not show chance.
    assert np.array_equal(kept_share(clean, kept), np.full(20, kept.sum() / 1000))


def test_rounding_keeps_the_total():
    assert rounded(np.full(1000, 0.25)).sum() == 250
    assert rounded(np.array([0.5, 0.5, 3.0])).tolist() == [1, 0, 3]
    assert rounded(np.array([])).tolist() == []


def test_parts_are_aligned_over_all_values():
    parts = [np.array([1, 2]), np.array([3])]
    assert [part.tolist() for part in aligned(parts, np.array([2, 0, 0]), 3)] == [[2, 0, 1], [3, 0, 0]]

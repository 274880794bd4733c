from __future__ import annotations

import math

import numpy as np
import pytest
from airflow_dq.learn.expect.transform import apply, differenced, undo
from airflow_dq.XX import Transform, TransformKind
from hypothesis import given
from hypothesis import strategies as st

DIFF = Transform(TransformKind.DIFF, 2)
LOG = Transform(TransformKind.LOG_DIFF, 1)


def test_differenced_history() -> None:
    values = np.array([1.0, 2.0, 4.0, 8.0])
    assert differenced(Transform(), values).tolist() == [1.0, 2.0, 4.0, 8.0]
    assert differenced(DIFF, values).tolist() == [3.0, 6.0]
    assert differenced(LOG, values) == pytest.approx([math.log(2)] * 3)


def test_no_logarithm_violates_every_lower_bound() -> None:
    assert apply(LOG, np.array([0.0, -3.0, 5.0]), 5.0).tolist() == [-math.inf, -math.inf, 0.0]


@given(st.sampled_from([Transform(), DIFF, LOG]), st.floats(1e-3, 1e6), st.floats(1e-3, 1e6), st.floats(-5, 5))
def test_undone_bound_separates_the_same_values(transform: Transform, value: float, base: float, bound: float) -> None:
    moved = float(apply(transform, np.array([value]), base)[0])
    undone = undo(transform, bound, base)
    assert undone is not None
    if not math.isclose(moved, bound, rel_tol=1e-6, abs_tol=1e-6):
        assert (moved <= bound) == (value <= undone)


def test_bounds_that_no_number_can_hold_are_none() -> None:
    assert undo(LOG, 800.0, 1.0) is None
    assert undo(DIFF, 1e308, 1.7e308) is None
    assert undo(DIFF, 1.0, None) is None
    assert undo(DIFF, None, 1.0) is None

from __future__ import annotations

import numpy as np
import pyarrow as pa

from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.category_pair import CategoryPair
from airflow_dq.states.number import NumberDistribution
from airflow_dq.states.number_pair import NumberPair


def numbers(*values: float) -> NumberDistribution:
    return NumberDistribution.of(pa.array(values, pa.float64()))


def test_a_pair_without_values_on_one_side_is_empty() -> None:
    assert NumberPair(numbers(), numbers(1.0)).empty
    assert NumberPair(numbers(1.0), numbers()).empty
    assert not NumberPair(numbers(1.0), numbers(2.0)).empty


def test_what_distances_share_is_computed_once() -> None:
    pair = NumberPair(numbers(1.0, 2.0), numbers(2.0))
    assert pair.cells is pair.cells is pair.comparable
    assert pair.binned is pair.binned
    words = CategoryPair(*(CategoryDistribution.of(pa.array(list(text))) for text in ("ab", "b")))
    assert words.counts is words.counts
    assert [side.tolist() for side in words.shares] == [[0.5, 0.5], [0.0, 1.0]]


def test_shares_are_those_of_the_side_however_many_values_it_has() -> None:
    words = CategoryPair(*(CategoryDistribution.of(pa.array(list(text))) for text in ("aab" * 7, "b")))
    assert np.sum(words.shares, axis=1).tolist() == [1.0, 1.0]


def test_reading_a_state_through_its_reader_leaves_nothing_behind() -> None:
    state = numbers(*range(10)).as_sketch()
    reader = state.reader()
    assert reader == state
    assert reader.quantile(0.5) == state.quantile(0.5)
    assert reader.cells is reader.cells is not state.cells

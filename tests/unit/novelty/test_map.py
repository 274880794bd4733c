"""An odd partition lies apart on the map."""

from __future__ import annotations

import numpy as np

from airflow_dq.novelty.map import placed
from airflow_dq.states.base import Kind


def test_an_odd_partition_lies_apart_and_the_others_together() -> None:
    rng = np.random.default_rng(0)
    values = {("a", "mean"): [*rng.normal(100, 1, 39), 140.0], (None, "row_count"): [*rng.normal(1000, 5, 39), 1000.0]}
    places = placed(values, {"a": Kind.NUMERIC})
    assert [place.times > 1.0 for place in places] == [False] * 39 + [True]
    where = np.array([(place.x, place.y) for place in places])
    distances = np.linalg.norm(where[:-1] - where[-1], axis=1)
    assert distances.min() > 0.5
    assert np.abs(where).max() <= 1.0


def test_partitions_that_are_all_alike_have_a_place() -> None:
    places = placed({("a", "mean"): [1.0] * 10, ("a", "std"): [None] * 10}, {"a": Kind.NUMERIC})
    assert len(places) == 10
    assert all(np.isfinite([place.x, place.y, place.times]).all() and place.times <= 1.0 for place in places)


def test_nothing_to_compare_gives_no_map() -> None:
    assert placed({}, {}) == ()
    assert placed({("a", "mean"): [1.0, 2.0]}, {"a": Kind.NUMERIC}) == ()
    assert placed({("a", "mean"): [1.0] * 9}, {}) == ()

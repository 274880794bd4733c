from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.metrics.evaluate import ComparisonSide, compare, compare_for_keeping
from airflow_dq.states.base import Kind, Representation, State, states_of
from airflow_dq.states.number import NumberDistribution


def column(seed: int, rows: int = 6000) -> dict[str, State]:
    """Numbers with distinct values enough to be kept in both representations."""
    return states_of(Kind.NUMERIC, pa.array(np.random.default_rng(seed).normal(100.0, 10.0, rows)))


@pytest.fixture
def sketched(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """How often each distribution of numbers, by its identity, has been sketched."""
    made: Counter[int] = Counter()
    plain = NumberDistribution.compared_sketch

    def counting(self: NumberDistribution) -> NumberDistribution:
        made[id(self)] += 1
        return plain(self)

    monkeypatch.setattr(NumberDistribution, "compared_sketch", counting)
    return made


def test_one_side_of_several_comparisons_is_sketched_once(sketched: Counter[int]) -> None:
    before, variants = ComparisonSide(column(0)), [column(seed) for seed in (1, 2, 3)]
    for now in variants:
        compare(Kind.NUMERIC, now, before, representation=Representation.SKETCH)
    assert sketched[id(before[NumberDistribution.key])] == 1
    assert sum(sketched.values()) == 1 + len(variants)


def test_a_side_gives_the_distances_that_its_states_give() -> None:
    now, before = column(1), column(0)
    sides = ComparisonSide(now), ComparisonSide(before)
    for pool in (1, 3):
        expected = compare_for_keeping(Kind.NUMERIC, now, before, pool)
        assert "unseen_ratio/sketch" in expected or pool == 1
        assert compare_for_keeping(Kind.NUMERIC, *sides, pool) == expected


def test_a_side_is_a_mapping_of_the_states() -> None:
    states = column(0, rows=10)
    side = ComparisonSide(states)
    assert dict(side) == states
    assert len(side) == len(states)
    assert ComparisonSide.of(side) is side


def test_a_state_that_is_a_sketch_already_is_its_own() -> None:
    states = column(0, rows=30_000)
    assert ComparisonSide(states).sketch(NumberDistribution.key) is states[NumberDistribution.key]

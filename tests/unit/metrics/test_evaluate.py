from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.metrics.evaluate import ComparisonSide, compare, compare_each, compare_for_keeping, measure, measured
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.states.base import Kind, Representation, State, states_of
from airflow_dq.states.category import CategoryDistribution
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


TEXTS = ([], ["a", "b", "b", ""], ["a"] * 9 + ["c"], [f"{i:03}" for i in range(200)], ["a", "b", "b", "d"])
NUMBERS = ([], [1.0, 2.0, 2.0], [-3.5] * 9 + [1e6], np.arange(200.0), [1.0, 2.0, 7.0])
FEW = 50
"""A limit on distinct values that one of them is beyond."""


@pytest.mark.parametrize("pool", [1, 3])
@pytest.mark.parametrize("representation", [None, *Representation])
@pytest.mark.parametrize("before", range(len(TEXTS)))
@pytest.mark.parametrize(("kind", "values"), [(Kind.STRING, TEXTS), (Kind.NUMERIC, NUMBERS)])
def test_several_at_once_are_compared_as_each_alone(
    kind: Kind,
    values: Sequence[Sequence[object]],
    before: int,
    representation: Representation | None,
    pool: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for one in (CategoryDistribution, NumberDistribution):
        monkeypatch.setattr(one, "limit", FEW)
    types = {Kind.STRING: pa.large_string(), Kind.NUMERIC: pa.float64()}
    states = [states_of(kind, pa.array(one, types[kind])) for one in values]
    names = [entry.name for entry in metrics_for(kind, pair=True)]
    for key in states[0]:
        nows, side = [one[key] for one in states], ComparisonSide({key: states[before][key]})
        together = compare_each(kind, key, nows, side, names, representation, pool)
        assert together == [compare(kind, {key: now}, side, names, representation, pool) for now in nows]


@pytest.mark.parametrize("kind", Kind)
def test_states_that_no_metric_reads_are_left_out_and_no_metric_with_them(kind: Kind) -> None:
    types = {Kind.NUMERIC: pa.float64(), Kind.TIMESTAMP: pa.float64(), Kind.BOOLEAN: pa.bool_()}
    values = pa.nulls(3) if kind is Kind.NULL else pa.array([1, 0, None]).cast(types.get(kind, pa.large_string()))
    every, read = states_of(kind, values), states_of(kind, values, wanted=measured(kind))
    assert read == {key: state for key, state in every.items() if key in measured(kind)}
    assert measure(kind, read) == measure(kind, every)

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.hashing import hash_floats
from airflow_dq.states.heavy import Frequent, HeavyHitters
from airflow_dq.states.number import NumberDistribution


def zipf(seed: int, size: int) -> np.ndarray:
    return np.minimum(np.random.default_rng(seed).zipf(1.2, size), 10**9).astype(float)


def heavy_of(values: np.ndarray) -> HeavyHitters:
    distinct, counts = np.unique(values, return_counts=True)
    return HeavyHitters.of(pa.array(distinct), hash_floats(distinct), counts)


def merged(parts: list[np.ndarray]) -> HeavyHitters:
    states = [heavy_of(part) for part in parts]
    whole = states[0]
    for state in states[1:]:
        whole = whole.merge(state)
    return whole


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HeavyHitters, "CAPACITY", 200)


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("order", ["shuffled", "sorted"])
def test_every_count_is_right_within_its_error(order: str) -> None:
    values = zipf(0, 60_000)
    values = np.sort(values) if order == "sorted" else values
    true = Counter(values.tolist())
    found = merged(np.array_split(values, 13))
    held = found.values.to_pylist()
    assert len(held) <= 200
    for value, count, missed in zip(held, found.counts.tolist(), found.missed.tolist(), strict=True):
        assert count <= true[value] <= count + missed
    assert max(count for value, count in true.items() if value not in set(held)) <= found.floor
    assert found.floor <= len(values) / 200 + 13


@pytest.mark.usefixtures("narrow")
def test_a_frequent_value_is_exact_whatever_the_split() -> None:
    values = zipf(1, 60_000)
    true = Counter(values.tolist()).most_common(20)
    for pieces in (2, 7, 40):
        assert merged(np.array_split(values, pieces)).top(20) == [Frequent(value, count, 0) for value, count in true]


def test_a_state_of_a_column_keeps_few_and_shows_the_first() -> None:
    labels = [f"v{x:.0f}" for x in np.append(np.arange(30_000), zipf(2, 100_000))]
    whole = CategoryDistribution.of(pa.array(labels)).as_stored()
    assert whole.buckets is not None
    assert len(whole.buckets.heavy.counts) <= HeavyHitters.STORED
    common = Counter(labels).most_common(5)
    assert whole.top(5) == [Frequent(value, count, 0) for value, count in common]
    assert whole.mode_count == common[0][1]
    assert CategoryDistribution.decode(whole.encode()).top(5) == whole.top(5)


def test_what_is_stored_does_not_show_the_split() -> None:
    labels = np.array([f"v{x:.0f}" for x in np.append(np.arange(30_000), zipf(3, 90_000))])
    np.random.default_rng(0).shuffle(labels)
    parts = [CategoryDistribution.of(pa.array(part)) for part in np.array_split(labels, 3)]
    together = parts[0]
    for part in parts[1:]:
        together = together.merge(part)
    assert together.as_stored().encode() == CategoryDistribution.of(pa.array(labels)).as_stored().encode()


def test_the_most_frequent_of_few_values_are_exact() -> None:
    texts = CategoryDistribution.of(pa.array(["b", "a", "b", None, "c", "c"]))
    assert texts.top(2) == [Frequent("b", 2, 0), Frequent("c", 2, 0)]
    numbers = NumberDistribution.of(pa.array([2.0, 1.0, 2.0]))
    assert numbers.top(5) == [Frequent(2.0, 2, 0), Frequent(1.0, 1, 0)]
    assert (texts.mode_count, numbers.mode_count, NumberDistribution().mode_count) == (2, 2, 0)


def test_unique_values_are_not_heavy() -> None:
    state = NumberDistribution.of(pa.array(np.arange(50_000.0)))
    assert state.top(3) == []
    assert state.mode_count == 1

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.states.bucket import NUMBER
from airflow_dq.states.category import LONGEST, CategoryDistribution
from airflow_dq.states.category_pair import CategoryPair


def distribution(values: list[str | None]) -> CategoryDistribution:
    return CategoryDistribution.of(pa.array(values, pa.string()))


def counted(state: CategoryDistribution) -> dict[str, int]:
    values, counts = state.items()
    return dict(zip(values.to_pylist(), counts.tolist(), strict=True))


def test_values_are_counted_and_missing_ones_are_not() -> None:
    values = ["b", "a", None, "", "b", " ", "A"]
    state = distribution(values)
    assert counted(state) == Counter(["b", "a", "b", " ", "A"])
    assert list(counted(state)) == sorted(counted(state))
    assert (state.total, state.distinct, state.count_of("b"), state.count_of("z")) == (5, 4, 2, 0)


def test_booleans_are_true_and_false() -> None:
    state = CategoryDistribution.of(pa.array([True, None, False, True]))
    assert counted(state) == {"true": 2, "false": 1}


def test_a_long_value_is_kept_as_its_beginning_and_a_digest() -> None:
    longs = ["x" * 1_000_000, "x" * 999_999 + "y", "x" * 1_000_000]
    state = distribution(longs)
    assert sorted(counted(state).values()) == [1, 2]
    assert all(len(value) == LONGEST and value.startswith("xxx") for value in counted(state))
    assert len(state.encode()) < 1_000


@pytest.mark.parametrize("length", [LONGEST - 1, LONGEST])
def test_a_value_of_the_longest_length_is_kept_whole(length: int) -> None:
    # Two bytes each: the limit is in code points.
    assert counted(distribution(["é" * length])) == {"é" * length: 1}


def test_shortening_twice_changes_nothing() -> None:
    state = distribution(["x" * 500, "y"])
    assert CategoryDistribution.from_counts(state.values, state.counts) == state


def test_from_counts_adds_up_repeated_values() -> None:
    values = pa.array(["a", "b", "a"], pa.large_string())
    assert CategoryDistribution.from_counts(values, np.array([1, 2, 3])) == distribution(["a"] * 4 + ["b"] * 2)


def test_beyond_the_limit_values_are_hashed() -> None:
    limit = CategoryDistribution.limit
    exact, hashed = distribution([f"v{i}" for i in range(limit)]), distribution([f"v{i}" for i in range(limit + 1)])
    assert exact.buckets is None
    assert hashed.buckets is not None
    assert exact.merge(distribution([f"v{limit}"])) == hashed
    assert hashed.total == limit + 1
    assert hashed.distinct == pytest.approx(limit, rel=0.025)
    assert hashed.buckets.counts.max() < 30
    assert len(hashed.buckets.counts) == NUMBER


def test_an_exact_distribution_is_compared_with_a_hashed_one_in_buckets() -> None:
    many = distribution([f"v{i}" for i in range(CategoryDistribution.limit + 1)])
    few = distribution(["v1", "v1", "other"])
    left, right = CategoryPair(few, many).counts
    assert left.sum() == 3
    assert right.sum() == many.total
    assert len(left) == len(right) <= NUMBER
    again = CategoryPair(many, many.merge(few)).counts
    assert (again[1] - again[0]).sum() == 3


def test_order_of_appearance_does_not_matter() -> None:
    assert distribution(["a", "b", "a"]) == distribution(["b", "a", "a"])
    assert distribution(["a", "b", "a"]).encode() == distribution(["b", "a", "a"]).encode()
    assert distribution(["a"]) != distribution(["b"])


@pytest.mark.parametrize("most", [9, 2**40])
def test_common_counts_come_in_one_order_however_large_they_are(most: int) -> None:
    rng = np.random.default_rng(0)
    names = [f"v{i:02}" for i in range(40)]

    def drawn(seed: int) -> CategoryDistribution:
        order = np.random.default_rng(seed).permutation(40)
        return CategoryDistribution(pa.array([names[i] for i in order], pa.large_string()), counts[seed % 2][order])

    counts = rng.integers(1, 4, (2, 40)) * rng.choice([1, most], (2, 40))
    now, before = CategoryPair(drawn(0), drawn(1)).counts
    pairs = list(zip(before.tolist(), now.tolist(), strict=True))
    assert pairs == sorted(zip(counts[1].tolist(), counts[0].tolist(), strict=True))
    again = CategoryPair(drawn(2), drawn(3)).counts
    assert pairs == list(zip(again[1].tolist(), again[0].tolist(), strict=True))

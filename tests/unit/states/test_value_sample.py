from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from airflow_dq.states.hashing import hash_floats
from airflow_dq.states.value_sample import ValueSample


def sample_of(values: np.ndarray) -> ValueSample:
    distinct, counts = np.unique(values, return_counts=True)
    return ValueSample.of(hash_floats(distinct), counts)


def test_merging_is_exact_and_so_are_the_counts() -> None:
    values = np.random.default_rng(0).integers(0, 20_000, 100_000).astype(float)
    parts = [sample_of(part) for part in np.array_split(values, 5)]
    merged = ValueSample.merged([*parts[:2], ValueSample.merged(parts[2:4]), parts[4]])
    assert merged == sample_of(values)
    true = Counter(hash_floats(values).tolist())
    assert len(merged.hashes) == ValueSample.SIZE
    assert merged.counts.tolist() == [true[value] for value in merged.hashes.tolist()]
    assert merged.hashes.tolist() == sorted(true)[: ValueSample.SIZE]


def test_a_small_column_is_its_own_sample() -> None:
    sample = sample_of(np.array([1.0, 1.0, 2.0]))
    assert sorted(sample.counts.tolist()) == [1, 2]
    assert sample.reach == 2**64 - 1
    assert sample.new_share(sample_of(np.array([2.0]))) == pytest.approx(2 / 3)
    assert sample.new_share(sample_of(np.array([]))) == 1.0
    assert sample_of(np.array([])).new_share(sample) == 0.0


@pytest.mark.parametrize("share", [0.0, 0.1, 0.7, 1.0])
def test_the_share_of_new_values_is_estimated(share: float) -> None:
    old = np.arange(50_000.0)
    now = np.where(np.random.default_rng(1).random(50_000) < share, old + 1e6, old)
    assert sample_of(now).new_share(sample_of(old)) == pytest.approx(share, abs=0.05)
    assert sample_of(old).replaced(share).new_share(sample_of(old)) == pytest.approx(share, abs=0.05)


def test_sections_restore_it_and_foreign_ones_are_refused() -> None:
    sample = sample_of(np.arange(5000.0))
    assert ValueSample.from_sections(*sample.sections()) == sample
    assert sum(map(len, sample.sections())) < 9500
    with pytest.raises(ValueError, match="sample of values"):
        ValueSample.from_sections(sample.sections()[0], sample_of(np.arange(3.0)).sections()[1])

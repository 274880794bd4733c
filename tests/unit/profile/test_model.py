from __future__ import annotations

import pickle

import numpy as np
import pytest

from airflow_dq.profile.model import States, Variant, VariantCache, digest_states
from airflow_dq.states.count import Counts
from airflow_dq.states.number import NumberDistribution
from airflow_dq.states.value_length import ValueLengths

STATES = {Counts.key: Counts(3, 1), ValueLengths.key: ValueLengths(2, 5, 1, 4)}


def test_states_are_a_mapping_that_cannot_be_changed() -> None:
    states = States(STATES)
    assert states == STATES
    assert (list(states), len(states), states[Counts.key]) == (list(STATES), 2, Counts(3, 1))
    with pytest.raises(TypeError, match="does not support item assignment"):
        states["other"] = Counts()  # type: ignore[index]


def test_states_do_not_see_what_becomes_of_the_mapping_they_were_made_of() -> None:
    given = dict(STATES)
    states = States(given)
    given.clear()
    assert len(states) == 2


def test_known_bytes_are_used_and_do_not_travel() -> None:
    blob = Counts(3, 1).encode()
    states = States(STATES, {Counts.key: blob})
    assert states.blobs[Counts.key] is blob
    again = pickle.loads(pickle.dumps(states))
    assert again == states
    assert again.blobs == states.blobs
    assert again.blobs[Counts.key] is not blob
    assert digest_states(again) == digest_states(STATES)


def test_states_to_be_stored_keep_the_bytes_of_those_that_stay_as_they_are() -> None:
    sketch = NumberDistribution.from_distinct(*_many())
    states = States({Counts.key: Counts(1), NumberDistribution.key: sketch}, {Counts.key: b"known"})
    stored = states.as_stored()
    assert stored.blobs[Counts.key] == b"known"
    assert len(stored.blobs[NumberDistribution.key]) < len(sketch.encode())


def _many() -> tuple[np.ndarray, np.ndarray]:
    """More values than are counted one by one, of which some thousand occur twice: held while scanning, not stored."""
    values = np.arange(NumberDistribution.limit + 1, dtype=float)
    return values, np.where(values < 5_000, 2, 1)


def test_variants_are_made_once_for_each_column() -> None:
    calls: list[str] = []

    def make(column: str) -> tuple[Variant, ...]:
        calls.append(column)
        return (Variant("unit_change", "x10", {}, {}),)

    cache = VariantCache()
    first = cache.of("a", lambda: make("a"))
    assert cache.of("a", lambda: make("a")) is first
    cache.of("b", lambda: make("b"))
    assert calls == ["a", "b"]

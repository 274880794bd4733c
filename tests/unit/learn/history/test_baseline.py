"""What a pooled distance is measured from, and that it is learned from and judged by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from airflow_dq.learn.history.baseline import Baseline
from airflow_dq.learn.history.distance import Distances
from airflow_dq.learn.history.history import History
from airflow_dq.profile.model import ColumnProfile, Profile, digest_states
from airflow_dq.program import Status, SynthesisOptions, evaluate, synthesize
from airflow_dq.states.base import Kind
from tests.unit.learn.builder import column, day, distances, profile, series_of, variant, without_states


def words(*values: str) -> ColumnProfile:
    made = column("word", Kind.STRING, list(values))
    return replace(made, states_digest=digest_states(made.states))


DAYS = [words("a"), words("b"), words("c"), words("a", "d", "x", "y")]


def rotating(index: int, *odd: str) -> Profile:
    """Three values that take turns, so that each is new against the day before but not against three of them."""
    value = "abc"[index % 3]
    made = profile(day(index), words(*[value] * (10 - len(odd)), *odd))
    injected = (variant(Kind.STRING, "perturbation 50%", ["q", *"rstu", *[value] * 5]),)
    return replace(made, variants={"word": injected})


def test_a_pool_is_what_its_members_would_be_as_one_partition() -> None:
    found = distances(DAYS[3], DAYS[:3], 3)
    assert found["unseen_ratio"] == 0.75
    assert found["pat_unseen_ratio"] == 0.0
    assert found["initial_js_div"] > 0.0
    assert distances(DAYS[3], DAYS[:3], 1)["new_ratio"] == 1.0
    assert "unseen_ratio" not in distances(DAYS[3], DAYS[:3], 1)


def test_the_newest_partitions_are_the_pool() -> None:
    assert distances(replace(DAYS[3], distances={}), [words("x", "y"), *DAYS[:3]], 3)["unseen_ratio"] == 0.75


def test_distances_from_a_pool_outlive_the_states_and_belong_to_its_members() -> None:
    known = Distances()
    found = known.of(DAYS[3], DAYS[:3], 3)
    bare = [replace(one, states={}) for one in DAYS]
    assert known.of(bare[3], bare[:3], 3) == found
    # After one of them is excluded the pool is another one.
    assert known.of(bare[3], [words("z"), *bare[:2]], 3) == {}


def test_pools_of_other_members_or_sizes_have_other_fingerprints() -> None:
    pools = [Baseline(tuple(DAYS[:3]), 3), Baseline(tuple(DAYS[1:]), 3), Baseline(tuple(DAYS[:1]), 1)]
    assert len({pool.fingerprint for pool in pools}) == 3
    assert pools[2].fingerprint == DAYS[0].fingerprint


def test_a_partition_without_values_of_the_kind_is_left_out_of_the_pool() -> None:
    untyped = column("word", Kind.NULL, [None])
    assert distances(replace(DAYS[3], distances={}), [DAYS[0], untyped, DAYS[2]], 3)["unseen_ratio"] == 0.75
    assert Baseline.of([untyped], Kind.STRING, 1) is None


def test_a_pooled_series_begins_with_the_first_partition_that_has_a_whole_pool() -> None:
    history = [rotating(i) for i in range(8)]
    series = series_of(history, "word", "unseen_ratio", pair=True)
    assert series.partitions == tuple(day(i) for i in range(3, 8))
    assert series.numbers() == pytest.approx(np.zeros(5))
    assert series_of(history, "word", "new_ratio", pair=True).numbers() == pytest.approx(np.ones(7))


def test_a_value_that_comes_back_passes_and_one_that_nobody_has_seen_alarms() -> None:
    history = [rotating(i) for i in range(12)]
    options = SynthesisOptions(metrics=("unseen_ratio",), scope="column", target_fpr=0.01)
    program = synthesize(history, options)
    assert [clause.metric for clause in program.columns["word"].clauses] == ["unseen_ratio"]
    assert evaluate(program, rotating(12), history).columns["word"].status is Status.PASS
    odd = evaluate(program, rotating(12, *["new"] * 4), history)
    assert odd.columns["word"].status is Status.FAIL
    assert "unseen in the last three partitions" in odd.alerts[0].message


def test_only_the_newest_partitions_need_their_states() -> None:
    history = [rotating(i) for i in range(12)]
    known = Distances()
    program = synthesize(History.of(history, distances=known))
    pruned = [without_states(one) if i < 8 else one for i, one in enumerate(history)]
    assert synthesize(History.of(pruned, distances=known)) == program

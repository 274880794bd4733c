"""A column that goes back and forth over the limit of exact counting is no drift."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.profile import Profile, profile_table
from airflow_dq.program import SynthesisOptions, evaluate, synthesize
from airflow_dq.states.base import Representation
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.number import NumberDistribution
from airflow_dq.states.number_pair import NumberPair
from tests.unit.learn.builder import distances, observe, representation_of, series_of

DAYS = 26
JUDGED = (23, 25)


def day(seed: int, distinct: tuple[int, int]) -> Profile:
    """A day with so many distinct values, drawn from 26,000, each occurring once or more."""
    rng = np.random.default_rng(seed)
    chosen = rng.choice(26_000, int(rng.integers(*distinct)), replace=False)
    values = np.concatenate([chosen, rng.choice(chosen, 30_000 - len(chosen))])
    names = pa.array([f"u{value:05}" for value in values.tolist()])
    return profile_table(pa.table({"user": names, "amount": values * 1.5}), f"2024-{seed:03}")


@pytest.fixture(scope="module")
def history() -> list[Profile]:
    return [day(seed, (19_500, 20_501)) for seed in range(DAYS)]


def exact(profile: Profile) -> bool:
    state = profile.columns["user"].states[CategoryDistribution.key]
    return state.fullness <= 1.0


def test_weeks_around_the_limit_raise_no_alarm(history: list[Profile]) -> None:
    assert 6 < sum(map(exact, history)) < DAYS - 6
    assert {exact(history[now]) for now in JUDGED} == {False, True}
    for now in JUDGED:
        program = synthesize(history[:now], SynthesisOptions())
        verdict = evaluate(program, history[now], history[:now])
        assert verdict.status == "pass", [alert.message for alert in verdict.alerts]
        assert {"user", "amount"} <= {name for name, column in program.columns.items() if column.clauses}


@pytest.mark.parametrize(("metric", "column"), [("l1", "user"), ("new_ratio", "user"), ("l1", "amount")])
def test_a_history_is_read_in_one_representation(history: list[Profile], metric: str, column: str) -> None:
    assert representation_of(history, column, metric) is Representation.SKETCH
    values = np.array(series_of(history, column, metric, pair=True).values, dtype=float)
    assert np.isfinite(values).all()
    # Without it, the exact distances would be told from the sketched ones by a gap.
    assert values.std() < 0.05 * max(1.0, values.mean())


@pytest.mark.parametrize("metric", ["entropy", "mode_ratio", "unique_ratio", "dist_val_count"])
def test_metrics_of_one_partition_have_no_step(history: list[Profile], metric: str) -> None:
    for profile in history[:6]:
        state = profile.columns["user"].states[CategoryDistribution.key]
        assert isinstance(state, CategoryDistribution)
        counts = {"entropy": 9.8, "mode_ratio": 0.0004, "unique_ratio": 0.67, "dist_val_count": 20_000}[metric]
        assert profile.columns["user"].metrics[metric] == pytest.approx(counts, rel=0.03, abs=0.0004)


def test_few_values_are_compared_exactly_and_many_in_sketches() -> None:
    few, some, many = ([day(seed, (size, size + 200)) for seed in (1, 2)] for size in (3_000, 9_000, 25_000))
    kept = [set(distances(now.columns["user"], [before.columns["user"]], 1)) for before, now in (few, some, many)]
    assert {"l1", "pat_l1"} <= kept[0]
    assert {"l1", "l1/sketch", "pat_l1"} <= kept[1]
    assert "l1/sketch" in kept[2]
    assert "l1/sketch" not in kept[0]
    assert "l1" not in kept[2]
    found = [representation_of(profiles, "user", "l1") for profiles in (few, some, many)]
    assert found == [Representation.EXACT, Representation.EXACT, Representation.SKETCH]
    # A distance that is only known in the other representation stands in.
    now, before = many[1].columns["user"], many[0].columns["user"]
    stands_in = observe("l1", True, now, (before,), Representation.EXACT)
    assert stands_in == distances(now, [before], 1)["l1/sketch"]


def test_the_sketched_share_of_new_numbers_does_not_depend_on_the_number_of_values() -> None:
    rng = np.random.default_rng(0)
    sizes = [21_000, 60_000, 200_000]
    shares = []
    for size in sizes:
        now, before = (NumberDistribution.of(pa.array(rng.normal(100, 1, size))) for _ in range(2))
        from airflow_dq.metrics.number import l1

        shares.append(l1(NumberPair(now, before)))
    assert max(shares) < 0.3


def new_texts(seed: int, rows: int) -> Profile:
    drawn = np.random.default_rng(seed).integers(10**9, size=rows)
    return profile_table(
        pa.table({"note": [f"text {one:x}" for one in drawn], "price": drawn / 100}), f"2024-{seed:03}"
    )


def test_what_three_partitions_hold_too_many_of_is_not_looked_at_and_no_alarm() -> None:
    history = [new_texts(seed, 6_600 + 10 * (seed % 5)) for seed in range(12)]
    program = synthesize(history, SynthesisOptions(metrics=("unique_ratio", "bigram_unseen_ratio", "finer_ratio")))
    watched = {getattr(one, "metric", None) for one in program.constraints}
    assert {"bigram_unseen_ratio", "finer_ratio"} <= watched
    for seed in range(12, 15):
        history.append(new_texts(seed, 6_750))
    # Together the three before have more than 20,000 different ones.
    verdict = evaluate(program, new_texts(15, 6_700), history)
    assert verdict.status == "pass", [alert.message for alert in verdict.alerts]
    skipped = {one.metric: one for one in verdict.not_evaluated}
    for metric in ("bigram_unseen_ratio", "finer_ratio"):
        assert skipped[metric].reason == "too many values to be kept one by one"
        assert not skipped[metric].applies

"""What retention keeps, and old partitions that are repaired, rejected or judged late: they can still be judged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.gate.pipeline import judge
from airflow_dq.judge.verdict import Status
from airflow_dq.learn.history.baseline import Baseline
from airflow_dq.learn.history.distance import Distances
from airflow_dq.metrics.registry import largest_pool, pools
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.retention import RETENTION
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.store import Repository
from tests.reliability.sight import assert_whole, put, report, rows

OPTIONS = SynthesisOptions(target_fpr=0.01, history=20, min_history=5)
DAYS = 18
KEPT = RETENTION.with_states(largest_pool())


def day(number: int, mean: float = 100.0) -> Profile:
    """A day of two columns that have distributions."""
    rng = np.random.default_rng(number)
    table = pa.table({"amount": rng.normal(mean, 5, 400), "code": rng.choice(list("abcdefgh"), 400)})
    return profile_table(table, partition=f"2024-01-{number:02d}")


@pytest.fixture(scope="module")
def profiles() -> list[Profile]:
    """Days 1 to 18."""
    return [day(number) for number in range(1, DAYS + 1)]


def expected(profiles: list[Profile], at: int, name: str) -> dict[str, object]:
    """The distances of one column from what was before it, measured with all states at hand."""
    column = profiles[at].columns[name]
    earlier = [one.columns[name] for one in profiles[:at]]
    found: dict[str, object] = {}
    for pool in pools(column.kind):
        if Baseline.of(earlier, column.kind, pool):
            found |= Distances().of(column, earlier, pool)
    return found


def stored(history: list[Profile], at: int, name: str) -> dict[str, object]:
    column = history[at].columns[name]
    earlier = [one.columns[name] for one in history[:at]]
    found: dict[str, object] = {}
    for pool in pools(column.kind):
        baseline = Baseline.of(earlier, column.kind, pool)
        if baseline is not None:
            found |= column.distances.get(baseline.fingerprint, {})
    return found


@pytest.mark.parametrize("order", ["as they come", "in one job, newest first"])
def test_distances_outlive_the_states(store: Repository, profiles: list[Profile], order: str) -> None:
    if order == "as they come":
        put(store, *profiles)
    else:
        attempts = store.begin_attempts("t", [str(one.partition) for one in profiles])
        for one in reversed(profiles):
            store.save_profile(attempts[str(one.partition)], "t", one)
    assert rows(store, "profile", "has_states") <= KEPT + RETENTION.recent
    assert rows(store, "column_state", "true") < rows(store, "column_profile") * len(
        profiles[0].columns["amount"].states
    )
    history = store.load_history("t", "2024-02-01", DAYS)
    # The partitions profiled last keep their states wherever they are, and what is measured from them can wait.
    recent = 0 if order == "as they come" else RETENTION.recent
    assert not history[recent].columns["amount"].states
    for at in range(max(1, recent), DAYS - KEPT):
        for name in ("amount", "code"):
            assert stored(history, at, name) == expected(profiles, at, name) != {}
    assert_whole(store)
    report(
        "states dropped",
        order=order,
        partitions=DAYS,
        with_states=rows(store, "profile", "has_states"),
        distances_lost=0,
    )


def test_a_day_judged_late_passes_or_fails_as_it_should(store: Repository, profiles: list[Profile]) -> None:
    put(store, *profiles)
    verdict = judge(store, "t", "2024-01-10", OPTIONS)
    assert (verdict.status, verdict.reason) == (Status.PASS, None)
    report("judged 8 days late", verdict=str(verdict.status))


def test_an_old_day_is_repaired_and_judged(store: Repository, profiles: list[Profile]) -> None:
    put(store, *profiles)
    put(store, replace(day(110), partition="2024-01-10"))
    verdict = judge(store, "t", "2024-01-10", OPTIONS)
    assert verdict.status is Status.PASS
    assert verdict.reason is not None
    assert "Judged without comparing the distribution of amount, code" in verdict.reason
    put(store, replace(day(210, mean=900.0), partition="2024-01-10"))
    broken = judge(store, "t", "2024-01-10", OPTIONS)
    assert broken.status is Status.FAIL
    assert {alert.column for alert in broken.alerts} == {"amount"}
    report("an old day repaired", verdict=str(verdict.status), broken_again=str(broken.status))


def test_a_repaired_old_day_costs_the_newest_no_metric(store: Repository, profiles: list[Profile]) -> None:
    """The distances of its neighbour from it are gaps in the history; they are bridged, and not stored."""
    put(store, *profiles)
    judge(store, "t", f"2024-01-{DAYS}", OPTIONS)
    whole = store.load_program("t", f"2024-01-{DAYS}")
    put(store, replace(day(110), partition="2024-01-10"))
    before = [one.columns["amount"].distances for one in store.load_history("t", f"2024-01-{DAYS}", 20)]
    judge(store, "t", f"2024-01-{DAYS}", OPTIONS)
    bridged = store.load_program("t", f"2024-01-{DAYS}")
    assert whole is not None
    assert bridged is not None
    for name in ("amount", "code"):
        assert bridged.columns[name].ignored == whole.columns[name].ignored
    after = [one.columns["amount"].distances for one in store.load_history("t", f"2024-01-{DAYS}", 20)]
    assert after == before
    report("a gap in the history", ignored_metrics=len(bridged.columns["amount"].ignored))


def test_the_same_content_again_restores_the_states_and_keeps_the_distances(
    store: Repository, profiles: list[Profile]
) -> None:
    put(store, *profiles)
    before = store.load_profile("t", "2024-01-05")
    assert before is not None
    assert not before.columns["amount"].states
    attempt = store.begin_attempt("t", "2024-01-05")
    assert store.save_profile(attempt, "t", profiles[4]) is False
    after = store.load_profile("t", "2024-01-05")
    assert after == profiles[4]
    assert after.columns["amount"].states
    assert after.columns["amount"].distances == before.columns["amount"].distances != {}


def test_prune_keeps_the_newest(store: Repository, profiles: list[Profile]) -> None:
    put(store, *profiles)
    put(store, *profiles[:3], dataset="u")
    for number in (8, 9, DAYS):
        judge(store, "t", f"2024-01-{number:02d}", OPTIONS)
    store.decide("t", "2024-01-09", "accepted", "ann")
    done: dict[str, int] = {}
    pruned = store.prune(10, say=lambda name, what: done.update({name: what.partitions}))
    assert (pruned.datasets, pruned.partitions, pruned.columns) == (1, DAYS - 10, 2 * (DAYS - 10))
    assert done == {"t": DAYS - 10, "u": 0}
    assert [line.partition for line in store.partitions("t", 99)] == [
        f"2024-01-{n:02d}" for n in range(DAYS, DAYS - 10, -1)
    ]
    assert [rows(store, table) for table in ("verdict", "program", "review_event")] == [2, 2, 1]
    assert store.prune(10).partitions == 0
    assert_whole(store)

"""Learned rules on their way: learned before a job, counted in its scan, judged by the gate, learned again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import text

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.gate.pipeline import judge
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.judge.verdict import Status, Verdict
from airflow_dq.learn.constraint.pattern import METRIC
from airflow_dq.learn.rule import PATTERN
from airflow_dq.metrics.registry import largest_pool
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.retention import RETENTION
from airflow_dq.profile import JobSpec, Profile
from airflow_dq.settings import HASH_KEY_VARIABLE
from airflow_dq.store import Repository
from tests.integration.spark_job import Run

DAYS = [f"2026-01-{day:02d}" for day in range(1, 20)]
ROWS = 400
OPTIONS = SynthesisOptions()
Lake = Callable[..., dict[str, str]]


def codes(day: str, odd: Sequence[str] = ()) -> pa.Table:
    number = DAYS.index(day)
    ids = [f"ORD-{1_000_000 + 7919 * number + 13 * row}" for row in range(ROWS)]
    return pa.table({"id": [*odd, *ids[len(odd) :]], "amount": [float(row) for row in range(ROWS)]})


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    def write(days: Sequence[str], odd: Sequence[str] = ()) -> dict[str, str]:
        paths = {day: str(tmp_path / f"{day}.parquet") for day in days}
        for day, path in paths.items():
            pq.write_table(codes(day, odd), path)
        return paths

    return write


def profile(store: Repository, paths: dict[str, str], **more: Any) -> Profile:
    """Profile some partitions in one job; the last one's profile."""
    spec = JobSpec(dataset="t", paths=paths, sample_rows=0, **more)
    outcomes = ProfileJob(ArrowEngine(spec), store, lambda line: None).run()
    assert [outcome.error for outcome in outcomes] == [None] * len(outcomes)
    found = store.load_profile("t", max(paths))
    assert found is not None
    return found


def gate(store: Repository, day: str) -> Verdict:
    return judge(store, "t", day, OPTIONS)


def states(store: Repository) -> list[tuple[str, str, list[str]]]:
    with store._engine.connect() as connection:
        rows = connection.execute(text("SELECT state, reason, partitions FROM airflow_dq.learned_rule ORDER BY id"))
        return [(row.state, row.reason, row.partitions) for row in rows]


def test_one_partition_is_enough_to_guard_the_next(lake: Lake, store: Repository) -> None:
    first = profile(store, lake(DAYS[:1]))
    assert (first.checks, gate(store, DAYS[0]).status) == ({}, Status.WARMING_UP)
    second = profile(store, lake(DAYS[1:2], ["XX-7"] * 40))
    (rule,) = store.rules("t", DAYS[1])
    measured = second.checks[rule.measure]
    assert (measured.numerator, measured.denominator, measured.examples) == (40, ROWS, (("XX-7", 40),))
    verdict = gate(store, DAYS[1])
    assert (verdict.status, verdict.alerts[0].rule, verdict.alerts[0].metric) == (Status.FAIL, "pattern", METRIC)
    assert "the schema and 1 pattern are judged" in str(verdict.reason)
    assert "'XX-7' (40)" in verdict.alerts[0].message
    # A healthy one goes on warming up: the failed one taught nothing.
    assert profile(store, lake(DAYS[2:3])).checks
    assert gate(store, DAYS[2]).status is Status.WARMING_UP
    assert all(DAYS[1] not in partitions for _, _, partitions in states(store))


def test_a_backfill_feeds_the_rules_and_their_history(lake: Lake, store: Repository) -> None:
    backfilled = profile(store, lake(DAYS[:12]))
    assert backfilled.checks == {}
    now = profile(store, lake([DAYS[12]], ["XX-7"] * 12))
    (rule,) = store.rules("t", DAYS[12])
    assert rule.partitions == tuple(DAYS[8:12])
    assert now.checks[rule.measure].numerator == 12
    # Stored counts of values answer for partitions that were profiled before there was the rule.
    past = store.load_history("t", DAYS[12], 30)
    kept = [one for one in past if rule.measure in one.checks]
    assert len(kept) == RETENTION.with_states(largest_pool())
    assert {one.checks[rule.measure].numerator for one in kept} == {0}
    verdict = gate(store, DAYS[12])
    assert "pattern" in {alert.rule for alert in verdict.alerts}


def test_profiling_again_with_a_rule_is_no_other_content(lake: Lake, store: Repository) -> None:
    paths = lake(DAYS[:1])
    before = profile(store, paths)
    store.learn_rules("t", DAYS[5])
    assert store.rules("t", DAYS[0]) == ()  # nothing is judged by what was learned from itself
    assert profile(store, paths).fingerprint == before.fingerprint
    counted = replace(before, checks={})
    assert counted.fingerprint == before.fingerprint


def test_what_people_accept_twice_is_learned(lake: Lake, store: Repository) -> None:
    profile(store, lake(DAYS[:6]))
    odd = ["N_1"] * 60
    for day in DAYS[6:8]:
        profile(store, lake([day], odd))
        assert "pattern" in {alert.rule for alert in gate(store, day).alerts}
    for day in DAYS[6:8]:
        store.decide("t", day, "accepted", "a person")
    profile(store, lake([DAYS[8]], odd))
    assert "pattern" not in {alert.rule for alert in gate(store, DAYS[8]).alerts}
    assert [state for state, _, _ in states(store)] == ["relearned", "active"]
    assert "people accepted 2" in states(store)[-1][1]
    assert set(DAYS[6:8]) <= set(states(store)[-1][2])


def test_a_partition_that_was_rejected_is_learned_from_no_more(lake: Lake, store: Repository) -> None:
    profile(store, lake(DAYS[:1], ["?? garbage"] * 300))
    gate(store, DAYS[0])
    profile(store, lake(DAYS[1:2]))
    gate(store, DAYS[1])
    store.decide("t", DAYS[0], "rejected", "a person")
    store.decide("t", DAYS[1], "accepted", "a person")
    store.learn_rules("t", DAYS[2])
    assert states(store)[-1][2] == [DAYS[1]]
    assert "no more" in states(store)[-1][1]


def test_a_muted_rule_is_neither_counted_nor_judged_nor_learned_again(lake: Lake, store: Repository) -> None:
    profile(store, lake(DAYS[:1]))
    profile(store, lake(DAYS[1:2]))
    (rule,) = store.stored_rules("t")
    assert (rule.rule.family, rule.words[:12], rule.partitions) == (PATTERN, "id looks lik", 2)
    assert store.mute_rule("t", rule.id, "ann")
    assert not store.mute_rule("t", rule.id, "ann")
    assert profile(store, lake(DAYS[2:6], ["XX"] * 100)).checks == {}
    assert gate(store, DAYS[2]).alerts == ()


def test_a_damaged_rule_loses_no_profile_and_no_verdict(lake: Lake, store: Repository) -> None:
    profile(store, lake(DAYS[:1]))
    store.learn_rules("t", DAYS[1])
    with store._engine.begin() as connection:
        connection.execute(text("UPDATE airflow_dq.learned_rule SET document = 'x'::bytea"))
    profile(store, lake(DAYS[1:2]))
    assert gate(store, DAYS[1]).status is Status.WARMING_UP


def test_nothing_of_a_hidden_column_is_learned(lake: Lake, store: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HASH_KEY_VARIABLE, "a secret of ours")
    profile(store, lake(DAYS[:1]))
    store.learn_rules("t", DAYS[1])
    # Hidden only now: the rule goes on, and shows shapes.
    now = profile(store, lake(DAYS[1:2], ["XX-7"] * 40), hidden=("id",))
    (measured,) = now.checks.values()
    assert (measured.numerator, measured.examples) == (40, ((r"\l\l\.\d", 40),))
    assert "XX-7" not in gate(store, DAYS[1]).alerts[0].message
    profile(store, lake(DAYS[2:3]), store_values=False)
    assert [partitions for _, _, partitions in states(store)] == [[DAYS[0]]]


@pytest.mark.slow
def test_spark_counts_what_this_process_counts(lake: Lake, store: Repository, run: Run) -> None:
    profile(store, lake(DAYS[:1]))
    odd = ["XX-7", "XX-8", "XX-8"]
    here = profile(store, lake(DAYS[1:2], odd))
    run(paths=lake(DAYS[1:2], odd), sample_rows=0)
    there = store.load_profile("t", DAYS[1])
    assert there is not None
    assert there.checks == here.checks != {}

"""Relations on their way: found in the rows of a job, counted in the next scans, judged by the gate, muted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import text

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.gate.pipeline import judge
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.judge.verdict import Verdict
from airflow_dq.learn.constraint.relation import METRIC, RULE
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile import JobSpec, Profile
from airflow_dq.relation.rule import RELATION
from airflow_dq.settings import HASH_KEY_VARIABLE
from airflow_dq.store import Repository
from airflow_dq.store.rule_list import StoredRule
from tests.integration.spark_job import Run

SUM = "total = price + fee"
DAYS = [f"2026-01-{day:02d}" for day in range(1, 20)]
ROWS = 300
OPTIONS = SynthesisOptions(min_history=3, patterns=False)
Lake = Callable[..., dict[str, str]]


def sales(day: str, wrong: int = 0) -> pa.Table:
    """Amounts that add up, but for some rows."""
    rng = np.random.default_rng(DAYS.index(day))
    price, fee = np.round(rng.lognormal(3, 1, ROWS), 2), np.round(rng.exponential(2, ROWS), 2)
    total = np.round(price + fee, 2)
    fee[:wrong] += 5.0
    return pa.table({"price": price, "fee": fee, "total": total})


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    def write(days: list[str], wrong: int = 0) -> dict[str, str]:
        paths = {day: str(tmp_path / f"{day}.parquet") for day in days}
        for day, path in paths.items():
            pq.write_table(sales(day, wrong), path)
        return paths

    return write


def profile(store: Repository, paths: dict[str, str], **more: Any) -> Profile:
    """Profile some partitions in one job; the last one's profile."""
    spec = JobSpec(dataset="t", paths=paths, **more)
    outcomes = ProfileJob(ArrowEngine(spec), store, lambda line: None).run()
    assert [outcome.error for outcome in outcomes] == [None] * len(outcomes)
    found = store.load_profile("t", max(paths))
    assert found is not None
    return found


def gate(store: Repository, day: str) -> Verdict:
    return judge(store, "t", day, OPTIONS)


def broken(verdict: Verdict) -> list[str]:
    return [alert.message for alert in verdict.alerts if alert.rule == RULE]


def known(store: Repository) -> dict[str, StoredRule]:
    """What is counted or muted, by its words."""
    return {one.words: one for one in store.stored_rules("t")}


def test_found_counted_judged_and_muted(lake: Lake, store: Repository) -> None:
    profile(store, lake(DAYS[:2]))
    (rule,) = store.rules("t", DAYS[2])
    assert (rule.family, set(rule.columns)) == (RELATION, {"price", "fee", "total"})
    for day in DAYS[2:5]:
        measured = profile(store, lake([day])).checks[rule.measure]
        assert (measured.numerator, measured.denominator) == (0, ROWS)
    now = profile(store, lake([DAYS[5]], wrong=6))
    assert now.checks[rule.measure].numerator == 6
    verdict = gate(store, DAYS[5])
    (alert,) = [alert for alert in verdict.alerts if alert.rule == RULE]
    assert (alert.metric, alert.observed) == (METRIC, 6 / ROWS)
    assert "2.00% of the rows (6 of 300) break total = price + fee: total = " in alert.message
    assert "0 of 900 did before (3 past partitions)" in alert.message
    stored = known(store)[SUM]
    assert (stored.partitions, stored.rows, stored.broken) == (4, 4 * ROWS, 6)
    assert store.mute_rule("t", stored.id, "ann")
    assert not store.mute_rule("t", stored.id, "ann")
    assert rule.measure not in profile(store, lake([DAYS[6]], wrong=6)).checks
    assert not broken(gate(store, DAYS[6]))
    # What is muted is not found again; what is deleted is.
    assert known(store)[SUM].state == "muted"
    assert store.delete_rule("t", stored.id, "ann")
    assert not store.delete_rule("t", stored.id, "ann")
    profile(store, lake([DAYS[7]]))
    assert known(store)[SUM].state == "active"


def test_what_holds_no_more_is_counted_no_more(lake: Lake, store: Repository) -> None:
    profile(store, lake(DAYS[:2]))
    assert known(store)[SUM].state == "active"
    for day in DAYS[2:6]:
        profile(store, lake([day], wrong=60))
    assert SUM not in known(store)


def test_what_rests_on_no_good_partition_is_not_told_as_judged(lake: Lake, store: Repository) -> None:
    profile(store, lake(DAYS[:1]))
    gate(store, DAYS[0])
    assert known(store)[SUM].state == "active"
    store.decide("t", DAYS[0], "rejected", "ann", revise=True)
    assert SUM not in known(store)
    store.decide("t", DAYS[0], "accepted", "ann", revise=True)
    assert known(store)[SUM].state == "active"
    store.decide("t", DAYS[0], "rejected", "ann", revise=True)
    assert not profile(store, lake(DAYS[1:2], wrong=60)).checks  # nor is it counted


def test_no_value_of_hidden_columns_is_stored(lake: Lake, store: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HASH_KEY_VARIABLE, "a secret of ours")
    profile(store, lake(DAYS[:2]), store_values=False)
    (rule,) = store.rules("t", DAYS[2])
    measured = profile(store, lake([DAYS[2]], wrong=6), store_values=False).checks[rule.measure]
    assert (measured.numerator, measured.examples) == (6, ())
    some = profile(store, lake([DAYS[3]], wrong=6), hidden=("total", "fee")).checks[rule.measure]
    assert all(example.startswith("total = hidden, price = ") for example, _ in some.examples)
    assert all(example.endswith(", fee = hidden") for example, _ in some.examples)


def test_a_damaged_relation_loses_no_profile(lake: Lake, store: Repository) -> None:
    profile(store, lake(DAYS[:2]))
    with store._engine.begin() as connection:
        connection.execute(text("UPDATE airflow_dq.learned_rule SET document = 'x'::bytea"))
    assert profile(store, lake(DAYS[2:3])).row_count == ROWS
    assert store.stored_rules("t") != []  # found again


@pytest.mark.slow
def test_spark_finds_and_counts_what_this_process_does(lake: Lake, store: Repository, run: Run) -> None:
    run(paths=lake(DAYS[:1]))
    (rule,) = store.rules("t", DAYS[1])
    here = profile(store, lake(DAYS[1:2], 6))
    run(paths=lake(DAYS[1:2], 6))
    there = store.load_profile("t", DAYS[1])
    assert there is not None
    assert there.checks == here.checks != {}
    assert here.checks[rule.measure].numerator == 6

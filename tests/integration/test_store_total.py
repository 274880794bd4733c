"""Totals over all partitions in the store: merged from the last snapshot on, right after any partition is replaced."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from sqlalchemy import text

from airflow_dq import ProfileOptions, profile_table
from airflow_dq.check import Checks
from airflow_dq.options.key import order_key
from airflow_dq.profile.check.answer import answer
from airflow_dq.store import Repository, total

CHECKS = Checks("t")
CHECKS.rows(scope="total", error=">=0", id="rows")
CHECKS.unique("k", scope="total", id="unique")
CHECKS.col("k").mean(scope="total", error=">=0", id="mean")
DAYS = [f"2026-01-{day:02d}" for day in range(1, 11)]


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(total, "EVERY", 3)


def save(store: Repository, day: str, keys: list[int], **more: Any) -> int:
    """Profile a partition as a job does; how many partitions were merged."""
    options = ProfileOptions(checks=tuple(CHECKS), sample_rows=0, **more)
    attempt = store.begin_attempt("t", day)
    store.save_profile(attempt, "t", profile_table(pa.table({"k": keys}), day, options))
    return store.update_totals("t", options.checks, [day])


def totals(store: Repository, day: str) -> list[float | None]:
    profile = store.load_profile("t", day, variants=False)
    assert profile is not None
    return [answer(check, profile).value for check in CHECKS]


def snapshots(store: Repository) -> list[str]:
    with store._engine.begin() as connection:
        return list(connection.execute(text("SELECT sort_key FROM airflow_dq.check_total ORDER BY 1")).scalars())


def test_a_new_partition_is_added_to_the_snapshot_before_it(store: Repository) -> None:
    merged = [save(store, day, [2 * place, 2 * place + 1]) for place, day in enumerate(DAYS)]
    assert merged == [1, 2, 3, 1, 2, 3, 1, 2, 3, 1]
    assert totals(store, DAYS[-1]) == [20, 1.0, 9.5]
    assert totals(store, DAYS[4]) == [10, 1.0, 4.5]
    assert snapshots(store) == [order_key(DAYS[place]) for place in (2, 5, 8)]


def test_a_partition_that_is_profiled_again_takes_the_place_of_what_it_was(store: Repository) -> None:
    for place, day in enumerate(DAYS[:7]):
        save(store, day, [2 * place, 2 * place + 1])
    before = store.load_profile("t", DAYS[6])
    assert save(store, DAYS[4], [0, 1, 2]) == 4
    assert totals(store, DAYS[3]) == [8, 1.0, 3.5]
    assert totals(store, DAYS[4]) == [11, pytest.approx(5 / 11), pytest.approx(31 / 11)]
    assert totals(store, DAYS[6])[0] == 15
    after = store.load_profile("t", DAYS[6])
    assert before is not None
    assert after is not None
    assert after.fingerprint == before.fingerprint
    # Late data, before all that was known.
    save(store, "2025-12-31", [100])
    assert totals(store, DAYS[6])[0] == 16


def test_a_total_of_which_a_partition_was_not_counted_says_which(store: Repository) -> None:
    bare = profile_table(pa.table({"k": [1]}), DAYS[0], ProfileOptions(sample_rows=0))
    store.save_profile(store.begin_attempt("t", DAYS[0]), "t", bare)
    save(store, DAYS[1], [2])
    profile = store.load_profile("t", DAYS[1])
    assert profile is not None
    said = {answer(check, profile).problem for check in CHECKS}
    assert said == {f"partition '{DAYS[0]}' was profiled without this check; profile it again"}
    save(store, DAYS[0], [1])
    assert totals(store, DAYS[1]) == [2, 1.0, 1.5]

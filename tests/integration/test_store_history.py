"""What a partition is judged against, and what status shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event, text

from airflow_dq.judge.verdict import Decision, ScopeVerdict, Status, Verdict
from airflow_dq.learn.history.baseline import Baseline
from airflow_dq.metrics.registry import largest_pool, metrics_for, pools
from airflow_dq.options.key import order_key
from airflow_dq.options.retention import RETENTION
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind
from airflow_dq.store import Repository, open_store, retention
from tests.integration.sample import ODD_NAME, days, make_profile

KEYS = (
    st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1, max_size=20)
    | st.from_regex(r"-?[0-9]{1,12}(\.[0-9]{1,4})?", fullmatch=True)
    | st.dates().map(str)
    | st.from_regex(r"(day|eu-)?[0-9]{1,3}(-[0-9]{1,2})?", fullmatch=True)
).filter(lambda key: key == key.strip())
"""Whatever may be a partition's key."""


def put(store: Repository, *profiles: Profile, dataset: str = "t") -> None:
    attempts = store.begin_attempts(dataset, [str(profile.partition) for profile in profiles])
    for profile in profiles:
        store.save_profile(attempts[str(profile.partition)], dataset, profile)


def rule(store: Repository, profile: Profile, status: Status, decision: Decision | None = None) -> None:
    verdict = Verdict(profile.partition, status, ScopeVerdict(status), {}, reason="because")
    store.save_verdict("t", profile, None, verdict)
    if decision:
        store.decide("t", str(profile.partition), decision, "ann")


def keys(profiles: list[Profile]) -> list[str | None]:
    return [profile.partition for profile in profiles]


@contextmanager
def counted(store: Repository) -> Iterator[list[str]]:
    statements: list[str] = []

    def note(connection: object, cursor: object, statement: str, *rest: object) -> None:
        statements.append(statement)

    event.listen(store._engine, "before_cursor_execute", note)
    yield statements
    event.remove(store._engine, "before_cursor_execute", note)


def test_history_is_the_newest_before_oldest_first(store: Repository) -> None:
    profiles = days(9)
    put(store, *reversed(profiles))
    put(store, make_profile("2024-01-03", rows=5), dataset="other")
    assert store.load_history("t", "2024-01-08", 3) == profiles[4:7]
    assert keys(store.load_history("t", "2024-01-08", 100)) == keys(profiles[:7])
    # Numbers as numbers; else bytes, not a language's rules: upper case before lower, digits before letters.
    put(store, make_profile("B"), make_profile("a"), make_profile("10"), make_profile("9"), dataset="u")
    assert keys(store.load_history("u", "b", 10)) == ["9", "10", "B", "a"]


@pytest.mark.parametrize(
    ("status", "decision", "eligible"),
    [
        (Status.PASS, None, True),
        (Status.WARMING_UP, None, True),
        (Status.FAIL, None, False),
        (Status.ERROR, None, False),
        (Status.NOT_EVALUATED, None, False),
        (Status.FAIL, "accepted", True),
        (Status.FAIL, "rejected", False),
        (Status.PASS, "rejected", False),
    ],
)
def test_which_verdicts_and_decisions_let_a_partition_be_learned_from(
    store: Repository, status: Status, decision: Decision | None, eligible: bool
) -> None:
    first, second, third = days(3)
    put(store, first, second, third)
    rule(store, second, status, decision)
    expected = [first, second, third] if eligible else [first, third]
    assert keys(store.load_history("t", "2024-02-01", 30)) == keys(expected)
    # The limit counts eligible partitions only.
    assert len(store.load_history("t", "2024-02-01", 2)) == 2


def in_history(store: Repository, profile: Profile) -> bool:
    return profile.partition in keys(store.load_history("t", "2024-02-01", 30))


def with_late_row(store: Repository, profile: Profile) -> Profile:
    """The partition profiled again with one more row."""
    late = replace(profile, row_count=profile.row_count + 1)
    put(store, late)
    assert store.load_verdict("t", str(profile.partition)) is None
    return late


@pytest.mark.parametrize("status", [Status.FAIL, Status.NOT_EVALUATED, Status.ERROR])
def test_a_late_row_absolves_nobody(store: Repository, status: Status) -> None:
    first, second = days(2)
    put(store, first, second)
    rule(store, second, status)
    late = with_late_row(store, second)
    assert not in_history(store, second)
    rule(store, late, Status.WARMING_UP)
    assert not in_history(store, second), "a history that is too short says nothing about it"
    rule(store, late, Status.PASS)
    assert in_history(store, second)
    (line, _) = store.partitions("t")
    assert (line.verdict, line.decision) == (Status.PASS, None)


def test_rejected_data_stays_out_whatever_is_added_to_it(store: Repository) -> None:
    first, second = days(2)
    put(store, first, second)
    rule(store, second, Status.PASS, "rejected")
    late = with_late_row(store, second)
    assert not in_history(store, second)
    rule(store, late, Status.FAIL)
    assert not in_history(store, second)
    store.decide("t", "2024-01-02", "accepted", "bob")
    assert in_history(store, second)
    store.decide("t", "2024-01-02", "rejected", "bob", revise=True)
    assert not in_history(store, second)


@pytest.mark.parametrize("decision", ["accepted", "new_normal"])
def test_accepted_data_stays_in_until_it_is_found_bad_again(store: Repository, decision: Decision) -> None:
    first, second = days(2)
    put(store, first, second)
    rule(store, second, Status.FAIL, decision)
    late = with_late_row(store, second)
    assert in_history(store, second)
    rule(store, late, Status.FAIL)
    assert not in_history(store, second)


def test_the_same_verdict_again_keeps_what_a_person_has_decided(store: Repository) -> None:
    first, second = days(2)
    put(store, first, second)
    rule(store, second, Status.FAIL, "accepted")
    verdict = Verdict(second.partition, Status.FAIL, ScopeVerdict(Status.FAIL), {}, reason="by another program")
    store.save_verdict("t", second, None, verdict)
    assert in_history(store, second)


def test_a_passed_partition_stays_in_when_it_is_profiled_again(store: Repository) -> None:
    first, second = days(2)
    put(store, first, second)
    rule(store, second, Status.PASS)
    with_late_row(store, second)
    assert in_history(store, second)


def test_attempt_without_profile_is_not_history(store: Repository) -> None:
    put(store, *days(2))
    store.fail_attempt(store.begin_attempt("t", "2024-01-03"), "unreadable")
    store.begin_attempt("t", "2024-01-04")
    assert keys(store.load_history("t", "2024-02-01", 30)) == ["2024-01-01", "2024-01-02"]


def test_failed_run_keeps_variants_of_the_last_good_partition(store: Repository) -> None:
    profiles = days(8)
    put(store, *profiles[:3])
    for profile in profiles[3:]:
        put(store, profile)
        rule(store, profile, Status.FAIL)
    history = store.load_history("t", "2024-02-01", 30)
    assert history[-1].partition == "2024-01-03"
    assert len(history[-1].variants["price"]) == 3


def test_states_come_only_where_something_is_left_to_compute(store: Repository) -> None:
    profiles = days(5)
    put(store, *profiles)
    cold = store.load_history("t", "2024-02-01", 30)
    assert all(column.states for profile in cold for column in profile.columns.values())
    prices = [profile.columns["price"] for profile in cold]
    measured = {}
    for at, now in enumerate(prices):
        for pool in pools(Kind.NUMERIC):
            baseline = Baseline.of(prices[:at], Kind.NUMERIC, pool)
            if baseline is not None:
                wanted = [metric.name for metric in metrics_for(Kind.NUMERIC, pair=True) if metric.pool == pool]
                measured[now.fingerprint, baseline.fingerprint] = dict.fromkeys(wanted, 1.0)
    assert len([now for now, _ in measured if now == prices[4].fingerprint]) == len(pools(Kind.NUMERIC)) > 0
    assert store.save_distances("t", cold, measured) == 4
    assert store.save_distances("t", cold, measured) == 0
    warm = store.load_history("t", "2024-02-01", 30)
    kept = {before: values for (now, before), values in measured.items() if now == prices[3].fingerprint}
    assert warm[3].columns["price"].distances == kept
    assert [bool(profile.columns["price"].states) for profile in warm] == [False, True, True, True, True]
    assert all(profile.columns[ODD_NAME].states for profile in warm)
    # A gap: the third day leaves, and its neighbours are to be compared with each other.
    rule(store, profiles[2], Status.FAIL)
    gap = store.load_history("t", "2024-02-01", 30)
    assert [bool(profile.columns["price"].states) for profile in gap] == [True, True, True, True]


def test_distances_of_replaced_content_are_not_saved(store: Repository) -> None:
    put(store, *days(2))
    loaded = store.load_history("t", "2024-02-01", 30)
    measured = {(loaded[1].columns["price"].fingerprint, "baseline"): {"emd": 1.0}}
    put(store, make_profile("2024-01-02", mean=99.0))
    assert store.save_distances("t", loaded, measured) == 0


def test_number_of_queries_does_not_grow(store: Repository) -> None:
    put(store, *days(3))
    with counted(store) as few:
        store.load_history("t", "2024-02-01", 30)
    put(store, *days(20))
    with counted(store) as many:
        assert len(store.load_history("t", "2024-02-01", 30)) == 20
    assert len(few) == len(many) <= 6


def test_summaries_tell_attempts_verdicts_and_the_newest_partition(store: Repository) -> None:
    first, second, third = days(3)
    put(store, first, second, third)
    rule(store, second, Status.FAIL)
    store.fail_attempt(store.begin_attempt("t", "2024-01-04"), "no such folder")
    store.begin_attempt("u", "x")
    lines = store.partitions("t", 3)
    assert [line.partition for line in lines] == ["2024-01-04", "2024-01-03", "2024-01-02"]
    assert (lines[0].rows, lines[0].attempt, lines[0].error) == (None, "failed", "no such folder")
    assert (lines[1].rows, lines[1].attempt, lines[1].verdict) == (third.row_count, "succeeded", None)
    assert (lines[2].verdict, lines[2].alerts) == (Status.FAIL, 0)
    assert lines[1].profiled_at is not None
    t, u = store.datasets()
    assert (t.name, t.partitions, t.newest) == ("t", 3, "2024-01-03")
    assert (u.name, u.partitions, u.newest, u.profiled_at) == ("u", 0, None, None)


@pytest.mark.parametrize(("at_once", "columns"), [(8, 128), (3, 128), (8, 1)])
def test_a_backfill_that_tidies_now_and_then_keeps_what_one_that_always_does_keeps(
    store: Repository, monkeypatch: pytest.MonkeyPatch, at_once: int, columns: int
) -> None:
    profiles = days(20)
    put(store, *profiles, dataset="each")
    monkeypatch.setattr(retention, "AT_ONCE", at_once)
    monkeypatch.setattr(retention, "COLUMNS_AT_ONCE", columns)
    attempts = store.begin_attempts("some", [str(profile.partition) for profile in profiles])
    for number, profile in enumerate(profiles, 1):
        store.save_profile(attempts[str(profile.partition)], "some", profile, tidy=False)
        if number % 7 == 0:
            store.tidy("some")
    store.tidy("some")
    each, some = (store.load_history(dataset, "2024-02-01", 30) for dataset in ("each", "some"))
    for one, other in zip(each, some, strict=True):
        for name, column in one.columns.items():
            assert column.distances == other.columns[name].distances
            assert column.states.keys() == other.columns[name].states.keys()
    kept = [profile.partition for profile in some if profile.columns["price"].states]
    assert kept == [profile.partition for profile in profiles[-RETENTION.with_states(largest_pool()) :]]
    price = some[10].columns["price"]
    assert len(price.distances) == len(pools(Kind.NUMERIC)), "none from a baseline that was cut short"


@pytest.mark.parametrize("order", ["ascending", "descending", "shuffled"])
def test_a_backfill_stores_the_same_in_whatever_order_and_nothing_twice(store: Repository, order: str) -> None:
    profiles = days(20)
    put(store, *profiles, dataset="each")
    arriving = {"ascending": profiles, "descending": profiles[::-1], "shuffled": profiles[1::3] + profiles[::3]}[order]
    arriving = [*arriving, *(one for one in profiles if one not in arriving)]

    def backfill() -> dict[str, int]:
        attempts = store.begin_attempts("some", [str(one.partition) for one in arriving])
        for start in range(0, len(arriving), 8):
            store.save_profiles("some", {attempts[str(one.partition)]: one for one in arriving[start : start + 8]})
            store.tidy("some")
        tables = "profile", "column_profile", "column_state", "column_variant"
        with store._engine.begin() as connection:
            count = "SELECT count(*) FROM airflow_dq."
            return {table: connection.execute(text(f"{count}{table}")).scalar_one() for table in tables}

    once = backfill()
    assert backfill() == once
    each, some = (store.load_history(dataset, "2024-02-01", 30) for dataset in ("each", "some"))
    assert [one.fingerprint for one in some] == [one.fingerprint for one in profiles]
    for one, other in zip(each, some, strict=True):
        mine, known = one.columns["price"], other.columns["price"]
        # Of those that were stored last the states are kept longer, and nothing needed to be measured yet; from what
        # came before a later one while that was not there, more was measured.
        assert known.states or all(known.distances[base] == found for base, found in mine.distances.items())


@given(st.lists(KEYS, min_size=1, max_size=30, unique=True))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_database_orders_keys_as_python_does(clean_dsn: str, keys: list[str]) -> None:
    in_order = sorted(keys, key=order_key)
    with open_store(clean_dsn) as store:
        dataset = f"t{store.begin_attempt('counter', '1')}"
        store.begin_attempts(dataset, keys)
        listed = [line.partition for line in store.partitions(dataset, len(keys))]
    assert listed[::-1] == in_order

"""Two workers on the same partition, and a profile that is replaced while it is read: one of them, as a whole."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from airflow_dq.exceptions import StaleAttemptError
from airflow_dq.gate.pipeline import judge
from airflow_dq.metrics.registry import largest_pool
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.retention import RETENTION
from airflow_dq.store import Repository, open_store
from tests.integration.sample import days, make_profile
from tests.reliability.server import Server
from tests.reliability.sight import assert_whole, put, report, rows

ROUNDS = 15
OPTIONS = SynthesisOptions(target_fpr=0.05, history=20, min_history=5)


def test_two_workers_profile_the_same_partition(store: Repository, server: Server) -> None:
    """Whoever began last writes, whoever ends last."""
    stale = 0
    with open_store(server.dsn) as other, ThreadPoolExecutor(2) as pool:
        for number in range(ROUNDS):
            first, second = store.begin_attempt("t", "p"), other.begin_attempt("t", "p")
            meet = threading.Barrier(2)

            def save(
                worker: Repository, attempt: int, size: int, meet: threading.Barrier = meet
            ) -> StaleAttemptError | None:
                meet.wait()
                try:
                    worker.save_profile(attempt, "t", make_profile("p", rows=size))
                except StaleAttemptError as error:
                    return error
                return None

            old = pool.submit(save, store, first, 1000 + number)
            new = pool.submit(save, other, second, 5000 + number)
            assert new.result() is None
            refused = old.result()
            assert refused is not None
            assert f"attempt {second}" in str(refused)
            stale += 1
            assert store.load_profile("t", "p") == make_profile("p", rows=5000 + number)
    assert (rows(store, "profile"), rows(store, "column_profile")) == (1, 2)
    assert_whole(store)
    report("two workers on one partition", rounds=ROUNDS, refused=stale, profiles=1)


def test_two_workers_measure_distances_of_the_same_column(store: Repository, server: Server) -> None:
    """What both add stays."""
    put(store, make_profile("p"))
    meet = threading.Barrier(2, timeout=60)

    def measure(worker: Repository, who: str) -> None:
        for number in range(ROUNDS):
            profile = make_profile("p")
            measured = {(profile.columns["price"].fingerprint, f"{who} {number}"): {"emd": 0.5}}
            meet.wait()
            worker.save_distances("t", [profile], measured)

    with open_store(server.dsn) as other, ThreadPoolExecutor(2) as pool:
        for one in [pool.submit(measure, store, "a"), pool.submit(measure, other, "b")]:
            one.result()
    loaded = store.load_profile("t", "p")
    assert loaded is not None
    assert set(loaded.columns["price"].distances) == {f"{who} {number}" for who in "ab" for number in range(ROUNDS)}
    report("two workers on the distances of a column", rounds=ROUNDS, lost=0)


def test_two_workers_save_different_partitions_of_a_dataset(store: Repository, server: Server) -> None:
    """They also tidy up after each other: each partition is there, and only the newest have states."""
    profiles = days(28)
    with open_store(server.dsn) as other, ThreadPoolExecutor(2) as pool:
        halves = [pool.submit(put, store, *profiles[::2]), pool.submit(put, other, *profiles[1::2])]
        for half in halves:
            half.result()
    put(store, make_profile("2024-01-29"))
    assert rows(store, "profile") == 29
    assert {one.fingerprint for one in store.load_history("t", "2024-01-29", 40)} == {
        one.fingerprint for one in profiles
    }
    with_states = rows(store, "profile", "has_states")
    kept = RETENTION.with_states(largest_pool())
    assert kept <= with_states <= kept + RETENTION.recent
    assert_whole(store)
    report("two workers on one dataset", partitions=29, with_states=with_states, lost=0)


def test_a_history_read_while_it_is_replaced_is_whole(store: Repository, server: Server) -> None:
    """A reader sees each partition's profile with all its columns, whichever of the two it is."""
    put(store, *days(12))
    stop = threading.Event()
    replaced = [0]

    def replace() -> None:
        with open_store(server.dsn) as writer:
            while not stop.is_set():
                for day in (11, 12):
                    put(writer, make_profile(f"2024-01-{day}", rows=2000 + replaced[0]))
                    replaced[0] += 1

    worker = threading.Thread(target=replace)
    worker.start()
    try:
        read = 0
        while replaced[0] < 40:
            history = store.load_history("t", "2024-02-01", 30)
            assert [len(one.columns) for one in history] == [2] * 12
            assert all(one.columns["price"].states for one in history[-3:])
            read += 1
    finally:
        stop.set()
        worker.join()
    report("reading while two partitions are replaced", read=read, replaced=replaced[0], torn=0)


def test_judges_and_workers_at_once(store: Repository, server: Server) -> None:
    """Nobody judges what is not there any more: the verdict is on the content that is stored last."""
    put(store, *days(20))
    with open_store(server.dsn) as other, ThreadPoolExecutor(2) as pool:
        for number in range(4):
            mean = 10.0 if number % 2 else 500.0 + number
            put(store, make_profile("2024-01-21", mean=900.0 + number))
            judged = pool.submit(judge, other, "t", "2024-01-21", OPTIONS)
            put(store, make_profile("2024-01-21", mean=mean))
            judged.result()
            verdict = judge(store, "t", "2024-01-21", OPTIONS)
            assert store.load_verdict("t", "2024-01-21") == verdict
            assert verdict.status == ("pass" if number % 2 else "fail")
    assert rows(store, "verdict") == 1
    assert_whole(store)
    report("judged while it is profiled anew", rounds=4, verdicts=1)

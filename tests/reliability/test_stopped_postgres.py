"""PostgreSQL is there and does nothing: its processes are stopped, or its disk is full."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from airflow_dq.exceptions import StoreUnreachableError
from airflow_dq.profile.model import Profile, States
from airflow_dq.store import Repository, open_store
from airflow_dq.store.patience import PAGE, TASK
from tests.integration.sample import days, make_profile
from tests.reliability.server import Server
from tests.reliability.sight import assert_whole, put, report, rows

pytestmark = pytest.mark.slow


def test_a_page_gives_a_server_that_hangs_up_and_comes_back(store: Repository, server: Server) -> None:
    put(store, *days(3))
    with open_store(server.dsn, patience=PAGE) as page:
        assert len(page.partitions("t")) == 3
        with server.stopped():
            began = time.monotonic()
            # Two seconds on the connection that it has, and two on a new one.
            with pytest.raises(StoreUnreachableError):
                page.partitions("t")
            took = time.monotonic() - began
            assert took < 12
        assert len(page.partitions("t")) == 3
    report("a page while the server hangs", seconds=round(took, 1))


def test_a_task_waits_for_a_server_that_hangs_for_a_moment(store: Repository, server: Server) -> None:
    attempt = store.begin_attempt("t", "2024-01-01")
    with server.stopped():
        saving = threading.Thread(target=store.save_profile, args=(attempt, "t", make_profile("2024-01-01")))
        saving.start()
        saving.join(2)
        assert saving.is_alive()
    saving.join(30)
    assert not saving.is_alive()
    assert rows(store, "profile") == 1
    assert_whole(store)
    report("a task while the server hangs for 2 s", lost=0)


def test_a_task_gives_a_server_that_hangs_for_long_up_and_can_be_tried_again(store: Repository, server: Server) -> None:
    put(store, *days(2))
    hasty = replace(TASK, connect=2, statement=1, restart=2)
    with open_store(server.dsn, patience=hasty) as task:
        attempt = task.begin_attempt("t", "2024-01-03")
        with server.stopped():
            began = time.monotonic()
            with pytest.raises(StoreUnreachableError) as caught:
                task.save_profile(attempt, "t", make_profile("2024-01-03"))
            took = time.monotonic() - began
        assert caught.value.retryable
        assert took < 40
        assert task.save_profile(attempt, "t", make_profile("2024-01-03"))
    assert rows(store, "profile") == 3
    assert_whole(store)
    report("a task while the server hangs for long", seconds=round(took, 1), lost=0)


def large(partition: str) -> Profile:
    """A profile whose states take some megabytes that no compression makes smaller."""
    profile = make_profile(partition, variants=False)
    price = profile.columns["price"]
    noise = dict.fromkeys(price.states, np.random.default_rng(1).bytes(3_000_000))
    return replace(profile, columns={**profile.columns, "price": replace(price, states=States(price.states, noise))})


def test_a_full_disk_loses_nothing_and_says_so(store: Repository, server: Server) -> None:
    put(store, *days(3))
    try:
        disk = server.small_disk(20)
        with disk as folder:
            filled = folder / "ballast"
            filled.write_bytes(bytes(19_000_000))
            attempt = store.begin_attempt("t", "2024-01-04")
            with pytest.raises(StoreUnreachableError, match=r"run out of something .*No space left") as caught:
                store.save_profile(attempt, "t", large("2024-01-04"))
            assert caught.value.retryable
            assert rows(store, "profile") == 3
            assert store.load_profile("t", "2024-01-03") == days(3)[2]
            filled.unlink()
            assert store.save_profile(attempt, "t", make_profile("2024-01-04"))
    except PermissionError as error:
        pytest.skip(str(error))
    assert rows(store, "profile") == 4
    assert_whole(store)
    report("a full disk", lost=0)

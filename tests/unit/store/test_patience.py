"""A server that accepts and never answers is given up in time, whatever it was asked last."""

from __future__ import annotations

import socket
import time

import pytest

from airflow_dq.exceptions import StoreUnreachableError
from airflow_dq.store import open_store
from airflow_dq.store.patience import PAGE, TASK
from airflow_dq.store.watch import Watch
from tests.silent_server import silent_server


@pytest.mark.parametrize(("lets_in", "said"), [(False, "timeout expired"), (True, "gave no answer for 2 seconds")])
def test_a_page_gives_a_silent_server_up(lets_in: bool, said: str) -> None:
    with silent_server(lets_in=lets_in) as port:
        started = time.monotonic()
        with pytest.raises(StoreUnreachableError, match=said) as caught:
            open_store(f"postgresql://ann@127.0.0.1:{port}/d?connect_timeout=60&sslmode=prefer", patience=PAGE)
        assert time.monotonic() - started < 8
    assert caught.value.retryable


def test_a_task_waits_longer_than_the_server_lets_any_statement_run() -> None:
    assert not TASK.hurried
    assert PAGE.hurried
    assert TASK.lock < TASK.statement
    assert PAGE.lock < PAGE.statement


class _Connection:
    """As much of a driver's connection as a watch needs."""

    closed = 0

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def fileno(self) -> int:
        return self._end.fileno()


def test_a_watch_ends_a_wait_and_leaves_answered_questions_alone() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, Watch(0.05) as watch:
        watch.guard(_Connection(ours))
        for _ in range(3):
            watch.begin()
            theirs.sendall(b"x")
            assert ours.recv(1) == b"x"
            watch.end()
            time.sleep(0.06)
        assert watch.overdue is None
        watch.begin()
        assert ours.recv(1) == b""
        assert watch.overdue == 0.05
    ours, theirs = socket.socketpair()
    with ours, theirs:
        with Watch(0.05) as watch:
            watch.guard(_Connection(ours))
            watch.begin()
        time.sleep(0.06)
        theirs.sendall(b"x")
        assert ours.recv(1) == b"x"

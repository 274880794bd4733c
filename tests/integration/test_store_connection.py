"""Opening the store: wrong addresses give one sentence that names everything but the password."""

from __future__ import annotations

import socket
import traceback
from contextlib import ExitStack
from dataclasses import replace

import pytest

from airflow_dq.exceptions import StoreUnreachableError
from airflow_dq.store import open_store
from airflow_dq.store.address import parse_dsn
from airflow_dq.store.engine import make_engine
from airflow_dq.store.migration import check, upgrade
from airflow_dq.store.patience import PAGE
from airflow_dq.store.transaction import run


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def failure(dsn: str) -> str:
    with pytest.raises(StoreUnreachableError) as caught:
        open_store(dsn)
    shown = "".join(traceback.format_exception(caught.value))
    assert "s3cret/word" not in shown
    assert "s3cret%2Fword" not in shown
    return str(caught.value)


def test_server_down() -> None:
    port = unused_port()
    message = failure(f"postgresql://ann:s3cret%2Fword@127.0.0.1:{port}/stats")
    assert f"database 'stats' at 127.0.0.1:{port} as user 'ann'" in message
    assert "Connection refused" in message
    assert "AIRFLOW_DQ_DSN" in message
    for function in (upgrade, check):
        with pytest.raises(StoreUnreachableError, match="Connection refused"):
            function(f"postgresql://ann:s3cret%2Fword@127.0.0.1:{port}/stats")


def test_wrong_password_and_unknown_database(clean_dsn: str) -> None:
    url = parse_dsn(clean_dsn)
    message = failure(url.set(password="s3cret/word").render_as_string(hide_password=False))
    assert "password authentication failed" in message
    message = failure(url.set(database="nowhere").render_as_string(hide_password=False))
    assert 'database "nowhere" does not exist' in message
    assert str(url.password) not in message


def test_unknown_host() -> None:
    assert "'stats' at no-such-host.invalid:5432" in failure("postgres://ann:s3cret%2Fword@no-such-host.invalid/stats")


def test_repository_shows_no_password(clean_dsn: str) -> None:
    with open_store(clean_dsn) as store:
        assert str(parse_dsn(clean_dsn).password) not in repr(store)
        assert store.datasets() == []
        store.close()
        assert store.datasets() == []


def test_a_page_does_not_wait_for_a_connection_in_use(clean_dsn: str) -> None:
    engine = make_engine(parse_dsn(clean_dsn), replace(PAGE, pool=0))
    with ExitStack() as held:
        for _ in range(5):
            held.enter_context(engine.connect())
        with pytest.raises(StoreUnreachableError, match="all of this process's connections to it are in use"):
            run(engine, lambda _: None)
    run(engine, lambda _: None)
    engine.dispose()

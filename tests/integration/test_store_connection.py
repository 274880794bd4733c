"""Opening the store: wrong addresses give one sentence that names everything but the password."""

from __future__ import annotations

import socket
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from threading import Timer

import pytest
from sqlalchemy import Connection, Engine, text

from airflow_dq.exceptions import StoreUnreachableError
from airflow_dq.store import open_store
from airflow_dq.store.address import parse_dsn
from airflow_dq.store.engine import make_engine
from airflow_dq.store.migration import check, upgrade
from airflow_dq.store.patience import PAGE, TASK
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


@contextmanager
def read_only(dsn: str) -> Iterator[Engine]:
    """The server as a failover leaves it for a while: whoever connects may only read."""
    engine = make_engine(parse_dsn(dsn))
    set_read_only(engine, "on")
    try:
        yield engine
    finally:
        set_read_only(engine, "off")
        engine.dispose()


def set_read_only(engine: Engine, value: str) -> None:
    name = engine.dialect.identifier_preparer.quote(str(engine.url.database))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("SET default_transaction_read_only = off"))
        connection.execute(text(f"ALTER DATABASE {name} SET default_transaction_read_only = {value}"))


def test_a_server_that_only_reads_for_a_while_is_waited_for(clean_dsn: str, caplog: pytest.LogCaptureFixture) -> None:
    with open_store(clean_dsn) as store, read_only(clean_dsn) as engine:
        store.close()
        assert store.datasets() == []  # on a connection to the standby, which the store then keeps
        back = Timer(1.0, set_read_only, [engine, "off"])
        back.start()
        assert store.begin_attempt("flights", "1") > 0
        back.join()
    assert "read-only transaction" in caplog.text


def test_one_that_goes_on_only_reading_may_be_tried_again(clean_dsn: str) -> None:
    with read_only(clean_dsn), open_store(clean_dsn, patience=replace(TASK, restart=0)) as store:
        with pytest.raises(StoreUnreachableError, match=r"only reads .*cannot execute INSERT in a read-only") as raised:
            store.begin_attempt("flights", "1")
        assert raised.value.retryable


@pytest.mark.parametrize(
    ("limit", "work"),
    [("lock", "LOCK TABLE airflow_dq.dataset IN EXCLUSIVE MODE"), ("statement", "SELECT pg_sleep(9)")],
)
def test_a_statement_that_waited_too_long_is_done_again(limit: str, work: str, clean_dsn: str) -> None:
    short = replace(TASK, lock=1) if limit == "lock" else replace(TASK, statement=1)
    engine, holder = make_engine(parse_dsn(clean_dsn), short), make_engine(parse_dsn(clean_dsn))
    tried: list[int] = []

    def once_too_long(connection: Connection) -> str:
        tried.append(1)
        if len(tried) > 1:
            held.rollback()
        if len(tried) == 1 or limit == "lock":
            connection.execute(text(work))
        return "done"

    with holder.connect() as held:
        held.execute(text("LOCK TABLE airflow_dq.dataset IN EXCLUSIVE MODE"))
        done = run(engine, once_too_long)
    assert (done, len(tried)) == ("done", 2)
    for one in (engine, holder):
        one.dispose()


def test_one_that_always_takes_too_long_is_told(clean_dsn: str) -> None:
    engine = make_engine(parse_dsn(clean_dsn), replace(TASK, restart=0))
    with pytest.raises(StoreUnreachableError, match="did not answer in time"):
        run(engine, lambda connection: connection.execute(text("SELECT pg_sleep(9)")), statement_seconds=1)
    engine.dispose()


def test_a_page_does_not_wait_for_a_connection_in_use(clean_dsn: str) -> None:
    engine = make_engine(parse_dsn(clean_dsn), replace(PAGE, pool=0))
    with ExitStack() as held:
        for _ in range(5):
            held.enter_context(engine.connect())
        with pytest.raises(StoreUnreachableError, match="all of this process's connections to it are in use"):
            run(engine, lambda _: None)
    run(engine, lambda _: None)
    engine.dispose()

"""Opening the store: wrong addresses give one sentence that names everything but the password."""

from __future__ import annotations

import socket
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

import pytest
from sqlalchemy import Connection, Engine, text

from airflow_dq.exceptions import StoreUnreachableError
from airflow_dq.store import open_store, transaction
from airflow_dq.store.address import parse_dsn
from airflow_dq.store.engine import make_engine
from airflow_dq.store.migration import check, upgrade


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


def test_one_that_goes_on_only_reading_may_be_tried_again(clean_dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "RESTART_SECONDS", 0)
    with read_only(clean_dsn), open_store(clean_dsn) as store:
        with pytest.raises(StoreUnreachableError, match=r"only reads .*cannot execute INSERT in a read-only") as raised:
            store.begin_attempt("flights", "1")
        assert raised.value.retryable


@pytest.mark.parametrize(
    ("limit", "work"),
    [("LOCK_SECONDS", "LOCK TABLE airflow_dq.dataset IN EXCLUSIVE MODE"), ("STATEMENT_SECONDS", "SELECT pg_sleep(9)")],
)
def test_a_statement_that_waited_too_long_is_done_again(
    limit: str, work: str, clean_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = {"LOCK_SECONDS": 120, "STATEMENT_SECONDS": 300} | {limit: 1}
    monkeypatch.setattr(transaction, "LOCK_SECONDS", seconds["LOCK_SECONDS"])
    engine, holder = make_engine(parse_dsn(clean_dsn)), make_engine(parse_dsn(clean_dsn))
    tried: list[int] = []

    def once_too_long(connection: Connection) -> str:
        tried.append(1)
        if len(tried) > 1:
            held.rollback()
        if len(tried) == 1 or limit == "LOCK_SECONDS":
            connection.execute(text(work))
        return "done"

    with holder.connect() as held:
        held.execute(text("LOCK TABLE airflow_dq.dataset IN EXCLUSIVE MODE"))
        done = transaction.run(engine, once_too_long, statement_seconds=seconds["STATEMENT_SECONDS"])
    assert (done, len(tried)) == ("done", 2)
    monkeypatch.setattr(transaction, "RESTART_SECONDS", 0)
    with pytest.raises(StoreUnreachableError, match="did not answer in time"):
        transaction.run(engine, lambda c: c.execute(text("SELECT pg_sleep(9)")), statement_seconds=1)
    for one in (engine, holder):
        one.dispose()

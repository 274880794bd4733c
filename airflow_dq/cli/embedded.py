"""``airflow dq db start`` and ``stop``: a PostgreSQL server of one's own, for trying things out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.run import tell
from airflow_dq.settings import DSN_VARIABLE

if TYPE_CHECKING:
    from airflow_dq.store.embedded import EmbeddedPostgres


def folder_of(given: str | None) -> Path:
    """Where the server keeps its data: what was given, else the user's own folder for data."""
    home = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(given or f"{home}/airflow_dq/postgres").expanduser()


def db_start(arguments: Any) -> int:
    """Start the server unless it runs, make the tables, and say how to name it to everything else."""
    folder, dsn = start(arguments.folder, arguments.port)
    text = (
        f"PostgreSQL runs in {folder}, with the tables of this version; `airflow dq db stop` stops it. Name it to the "
        f"commands and to Airflow, in each shell:\n\nexport {DSN_VARIABLE}='{dsn}'"
    )
    tell(arguments, {"dsn": dsn, "folder": str(folder)}, text)
    return 0


def start(given: str | None, port: int | None = None) -> tuple[Path, str]:
    """The server's folder and DSN, once it runs and has the tables.

    :raises EnvironmentMismatchError: when the wheel with its programs is not installed
    :raises StoreError: when it does not start
    """
    from airflow_dq.cli.database import upgraded

    server = _server(given, port)
    dsn = server.start()
    upgraded(dsn)
    return server.folder, dsn


def db_stop(arguments: Any) -> int:
    """Stop the server if it runs."""
    server = _server(arguments.folder)
    running = server.running
    server.stop()
    text = f"PostgreSQL in {server.folder} {'has stopped; its data stay' if running else 'was not running'}."
    tell(arguments, {"folder": str(server.folder), "stopped": running}, text)
    return 0


def _server(given: str | None, port: int | None = None) -> EmbeddedPostgres:
    from airflow_dq.store.embedded import EmbeddedPostgres

    return EmbeddedPostgres(folder_of(given), port)

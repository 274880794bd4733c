"""Whether the user of a connection may do all that gates and jobs do."""

from __future__ import annotations

from sqlalchemy import Connection, text

from airflow_dq.settings import SCHEMA
from airflow_dq.store.address import describe, parse_dsn
from airflow_dq.store.engine import make_engine
from airflow_dq.store.transaction import run

_TABLES = text(
    "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = :schema AND c.relkind IN ('r', 'p') AND c.relname <> 'alembic_version' "
    "AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT') "
    "AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')) ORDER BY c.relname"
)


def server_of(dsn: str) -> str:
    """The server and its database in words, once a connection was made.

    :raises ConfigurationError: when the URL is not a PostgreSQL URL
    :raises StoreUnreachableError: when no connection can be made
    """
    engine = make_engine(parse_dsn(dsn))
    try:
        number = run(engine, lambda connection: connection.execute(text("SHOW server_version")).scalar())
        return f"{describe(engine.url)} (PostgreSQL {str(number).split()[0]})"
    finally:
        engine.dispose()


def refused_writes(dsn: str) -> str | None:
    """Why this user cannot write to the statistics; None when it can.

    Nothing is written to find out.

    :raises StoreUnreachableError: when no connection can be made
    """
    engine = make_engine(parse_dsn(dsn))
    try:
        return run(engine, _refused)
    finally:
        engine.dispose()


def _refused(connection: Connection) -> str | None:
    user = connection.execute(text("SELECT current_user")).scalar()
    if connection.execute(text("SHOW transaction_read_only")).scalar() == "on":
        return "the server takes no writes (a stand-by, or default_transaction_read_only)"
    tables = list(connection.execute(_TABLES, {"schema": SCHEMA}).scalars())
    if not tables:
        return None
    shown = ", ".join(tables[:3]) + (f" and {len(tables) - 3} more" if len(tables) > 3 else "")
    return f"user {user} may not read and write {shown} in schema {SCHEMA}"

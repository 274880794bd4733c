"""Opening the statistics database, and saying in one sentence why that failed."""

from __future__ import annotations

from sqlalchemy import URL, Connection, Engine, create_engine, text

from airflow_dq.exceptions import StoreError, StoreNotMigratedError
from airflow_dq.settings import SCHEMA
from airflow_dq.store.address import describe, parse_dsn
from airflow_dq.store.patience import TASK, Patience
from airflow_dq.store.repository import Repository
from airflow_dq.store.table import REVISION
from airflow_dq.store.transaction import PATIENCE, run
from airflow_dq.store.value import strict_json
from airflow_dq.store.watch import guard


def open_store(dsn: str, *, check: bool = True, patience: Patience = TASK, connections: int = 1) -> Repository:
    """Connect to the statistics database; use the result in a ``with`` statement.

    :param dsn: its URL; see :func:`airflow_dq.store.address.parse_dsn`
    :param check: make a connection now and look at the schema's revision
    :param patience: how long to wait for it
    :param connections: how many are kept open, for threads that use it side by side
    :raises ConfigurationError: when the URL is not a PostgreSQL URL
    :raises StoreUnreachableError: when no connection can be made
    :raises StoreNotMigratedError: when the schema is absent or at another revision
    """
    engine = make_engine(parse_dsn(dsn), patience, connections)
    if check:
        try:
            require_revision(engine)
        except StoreError:
            engine.dispose()
            raise
    return Repository(engine)


def make_engine(url: URL, patience: Patience = TASK, connections: int = 1) -> Engine:
    """An engine whose transactions (:func:`airflow_dq.store.transaction.run`) wait for a server for so long."""
    limits: dict[str, object] = {
        "connect_timeout": patience.connect,
        "tcp_user_timeout": patience.unacknowledged * 1000,
    }
    if not patience.hurried:
        limits = {name: value for name, value in limits.items() if name not in url.query}
    # A task uses one connection at a time, if it does not work on several datasets; a few hundred tasks share one
    # server.
    engine = create_engine(
        url,
        pool_size=connections,
        max_overflow=4,
        pool_timeout=patience.pool,
        connect_args={"application_name": "airflow_dq", **limits},
        execution_options={PATIENCE: patience},
        json_serializer=strict_json,
        # Many rows without an answer go to the server together, where each would wait for the one before.
        executemany_mode="values_plus_batch",
    )
    guard(engine)
    return engine


def require_revision(engine: Engine) -> None:
    """Refuse a database whose schema this version of the package cannot use.

    :raises StoreUnreachableError: when no connection can be made
    :raises StoreNotMigratedError: when the schema is absent or at another revision
    """
    current = run(engine, current_revision)
    if current == REVISION:
        return
    where = describe(engine.url)
    if current is None:
        raise StoreNotMigratedError(
            f"The {where} holds no schema {SCHEMA!r} of this product: run `airflow dq db upgrade`."
        )
    if current > REVISION:  # numbers of four digits
        raise newer_schema(where, current)
    raise StoreNotMigratedError(
        f"The {where} has schema {SCHEMA!r} at revision {current!r}, and this version needs {REVISION!r}: "
        "run `airflow dq db upgrade`."
    )


def newer_schema(where: str, current: str) -> StoreNotMigratedError:
    """The error for a schema that a later version of this package has made.

    :param where: the database, in words
    """
    return StoreNotMigratedError(
        f"The {where} has schema {SCHEMA!r} at revision {current!r}, which this version does not know (it needs "
        f"{REVISION!r}): install the version of airflow-provider-dq that the schema belongs to, here too."
    )


def current_revision(connection: Connection) -> str | None:
    """The revision in our own version table, or None when there is none."""
    found = connection.execute(text("SELECT to_regclass(:name)"), {"name": f"{SCHEMA}.alembic_version"}).scalar()
    if found is None:
        return None
    return connection.execute(text(f"SELECT version_num FROM {SCHEMA}.alembic_version")).scalar()

"""Airflow connection -> the SQLAlchemy URL of the statistics database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow_dq.exceptions import ConfigurationError

if TYPE_CHECKING:
    from airflow.sdk import Connection

CONN_TYPES = ("dq", "postgres", "postgresql")

# What of a connection's extra is meant for libpq; a postgres connection may also carry keys of its own provider.
LIBPQ_EXTRAS = ("sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl", "connect_timeout", "options", "service")


def dsn_of(connection: Connection) -> str:
    """The SQLAlchemy URL, password included, of a ``dq`` or ``postgres`` connection.

    :raises ConfigurationError: when the connection is of another type.
    """
    from sqlalchemy import URL

    if connection.conn_type not in CONN_TYPES:
        raise ConfigurationError(
            f"Connection {connection.conn_id!r} is of type {connection.conn_type!r}; the statistics database needs a "
            "connection of type 'dq' or 'postgres'."
        )
    extra = connection.extra_dejson
    return URL.create(
        "postgresql+psycopg2",
        username=connection.login or None,
        password=connection.password or None,
        host=connection.host or None,
        port=connection.port or None,
        database=connection.schema or None,
        query={name: str(extra[name]) for name in LIBPQ_EXTRAS if extra.get(name)},
    ).render_as_string(hide_password=False)


def missing_connection(conn_id: str) -> ConfigurationError:
    """The error for a connection that is nowhere, with both ways to give one."""
    return ConfigurationError(
        f"The connection {conn_id!r} to the statistics database is not defined: add it "
        f"(airflow connections add {conn_id} --conn-uri 'dq://user:password@host:5432/database'), "
        "or set AIRFLOW_DQ_DSN to a URL such as postgresql://user:password@host:5432/database."
    )

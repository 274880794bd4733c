"""The database's address: every spelling of a PostgreSQL URL that people have, and its name without the password."""

from __future__ import annotations

import json

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from airflow_dq.exceptions import ConfigurationError

_SCHEMES = {"postgres", "postgresql"}
# Airflow folds a connection's whole `extra` field into its URI; of those only libpq's own settings make a connection.
_FROM_EXTRA = {"sslmode", "sslcert", "sslkey", "sslrootcert", "sslcrl", "connect_timeout", "keepalives", "options"}
_HOW = "Give it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE (special characters percent-encoded)."


def parse_dsn(dsn: str) -> URL:
    """The URL for SQLAlchemy with the psycopg2 driver.

    :param dsn: ``postgres://``, ``postgresql://``, ``postgresql+psycopg2://`` (or another driver), as people and
        Airflow connections spell it
    :raises ConfigurationError: when it is not a PostgreSQL URL; the message never shows the text, which may hold a
        password.
    """
    try:
        url = make_url(dsn.strip())
    except (ArgumentError, ValueError):
        raise ConfigurationError(f"The address of the statistics database is not a URL. {_HOW}") from None
    scheme = url.drivername.partition("+")[0]
    if scheme not in _SCHEMES:
        raise ConfigurationError(f"The statistics database must be PostgreSQL, and its address is {scheme!r}. {_HOW}")
    query = {name: value for name, value in url.query.items() if name != "__extra__"}
    extra = url.query.get("__extra__")
    if isinstance(extra, str):
        query = {**_libpq_settings(extra), **query}
    return url.set(drivername="postgresql+psycopg2", query=query)


def _libpq_settings(extra: str) -> dict[str, str]:
    try:
        fields = json.loads(extra)
    except ValueError:
        raise ConfigurationError("The extra field of the connection to the statistics database is not JSON.") from None
    return {name: str(fields[name]) for name in _FROM_EXTRA & set(fields)} if isinstance(fields, dict) else {}


def describe(url: URL) -> str:
    """``database 'd' at h:5432 as user 'u'``: all of the address but the password."""
    host = url.host or url.query.get("host") or "the local socket"
    port = f":{url.port or 5432}" if url.host else ""
    database = url.database or url.username or "(unnamed)"
    return f"database {database!r} at {host}{port} as user {url.username or '(unnamed)'!r}"

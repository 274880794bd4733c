"""The database's address: every spelling of a PostgreSQL URL that people have, and its name without the password."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from urllib.parse import quote, quote_plus

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.settings import dsn_from_environment

_SCHEMES = {"postgres", "postgresql"}
# Airflow folds a connection's whole `extra` field into its URI; of those only libpq's own settings make a connection.
_FROM_EXTRA = {"sslmode", "sslcert", "sslkey", "sslrootcert", "sslcrl", "connect_timeout", "keepalives", "options"}
_HOW = "Give it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE (special characters percent-encoded)."
_SECRET_SETTINGS = {"sslpassword", "oauth_client_secret"}
"""Settings of libpq that are secrets: SQLAlchemy hides the password alone when it shows an address."""
_USER = re.compile(r"[^:/]*(:[^@]*)?@")
_SHORTEST = 3
"""Letters of a password that stars can stand for: fewer are in every sentence."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def dsn_of_job() -> str:
    """The database's URL, as a Spark job finds it.

    :raises ConfigurationError: when ``AIRFLOW_DQ_DSN`` is unset
    """
    dsn = dsn_from_environment()
    if dsn is None:
        raise ConfigurationError(
            "No statistics database is named: set AIRFLOW_DQ_DSN=postgresql://user:password@host/database in the "
            "environment of spark-submit."
        )
    return dsn


def parse_dsn(dsn: str) -> URL:
    """The URL for SQLAlchemy with the psycopg2 driver.

    :param dsn: ``postgres://``, ``postgresql://``, ``postgresql+psycopg2://`` (or another driver), as people and
        Airflow connections spell it
    :raises ConfigurationError: when it is not a PostgreSQL URL; the message never shows the text, which may hold a
        password.
    """
    text = dsn.strip()
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise ConfigurationError(f"The address of the statistics database is not a URL. {_HOW}") from None
    scheme = url.drivername.partition("+")[0]
    if scheme not in _SCHEMES:
        raise ConfigurationError(f"The statistics database must be PostgreSQL, and its address is {scheme!r}. {_HOW}")
    _refuse_two_meanings(text, url)
    query = {name: value for name, value in url.query.items() if name != "__extra__"}
    extra = url.query.get("__extra__")
    if isinstance(extra, str):
        query = {**_libpq_settings(extra), **query}
    password = query.pop("password", None) or url.password
    if isinstance(password, tuple):
        raise ConfigurationError(f"The address of the statistics database has more than one password. {_HOW}")
    _refuse_settings(query)
    return url.set(drivername="postgresql+psycopg2", password=password, query=query)


def without_password(text: str, url: URL) -> str:
    """A text of somebody else's, with stars in place of the password: as it is, and as addresses spell it."""
    password = "" if url.password is None else str(url.password)
    if len(password) < _SHORTEST:
        return text  # stars for every letter of it would leave nothing to read, and would not hide it
    for spelling in (password, quote(password, safe=""), quote_plus(password)):
        text = text.replace(spelling, "***")
    return text


def password_of(dsn: str) -> str | None:
    """The password in an address; None when it has none, or is one that :func:`parse_dsn` refuses."""
    try:
        password = parse_dsn(dsn).password
    except ConfigurationError:
        return None
    return None if password is None else str(password)


def _refuse_two_meanings(text: str, url: URL) -> None:
    """A password with an ``@`` would end up in the host, the database or a setting, which messages show.

    :raises ConfigurationError: when there is an ``@`` after the one before the host, or a control character
    """
    rest = text.partition("://")[2]
    user = _USER.match(rest)
    if "@" in rest[user.end() if user else 0 :]:
        raise ConfigurationError(
            "The address of the statistics database has an @ too many, so that it is unclear where the password ends: "
            f"write %40 for each @ but the one before the host. {_HOW}"
        )
    if any(isinstance(part, str) and _CONTROL.search(part) for part in (*url[:4], url.database, *url.query.values())):
        raise ConfigurationError(f"The address of the statistics database has a control character. {_HOW}")


def _refuse_settings(query: Mapping[str, str | tuple[str, ...]]) -> None:
    """Settings that the driver would name in its error, although they may be part of a password with an ``&``.

    :raises ConfigurationError: when one is a secret, or libpq does not know it
    """
    from psycopg2 import ProgrammingError
    from psycopg2.extensions import make_dsn

    secret = sorted(_SECRET_SETTINGS & set(query))
    if secret:
        raise ConfigurationError(
            f"The address of the statistics database has the setting {secret[0]!r}, which would be shown with it: "
            "put it into libpq's service file, and say ?service=NAME."
        )
    try:
        make_dsn(**dict.fromkeys(query, "1"))
    except (ProgrammingError, TypeError):
        raise ConfigurationError(
            "The address of the statistics database has a setting after its ? that libpq does not know (not shown: "
            f"it may be part of a password with an unencoded &). {_HOW}"
        ) from None


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

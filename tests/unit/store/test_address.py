"""Every spelling of a PostgreSQL URL, and errors that never show one."""

from __future__ import annotations

import pytest

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.store.address import describe, parse_dsn


@pytest.mark.parametrize(
    "dsn",
    [
        "postgres://ann:p%40ss@db.example:5433/stats",
        "postgresql://ann:p%40ss@db.example:5433/stats",
        "postgresql+psycopg2://ann:p%40ss@db.example:5433/stats",
        "postgresql+asyncpg://ann:p%40ss@db.example:5433/stats",
        " postgres://ann:p%40ss@db.example:5433/stats?__extra__=%7B%7D\n",
    ],
)
def test_every_spelling_of_a_url_is_the_same_address(dsn: str) -> None:
    url = parse_dsn(dsn)
    expected = "postgresql+psycopg2://ann:p%40ss@db.example:5433/stats"
    assert url.render_as_string(hide_password=False) == expected
    assert url.password == "p@ss"
    assert describe(url) == "database 'stats' at db.example:5433 as user 'ann'"


def test_settings_of_libpq_survive_and_airflows_own_do_not() -> None:
    extra = "%7B%22sslmode%22%3A%20%22require%22%2C%20%22cursor%22%3A%20%22dictcursor%22%7D"
    assert dict(parse_dsn(f"postgres://h/d?__extra__={extra}").query) == {"sslmode": "require"}
    given = parse_dsn(f"postgres://h/d?sslmode=verify-full&__extra__={extra}")
    assert dict(given.query) == {"sslmode": "verify-full"}


@pytest.mark.parametrize(
    ("dsn", "message"),
    [
        ("s3cret", "is not a URL"),
        ("postgresql://ann:s3cret@host:port/d", "is not a URL"),
        ("mysql://ann:s3cret@host/d", "must be PostgreSQL, and its address is 'mysql'"),
        ("postgresql://ann:s3cret@host/d?__extra__=s3cret", "extra field .* is not JSON"),
    ],
)
def test_refusals_show_no_password(dsn: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message) as caught:
        parse_dsn(dsn)
    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_description_without_host() -> None:
    assert describe(parse_dsn("postgresql://ann@/d")) == "database 'd' at the local socket as user 'ann'"
    assert describe(parse_dsn("postgresql://ann@/d?host=%2Ftmp")) == "database 'd' at /tmp as user 'ann'"

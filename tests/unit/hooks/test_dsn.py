from __future__ import annotations

import json

import pytest
from airflow.sdk import Connection
from sqlalchemy import make_url

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.dsn import dsn_of, missing_connection


def test_every_part_of_a_connection_arrives_in_the_url() -> None:
    connection = Connection(
        conn_id="c", conn_type="dq", host="db", port=5433, schema="stats", login="me", password="p@ss/w:rd %#?"
    )
    url = make_url(dsn_of(connection))
    assert (url.drivername, url.host, url.port, url.database) == ("postgresql+psycopg2", "db", 5433, "stats")
    assert (url.username, url.password) == ("me", "p@ss/w:rd %#?")


@pytest.mark.parametrize("conn_type", ["dq", "postgres"])
def test_only_what_libpq_knows_is_taken_from_the_extra(conn_type: str) -> None:
    extra = json.dumps({"sslmode": "verify-full", "connect_timeout": 3, "cursor": "dictcursor", "sslrootcert": None})
    url = make_url(dsn_of(Connection(conn_id="c", conn_type=conn_type, host="db", extra=extra)))
    assert dict(url.query) == {"sslmode": "verify-full", "connect_timeout": "3"}


def test_a_connection_of_another_type_is_refused_by_name() -> None:
    with pytest.raises(ConfigurationError, match=r"'lake' is of type 'mysql'.*'dq' or 'postgres'"):
        dsn_of(Connection(conn_id="lake", conn_type="mysql", host="db"))


def test_a_missing_connection_is_explained_with_both_ways_to_give_one() -> None:
    words = str(missing_connection("dq_default"))
    assert "'dq_default'" in words
    assert "airflow connections add dq_default" in words
    assert "AIRFLOW_DQ_DSN" in words

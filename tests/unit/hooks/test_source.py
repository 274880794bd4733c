"""A source's password goes into the environment of a job, and nowhere else."""

from __future__ import annotations

import json

import pytest
from airflow.sdk import Connection

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.source import jdbc_options, source_variable
from airflow_dq.options.argument import (
    require_no_secret,
    source_options_from_environment,
    store_options_from_environment,
)
from airflow_dq.settings import SOURCE_VARIABLE


@pytest.mark.parametrize(
    ("kind", "host", "port", "url"),
    [
        ("postgres", "db", 5432, "jdbc:postgresql://db:5432/shop"),
        ("mysql", "db", None, "jdbc:mysql://db/shop"),
        ("mssql", "db", 1433, "jdbc:sqlserver://db:1433;databaseName=shop"),
        ("oracle", "db", 1521, "jdbc:oracle:thin:@//db:1521/shop"),
        ("jdbc", "jdbc:derby:/x", None, "jdbc:derby:/x"),
    ],
)
def test_a_connection_is_what_the_reader_has_to_know(kind: str, host: str, port: int | None, url: str) -> None:
    made = Connection(conn_id="c", conn_type=kind, host=host, port=port, schema="shop", login="me", password="horse")
    assert jdbc_options(made) == {"url": url, "user": "me", "password": "horse"}


def test_a_connection_without_an_address_for_spark_names_those_that_have_one() -> None:
    with pytest.raises(ConfigurationError, match=r"'c' is of type 'http'.*postgres, mysql, mssql, oracle.*jdbc"):
        jdbc_options(Connection(conn_id="c", conn_type="http", host="db"))
    with pytest.raises(ConfigurationError, match="'nowhere' to the source is not defined"):
        source_variable("nowhere")


def test_the_job_finds_in_its_environment_what_the_task_put_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_SHOP", json.dumps({"conn_type": "postgres", "host": "db", "password": "horse"}))
    assert source_options_from_environment() == {}
    for name, value in source_variable("shop").items():
        monkeypatch.setenv(name, value)
    assert source_options_from_environment() == {"url": "jdbc:postgresql://db/", "password": "horse"}


def test_properties_of_a_store_are_no_read_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SOURCE_VARIABLE, json.dumps({"fs.s3a.secret.key": "horse", "user": "me"}))
    assert source_options_from_environment() == {"user": "me"}
    assert store_options_from_environment() == {"fs.s3a.secret.key": "horse"}


@pytest.mark.parametrize("text", ["horse", '["horse"]', '{"password": 5}'])
def test_what_is_no_object_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(SOURCE_VARIABLE, text)
    with pytest.raises(ConfigurationError, match="no JSON object of texts") as caught:
        source_options_from_environment()
    assert "horse" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"Password": "horse"},
        {"url": "jdbc:mysql://db/x?user=me&password=horse"},
        {"URL": "jdbc:mysql://me:horse@db:3306/x"},
        {"uri": "postgresql+psycopg2://me:horse@db/catalog"},
        {"url": "jdbc:oracle:thin:me/horse@//db:1521/x"},
        {"url": "jdbc:sqlserver://db:1433;user=me;Pwd=horse"},
    ],
)
def test_a_password_among_the_read_options_is_refused(options: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match=r"'orders'.*holds a password.*source_conn_id=") as caught:
        require_no_secret(options, "orders")
    assert "horse" not in str(caught.value)
    plain = (
        "jdbc:mysql://db/x",
        "jdbc:oracle:thin:@//db:1521/x",
        "jdbc:postgresql://db:5432/x?user=me@shop",
        "jdbc:h2:~/x",
    )
    for url in plain:
        require_no_secret({"url": url, "dbtable": "orders"}, "orders")

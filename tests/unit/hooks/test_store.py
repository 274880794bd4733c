"""Airflow's connections to object stores, and what each library is told of them."""

from __future__ import annotations

from typing import Any

import pytest
from airflow.sdk import Connection

from airflow_dq.engine.arrow.store import delta_options, iceberg_options, store_of
from airflow_dq.engine.store_access import AZURE, HDFS, NO_ACCESS, S3, StoreAccess, hadoop_options, kind_of
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.store import store_access


@pytest.mark.parametrize(
    ("given", "kind", "known"),
    [
        (
            {"conn_type": "aws", "login": "me", "password": "horse", "extra": '{"region_name": "eu-west-1"}'},
            S3,
            {"access_key": "me", "secret_key": "horse", "region": "eu-west-1"},
        ),
        (
            {
                "conn_type": "aws",
                "extra": '{"aws_access_key_id": "me", "aws_secret_access_key": "horse", "aws_session_token": "t", '
                '"service_config": {"s3": {"endpoint_url": "http://s3:8333"}}}',
            },
            S3,
            {"access_key": "me", "secret_key": "horse", "session_token": "t", "endpoint": "http://s3:8333"},
        ),
        (
            {"conn_type": "wasb", "login": "acc", "password": "horse"},
            AZURE,
            {"account_name": "acc", "account_key": "horse"},
        ),
        (
            {
                "conn_type": "adls",
                "login": "id",
                "password": "horse",
                "extra": '{"tenant_id": "t", "account_name": "a"}',
            },
            AZURE,
            {"account_name": "a", "tenant_id": "t", "client_id": "id", "client_secret": "horse"},
        ),
        ({"conn_type": "hdfs", "login": "me"}, HDFS, {"user": "me"}),
    ],
)
def test_a_connection_is_the_way_to_its_store(given: dict[str, Any], kind: str, known: dict[str, str]) -> None:
    found = store_access(Connection(conn_id="c", **given))
    assert (found.kind, found.given) == (kind, known)
    assert "horse" not in repr(found)


def test_a_connection_that_is_none_to_a_store_is_refused() -> None:
    with pytest.raises(
        ConfigurationError, match=r"'c' is of type 'http', which is no object store.*GOOGLE_APPLICATION"
    ):
        store_access(Connection(conn_id="c", conn_type="http"))


def test_each_library_is_told_in_its_own_words() -> None:
    given = {"access_key": "me", "secret_key": "horse", "session_token": "t", "endpoint": "http://s3:8333"}
    access = StoreAccess(S3, given)
    delta = delta_options("s3a://lake/t", access)
    assert delta["AWS_ALLOW_HTTP"] == "true"
    assert (delta["AWS_ACCESS_KEY_ID"], delta["AWS_ENDPOINT_URL"]) == ("me", "http://s3:8333")
    iceberg = iceberg_options("s3://lake/t", access)
    assert (iceberg["s3.access-key-id"], iceberg["s3.endpoint"]) == ("me", "http://s3:8333")
    hadoop = hadoop_options(access)
    assert hadoop["fs.s3a.aws.credentials.provider"].endswith("TemporaryAWSCredentialsProvider")
    assert hadoop_options(StoreAccess(AZURE, {"account_name": "a", "account_key": "horse"})) == {
        "fs.azure.account.key.a.dfs.core.windows.net": "horse"
    }
    with pytest.raises(ConfigurationError, match="Spark takes no credentials of a store of kind 'hdfs'"):
        hadoop_options(StoreAccess(HDFS, {"user": "me"}))


@pytest.mark.parametrize(
    ("place", "kind"),
    [("/data/x", ""), ("file:///data/x", ""), ("s3a://b/x", "s3"), ("gs://b/x", "gs"), ("abfss://c@a.dfs/x", "abfss")],
)
def test_the_scheme_of_a_path_is_the_kind_of_its_store(place: str, kind: str) -> None:
    assert kind_of(place) == kind


def test_a_path_is_spelled_as_people_write_it() -> None:
    store = store_of(
        "s3a://lake/day=1", StoreAccess(S3, {"endpoint": "http://s3:8333", "access_key": "a", "secret_key": "b"}), "t"
    )
    assert (store.inner, store.spelled, store.outer("lake/day=1/x")) == (
        "lake/day=1",
        "s3://lake/day=1",
        "s3://lake/day=1/x",
    )
    assert store_of("/data/day=1", NO_ACCESS, "t").outer("/data/day=1/x") == "/data/day=1/x"

"""The way from a session's configuration to an object store through Arrow, and what is left to Spark's reader."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyarrow import fs

from airflow_dq.engine.spark.refused import RefusedError
from airflow_dq.engine.spark.store_files import StoreFiles, store_place
from airflow_dq.engine.worker.files import Place
from airflow_dq.exceptions import SourceUnreadableError

KEYS = {"fs.s3a.access.key": "key", "fs.s3a.secret.key": "secret"}
DEFAULTS = {
    "fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider, "
    "software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider",
    "fs.s3a.endpoint": "s3.amazonaws.com",
}


class Conf:
    """What is asked of Hadoop's configuration."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given

    def getTrimmed(self, name: str) -> str | None:  # noqa: N802 - Hadoop's names
        return self._given.get(name)

    def getTrimmedStrings(self, name: str) -> list[str]:  # noqa: N802
        return [one.strip() for one in self._given.get(name, "").split(",") if one.strip()]

    def getPropsWithPrefix(self, prefix: str) -> Any:  # noqa: N802
        found = [name.removeprefix(prefix) for name in self._given if name.startswith(prefix)]
        return SimpleNamespace(keySet=lambda: SimpleNamespace(toArray=lambda: found))


def session(**given: str) -> Any:
    conf = Conf(DEFAULTS | given)
    state = SimpleNamespace(newHadoopConf=lambda: conf)
    return SimpleNamespace(_jsparkSession=SimpleNamespace(sessionState=lambda: state))


def options_of(place: Place | None) -> dict[str, Any]:
    """What an executor makes the file system of: what has been pickled."""
    assert place is not None
    (options,) = pickle.loads(pickle.dumps(place))._system.__reduce__()[1]
    return dict(options)


def test_the_keys_of_the_session_go_to_the_executors_and_the_environments_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "mine")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hidden")
    given = session(**KEYS, **{"fs.s3a.endpoint": "store:8333", "fs.s3a.connection.ssl.enabled": "false"})
    found = options_of(store_place(given, "s3a://lake/day=1"))
    assert (found["access_key"], found["secret_key"]) == ("key", "secret")
    assert (found["endpoint_override"], found["scheme"]) == ("store:8333", "http")
    place = store_place(session(), "s3a://lake/day=1")
    assert (options_of(place)["access_key"], options_of(place)["endpoint_override"]) == (None, "")
    assert b"hidden" not in pickle.dumps(place)


@pytest.mark.parametrize("path", ["/lake/day=1", "file:/lake", "lake.orders", "hdfs://name/lake", "wasbs://c@a/lake"])
def test_what_is_in_no_store_that_tasks_read_has_none(path: str) -> None:
    assert store_place(session(), path) is None


def test_the_other_stores_are_resolved_as_well() -> None:
    google = store_place(session(), "gs://lake/day=1")
    assert google is not None
    assert isinstance(google._system, fs.GcsFileSystem)
    account = "acc.dfs.core.windows.net"
    azure = store_place(session(**{f"fs.azure.account.key.{account}": "a2V5"}), f"abfss://lake@{account}/day=1")
    assert azure is not None
    assert isinstance(azure._system, fs.AzureFileSystem)
    assert azure._inner(f"abfss://lake@{account}/day=1/a.parquet") == "lake/day=1/a.parquet"


@pytest.mark.parametrize(
    ("path", "name", "value"),
    [
        ("s3a://lake/day=1", "fs.s3a.bucket.lake.access.key", "other"),
        ("s3a://lake/day=1", "fs.s3a.aws.credentials.provider", "com.example.Vault"),
        ("gs://lake/day=1", "google.cloud.auth.service.account.enable", "true"),
        ("gs://lake/day=1", "fs.gs.auth.type", "SERVICE_ACCOUNT_JSON_KEYFILE"),
        ("abfss://lake@acc.dfs.core.windows.net/1", "fs.azure.account.auth.type", "OAuth"),
    ],
)
def test_a_way_of_the_sessions_own_is_not_guessed_at(path: str, name: str, value: str) -> None:
    with pytest.raises(RefusedError, match=r"a way of its own to the store") as caught:
        store_place(session(**{name: value}), path)
    assert value not in str(caught.value) or name.endswith("provider")


def test_a_store_that_lets_nobody_in_is_one_error(tmp_path: Path) -> None:
    class Closed(Place):
        def look(self, path: str) -> Any:
            raise PermissionError("ACCESS_DENIED")

    files = StoreFiles(session(), "s3a://lake/", Closed(fs.LocalFileSystem(), "s3a://", str(tmp_path)))
    with pytest.raises(SourceUnreadableError, match=r"s3a://lake/ cannot be looked at \(ACCESS_DENIED\)"):
        files.at("s3a://lake/day=1")

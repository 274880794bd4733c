"""Object stores through Arrow, with the way to them that the session has: for tasks that read Parquet by themselves,
and for listing where the session lacks the jar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
from pyspark.sql import SparkSession

from airflow_dq.engine.arrow.store import store_of, unreachable
from airflow_dq.engine.spark.connect_files import ConnectFiles, Task
from airflow_dq.engine.spark.gateway import Py4JJavaError
from airflow_dq.engine.spark.refused import RefusedError
from airflow_dq.engine.store_access import AZURE, GCS, S3, S3A, StoreAccess, kind_of
from airflow_dq.engine.worker.files import Place
from airflow_dq.exceptions import DQError

_PLAIN_PROVIDERS = {
    "TemporaryAWSCredentialsProvider",
    "SimpleAWSCredentialsProvider",
    "EnvironmentVariableCredentialsProvider",
    "IAMInstanceCredentialsProvider",
    "InstanceProfileCredentialsProvider",
    "DefaultAWSCredentialsProviderChain",
    "DefaultCredentialsProvider",
    "ContainerCredentialsProvider",
    "WebIdentityTokenCredentialsProvider",
    "WebIdentityTokenFileCredentialsProvider",
}
"""What S3A asks for credentials that Arrow asks as well: keys that are given, the environment, the machine's role."""
_PROVIDER, _ENCRYPTED = "fs.s3a.aws.credentials.provider", "fs.s3a.connection.ssl.enabled"
_ONE_ROW = pa.record_batch([pa.array([0])], ["id"])


def store_place(spark: SparkSession, path: str) -> Place | None:
    """The file system of a path in an object store, for tasks to read from; None for any other path.

    What it holds of credentials are those that the session's configuration gives; else each machine finds its own.

    :raises RefusedError: when the session has another way to it than Arrow would take, or Arrow has none
    """
    parts = urlsplit(path)
    try:
        kind = kind_of(path)
    except DQError:
        return None
    if kind not in (S3, GCS, AZURE):
        # Beside files there is HDFS, for which each Python worker would start a Java of its own.
        return None
    try:
        access = StoreAccess(kind, _given(spark, kind, parts.netloc))
        system = store_of(path, access, path).system
    except DQError as error:
        raise RefusedError(str(error)) from error
    if kind != AZURE:
        return Place(system, f"{parts.scheme}://", "")
    container, _, account = parts.netloc.rpartition("@")
    return Place(system, f"{parts.scheme}://{parts.netloc}", container or account)


def _given(spark: SparkSession, kind: str, host: str) -> dict[str, str]:
    """What the session's configuration says of the way to a store."""
    conf: Any = spark._jsparkSession.sessionState().newHadoopConf()

    def said(prefix: str) -> list[str]:
        return list(conf.getPropsWithPrefix(prefix).keySet().toArray())

    if kind == S3:
        _refuse(said(f"fs.s3a.bucket.{host}."), f"fs.s3a.bucket.{host}.")
        providers = [one.strip().rpartition(".")[2] for one in conf.getTrimmedStrings(_PROVIDER)]
        _refuse([one for one in providers if one not in _PLAIN_PROVIDERS], f"{_PROVIDER} names ")
        given = {name: str(conf.getTrimmed(option) or "") for name, option in S3A.items()}
        # A role to be assumed is asked for by a provider that has been refused.
        given |= {"role_arn": "", "endpoint": _address(given["endpoint"], conf.getTrimmed(_ENCRYPTED) == "false")}
        return {name: value for name, value in given.items() if value}
    if kind == GCS:
        _refuse(said("google.cloud.auth."), "google.cloud.auth.")
        _refuse(said("fs.gs.auth."), "fs.gs.auth.")
        return {}
    account = host.rpartition("@")[2]
    for prefix in ("fs.azure.account.auth.type", "fs.azure.account.oauth", "fs.azure.sas"):
        _refuse(said(prefix), prefix)
    key = conf.getTrimmed(f"fs.azure.account.key.{account}")
    return {"account_name": account.partition(".")[0], "account_key": key} if key else {}


def _address(endpoint: str, plain: bool) -> str:
    """The address of a server that is not Amazon's."""
    if not endpoint or endpoint.endswith("amazonaws.com"):
        return ""
    return endpoint if "://" in endpoint else f"{'http' if plain else 'https'}://{endpoint}"


def _refuse(found: list[str], prefix: str) -> None:
    if found:
        raise RefusedError(f"the session has a way of its own to the store: {prefix}{min(found)}")


class StoreFiles(ConnectFiles):
    """The files of an object store, looked at by this process: for a session without the jar for it."""

    def __init__(self, spark: SparkSession, store: str, place: Place) -> None:
        """Nothing is looked at yet.

        :param store: its address, as an error names it
        """
        super().__init__(spark)
        self._store = store
        self._place_of: Callable[[str], Place] = lambda path: place

    def _run(self, task: Task, schema: str) -> list[Any]:
        looking: Any = task
        try:
            return [row for batch in looking([_ONE_ROW], place_of=self._place_of) for row in batch.to_pylist()]
        except (OSError, pa.ArrowException) as error:
            raise unreachable(error, "The source of a Spark job", self._store) from error


def lacks_jar(spark: SparkSession, path: str) -> bool:
    """Whether a session has no file system of its own for the scheme of a path in an object store."""
    scheme = urlsplit(path).scheme if "://" in path else ""
    if not scheme or scheme == "file":
        return False
    jvm: Any = spark.sparkContext._jvm
    conf: Any = spark._jsparkSession.sessionState().newHadoopConf()
    try:
        jvm.org.apache.hadoop.fs.FileSystem.getFileSystemClass(scheme, conf)
    except Py4JJavaError:
        return True
    return False

"""Object stores, as pyarrow, deltalake and pyiceberg each want to be told of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyarrow import fs

from airflow_dq.engine.store_access import AZURE, GCS, HDFS, S3, StoreAccess, kind_of, s3_from_environment
from airflow_dq.exceptions import ConfigurationError, SourceUnreadableError

_CONNECT, _REQUEST = 5, 30
"""Seconds until a store that does not answer is given up: a busy one answers a request within the second."""
_TRIES = 3
"""Tries of a request, the default of AWS's own tools."""
_REGION = "us-east-1"
"""Of a server that is not Amazon's: signatures name one, and such servers take any."""


@dataclass(frozen=True, slots=True)
class Store:
    """A file system, and a path in it."""

    system: fs.FileSystem
    inner: str
    """The path for the file system."""
    spelled: str
    """The path for libraries that find the file system themselves: ``s3://``, never ``s3a://``."""

    def outer(self, path: str) -> str:
        """A path of the file system as people write it."""
        return self.spelled[: len(self.spelled) - len(self.inner)] + path


def store_of(place: str, access: StoreAccess, where: str) -> Store:
    """The store that a path is of.

    :param where: the dataset, as an error names it
    :raises ConfigurationError: when there is no way to it
    """
    kind = kind_of(place)
    given = access.of(place)
    parts = urlsplit(place)
    if not kind:
        path = unquote(parts.path) if parts.scheme == "file" else place
        return Store(fs.LocalFileSystem(), path, path)
    inner = f"{parts.netloc}{parts.path}"
    try:
        if kind == S3:
            return Store(fs.S3FileSystem(**_s3(given)), inner, f"s3://{inner}")
        if kind == GCS:
            return Store(fs.GcsFileSystem(**_gcs(given)), inner, f"gs://{inner}")
        if kind == AZURE:
            container, _, account = parts.netloc.rpartition("@")
            path = f"{container}{parts.path}" if container else inner
            return Store(fs.AzureFileSystem(**_azure(given, account)), path, place)
        host = f"hdfs://{parts.hostname}" if parts.hostname else "default"
        system = fs.HadoopFileSystem(host, parts.port or (8020 if parts.hostname else 0), user=given.get("user"))
        return Store(system, parts.path, place)
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        raise ConfigurationError(
            f"{where}: there is no way to {place} ({' '.join(str(error).split())[:200]}). Check the connection of "
            "source_conn_id, or the environment."
        ) from error


def unreachable(error: Exception, where: str, place: str) -> SourceUnreadableError:
    """The error of a store that does not answer, or does not let one in."""
    said = " ".join(str(error).split())[:300]
    return SourceUnreadableError(
        f"{where}: {place} cannot be looked at ({said}). Check the address and the credentials (source_conn_id=, or "
        "the environment), and that the bucket exists.",
        discreet=f"{where}: {place} cannot be looked at ({type(error).__name__}).",
    )


def delta_options(place: str, access: StoreAccess) -> dict[str, str]:
    """What deltalake is told of the store of a table."""
    kind, given = kind_of(place), access.of(place)
    # Its own retries go on for three minutes.
    patience = {"timeout": f"{_REQUEST}s", "connect_timeout": f"{_CONNECT}s", "max_retries": str(_TRIES)}
    patience["retry_timeout"] = f"{_REQUEST}s"
    if kind == S3:
        found = {**s3_from_environment(), **given}
        names = {
            "access_key": "AWS_ACCESS_KEY_ID",
            "secret_key": "AWS_SECRET_ACCESS_KEY",
            "session_token": "AWS_SESSION_TOKEN",
            "endpoint": "AWS_ENDPOINT_URL",
            "region": "AWS_REGION",
            "role_arn": "AWS_IAM_ROLE_ARN",
            "anonymous": "AWS_SKIP_SIGNATURE",
        }
        plain = {"AWS_ALLOW_HTTP": "true"} if found.get("endpoint", "").startswith("http://") else {}
        region = {"AWS_REGION": _REGION} if "endpoint" in found else {}
        return {**patience, **region, **{names[name]: value for name, value in found.items()}, **plain}
    if kind == AZURE:
        renamed = {"account_name": "azure_storage_account_name", "account_key": "azure_storage_account_key"}
        renamed |= {"sas_token": "azure_storage_sas_key"}
        return {**patience, **{renamed.get(name, f"azure_{name}"): value for name, value in given.items()}}
    if kind == GCS and "access_token" in given:
        raise ConfigurationError("deltalake takes no access token for gs://: give it a key file by the environment.")
    return patience if kind in (GCS, HDFS) else {}


def iceberg_options(place: str, access: StoreAccess) -> dict[str, str]:
    """What pyiceberg is told of the store of a table.

    :param place: empty: of a catalog's tables, wherever they lie
    """
    kind = kind_of(place) or access.kind
    given = access.given if not place else access.of(place)
    found = {**s3_from_environment(), **given} if kind in (S3, "") else dict(given)
    patience = {"s3.connect-timeout": str(_CONNECT), "s3.request-timeout": str(_REQUEST)}
    names = {
        S3: {"access_key": "access-key-id", "secret_key": "secret-access-key", "role_arn": "role-arn"},
        AZURE: {},
        GCS: {"access_token": "oauth2.token", "project": "project-id"},
        HDFS: {},
    }
    prefix = {S3: "s3", AZURE: "adls", GCS: "gcs", HDFS: "hdfs"}
    one = kind or S3
    renamed = {f"{prefix[one]}.{names[one].get(name, name.replace('_', '-'))}": text for name, text in found.items()}
    region = {"s3.region": _REGION} if "s3.endpoint" in renamed else {}
    return {**patience, **region, **renamed}


def _s3(given: dict[str, str] | Any) -> dict[str, Any]:
    found = {**s3_from_environment(), **given}
    scheme, _, host = found.pop("endpoint", "").rpartition("://")
    options: dict[str, Any] = {name: value for name, value in found.items() if name != "anonymous"}
    if found.get("anonymous", "").lower() == "true":
        options["anonymous"] = True
    if host:
        options |= {"endpoint_override": host.rstrip("/"), "scheme": scheme or "https"}
        options.setdefault("region", _REGION)
    patience = fs.AwsStandardS3RetryStrategy(max_attempts=_TRIES)
    return {**options, "connect_timeout": _CONNECT, "request_timeout": _REQUEST, "retry_strategy": patience}


def _gcs(given: dict[str, str] | Any) -> dict[str, Any]:
    from datetime import UTC, datetime, timedelta

    options: dict[str, Any] = {"retry_time_limit": timedelta(seconds=_REQUEST)}
    if "access_token" in given:
        # The library wants to know; a token of Google's lasts an hour, and the store says when it is over.
        ends = datetime.now(UTC) + timedelta(hours=1)
        options |= {"access_token": given["access_token"], "credential_token_expiration": ends}
    if given.get("anonymous", "").lower() == "true":
        options["anonymous"] = True
    scheme, _, host = given.get("endpoint", "").rpartition("://")
    if host:
        options |= {"endpoint_override": host, "scheme": scheme or "https"}
    return options | ({"project_id": given["project"]} if "project" in given else {})


def _azure(given: dict[str, str] | Any, host: str) -> dict[str, Any]:
    account = host.partition(".")[0]
    return {"account_name": account, **given}

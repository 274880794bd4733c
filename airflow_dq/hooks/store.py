"""The connection to an object store that holds the data, as engines want to be told of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from airflow_dq.engine.store_access import AZURE, HDFS, S3, StoreAccess
from airflow_dq.exceptions import ConfigurationError

KINDS = {"aws": S3, "s3": S3, "wasb": AZURE, "adls": AZURE, "azure_data_lake": AZURE, "hdfs": HDFS, "webhdfs": HDFS}
"""Type of Airflow's connection -> kind of store."""


class ConnectionLike(Protocol):
    """What both of Airflow's classes for connections have."""

    conn_id: Any
    conn_type: Any
    login: Any
    password: Any
    extra: Any


def store_access(connection: ConnectionLike) -> StoreAccess:
    """The way to the store.

    :raises ConfigurationError: when the connection is of a type that is none of a store's
    """
    kind = KINDS.get(connection.conn_type or "")
    if kind is None:
        raise ConfigurationError(
            f"The connection {connection.conn_id!r} is of type {connection.conn_type!r}, which is no object "
            f"store: give one of type {', '.join(KINDS)}, or let the environment say it (Google's store is reached by "
            "GOOGLE_APPLICATION_CREDENTIALS)."
        )
    extra = _extra(connection)
    found = {S3: _s3, AZURE: _azure, HDFS: _hdfs}[kind](connection, extra)
    return StoreAccess(kind, {name: str(value) for name, value in found.items() if value})


def _extra(connection: ConnectionLike) -> Mapping[str, Any]:
    try:
        found = json.loads(connection.extra or "{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ConfigurationError(f"The extra of connection {connection.conn_id!r} is no JSON object.")
    return found


def _s3(connection: ConnectionLike, extra: Mapping[str, Any]) -> dict[str, Any]:
    service = extra.get("service_config", {}).get("s3", {})
    return {
        "access_key": connection.login or extra.get("aws_access_key_id"),
        "secret_key": connection.password or extra.get("aws_secret_access_key"),
        "session_token": extra.get("aws_session_token"),
        "endpoint": service.get("endpoint_url") or extra.get("endpoint_url"),
        "region": extra.get("region_name"),
        "role_arn": extra.get("role_arn"),
    }


def _azure(connection: ConnectionLike, extra: Mapping[str, Any]) -> dict[str, Any]:
    tenant = extra.get("tenant_id") or extra.get("tenant")
    if tenant:
        return {
            "account_name": extra.get("account_name"),
            "tenant_id": tenant,
            "client_id": connection.login,
            "client_secret": connection.password,
        }
    return {
        "account_name": connection.login,
        "account_key": connection.password,
        "sas_token": extra.get("sas_token"),
    }


def _hdfs(connection: ConnectionLike, extra: Mapping[str, Any]) -> dict[str, Any]:
    return {"user": connection.login or extra.get("proxy_user")}

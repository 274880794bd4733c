"""The connection to what holds the data: its password is on no command line and in no stored order."""

from __future__ import annotations

import json
from collections.abc import Iterable

from airflow.sdk import BaseHook, Connection

from airflow_dq.engine.store_access import StoreAccess, hadoop_options
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.store import KINDS, store_access
from airflow_dq.options.argument import SECRET_NAME
from airflow_dq.settings import SOURCE_VARIABLE
from airflow_dq.version_compat import AirflowNotFoundException

_URLS = {
    "postgres": "jdbc:postgresql://{host}{port}/{schema}",
    "mysql": "jdbc:mysql://{host}{port}/{schema}",
    "mssql": "jdbc:sqlserver://{host}{port};databaseName={schema}",
    "oracle": "jdbc:oracle:thin:@//{host}{port}/{schema}",
}
"""Addresses as Spark's JDBC reader wants them, by the type of Airflow's connection."""


def source_variable(conn_id: str) -> dict[str, str]:
    """The variable that hands a connection's address and secrets to a job, for its environment only.

    :raises ConfigurationError: when the connection is not defined, or of a type of which Spark knows nothing
    """
    return variable_of(_connection(conn_id))


def variable_of(connection: Connection) -> dict[str, str]:
    """As :func:`source_variable`, of a connection that has been found."""
    if connection.conn_type in KINDS:
        options = hadoop_options(_masked(store_access(connection)))
    else:
        options = jdbc_options(connection)
        _mask([options.get("password") or ""])
    return {SOURCE_VARIABLE: json.dumps(options)}


def source_access(conn_id: str) -> StoreAccess:
    """The way to the object store of a connection, for a job in this process.

    :raises ConfigurationError: when the connection is not defined, or none to an object store
    """
    return _masked(store_access(_connection(conn_id)))


def _mask(values: Iterable[str]) -> None:
    """Have Airflow print stars in place of some values, whoever logs them."""
    from airflow.sdk.log import mask_secret

    for value in values:
        mask_secret(value)


def _masked(access: StoreAccess) -> StoreAccess:
    _mask(value for name, value in access.given.items() if SECRET_NAME.search(name))
    return access


def _connection(conn_id: str) -> Connection:
    try:
        return BaseHook.get_connection(conn_id)
    except AirflowNotFoundException:
        raise undefined(conn_id) from None


def undefined(conn_id: str) -> ConfigurationError:
    """The error of a connection that there is not."""
    return ConfigurationError(f"The connection {conn_id!r} to the source is not defined: add it.")


def jdbc_options(connection: Connection) -> dict[str, str]:
    """What Spark's JDBC reader has to know of a connection.

    :raises ConfigurationError: when its type has no address that Spark knows
    """
    host, kind = connection.host or "", connection.conn_type or ""
    if host.startswith("jdbc:"):
        url = host
    elif kind in _URLS:
        port = f":{connection.port}" if connection.port else ""
        url = _URLS[kind].format(host=host, port=port, schema=connection.schema or "")
    else:
        raise ConfigurationError(
            f"The connection {connection.conn_id!r} is of type {kind!r}, which has no address for JDBC: "
            f"give one of type {', '.join(_URLS)}, or of type 'jdbc' whose host is the address (jdbc:...)."
        )
    found = {"url": url, "user": connection.login, "password": connection.password}
    return {name: value for name, value in found.items() if value}

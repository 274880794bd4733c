"""The connection to a database that holds the data: its password is on no command line and in no stored order."""

from __future__ import annotations

import json
from collections.abc import Mapping

from airflow.sdk import BaseHook, Connection

from airflow_dq.exceptions import ConfigurationError
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
    """The variable that hands a connection's address, login and password to a job, for its environment only.

    :raises ConfigurationError: when the connection is not defined, or its type has no address that Spark knows
    """
    try:
        options = jdbc_options(BaseHook.get_connection(conn_id))
    except AirflowNotFoundException:
        raise ConfigurationError(f"The connection {conn_id!r} to the source is not defined: add it.") from None
    from airflow.sdk.log import mask_secret

    mask_secret(options.get("password") or "")
    return {SOURCE_VARIABLE: json.dumps(options)}


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


def require_no_secret(options: Mapping[str, str], dataset: str) -> None:
    """Refuse a password among the options of a reader, which everybody sees who may list this machine's processes.

    :raises ConfigurationError: naming the option, and what to give instead
    """
    for name, value in options.items():
        if name.lower() == "password" or (name.lower() == "url" and "password=" in value.lower()):
            raise ConfigurationError(
                f"Dataset {dataset!r}: the read option {name!r} holds a password, which would stand on the command "
                "line of spark-submit: put it into an Airflow connection and give source_conn_id=<its id>."
            )

"""The statistics database, and what holds the data, as the command line finds them: outside any task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airflow_dq.hooks.dsn import dsn_of, missing_connection
from airflow_dq.settings import dsn_from_environment

if TYPE_CHECKING:
    from airflow_dq.engine.store_access import StoreAccess


def find_dsn(conn_id: str) -> str:
    """``AIRFLOW_DQ_DSN``, or the Airflow connection from the environment, a secrets backend or Airflow's database.

    :raises ConfigurationError: when there is neither.
    """
    if dsn := dsn_from_environment():
        return dsn
    connection = _found(conn_id)
    if connection is None:
        raise missing_connection(conn_id)
    return dsn_of(connection)


def find_access(conn_id: str) -> StoreAccess:
    """The way to the object store of a connection.

    :raises ConfigurationError: when it is not defined, or none to an object store
    """
    from airflow_dq.hooks.store import store_access

    return store_access(_source(conn_id))


def find_source(conn_id: str) -> dict[str, str]:
    """The variable that hands a connection's address and secrets to a Spark job.

    :raises ConfigurationError: when it is not defined, or of a type of which Spark knows nothing
    """
    from airflow_dq.hooks.source import variable_of

    return variable_of(_source(conn_id))


def _source(conn_id: str) -> Any:
    from airflow_dq.hooks.source import undefined

    connection = _found(conn_id)
    if connection is None:
        raise undefined(conn_id)
    return connection


def _found(conn_id: str) -> Any:
    """The connection; None where there is none."""
    # Airflow takes seconds to import, for what most commands do without.
    # The hook's way to a connection leads over a task's supervisor, and does not look into Airflow's database here.
    from airflow.models.connection import Connection

    from airflow_dq.version_compat import AirflowNotFoundException

    try:
        return Connection.get_connection_from_secrets(conn_id)
    except AirflowNotFoundException:
        return None

"""The statistics database, as the command line finds it: outside any task."""

from __future__ import annotations

from airflow_dq.hooks.dsn import dsn_of, missing_connection
from airflow_dq.settings import dsn_from_environment


def find_dsn(conn_id: str) -> str:
    """``AIRFLOW_DQ_DSN``, or the Airflow connection from the environment, a secrets backend or Airflow's database.

    :raises ConfigurationError: when there is neither.
    """
    if dsn := dsn_from_environment():
        return dsn
    # Airflow takes seconds to import, for what most commands do without.
    # The hook's way to a connection leads over a task's supervisor, and does not look into Airflow's database here.
    from airflow.models.connection import Connection

    from airflow_dq.version_compat import AirflowNotFoundException

    try:
        return dsn_of(Connection.get_connection_from_secrets(conn_id))
    except AirflowNotFoundException:
        raise missing_connection(conn_id) from None

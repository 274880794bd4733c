"""A profile job as a client of a Spark Connect server: a Python process, without spark-submit and Java."""

from __future__ import annotations

import sys
from typing import Any

from airflow.providers.apache.spark.hooks.spark_connect import SparkConnectHook
from airflow.sdk import Connection
from airflow.sdk.log import mask_secret

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.spark import ProfileSubmitHook

_OF_THE_SERVER = (
    *("conf", "files", "py_files", "archives", "jars", "packages", "driver_class_path", "properties_file"),
    *("proxy_user", "executor_cores", "executor_memory", "num_executors", "total_executor_cores", "driver_memory"),
    *("keytab", "principal"),
)
"""Arguments of spark-submit that the application gets, which here is the server's and runs already."""
_LINEAGE = "spark.openlineage."
"""What Airflow adds by itself to the properties of a job."""


def is_remote(connection: Connection) -> bool:
    """Whether a connection is to a Spark Connect server."""
    return connection.conn_type == SparkConnectHook.conn_type or (connection.host or "").startswith("sc://")


class ConnectSubmitHook(ProfileSubmitHook):
    """Runs one job, whose session is one of a Spark Connect server.

    :param connection: to the server: of type ``spark_connect``, or with a host ``sc://...``
    :param options: the arguments of Airflow's hook, of which those that are the server's own are refused
    """

    def __init__(self, *, connection: Connection, **options: Any) -> None:
        """Take the connection.

        :raises ConfigurationError: when an argument is the server's business, not that of a job
        """
        conf = {name: one for name, one in (options.get("conf") or {}).items() if not name.startswith(_LINEAGE)}
        given = [name for name in _OF_THE_SERVER if (conf if name == "conf" else options.get(name))]
        if given:
            raise ConfigurationError(
                f"The Spark connection {connection.conn_id!r} is to a Spark Connect server, which runs already: leave "
                f"out {', '.join(given)} and set it where the server is started."
            )
        address = _Address(connection).get_connection_url()
        mask_secret(connection.password or "")
        # What is shown has no token in it.
        shown = Connection(conn_id=connection.conn_id, conn_type="spark", host=address.partition("/;")[0].rstrip("/"))
        super().__init__(connection=shown, **options)
        self.environment["SPARK_REMOTE"] = address

    def check_master(self) -> None:
        """Nothing to refuse: whether the server answers shows at once."""

    def check_machine(self) -> None:
        """Nothing of this machine is needed but this Python; what that lacks the job says itself."""

    def _build_spark_submit_command(self, application: str) -> list[str]:
        self._env = {**self.environment, **(self._env_vars or {})}
        return [sys.executable, application, *(str(one) for one in self._application_args or ())]


class _Address(SparkConnectHook):
    """Airflow's own way from a connection to an address, token included."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection.conn_id)
        self._connection = connection

    def get_connection(self, conn_id: str) -> Connection:  # type: ignore[override]  # of this job, not of the class
        """The connection that was resolved beforehand."""
        return self._connection
